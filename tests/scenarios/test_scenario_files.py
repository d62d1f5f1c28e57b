"""Scenario files: every field means something, every mistake is told at its place, policies are put together."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from policyctl.adapters.scenario_expect import READERS
from policyctl.adapters.scenario_lab import FIELDS
from policyctl.adapters.scenario_read import read_scenario
from policyctl.adapters.scenario_text import overlaid, read_scenario_text
from policyctl.cli.scenarios import load_scenario
from policyctl.compile import compile_texts
from policyctl.diagnostics import Finding, Severity
from policyctl.errors import UsageProblem
from policyctl.load.keywords import KEYWORDS
from policyctl.model.workload import IncidentKind
from policyctl.sim.scenarios.rehearse import rehearse
from policyctl.sim.scenarios.scenario import Scenario, workload_of
from policyctl.units import parse_instant
from tests.casebook import schemas as policy_schemas
from tests.cli.program import POLICY
from tests.load.test_schemas import ANNOTATIONS, STRUCTURE, subschemas

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent.parent / "schemas/scenario.json").read_text()
)
START = parse_instant("2026-09-07T00:00:00Z")
HEAD = """\
apiVersion: policyctl/v1
kind: Scenario
metadata: {name: mine}
spec:
  about: a day in the life
  start: "2026-09-07T00:00:00Z"
  horizon: 1d
"""
ONE = "  workload:\n    tasks:\n      - {name: a, account: /language, pool: h100, gpus: 8, work: 4h}\n"


def findings_of(text: str, *, broken: bool = False) -> tuple[Finding, ...]:
    """Return what is wrong with a scenario that brings a policy of its own, which only `broken` ones may spoil."""
    whole = f"{text}---\n{POLICY}"
    read = read_scenario_text(whole.encode(), file="scenario.yaml", schema=SCHEMA)
    if read.document is None:
        return read.findings
    policy = compile_texts(overlaid({}, read.policy, file="scenario.yaml"), policy_schemas(), now=None).policy
    if policy is None:
        assert broken
        return ()
    return read_scenario(read.document, policy).findings


def scenario_of(text: str) -> Scenario:
    whole = f"{text}---\n{POLICY}"
    read = read_scenario_text(whole.encode(), file="scenario.yaml", schema=SCHEMA)
    assert read.document is not None, read.findings
    policy = compile_texts(overlaid({}, read.policy, file="scenario.yaml"), policy_schemas(), now=None).policy
    assert policy is not None
    scenario = read_scenario(read.document, policy).scenario
    assert scenario is not None
    return scenario


def task(more: str) -> str:
    return HEAD + ONE.replace("work: 4h", f"work: 4h, {more}")


def expecting(line: str, incidents: str = "") -> str:
    return HEAD + ONE + incidents + f"  expect:\n    - {line}\n"


def incident(fields: str) -> str:
    return f"  incidents:\n    - {{{fields}}}\n"


RACK = "name: rack, kind: fail, pool: h100, nodes: {first: 0, last: 7}, at: 6h, for: 2h"
WRONG = [
    pytest.param(HEAD, "S004", "`spec` has no `workload`", 4, id="no workload"),
    pytest.param(HEAD + "  workload: {}\n", "S010", "`workload` is empty", 8, id="an empty workload"),
    pytest.param(task("wrk: 3h"), "S003", "unknown field `wrk`", 10, id="a misspelt field"),
    pytest.param(task("at: 4"), "S008", "`4` is not a duration", 10, id="a duration without a unit"),
    pytest.param(
        task("restartFailure: 120%"),
        "S008",
        "`120%` is more than the whole",
        10,
        id="a probability above one",
    ),
    pytest.param(
        task("every: 3m"), "S011", "`every` goes with `times` only", 10, id="a distance between one"
    ),
    pytest.param(
        task("at: 1d"), "S007", "`at` is `1d`, not before the horizon", 10, id="submitted when all is over"
    ),
    pytest.param(
        task("kind: session"), "S006", "`session` is not a word for `kind`", 10, id="an unknown kind"
    ),
    pytest.param(
        HEAD + ONE + ONE.splitlines()[-1] + "\n",
        "S017",
        "`a` names two of the tasks",
        11,
        id="one name for two",
    ),
    pytest.param(
        HEAD
        + ONE.replace("4h}", "4h, times: 2}")
        + ONE.splitlines()[-1].replace("name: a", "name: a-0002")
        + "\n",
        "S017",
        "`a-0002` is also a job of `a`",
        11,
        id="a name that is a number of another",
    ),
    pytest.param(
        HEAD + ONE.replace("h100", "h10"),
        "A006",
        "no Cluster document has a pool `h10`",
        10,
        id="an unknown pool",
    ),
    pytest.param(
        HEAD + ONE.replace("/language", "/langage"),
        "A005",
        "no budget names `/langage`",
        10,
        id="an unknown account",
    ),
    pytest.param(
        HEAD + ONE + incident(RACK.replace("last: 7", "last: 88")),
        "J014",
        "pool `h100` has no node `88`",
        12,
        id="a node too many",
    ),
    pytest.param(
        HEAD + ONE + incident(RACK.replace("first: 0", "first: 8")),
        "S007",
        "`last` is `7`, before `first`",
        12,
        id="nodes backwards",
    ),
    pytest.param(
        HEAD + ONE + incident(RACK.replace("2h", "0s")),
        "S008",
        "`0s` is no time at all",
        12,
        id="an incident of no length",
    ),
    pytest.param(
        expecting("{complete: {jobs: a}}"),
        "S003",
        "unknown field `complete`",
        12,
        id="an unknown expectation",
    ),
    pytest.param(
        expecting("{completes: {jobs: a}, preempted: {jobs: a}}"),
        "S011",
        "`completes` and `preempted` exclude each other",
        12,
        id="two in one",
    ),
    pytest.param(
        HEAD + "  workload: {lab: {researchers: 9, queueDepth: 2, atMost: 3}}\n",
        "S011",
        "`queueDepth` and `atMost` exclude each other",
        8,
        id="a queue that is full and has a limit",
    ),
    pytest.param(
        expecting("hitsOnly: {incident: rock}", incident(RACK)),
        "S006",
        "no incident of kind `fail` is called `rock`",
        14,
        id="an unknown incident",
    ),
    pytest.param(
        expecting("emptiesWithin: {incident: rack, within: 1h}", incident(RACK)),
        "S006",
        "no incident of kind `drain` is called `rack`",
        14,
        id="a failure is no drain",
    ),
    pytest.param(
        expecting("portion: {account: /language, pool: h100, from: 2h, until: 1h}"),
        "S016",
        "`until` is not after `from`",
        12,
        id="an interval backwards",
    ),
    pytest.param(
        expecting("portion: {account: /language, pool: h100, from: 2h, until: 2d}"),
        "S007",
        "`until` is `2d`, after the horizon",
        12,
        id="an interval beyond the end",
    ),
    pytest.param(
        expecting("portion: {account: /vision, pool: h100, from: 2h, until: 3h}"),
        "A005",
        "no budget names `/vision`",
        12,
        id="a portion of nobody",
    ),
    pytest.param(
        HEAD.replace("Scenario", "Scenery") + ONE,
        "S002",
        "no document here is a Scenario",
        1,
        id="no scenario at all",
    ),
    pytest.param(
        f"{HEAD}{ONE}---\n{HEAD}{ONE}", "S013", "a second Scenario; a file has one", 14, id="two scenarios"
    ),
    pytest.param(
        HEAD + ONE.replace("{name: a", "{name: a, name: b"),
        "Y001",
        "duplicate key `name`",
        10,
        id="a key twice",
    ),
]


@pytest.mark.parametrize(("text", "code", "message", "line"), WRONG)
def test_a_mistake_is_told_at_its_place(text: str, code: str, message: str, line: int) -> None:
    found = [one for one in findings_of(text) if one.severity is Severity.ERROR]
    assert [(one.code, one.place.line) for one in found] == [(code, line)], [one.message for one in found]
    assert found[0].message.startswith(message)


def test_tasks_are_numbered_and_their_users_take_turns() -> None:
    scenario = scenario_of(
        task("at: 1h, times: 5, every: 10m, users: 2, user: dev5, priority: 3, labels: {queue: debug}")
    )
    jobs = [one.job for one in scenario.tasks]
    assert [job.id for job in jobs] == ["a-0001", "a-0002", "a-0003", "a-0004", "a-0005"]
    assert [job.user for job in jobs] == ["dev5-1", "dev5-2", "dev5-1", "dev5-2", "dev5-1"]
    assert [job.submit - START for job in jobs] == [3600, 4200, 4800, 5400, 6000]
    assert {(job.priority, job.labels["queue"]) for job in jobs} == {(3, "debug")}


def test_users_with_a_queue_are_streams() -> None:
    (one, two) = scenario_of(task("at: 1h, times: 3, users: 2, queue: {depth: 2, pause: 5m}")).streams
    assert [task.job.id for task in one.tasks] == ["a-1-0001", "a-1-0002", "a-1-0003"]
    assert [task.job.id for task in two.tasks] == ["a-2-0001", "a-2-0002", "a-2-0003"]
    assert (one.depth, one.pause, one.first - START) == (2, 300, 3600)


def test_a_single_job_keeps_its_name_and_says_everything() -> None:
    (found,) = scenario_of(
        task(
            "nodes: 2, minRuntime: 1h, timeLimit: 6h, kind: interactive, resumable: false, topology: block, "
            "checkpointEvery: 30m, saveTime: 1m, restartOverhead: 5m, restartFailure: 1/4"
        )
    ).tasks
    job = found.job
    assert (job.id, job.user, job.nodes, job.gpus) == ("a", "a", 2, 8000)
    assert (job.min_runtime, job.time_limit, job.kind, job.resumable) == (3600, 21600, "interactive", False)
    assert job.topology == "block"
    assert (found.work, found.checkpoint_every, found.save_time) == (14400, 1800, 60)
    assert (found.restart_overhead, found.restart_failure) == (300, 0.25)


def test_an_incident_names_its_last_node_too() -> None:
    (rack,) = scenario_of(HEAD + ONE + incident(RACK)).incidents.values()
    assert (rack.kind, rack.nodes) == (IncidentKind.FAIL, tuple(range(8)))
    assert (rack.at - START, rack.until - START) == (6 * 3600, 8 * 3600)


def test_a_lab_is_drawn_for_each_seed_up_to_the_horizon() -> None:
    loaded = load_scenario("max-protection")
    scenario = scenario_of(
        HEAD + "  seeds: [3, 4]\n  workload: {lab: {researchers: 9, load: 1.5, zeroDeclared: 0%}}\n"
    )
    assert scenario.seeds == (3, 4)
    assert scenario.lab is not None
    assert (scenario.lab.researchers, scenario.lab.load, scenario.lab.days) == (9, Fraction(3, 2), 1)
    one, same, other = (workload_of(scenario, loaded.policy.policy, seed) for seed in (3, 3, 4))
    assert one == same != other
    assert all(START <= task.job.submit < scenario.end for task in one.tasks)
    assert all(task.job.min_runtime for task in one.tasks)


def test_a_lab_says_who_holds_back_how_unequal_people_are_and_what_needs_a_block() -> None:
    loaded = load_scenario("max-protection")
    written = "researchers: 9, atMost: 3, pause: 1m, unequal: 1.8, block: 0%"
    scenario = scenario_of(HEAD + f"  workload: {{lab: {{{written}}}}}\n")
    assert scenario.lab is not None
    assert (scenario.lab.at_most, scenario.lab.unequal, scenario.lab.block) == (
        3,
        Fraction(9, 5),
        Fraction(0),
    )
    streams = workload_of(scenario, loaded.policy.policy, 1).streams
    assert streams
    assert {(one.depth, one.pause) for one in streams} == {(3, 60)}


def test_readers_and_schema_have_the_same_fields() -> None:
    spec = SCHEMA["properties"]["spec"]["properties"]
    assert set(READERS) == set(spec["expect"]["items"]["properties"])
    assert {*FIELDS, "sizes"} == set(spec["workload"]["properties"]["lab"]["properties"])


def test_the_schema_is_one_for_editors_and_for_our_messages() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for path, schema in subschemas(SCHEMA):
        assert not set(schema) - set(KEYWORDS) - ANNOTATIONS - STRUCTURE, path
        if not path.endswith("propertyNames"):
            assert schema.get("title"), path
            assert schema.get("description", "").endswith("."), path
            assert schema.get("examples"), path


def test_documents_of_the_scenario_replace_those_of_its_base(tmp_path: Path) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy/policy.yaml").write_text(POLICY)
    smaller = """\
---
apiVersion: policyctl/v1
kind: Cluster
metadata: {name: another-name}
spec: {pools: {h100: {nodes: 2, gpusPerNode: 8}}}
---
apiVersion: policyctl/v1
kind: Budget
metadata: {name: organization}
spec: {account: /, owner: leadership, shares: {language: 1/2, vision: 1/2}}
"""
    text = (HEAD + ONE).replace("spec:\n", "spec:\n  base: policy\n", 1)
    (tmp_path / "scenario.yaml").write_text(text + smaller)
    loaded = load_scenario(str(tmp_path))
    policy = loaded.policy.policy
    assert [(pool.name, pool.nodes) for pool in policy.pools] == [("h100", 2)]
    assert [share.name for share in policy.budgets[0].shares] == ["language", "vision"]
    assert policy.caps, "what is not replaced stays"
    assert rehearse(loaded.scenario, policy, seed=1).held


MORE = """\
{"start": "2026-09-07T00:00:00Z", "end": "2026-09-08T00:00:00Z", "tasks": [
{"id": "b", "account": "/language", "user": "dev5", "pool": "h100", "gpus": 8, "submit": "2026-09-07T01:00:00Z", "work": "1h"}
]}
"""


def test_a_workload_file_is_added(tmp_path: Path) -> None:
    (tmp_path / "more.json").write_text(MORE)
    text = HEAD + ONE.replace("workload:\n", "workload:\n    file: more.json\n")
    (tmp_path / "mine.yaml").write_text(f"{text}---\n{POLICY}")
    loaded = load_scenario(str(tmp_path / "mine.yaml"))
    assert [task.job.id for task in loaded.scenario.tasks] == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(('"id": "b"', '"id": "a"'), "`a` is a task of the scenario and of", id="one id in both"),
        pytest.param(
            ('"start": "2026-09-07', '"start": "2026-09-06'),
            "begins before the scenario",
            id="an earlier start",
        ),
    ],
)
def test_a_workload_file_that_does_not_go_with_it_is_refused(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    (tmp_path / "more.json").write_text(MORE.replace(*change))
    text = HEAD + ONE.replace("workload:\n", "workload:\n    file: more.json\n")
    (tmp_path / "mine.yaml").write_text(f"{text}---\n{POLICY}")
    with pytest.raises(UsageProblem, match=message):
        load_scenario(str(tmp_path / "mine.yaml"))


@given(st.text("{}[]:,-#&*!|>'\"%@`\t\n ~nameskindScenario", max_size=60), st.integers(0, 400))
@settings(deadline=None, max_examples=150)
def test_any_text_in_a_scenario_is_read_or_told(noise: str, at: int) -> None:
    whole = HEAD + ONE + incident(RACK) + "  expect:\n    - completes: {jobs: a}\n"
    findings_of(whole[:at] + noise + whole[at:], broken=True)


def test_a_scenario_that_is_not_there_is_named_with_its_neighbour() -> None:
    with pytest.raises(UsageProblem) as problem:
        load_scenario("rack-failures")
    assert problem.value.help == "did you mean `rack-failure`?"


def test_lines_of_the_policy_keep_their_numbers() -> None:
    whole = f"{HEAD}{ONE}---\n{POLICY}"
    read = read_scenario_text(whole.encode(), file="scenario.yaml", schema=SCHEMA)
    before, after = whole.split("\n"), read.policy.split("\n")
    assert len(before) == len(after)
    line = before.index("kind: Cluster")
    assert before[line:] == after[line:]
    assert not any(after[: line - 2])
