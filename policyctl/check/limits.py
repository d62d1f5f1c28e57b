"""Exceptions against the limits that Governance sets on them: how long, how many at once, how often renewed, by whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.check.targets import target_of
from policyctl.check.times import bounds
from policyctl.check.wording import listed
from policyctl.diagnostics import Finding, Related, nearest
from policyctl.model.policy import PolicyException, place_of
from policyctl.units import format_duration, format_instant

__all__ = ["chains", "strangers", "too_long", "too_many", "too_often", "unlimited"]


def too_long(index: Index) -> Iterator[Finding]:
    """Find an exception that lasts longer than Governance allows (E003)."""
    limit = index.policy.governance.max_duration
    if limit is None:
        return
    for one in index.policy.exceptions:
        start, end = bounds(one.period)
        if end - start > limit:
            yield finding(
                "E003",
                f"the exception lasts {format_duration(end - start)}, "
                f"{format_duration(end - start - limit)} more than Governance allows",
                place_of(one, "expires"),
                help=f'at most {format_duration(limit)}: write `expires: "{format_instant(start + limit)}"`',
                subject=f"Exception {one.name}",
                related=_limit(index, "exceptions.maxDuration"),
            )


def too_many(index: Index) -> Iterator[Finding]:
    """Find more exceptions in force at one instant than Governance allows, once for each such stretch of time (E004)."""
    limit = index.policy.governance.max_active
    if limit is None:
        return
    peak: list[PolicyException] = []
    for active in _active_sets(index.policy.exceptions):
        if len(active) > max(limit, len(peak)):
            peak = active
        elif len(active) <= limit and peak:
            yield _crowd(index, peak, limit)
            peak = []
    if peak:
        yield _crowd(index, peak, limit)


def _active_sets(exceptions: tuple[PolicyException, ...]) -> Iterator[list[PolicyException]]:
    """Yield what is in force after each change, in order of time; the one that started last is the last."""
    changes = sorted(
        change
        for number, one in enumerate(exceptions)
        for change in ((bounds(one.period)[1], 0, number), (bounds(one.period)[0], 1, number))
    )
    active: dict[int, PolicyException] = {}
    for position, (at, starts, number) in enumerate(changes):
        if starts:
            active[number] = exceptions[number]
        else:
            active.pop(number, None)
        if position + 1 == len(changes) or changes[position + 1][0] != at:
            yield list(active.values())


def _crowd(index: Index, active: list[PolicyException], limit: int) -> Finding:
    last = active[-1]
    over = len(active) - limit
    return finding(
        "E004",
        f"{over} exception{'' if over == 1 else 's'} more in force at {format_instant(bounds(last.period)[0])} "
        f"than Governance allows: {listed([f'`{one.name}`' for one in active])}",
        place_of(last, "starts"),
        help=f"at most {limit} at once: let one of them end before this one starts, or end it early",
        subject=f"Exception {last.name}",
        related=_limit(index, "exceptions.maxActive"),
    )


def too_often(index: Index) -> Iterator[Finding]:
    """Find an exception renewed without a pause more often than Governance allows (E010)."""
    limit = index.policy.governance.max_renewals
    if limit is None:
        return
    for chain in chains(index.policy.exceptions):
        if len(chain) >= limit + 2:
            yield _renewed(chain[: limit + 2], limit)


def chains(exceptions: Iterable[PolicyException]) -> list[list[PolicyException]]:
    """Return the exceptions in groups that follow each other for one target without a pause, in order of time."""
    groups: dict[tuple[str, ...], list[PolicyException]] = defaultdict(list)
    for one in exceptions:
        groups[target_of(one.grant)].append(one)
    found: list[list[PolicyException]] = []
    for group in groups.values():
        chain: list[PolicyException] = []
        for one in sorted(group, key=lambda one: (*bounds(one.period), one.name)):
            if not chain or bounds(one.period)[0] > max(bounds(other.period)[1] for other in chain):
                chain = []
                found.append(chain)
            chain.append(one)
    return found


def _renewed(chain: list[PolicyException], limit: int) -> Finding:
    last = chain[-1]
    return finding(
        "E010",
        f"the exception prolongs `{chain[-2].name}` and is one renewal more than Governance allows",
        place_of(last, "starts"),
        help=f"at most {limit}: make it permanent in a budget or a cap, or leave a pause",
        subject=f"Exception {last.name}",
        related=tuple(
            Related(place=one.place, message=f"in force until {format_instant(bounds(one.period)[1])}")
            for one in chain[:-1]
        )[:5],
    )


def strangers(index: Index) -> Iterator[Finding]:
    """Find an exception requested by a handle that is in no group of Governance (E005)."""
    groups = index.policy.governance.groups
    handles = sorted({handle for members in groups.values() for handle in members})
    if not handles:
        return
    for one in index.policy.exceptions:
        if one.requested_by not in handles:
            near = nearest(one.requested_by, handles)
            yield finding(
                "E005",
                f"`{one.requested_by}` is in no group of Governance",
                place_of(one, "requestedBy"),
                help=f"did you mean `{near}`?" if near else "add the handle to the group that it belongs to",
                subject=f"Exception {one.name}",
            )


def unlimited(index: Index) -> Iterator[Finding]:
    """Find exceptions without any limit on how long one may last (E009)."""
    exceptions = index.policy.exceptions
    if exceptions and index.policy.governance.max_duration is None:
        first = min(exceptions, key=lambda one: (one.place, one.name))
        yield finding(
            "E009",
            "nothing limits how long an exception may last",
            first.place,
            help="set a limit in Governance: `exceptions: {maxDuration: 30d}`",
            subject=f"Exception {first.name}",
        )


def _limit(index: Index, field: str) -> tuple[Related, ...]:
    governance = index.policy.governance
    return (Related(place=place_of(governance, field), message="the limit"),)
