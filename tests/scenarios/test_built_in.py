"""The built-in scenarios hold under their own policies, and are missed where what they are about is taken away."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from policyctl.cli.scenarios import LoadedScenario, built_in, load_scenario
from policyctl.model.policy import Policy
from policyctl.render.rehearsal_text import render
from policyctl.sim.baselines import BASELINES
from policyctl.sim.scenarios.rehearse import Rehearsal, rehearse
from policyctl.sim.scenarios.scenario import Scenario

ROOT = Path(__file__).parent.parent.parent
NAMES = (
    "budget-cut",
    "everyone-urgent",
    "maintenance-drain",
    "max-protection",
    "notebook-day",
    "rack-failure",
    "restart-storm",
    "returning-program",
    "small-before-large",
)


def test_these_are_all() -> None:
    assert built_in() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_everything_holds_with_every_seed(name: str) -> None:
    loaded = load_scenario(name)
    for seed in loaded.scenario.seeds:
        run = rehearse(loaded.scenario, loaded.policy.policy, seed=seed)
        assert run.held, render(name, seed, run.verdicts)


@pytest.mark.parametrize("name", NAMES)
def test_a_rehearsal_can_be_repeated(name: str) -> None:
    loaded = load_scenario(name)
    first, second = (rehearse(loaded.scenario, loaded.policy.policy, seed=1) for _ in range(2))
    assert first.verdicts == second.verdicts
    for pool, of_first in first.simulation.pools.items():
        assert of_first.record == second.simulation.pools[pool].record


@pytest.mark.parametrize("name", NAMES)
def test_its_page_says_what_happens_what_must_hold_and_why(name: str) -> None:
    page = (ROOT / "scenarios" / name / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^#+ .*", page, flags=re.MULTILINE) == [
        f"# {name}",
        "## What happens",
        "## What must hold",
        "## Why it is worth rehearsing",
    ]
    assert f"({name}/README.md)" in (ROOT / "scenarios" / "README.md").read_text(encoding="utf-8")


def missed(run: Rehearsal) -> list[str]:
    return sorted({type(one.expectation).__name__ for one in run.verdicts if not one.held})


@pytest.mark.parametrize(
    ("name", "baseline", "wanted"),
    [
        pytest.param(
            "small-before-large", "fifo", "StartsWithin", id="small jobs fill every hole under first fit"
        ),
        pytest.param(
            "small-before-large", "fairshare", "StartsWithin", id="fair share alone keeps nothing free"
        ),
        pytest.param(
            "everyone-urgent", "labels", "IgnoresPriorities", id="labels decide where labels are followed"
        ),
        pytest.param("everyone-urgent", "labels", "Portion", id="the honest program starves by labels"),
        pytest.param("returning-program", "fifo", "Portion", id="the queue of the others comes first"),
        pytest.param(
            "returning-program", "partitions", "Portion", id="a hard quota leaves the idle share unused"
        ),
        pytest.param("budget-cut", "fifo", "Portion", id="no budget, no cut"),
        pytest.param("notebook-day", "fifo", "Preempted", id="sessions stay for as long as they like"),
    ],
)
def test_it_is_missed_without_a_policy(name: str, baseline: str, wanted: str) -> None:
    loaded = load_scenario(name)
    run = rehearse(loaded.scenario, loaded.policy.policy, seed=1, lane=BASELINES[baseline])
    assert wanted in missed(run)


def _without_caps(policy: Policy) -> Policy:
    return replace(policy, caps=())


def _never_saves(scenario: Scenario) -> Scenario:
    plain = tuple(replace(task, checkpoint_every=None, save_time=None) for task in scenario.tasks)
    return replace(scenario, tasks=plain)


def _no_labels(scenario: Scenario) -> Scenario:
    return replace(
        scenario, tasks=tuple(replace(one, job=replace(one.job, priority=0)) for one in scenario.tasks)
    )


def _second_half_of_the_budget(policy: Policy) -> Policy:
    return replace(
        policy,
        budgets=tuple(replace(one, period=replace(one.period, end=None)) for one in policy.budgets[:1]),
    )


def same(thing: object) -> object:
    return thing


@pytest.mark.parametrize(
    ("name", "other_policy", "other_scenario", "wanted"),
    [
        pytest.param(
            "max-protection", _without_caps, same, ["ProtectedAtMost", "StartsWithin"], id="without caps"
        ),
        pytest.param("notebook-day", _without_caps, same, ["ProtectedAtMost"], id="sessions without a cap"),
        pytest.param("restart-storm", same, _never_saves, ["LosesAtMost"], id="jobs that never save"),
        pytest.param(
            "everyone-urgent", same, _no_labels, ["StartsWithin"], id="no label, no precedence among own jobs"
        ),
        pytest.param(
            "budget-cut", _second_half_of_the_budget, same, ["Portion"], id="a budget that is not cut"
        ),
    ],
)
def test_it_is_missed_once_its_point_is_taken_away(
    name: str,
    other_policy: Callable[[Policy], Policy],
    other_scenario: Callable[[Scenario], Scenario],
    wanted: list[str],
) -> None:
    loaded = load_scenario(name)
    run = rehearse(other_scenario(loaded.scenario), other_policy(loaded.policy.policy), seed=1)
    assert set(wanted) <= set(missed(run))


def test_another_policy_takes_the_place_of_its_own() -> None:
    own = load_scenario("max-protection")
    looser = replace(own.policy, policy=_without_caps(own.policy.policy))
    loaded: LoadedScenario = load_scenario("max-protection", policy=looser)
    assert loaded.policy is looser
    assert loaded.scenario == own.scenario
