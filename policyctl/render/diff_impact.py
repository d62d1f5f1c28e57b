"""The impact of a change in words: a row for each figure that differs, or that none does."""

from __future__ import annotations

from collections.abc import Iterator

from policyctl.model.impact import Figure, FigureKind, Impact
from policyctl.model.measures import ALL
from policyctl.render.names_text import counted
from policyctl.units import Seconds, format_duration

__all__ = ["HEADER", "as_json", "basis", "differing", "rows", "words"]

HEADER = ("program", "figure", "before → after", "difference", "over seeds")


def basis(found: Impact) -> str:
    """Say what was replayed, and that nothing differs where it is so."""
    seeds = f"{counted(found.jobs, 'job')}, {counted(len(found.seeds), 'seed')}, shares of the base"
    return f"replayed: {seeds}" if found.visible else f"no visible effect ({seeds})"


def differing(found: Impact) -> Iterator[tuple[str, Figure]]:
    """Yield the figures that differ with any seed, with the program of each; programs in order of names, `/` first."""
    return ((one.account, figure) for one in found.programs for figure in one.figures if figure.differs)


def rows(found: Impact) -> list[tuple[str, str, str, str, str]]:
    """Return a row for each figure that differs, in that order."""
    several = len(found.seeds) > 1
    return [(account, *words(figure, several=several)) for account, figure in differing(found)]


def words(one: Figure, *, several: bool) -> tuple[str, str, str, str]:
    """Write one figure: its name, before and after, the difference, and its spread over the seeds."""
    return (
        _named(one),
        f"{_amount(one, one.before)} → {_amount(one, one.after)}",
        _signed(one, one.after - one.before),
        f"{_signed(one, one.least)} to {_signed(one, one.most)}" if several else "one seed",
    )


def as_json(found: Impact | None) -> dict[str, object] | None:
    """Return all figures, also those that do not differ; None where no impact was asked for."""
    if found is None:
        return None
    return {
        "visible": found.visible,
        "jobs": found.jobs,
        "seeds": list(found.seeds),
        "programs": [
            {"account": one.account, "figures": [_figure(figure) for figure in one.figures]}
            for one in found.programs
        ],
    }


def _figure(one: Figure) -> dict[str, object]:
    return {
        "kind": str(one.kind),
        "size": one.size,
        "before": one.before,
        "after": one.after,
        "difference": {"least": one.least, "most": one.most},
    }


def _named(one: Figure) -> str:
    match one.kind:
        case FigureKind.DELIVERY:
            return "delivered of what is owed"
        case FigureKind.WAIT:
            return "median wait" if one.size == ALL else f"median wait, {one.size} GPUs"
        case FigureKind.PREEMPTIONS:
            return "preemptions"
        case FigureKind.LOST:
            return "GPU-hours lost"
        case FigureKind.PROTECTION:
            return "protected GPU-hours bought"


def _amount(one: Figure, value: float) -> str:
    match one.kind:
        case FigureKind.DELIVERY:
            return f"{value:.1%}"
        case FigureKind.WAIT:
            return format_duration(Seconds(round(value)))
        case FigureKind.PREEMPTIONS | FigureKind.LOST | FigureKind.PROTECTION:
            return f"{value:,.1f}".removesuffix(".0")


def _signed(one: Figure, value: float) -> str:
    sign = "+" if value > 0 else "-" if value < 0 else ""
    points = f"{abs(value) * 100:.1f} points" if one.kind is FigureKind.DELIVERY else _amount(one, abs(value))
    return f"{sign}{points}"
