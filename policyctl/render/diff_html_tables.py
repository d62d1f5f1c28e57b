"""The tables of a comparison's page: what changes, which way each right goes, which jobs move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from policyctl.model.change import Balance, Change, Direction, JobMove, ShareChange
from policyctl.render.diff_html_cells import MOST_LINES, Bar, Cell, Listing, Row, listing, many, signed, text
from policyctl.render.diff_words import during, ended, examples, gpus, job_words, own_rights, percent
from policyctl.render.table_text import hours

__all__ = ["Section", "jobs", "rights", "sections"]

_Changed = TypeVar("_Changed")
_WAY = {
    Direction.INCOMPARABLE: 0,
    Direction.LOOSENS: 1,
    Direction.MIXED: 2,
    Direction.TIGHTENS: 3,
    Direction.NEUTRAL: 4,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page with a table; `folded` is one that follows from the others, shown when it is asked for."""

    name: str
    title: str
    about: str
    listing: Listing
    folded: Listing | None = None
    fold_title: str = ""


def sections(change: Change) -> list[Section]:
    """Return what changes, in the order of the page, without what does not."""
    own = [one for one in change.shares if not one.inherited]
    below = [one for one in change.shares if one.inherited]
    header = ("account", "pool", "of pool", "GPU-hours per window", "during")
    found = (
        Section(
            name="shares",
            title="Shares",
            about=f"What each account holds of a pool, before → after. The upper bar is before, the lower one after.{_order(own)}",
            listing=listing(header, _shares(_largest_first(own, _hours_moved)), numbers=frozenset({3})),
            folded=listing(header, _shares(below), numbers=frozenset({3})) if below else None,
            fold_title=f"Shares that only follow the account above ({len(below):,})",
        ),
        Section(
            name="balance",
            title="Who pays",
            about=f"GPUs that each part of an account gains or loses where it is divided anew; they add up to what the account itself gains or loses.{_order(change.balances)}",
            listing=listing(
                ("divided", "pool", "gains and losses", "during"),
                (_paid(one) for one in _largest_first(change.balances, _gpus_moved)),
            ),
        ),
        Section(
            name="settings",
            title="Settings",
            about="Every other field with another value than before.",
            listing=listing(
                ("of", "field", "before", "after"),
                (
                    (
                        text(one.subject),
                        text(one.field),
                        text(_or_nothing(one.before)),
                        text(_or_nothing(one.after)),
                    )
                    for one in change.settings
                ),
            ),
        ),
        Section(
            name="exceptions",
            title="Exceptions",
            about="What became of exceptions, which end by themselves.",
            listing=listing(
                ("name", "is", "grants", "ends"),
                (
                    (text(one.name), text(one.what), text(one.grant), text(ended(one)))
                    for one in change.exceptions
                ),
            ),
        ),
    )
    return [one for one in found if one.listing.rows or one.folded]


def _order(found: Sequence[object]) -> str:
    return " The largest changes come first." if many(found) else ""


def _largest_first(found: Sequence[_Changed], size: Callable[[_Changed], float]) -> list[_Changed]:
    """Return a few as they are, in the order of the tree, and many by how much they change."""
    return sorted(found, key=size, reverse=True) if many(found) else list(found)


def _hours_moved(one: ShareChange) -> float:
    return abs(one.gpu_hours_after - one.gpu_hours_before)


def _gpus_moved(one: Balance) -> float:
    return float(max((abs(moved) for _, moved in one.children), default=Fraction(0)))


def _or_nothing(value: str | None) -> str:
    return "nothing" if value is None else value


def _shares(found: Sequence[ShareChange]) -> Iterable[Row]:
    longest = max((max(one.absolute_before, one.absolute_after) for one in found), default=Fraction(0))
    for one in found:
        bar = Bar(before=_part(one.absolute_before, longest), after=_part(one.absolute_after, longest))
        parent = percent(one.share_before, one.share_after)
        of_pool = percent(one.absolute_before, one.absolute_after)
        gained = one.gpu_hours_after - one.gpu_hours_before
        yield (
            text(one.account),
            text(one.pool),
            Cell(
                lines=(of_pool,),
                below="" if parent == of_pool else f"of the account above: {parent}",
                bar=bar,
            ),
            text(
                f"{hours(one.gpu_hours_before)} → {hours(one.gpu_hours_after)}",
                below=f"{'+' if gained > 0 else '−'}{hours(abs(gained))}",
            ),
            text(during(one.start, one.end)),
        )


def _part(value: Fraction, longest: Fraction) -> str:
    return f"{float(100 * value / longest):.1f}" if longest else "0.0"


def _paid(one: Balance) -> Row:
    """Return a row with all gains and losses, the largest first where there are too many to show."""
    parts = list(one.children)
    if len(parts) > MOST_LINES:
        parts.sort(key=lambda part: (-abs(part[1]), part[0]))
    lines = [f"{account} {signed(gpus(moved))}" for account, moved in parts]
    if one.unassigned:
        lines.insert(
            0 if len(lines) > MOST_LINES else len(lines), f"unassigned {signed(gpus(one.unassigned))}"
        )
    whole = f"{signed(gpus(one.whole))} in all" if one.whole else ""
    return text(one.account), text(one.pool), text(*lines, below=whole), text(during(one.start, one.end))


def rights(change: Change) -> Listing:
    """Return the direction of each right with its examples, those that may loosen first."""
    shown = sorted(own_rights(change), key=lambda one: _WAY[one.direction])
    return listing(
        ("account", "right", "direction", "for example"),
        (
            (text(one.account), text(one.kind), text(one.direction, kind=one.direction), text(*examples(one)))
            for one in shown
        ),
    )


def jobs(moved: Sequence[JobMove]) -> Listing:
    """Return the jobs that stand differently."""
    return listing(
        ("job", "pool", "account", "now", "differs in"),
        (
            (
                text(one.job),
                text(one.pool),
                text(one.account),
                text("runs" if one.running else "waits"),
                text(*job_words(one).split(", ")),
            )
            for one in moved
        ),
    )
