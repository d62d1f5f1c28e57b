"""What a sweep says in words: its options by name, the rhythm of the workload, and the reasons for its choice."""

from __future__ import annotations

from fractions import Fraction

from policyctl.model.sweep import CapChange, Option, Point, SweepReport, Why
from policyctl.render.quantity_text import span
from policyctl.units import format_duration

__all__ = ["letter", "option_name", "point_name", "reasons", "rhythm", "verdict"]

_DAY = 86_400


def option_name(option: Option) -> str:
    """Name an option: `7d`, `7d, half-life 3d12h, caps x2`."""
    parts = [format_duration(option.window)]
    if option.half_life is not None:
        parts.append(f"half-life {format_duration(option.half_life)}")
    if option.cap is not None:
        parts.append(_cap(option.cap))
    return ", ".join(parts)


def _cap(cap: CapChange) -> str:
    if cap.factor is not None:
        return f"caps x{_number(cap.factor)}"
    return f"cap {format_duration(cap.default or 0)}"


def _number(value: Fraction) -> str:
    return f"{float(value):g}"


def point_name(point: Point, *, loads: bool) -> str:
    """Name a point: its option, with its load where there are several."""
    name = option_name(point.option)
    return f"{name}, load x{_number(point.load)}" if loads else name


def letter(place: int) -> str:
    """Return what stands for an option in charts: `a`, `b`, … `z`, `a1` and so on."""
    number, place = divmod(place, 26)
    return chr(ord("a") + place) + (str(number) if number else "")


def verdict(report: SweepReport) -> str:
    """Say in one sentence what would be chosen, and on which ground."""
    choice = report.choice
    name = option_name(report.options[choice.option])
    if len(report.options) == 1:
        return f"`{name}` is all that was tried, so there is nothing to choose"
    if choice.decided:
        return f"choose `{name}`: the runs decide for it"
    return f"the data do not decide; the best guess is `{name}`"


def reasons(report: SweepReport) -> tuple[str, ...]:
    """Say what speaks for the choice and against it, a sentence each."""
    return tuple(_reason(report, why) for why in report.choice.why)


_SENTENCES = {
    Why.COVERS_CYCLE: "a window should reach {floor}: from the beginning of one burst of a program to the next it takes that "
    "long, and a shorter window forgets the last burst before the next one is ranked",
    Why.COVERS_JOBS: "a window should reach {floor}, the length of the jobs that take nine tenths of the GPU time; {pauses}",
    Why.COVERS_CAP: "a window should reach {floor}, the longest protection that can be bought",
    Why.NONE_COVERS: "a window should reach {floor}, which none that was tried does; the longest of them comes closest",
    Why.LOWEST_COST: "of those that reach it, it costs least, by more than the seeds differ: {costs}",
    Why.WITHIN_SPREAD: "{ties} differ by no more than luck: the seeds differ as much ({costs})",
    Why.ONE_SEED: "with one seed nobody can tell a difference from luck: give `--seed` several times",
    Why.NO_LUCK: "all seeds gave the same runs, so they do not say what a difference is worth: give a `--jitter`",
    Why.NO_RETURNS: "no program came back after a day or more away, so recovery was not measured",
    Why.TOO_SHORT: "{span} were simulated, less than twice the longest window: what leaves it was hardly seen",
    Why.SHORTER_IS_CHEAPER: "a window below that did better in these runs, by more than the seeds differ: look at the table",
    Why.ONLY_OPTION: "give `--window` several lengths to compare",
}


def _reason(report: SweepReport, why: Why) -> str:
    choice, cadence = report.choice, report.cadence
    return _SENTENCES[why].format(
        floor=span(choice.floor),
        pauses="programs come back sooner than that" if cadence.cycle else "no program pauses for a day",
        costs=_costs(report),
        ties=", ".join(f"`{option_name(report.options[place])}`" for place in choice.ties),
        span=span(report.end - report.start),
    )


def _costs(report: SweepReport) -> str:
    return ", ".join(
        f"`{option_name(option)}` {cost:.2f}"
        for option, cost in zip(report.options, report.choice.costs, strict=True)
    )


def rhythm(report: SweepReport) -> tuple[str, ...]:
    """Say what the rhythm of the workload is, a sentence each."""
    cadence = report.cadence
    half, most = span(cadence.job), span(cadence.job_long)
    said = [
        f"{cadence.jobs:,} jobs: half of the GPU time in jobs of up to {half}, nine tenths in jobs of up to {most}"
    ]
    said += [
        f"`{one.account}` came in {_several(one.bursts, 'burst')} of {span(one.burst or 0)} (median), and was away for "
        f"{_several(one.spells, 'spell')} of {span(one.spell or 0)} (longest {span(one.longest_spell or 0)})"
        for one in cadence.programs
        if one.spells
    ]
    steady = [f"`{one.account}`" for one in cadence.programs if not one.spells]
    if steady:
        said.append(f"never away for a day: {', '.join(steady)}")
    return tuple(said)


def _several(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
