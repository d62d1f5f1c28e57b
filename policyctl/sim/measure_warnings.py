"""What the totals of a simulation hide: programs and projects that got less than the rest, windows missed, work that starved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policyctl.model.measures import Group, ImpossibleJob, LongestWait, Warned, WindowRow
from policyctl.units import format_duration, format_instant

__all__ = ["warnings"]

_GOOD = 0.95
_APART = 0.02
_MISSED = 0.8
_WEIGHTY = 0.1
_DAY = 86_400


def warnings(
    *,
    overall: Group,
    programs: Sequence[Group],
    projects: Sequence[Group],
    rows: Sequence[WindowRow],
    longest: Sequence[LongestWait],
    impossible: Sequence[ImpossibleJob],
) -> Iterator[Warned]:
    """Yield warnings, the broadest first."""
    for program in programs:
        yield from _underserved("underserved_program", program, overall)
        inside = [one for one in projects if one.path.startswith(program.path + "/")]
        for project in inside:
            yield from _underserved("underserved_project", project, program)
    served = {one.path for one in programs if (one.delivery_ratio or 0) >= _GOOD}
    for row in rows:
        if row.account in served:
            yield from _missed(row, next(one for one in programs if one.path == row.account))
    for wait in longest:
        if wait.still_waiting and wait.seconds >= _DAY:
            yield Warned(
                code="starved",
                subject=wait.job,
                message=f"job `{wait.job}` of `{wait.account}` ({wait.size} GPUs) still waits after {format_duration(wait.seconds)}",
            )
    if impossible:
        yield Warned(
            code="impossible_jobs",
            subject=impossible[0].job,
            message=f"{len(impossible)} jobs fit no empty pool, first `{impossible[0].job}`; they count nowhere else",
        )


def _underserved(code: str, part: Group, whole: Group) -> Iterator[Warned]:
    mine, its = part.delivery_ratio, whole.delivery_ratio
    if mine is not None and its is not None and mine < _GOOD and mine < its - _APART:
        of = "all programs" if whole.path == "/" else f"`{whole.path}`"
        yield Warned(
            code=code,
            subject=part.path,
            message=f"`{part.path}` got {mine:.1%} of the GPU time it was owed, while {of} got {its:.1%}",
        )


def _missed(row: WindowRow, program: Group) -> Iterator[Warned]:
    ratio, total = row.delivery_ratio, program.delivery_ratio
    if ratio is not None and total is not None and ratio < _MISSED and row.owed >= _WEIGHTY * program.owed:
        yield Warned(
            code="underserved_window",
            subject=row.account,
            message=f"`{row.account}` got {ratio:.1%} of what it was owed in pool `{row.pool}` in the window from"
            f" {format_instant(row.start)}, while {total:.1%} over all",
        )
