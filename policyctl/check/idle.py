"""Exceptions that change nothing, or whose effect another one hides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from policyctl.catalogue import finding
from policyctl.check.index import Index
from policyctl.check.targets import target_of
from policyctl.check.times import bounds, during, overlap
from policyctl.diagnostics import Finding, Place, Related
from policyctl.model.policy import (
    Period,
    PolicyException,
    ProtectionCap,
    ProtectionGrant,
    ShareGrant,
    place_of,
)
from policyctl.model.tree import ancestors
from policyctl.units import Seconds, format_duration

__all__ = ["changes_nothing", "overlapping"]


def changes_nothing(index: Index) -> Iterator[Finding]:
    """Find an exception without which every answer would be the same (E006)."""
    covering = _by_target(index.policy.exceptions)
    caps = _caps_by_account(index)
    for one in index.policy.exceptions:
        found = (
            _adds_nothing(one)
            or _while_suspended(one, covering)
            or _within_caps(index, one, caps)
            or _covered(one, covering)
        )
        if found:
            yield found


def _adds_nothing(one: PolicyException) -> Finding | None:
    if not isinstance(one.grant, ShareGrant) or one.grant.add > 0:
        return None
    return _idle(
        one,
        f"the exception moves no share from `{one.grant.source}` to `{one.grant.to}`",
        place_of(one, "share.add"),
        "write how many points of the whole cluster to move, such as `add: 5%`",
    )


def _while_suspended(one: PolicyException, covering: Covering) -> Finding | None:
    if not isinstance(one.grant, ProtectionGrant) or one.grant.account is None:
        return None
    for account in ancestors(one.grant.account):
        for other in covering.get(("suspend", account), ()):
            if _during(one, other):
                return _idle(
                    one,
                    f"`{account}` is suspended all the while, so there is no protection to raise",
                    one.grant_place,
                    f"remove it, or let `{other.name}` end before it starts",
                    (Related(place=other.grant_place, message=f"in force {during(other.period)}"),),
                )
    return None


def _during(one: PolicyException, other: PolicyException) -> bool:
    (start, end), (first, last) = bounds(one.period), bounds(other.period)
    return first <= start <= end <= last


def _within_caps(index: Index, one: PolicyException, caps: dict[str, list[ProtectionCap]]) -> Finding | None:
    grant = one.grant
    if not isinstance(grant, ProtectionGrant) or not index.knows(grant.account or "/"):
        return None
    concerned = _concerned(index, grant, caps)
    tightest = min(
        ((value, place) for cap in concerned for value, place in _limits(cap)),
        default=None,
    )
    if tightest is not None and tightest[0] < grant.max_protected:
        return None
    place = place_of(one, "protection.maxProtected")
    whom = f"job `{grant.job}`" if grant.account is None else f"`{grant.account}`"
    if tightest is None:
        return _idle(
            one, f"no cap holds for {whom}, so there is nothing to raise", place, "remove the exception"
        )
    return _idle(
        one,
        f"no cap for {whom} is below {format_duration(grant.max_protected)}, so nothing is raised",
        place,
        f"ask for more than {format_duration(tightest[0])}, or remove the exception",
        (Related(place=tightest[1], message="the tightest cap there"),),
    )


def _caps_by_account(index: Index) -> dict[str, list[ProtectionCap]]:
    caps: dict[str, list[ProtectionCap]] = defaultdict(list)
    for cap in index.policy.caps:
        caps[cap.account].append(cap)
    return caps


def _concerned(
    index: Index, grant: ProtectionGrant, caps: dict[str, list[ProtectionCap]]
) -> list[ProtectionCap]:
    """Return every cap that could bind a job of the grant: a single job may be anywhere."""
    if grant.account is None or grant.account == "/":
        return list(index.policy.caps)
    above = [cap for path in ancestors(grant.account) for cap in caps.get(path, ())]
    below = [cap for cap in index.policy.caps if cap.account.startswith(f"{grant.account}/")]
    return above + below


def _limits(cap: ProtectionCap) -> Iterator[tuple[Seconds, Place]]:
    for rule in cap.rules:
        yield rule.max_protected, rule.place
    if cap.default is not None:
        yield cap.default, cap.default_place or cap.place


Covering = dict[tuple[str, ...], list[PolicyException]]


def _by_target(exceptions: Iterable[PolicyException]) -> Covering:
    found: Covering = defaultdict(list)
    for one in exceptions:
        found[target_of(one.grant)].append(one)
    return found


def _covered(one: PolicyException, covering: Covering) -> Finding | None:
    """Find another exception that does at least as much, to at least as many, for at least as long."""
    if isinstance(one.grant, ShareGrant):
        return None
    for target in _wider(target_of(one.grant)):
        for other in covering.get(target, ()):
            if other is not one and _reaches(other, one) and (not _reaches(one, other) or _later(one, other)):
                return _idle(
                    one,
                    f"the exception does nothing that `{other.name}` does not already do {during(one.period)}",
                    one.grant_place,
                    f"remove it, or let it begin where `{other.name}` ends",
                    (Related(place=other.grant_place, message=f"in force {during(other.period)}"),),
                )
    return None


def _wider(target: tuple[str, ...]) -> list[tuple[str, ...]]:
    kind, name = target
    if kind in {"protection", "suspend"}:
        return [(kind, path) for path in ancestors(name)]
    return [target]


def _reaches(other: PolicyException, one: PolicyException) -> bool:
    if not _during(one, other) or target_of(other.grant) not in _wider(target_of(one.grant)):
        return False
    if isinstance(one.grant, ProtectionGrant) and isinstance(other.grant, ProtectionGrant):
        return other.grant.max_protected >= one.grant.max_protected
    return True


def _later(one: PolicyException, other: PolicyException) -> bool:
    return (one.place, one.name) > (other.place, other.name)


def overlapping(index: Index) -> Iterator[Finding]:
    """Find two exceptions for one target that are in force at one instant (E008)."""
    for found in _by_target(index.policy.exceptions).values():
        first, *others = sorted(found, key=lambda one: (*bounds(one.period), one.place, one.name))
        for one in others:
            if one.period.overlaps(first.period) and not _one_hides_the_other(first, one):
                yield _both(one, first, overlap(one.period, first.period))
            first = max(first, one, key=lambda other: bounds(other.period)[1])


def _one_hides_the_other(first: PolicyException, second: PolicyException) -> bool:
    """Say whether E006 already speaks of the pair."""
    if isinstance(first.grant, ShareGrant):
        return False
    return _reaches(first, second) or _reaches(second, first)


def _both(one: PolicyException, first: PolicyException, shared: Period) -> Finding:
    effect = (
        "both move it, and the points add up"
        if isinstance(one.grant, ShareGrant)
        else "the more generous counts"
    )
    return finding(
        "E008",
        f"`{first.name}` is for the same target {during(shared)}: {effect}",
        one.grant_place,
        help=f"let this one begin where `{first.name}` ends, or merge the two",
        subject=f"Exception {one.name}",
        related=(Related(place=first.grant_place, message=f"in force {during(first.period)}"),),
    )


def _idle(
    one: PolicyException, message: str, place: Place, way_out: str, related: tuple[Related, ...] = ()
) -> Finding:
    return finding("E006", message, place, help=way_out, subject=f"Exception {one.name}", related=related)
