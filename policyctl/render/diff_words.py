"""The sentences of a comparison, which its text and its comment share."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from policyctl.model.change import (
    Change,
    Compared,
    Direction,
    Example,
    ExceptionChange,
    JobMove,
    Right,
    RightKind,
)
from policyctl.model.tree import parent_of
from policyctl.render.names_text import counted
from policyctl.render.table_text import hours
from policyctl.units import Instant, format_duration, format_instant, format_percent

__all__ = [
    "base_words",
    "during",
    "ended",
    "example",
    "examples",
    "gpus",
    "job_words",
    "moved_hours",
    "own_rights",
    "percent",
    "summary",
]

_MOST_DIGITS = 8
_VERBS = {
    Direction.LOOSENS: "loosens",
    Direction.TIGHTENS: "tightens",
    Direction.MIXED: "goes both ways",
    Direction.INCOMPARABLE: "could not be decided, which counts as loosening",
}
_PLURAL = {
    Direction.LOOSENS: "loosen",
    Direction.TIGHTENS: "tighten",
    Direction.MIXED: "go both ways",
    Direction.INCOMPARABLE: "could not be decided, which counts as loosening",
}


def summary(compared: Compared) -> str:
    """Say in one sentence what the comparison came to."""
    change = compared.change
    if compared.same_files:
        return "no policy file differs"
    if change is None and not compared.base_errors:
        return "the base has no policy, so all of it is new"
    if change is None:
        return "nothing of the base could be read, so everything counts as new and as loosening"
    if change.empty:
        return "the files differ, but both policies mean the same"
    rights = _counts(change) or "no right of any account changes"
    # Who decides is no right of an account, and weighs more than most of them.
    decides = any(one.subject.split(" ")[0] == "Governance" for one in change.settings)
    return f"Governance changes; {rights}" if decides else rights


def _counts(change: Change) -> str:
    found = Counter(one.direction for one in change.rights)
    parts = [
        f"{counted(found[way], 'right')} {(_VERBS if found[way] == 1 else _PLURAL)[way]}"
        for way in _VERBS
        if found[way]
    ]
    return "; ".join(parts)


def own_rights(change: Change) -> tuple[Right, ...]:
    """Return the rights without shares that only follow the account above, and go the way that it goes."""
    own = {one.account for one in change.shares if not one.inherited}
    way = {one.account: one.direction for one in change.rights if one.kind is RightKind.SHARE}
    return tuple(
        one
        for one in change.rights
        if one.kind is not RightKind.SHARE
        or one.account in own
        or way.get(parent_of(one.account)) is not one.direction
    )


def base_words(compared: Compared) -> str | None:
    """Say what is wrong with the base, if anything."""
    if not compared.base_errors:
        return None
    said = f"the base has {counted(compared.base_errors, 'error')} of its own"
    if compared.left_out and compared.change is not None:
        return f"{said}; not read, so that what they said counts as new: {', '.join(compared.left_out)}"
    return f"{said}; what could be read of it is compared" if compared.change is not None else said


def during(start: Instant | None, end: Instant | None) -> str:
    """Write a stretch of time: `always`, `from …`, `until …`."""
    parts = [f"from {format_instant(start)}"] if start is not None else []
    parts += [f"until {format_instant(end)}"] if end is not None else []
    return " ".join(parts) or "always"


def percent(before: Fraction, after: Fraction) -> str:
    """Write a share before and after."""
    one, other = (format_percent(value, _digits(before, after)) for value in (before, after))
    return one if before == after else f"{one} → {other}"


def _digits(before: Fraction, after: Fraction) -> int:
    """Return two decimals, or as many more as it takes to tell both values apart by their digits."""
    differ = (few for few in range(2, _MOST_DIGITS) if _figure(before, few) != _figure(after, few))
    return 2 if before == after else next(differ, _MOST_DIGITS)


def _figure(value: Fraction, digits: int) -> str:
    return format_percent(value, digits).removeprefix("~")


def moved_hours(before: float, after: float) -> str:
    """Write GPU-hours before and after, and what is gained."""
    gained = after - before
    sign = "+" if gained > 0 else "-"
    return f"{hours(before)} → {hours(after)} ({sign}{hours(abs(gained))})"


def gpus(value: Fraction) -> str:
    """Write a gain or a loss of GPUs: `+10`, `-0.5`."""
    number = f"{float(abs(value)):,.2f}".rstrip("0").rstrip(".")
    return f"{'+' if value > 0 else '-' if value < 0 else ''}{number}"


def ended(one: ExceptionChange) -> str:
    """Write when an exception ends, before and after."""
    before, after = (None if at is None else format_instant(at) for at in (one.end_before, one.end_after))
    if before and after and before != after:
        return f"until {before} → {after}"
    return f"until {after or before}" if after or before else ""


def example(right: Right) -> str:
    """Write the instants that show which way a right goes."""
    return "; ".join(examples(right))


def examples(right: Right) -> list[str]:
    """Write each instant that shows which way a right goes."""
    return [
        " ".join(
            part
            for part in (
                _values(one),
                f"in {one.pool}" if one.pool is not None else "",
                f"at {format_instant(one.at)}" if one.at is not None else "",
            )
            if part
        )
        for one in right.examples
    ]


def _values(one: Example) -> str:
    """Write both values; a share as the tables write it, while JSON has the fraction."""
    if one.what == "absolute_share":
        return f"of pool: {percent(Fraction(one.before), Fraction(one.after))}"
    return f"{one.what}: {one.before} → {one.after}"


def job_words(one: JobMove) -> str:
    """Write how a job stands differently."""
    said = []
    if "rank" in one.what:
        said.append(f"rank {one.rank_before or 'none'} → {one.rank_after or 'none'}")
    if "class" in one.what:
        said.append(f"{one.class_before} → {one.class_after}")
    if "becomes_preemptible" in one.what:
        said.append("may be preempted now")
    if "ceases_to_be_preemptible" in one.what:
        said.append("is protected now")
    if "hits_cap" in one.what:
        said.append("hits a cap")
    if one.protection_before != one.protection_after:
        lengths = format_duration(one.protection_before), format_duration(one.protection_after)
        said.append(f"protection {lengths[0]} → {lengths[1]}")
    return ", ".join(said)
