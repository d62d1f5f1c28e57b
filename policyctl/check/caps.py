"""Protection caps against each other: every account has one, and none allows what one above it forbids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from policyctl.catalogue import finding
from policyctl.check.conditions import Condition, always, implies, read_condition
from policyctl.check.index import Index, Naming
from policyctl.diagnostics import Finding, Place, Related
from policyctl.model.policy import ProtectionCap
from policyctl.model.tree import ancestors, parent_of
from policyctl.units import Seconds, format_duration

__all__ = ["looser_caps", "uncapped_accounts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A rule of a cap, or (condition None) its default; `limit` None lets any length through."""

    name: str
    condition: Condition | None
    limit: Seconds | None
    place: Place


def _lines(cap: ProtectionCap) -> list[_Line]:
    rules = [
        _Line(
            name=rule.name,
            condition=read_condition(rule.when.tree),
            limit=rule.max_protected,
            place=rule.place,
        )
        for rule in cap.rules
    ]
    default = _Line(name="default", condition=None, limit=cap.default, place=cap.default_place or cap.place)
    return [*rules, default]


def looser_caps(index: Index) -> Iterator[Finding]:
    """Find a line of a cap above everything that an ancestor's cap could give the same jobs (P002).

    Compared without running rules: a job for which a line holds gets from the ancestor at most the largest value of
    the rules up to the first that certainly holds too, or of all its lines.
    """
    by_account: dict[str, list[tuple[ProtectionCap, list[_Line]]]] = {}
    for cap in index.policy.caps:
        by_account.setdefault(cap.account, []).append((cap, _lines(cap)))
    for cap in index.policy.caps:
        above = [one for path in ancestors(cap.account)[:-1] for one in by_account.get(path, ())]
        if not above:
            continue
        for line in _lines(cap):
            if line.limit is not None:
                yield from _looser(cap, line, above)


def _looser(
    cap: ProtectionCap, line: _Line, above: list[tuple[ProtectionCap, list[_Line]]]
) -> Iterator[Finding]:
    bounds = [(bound, other) for other, lines in above if (bound := _most(lines, line.condition))]
    tightest = min(bounds, key=lambda one: (one[0].limit or 0, one[1].account), default=None)
    if tightest is None or line.limit is None:
        return
    bound, other = tightest
    if bound.limit is not None and line.limit > bound.limit:
        yield finding(
            "P002",
            f"`{line.name}` allows {format_duration(line.limit)}, but `{other.account}` never lets more than "
            f"{format_duration(bound.limit)} through",
            line.place,
            help=f"write at most {format_duration(bound.limit)}, or raise `{bound.name}` of `{other.account}` first",
            subject=f"ProtectionCap {cap.name}",
            related=(Related(place=bound.place, message=f"`{bound.name}` of `{other.account}`"),),
        )


def _most(lines: list[_Line], condition: Condition | None) -> _Line | None:
    """Return the line with the largest limit that a job of a condition can meet; None where that is no limit."""
    reachable = []
    for line in lines:
        reachable.append(line)
        if condition is not None and line.condition is not None and implies(condition, line.condition):
            break
    if any(line.limit is None for line in reachable):
        return None
    return max(reachable, key=lambda line: line.limit or 0)


def uncapped_accounts(index: Index) -> Iterator[Finding]:
    """Find accounts whose jobs may protect themselves for as long as they like (P005)."""
    partly = {cap.account: cap for cap in index.policy.caps if not _has_last_word(cap)}
    for path in _topmost_open(index):
        above = [partly[one] for one in reversed(ancestors(path)) if one in partly]
        if above:
            yield finding(
                "P005",
                f"a job below `{path}` that no rule matches may be protected for as long as it likes",
                above[0].place,
                help="add a default: `default: 4h`",
                subject=f"ProtectionCap {above[0].name}",
            )
        else:
            naming = _first_naming(index, path)
            yield finding(
                "P005",
                f"no cap holds for `{path}`, so its jobs may be protected for as long as they like",
                naming.share.place,
                help=f"add a ProtectionCap with `account: {path}` and a default",
                subject=f"Budget {naming.budget.name}",
            )


def _has_last_word(cap: ProtectionCap) -> bool:
    """Say whether every job meets some line of a cap."""
    return cap.default is not None or any(always(rule.when.tree) for rule in cap.rules)


def _first_naming(index: Index, path: str) -> Naming:
    paths = [path] if path in index.naming else sorted(index.naming)
    return min((index.naming[one][0] for one in paths), key=lambda one: (one.share.place, one.share.name))


def _topmost_open(index: Index) -> list[str]:
    """Return the accounts, each as far up as possible, all of whose leaves no cap with a default holds for."""
    closed = {cap.account for cap in index.policy.caps if _has_last_word(cap)}
    if not index.naming or "/" in closed:
        return []
    paths = sorted({one for path in index.naming for one in ancestors(path)}, key=lambda one: -len(one))
    is_open: dict[str, bool] = {}
    for path in paths:  # a child's path is longer than its parent's, so children come first
        names = index.children.get(path, ())
        above = path.rstrip("/")
        is_open[path] = path not in closed and all(is_open[f"{above}/{name}"] for name in names)
    return [
        path
        for path in sorted(paths)
        if is_open[path]
        and (path == "/" or not is_open[parent_of(path)])
        and not closed.intersection(ancestors(path))
    ]
