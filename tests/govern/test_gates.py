"""Gates over a change: open, closed, without an answer, and those that need an impact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from policyctl.compile import compile_texts
from policyctl.diagnostics import Severity
from policyctl.diff.compare import compare
from policyctl.govern.facts import facts
from policyctl.govern.gates import Gate, GateOutcome, Unmeasured, gates
from policyctl.model.policy import Policy
from policyctl.render import ci_github, gates_text
from policyctl.units import Instant
from policyctl.workspace.shipped import schemas
from tests.cli.program import POLICY

NOW = Instant(1_800_000_000)


def compiled(text: str) -> Policy:
    done = compile_texts({"policy.yaml": text.encode()}, schemas(), now=None)
    assert done.policy is not None, done.report.findings
    return done.policy


def judged(
    when: str,
    level: str = "error",
    *,
    author: str | None = "dev1",
    impact: dict[str, Any] | Unmeasured | None = None,
) -> Gate:
    # Policies with such conditions are not valid; a bundle of another version may hold one.
    gate = {"name": "one", "when": when, "level": level, "message": "too much"}
    sound = compiled(POLICY)
    base = replace(sound, governance=replace(sound.governance, gates=(gate,)))
    after = compiled(POLICY.replace("60%", "70%"))
    change: dict[str, Any] = facts(base, after, compare(base, after, now=NOW), author)
    (found,) = gates(base, change, impact)
    return found


@pytest.mark.parametrize(
    ("when", "outcome"),
    [
        ("change.moved > 0.05", GateOutcome.CLOSED),
        ("change.moved > 0.25", GateOutcome.OPEN),
        ("change.shares.exists(one, one.after > 0.65)", GateOutcome.CLOSED),
        ("change.exceptions.exists(one, one.days > 30.0)", GateOutcome.OPEN),
        ("change.moved > ", GateOutcome.UNANSWERED),
        ("change.mooved > 0.05", GateOutcome.UNANSWERED),
        ("change.moved", GateOutcome.UNANSWERED),
        ("impact.visible", GateOutcome.UNMEASURED),
        ("impact.visible || change.mooved", GateOutcome.UNANSWERED),
        ("impact.vissible", GateOutcome.UNANSWERED),
        ("impact.visible > ", GateOutcome.UNANSWERED),
    ],
    ids=[
        "more moves than it allows",
        "as much moves as it allows",
        "one share is too large",
        "no exception is too long",
        "no expression",
        "unknown field",
        "a number is no truth",
        "nothing was measured",
        "unmeasured and wrong is wrong",
        "unmeasured and misspelt is wrong",
        "unmeasured and no expression is wrong",
    ],
)
def test_a_gate_opens_only_by_an_answer(when: str, outcome: GateOutcome) -> None:
    found = judged(when)
    assert found.outcome is outcome
    assert found.refuses is (outcome in {GateOutcome.CLOSED, GateOutcome.UNANSWERED})
    assert (found.why is None) is (outcome in {GateOutcome.OPEN, GateOutcome.CLOSED})


@pytest.mark.parametrize(
    ("when", "outcome"),
    [
        ("change.author == 'dev1'", GateOutcome.AUTHORLESS),
        ("change.author != 'dev1'", GateOutcome.AUTHORLESS),
        ("has(change.author) && change.author == 'dev1'", GateOutcome.AUTHORLESS),
        ("change['author'] == 'dev1'", GateOutcome.AUTHORLESS),
        ("change['auth' + 'or'] == 'dev1'", GateOutcome.UNANSWERED),
        ("change.authr == 'dev1'", GateOutcome.UNANSWERED),
        ("change.loosens", GateOutcome.CLOSED),
    ],
    ids=["is", "is not", "if it is there", "by index", "hidden", "misspelt", "not asked"],
)
def test_a_gate_over_the_author_never_passes_where_nobody_names_one(when: str, outcome: GateOutcome) -> None:
    found = judged(when, author=None)
    assert found.outcome is outcome
    assert found.unknown is (outcome is GateOutcome.AUTHORLESS)
    assert judged(when).outcome in {GateOutcome.OPEN, GateOutcome.CLOSED, GateOutcome.UNANSWERED}


@pytest.mark.parametrize("level", ["error", "warning"])
def test_what_cannot_be_measured_is_an_error_at_each_gate_that_needs_it(level: str) -> None:
    lost = Unmeasured(why="the log is cut off")
    found = judged("impact.visible", level, impact=lost)
    assert (found.outcome, found.closed) == (GateOutcome.UNJUDGED, False)
    assert found.why == "the impact on jobs could not be computed: the log is cut off"
    assert gates_text.render([found], colour=False).startswith("not judged (error) one: the impact on jobs")
    assert ci_github.gates([found]).startswith("::error title=gate one::")
    assert judged("change.loosens", level, impact=lost).outcome is GateOutcome.CLOSED


def test_a_warning_is_closed_but_does_not_refuse() -> None:
    found = judged("change.loosens", level="warning")
    assert (found.closed, found.refuses, found.level) == (True, False, Severity.WARNING)
    assert gates_text.render([found], colour=False) == (
        "closed (warning) one: too much\n"
        "  policy.yaml:35: change.loosens\n"
        "  change.loosens = true\n"
        "1 gate, 1 closed\n"
    )
    assert ci_github.gates([found]) == "::warning title=gate one::one: too much\n"


def test_gates_of_the_head_do_not_count() -> None:
    always = "  gates:\n    - {name: never, when: true, level: error}\n"
    base, after = compiled(POLICY), compiled(POLICY.replace("60%", "70%") + always)
    assert gates(base, facts(base, after, compare(base, after, now=NOW), "")) == ()
    back = compare(after, base, now=NOW)
    assert [one.outcome for one in gates(after, facts(after, base, back, ""))] == [GateOutcome.CLOSED]
