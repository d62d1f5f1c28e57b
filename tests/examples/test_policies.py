"""The embedded policy: free of findings when the examples look at it, and of the size that it claims."""

from __future__ import annotations

from collections import Counter

import pytest

from policyctl.adapters.state_json import read_state
from policyctl.compile import compile_texts
from policyctl.decide.explain import explain
from policyctl.decide.preempt import Preemptor
from policyctl.decide.rank import rank_pool
from policyctl.decide.situation import Situation
from policyctl.model.policy import Policy, ProtectionGrant, ShareGrant
from policyctl.model.tree import tree_at
from policyctl.units import Instant, parse_instant
from policyctl.workspace.shipped import schemas
from policyctl.workspace.tree import read_tree
from tests.examples.readme_runner import ROOT

NOW = parse_instant("2026-11-30T09:00:00Z")


@pytest.fixture(scope="module")
def policy() -> Policy:
    compiled = compile_texts(read_tree(ROOT / "policies"), schemas(), now=NOW)
    assert compiled.policy is not None
    return compiled.policy


@pytest.fixture(scope="module")
def situation(policy: Policy) -> Situation:
    state = read_state((ROOT / "examples" / "lab-queue" / "state.json").read_bytes(), file="state.json").state
    assert state is not None
    return Situation(policy, state, state.time)


@pytest.mark.parametrize("day", ["2026-11-29T00:00:00Z", "2026-11-30T09:00:00Z", "2026-12-06T23:59:59Z"])
def test_nothing_is_found(day: str) -> None:
    report = compile_texts(read_tree(ROOT / "policies"), schemas(), now=parse_instant(day)).report
    assert report.findings == ()


def test_three_pools_of_1200_gpus_where_the_older_ones_cost_less(policy: Policy) -> None:
    rates = {pool.name: pool.charge_rate for pool in policy.pools}
    assert sum(pool.gpus for pool in policy.pools) == 1_200
    assert rates["h100"] > rates["a100"] > rates["l40s"] > 0


def test_six_programs_with_two_to_five_projects_each(policy: Policy) -> None:
    depths = Counter(budget.account.count("/") if budget.account != "/" else 0 for budget in policy.budgets)
    assert depths == {0: 2, 1: 6}
    assert all(2 <= len(budget.shares) <= 5 for budget in policy.budgets if budget.account != "/")


def test_every_delegation_has_its_own_file_and_owner(policy: Policy) -> None:
    files = [budget.place.file for budget in policy.budgets]
    assert len(set(files)) == len(files)
    owners = {budget.owner for budget in policy.budgets}
    assert None not in owners
    assert owners <= set(policy.governance.groups)


def test_two_exceptions_are_in_force_and_one_is_to_come(policy: Policy) -> None:
    starts = [one.period.start for one in policy.exceptions if one.period.in_force(NOW)]
    to_come = [one for one in policy.exceptions if one.period.start is not None and one.period.start > NOW]
    assert (len(starts), len(to_come)) == (2, 1)
    grants = {type(one.grant) for one in policy.exceptions}
    assert {ShareGrant, ProtectionGrant} < grants


@pytest.mark.parametrize("pool", ["h100", "a100", "l40s"])
def test_the_share_exception_moves_two_branches_and_nobody_else(policy: Policy, pool: str) -> None:
    before = tree_at(policy, pool, Instant(parse_instant("2026-11-22T23:59:59Z")))
    during = tree_at(policy, pool, NOW)
    moved = {
        one.path: other.absolute - one.absolute
        for one, other in zip(before.accounts, during.accounts, strict=True)
        if one.absolute != other.absolute
    }
    assert set(moved) == {
        "/language",
        "/language/posttrain",
        "/vision",
        "/vision/perception",
        "/vision/scenes",
        "/vision/video",
    }
    assert moved["/language"] == -moved["/vision"] > 0


def test_every_line_of_every_cap_binds_some_job_of_the_queue(policy: Policy, situation: Situation) -> None:
    lines = {(cap.account, rule.name) for cap in policy.caps for rule in cap.rules}
    lines |= {(cap.account, "default") for cap in policy.caps}
    binding = {
        (reason.facts["account"], reason.facts["capped_by"])
        for job in situation.state.jobs
        for reason in explain(situation, job.id).reasons
        if reason.code == "funded" and "capped_by" in reason.facts
    }
    assert binding == lines


def test_every_guard_and_every_rule_on_victims_decides_something_on_the_queue(
    policy: Policy, situation: Situation
) -> None:
    guards, codes = set(), set()
    preemptor = Preemptor(situation)
    for pool in policy.pools:
        running = [job.id for job in situation.jobs(pool.name, running=True)]
        for ranked in rank_pool(situation.pool(pool.name)).order:
            for verdict in preemptor.authorize(ranked.job, running).victims:
                codes.add(verdict.code)
                guards |= {reason.facts["rule"] for reason in verdict.reasons if reason.code == "guard"}
    assert guards == {guard.name for guard in policy.preemption.guards}
    assert codes > {
        "guard",
        "not_behind",
        "per_job_limit",
        "pool_hourly_limit",
        "same_account_other_user",
        "still_behind",
        "victim_opportunistic",
        "victim_protected",
    }


def test_handles_name_teams(policy: Policy) -> None:
    handles = [handle for members in policy.governance.groups.values() for handle in members]
    handles += [one.requested_by for one in policy.exceptions]
    assert all(handle.startswith("@lab/") for handle in handles)
