"""How policy tests went, for people: each failed case with what was expected beside what was got, then a count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policyctl.render.names_text import counted
from policyctl.render.table_text import table
from policyctl.render.terminal import painted, visible
from policyctl.render.tests_words import expected, got, kind_of_cover
from policyctl.testing.case import Unreadable
from policyctl.testing.coverage import Covered
from policyctl.testing.run import CaseResult

__all__ = ["render"]

_DIGEST = len("sha256:") + 12


def render(
    results: Sequence[CaseResult], covered: Sequence[Covered] | None, *, policy: str, colour: bool
) -> str:
    """Write the failures, the coverage where it was asked for, and the last line, which says it all."""
    lines: list[str] = []
    for one in results:
        if not one.passed:
            lines += [*_failure(one, colour=colour), ""]
    if covered is not None:
        lines += [*_coverage(covered), ""]
    failed = sum(not one.passed for one in results)
    word = painted("failed", "red", on=colour) if failed else painted("ok", "green", on=colour)
    count = counted(len(results), "case")
    told = f"{failed} of {count} failed" if failed else f"{count} passed"
    lines.append(f"{word}: {told}, policy meaning {policy[:_DIGEST]}")
    return "\n".join(lines) + "\n"


def _failure(result: CaseResult, *, colour: bool) -> Iterator[str]:
    case = result.case
    yield f"{painted('FAILED', 'red', on=colour)} {visible(case.title)}  ({case.place.file_line})"
    if isinstance(case.question, Unreadable):
        for wrong in case.question.findings:
            yield f"  cannot be read: {visible(wrong.message)}  ({wrong.code} at {wrong.place.file_line})"
            if wrong.help:
                yield f"    help: {visible(wrong.help)}"
    elif result.problem is not None:
        yield f"  no answer: {visible(result.problem)}"
    for one in result.differences:
        yield f"  {visible(one.field)}  ({one.place.file_line})"
        yield f"    expected  {painted(visible(expected(one.wanted)), 'green', on=colour)}"
        yield f"    got       {painted(visible(got(one)), 'red', on=colour)}"


def _coverage(covered: Sequence[Covered]) -> Iterator[str]:
    """Write what was seen, in the order of the policy, and before that what was not."""
    complete = sum(one.complete for one in covered)
    yield f"coverage: {complete} of {counted(len(covered), 'condition')} seen both to hold and not to hold"
    if not covered:
        return
    rows = [
        (kind_of_cover(one.kind), one.name, _times(one.held), _times(one.not_held), one.place.file_line)
        for one in sorted(covered, key=lambda one: one.complete)
    ]
    header = ("what", "name", "held", "did not", "written")
    yield from (f"  {line}" for line in table(header, rows, right=frozenset({2, 3})))


def _times(count: int | None) -> str:
    """Write in how many cases something was seen; what always holds is not looked for elsewhere."""
    return "-" if count is None else str(count) if count else "never"
