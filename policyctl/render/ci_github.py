"""What a check has to say beside findings, as annotations of a workflow run: failed tests, closed gates, no answers."""

from __future__ import annotations

from collections.abc import Sequence

from policyctl.govern.gates import Gate, GateOutcome
from policyctl.render.gates_text import told
from policyctl.render.terminal import visible
from policyctl.render.workflow_command import workflow_command
from policyctl.testing.run import CaseResult

__all__ = ["gates", "no_answer", "tests"]

_MOST = 10


def tests(results: Sequence[CaseResult]) -> str:
    """Write an error at each failed case; a code host shows ten, so the tenth says how many more there are."""
    failed = [one for one in results if not one.passed]
    kept = failed if len(failed) <= _MOST else failed[: _MOST - 1]
    lines = [
        workflow_command(
            "error",
            visible(_why(one)),
            {
                "file": visible(one.case.place.file),
                "line": str(one.case.place.line),
                "title": visible(f"policy test {one.case.title}"),
            },
        )
        for one in kept
    ]
    if len(kept) < len(failed):
        left = f"{len(failed) - len(kept)} more failed policy tests are not shown here"
        lines.append(workflow_command("error", left, {"title": "policyctl test"}))
    return "".join(f"{line}\n" for line in lines)


def _why(one: CaseResult) -> str:
    if one.problem is not None:
        return f"no answer: {one.problem}"
    return f"not as expected: {', '.join(other.field for other in one.differences)}"


def gates(judged: Sequence[Gate]) -> str:
    """Write one line for each gate that is not open, at its level; one that could not be judged is an error."""
    return "".join(
        f"{workflow_command(_level(one), visible(told(one)), {'title': visible(f'gate {one.name}')})}\n"
        for one in judged
        if one.outcome is not GateOutcome.OPEN
    )


def _level(one: Gate) -> str:
    return "error" if one.outcome is GateOutcome.UNJUDGED else str(one.level)


def no_answer(stage: str, text: str) -> str:
    """Write that a stage did not end well, with what it said."""
    return f"{workflow_command('error', text.strip(), {'title': f'policyctl {stage}'})}\n"
