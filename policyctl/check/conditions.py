"""Whether one rule's condition certainly implies another's: sound, and complete enough for rules that people write.

Only what is certain is said: where a condition faults on a job, that job has no answer from any later rule either,
so `a implies b` here means that `b` is never false where `a` is true.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from policyctl.check.atoms import Among, Atom, atom_of, follows, known_of, opposite

__all__ = ["Condition", "always", "implies", "never", "read_condition"]

_LARGE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class _All:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Any:
    parts: tuple[Condition, ...]


Condition = _All | _Any | Atom
"""A condition with its negations pushed down to single comparisons; an empty conjunction is true."""

_TRUE, _FALSE = _All(parts=()), _Any(parts=())


def read_condition(tree: Any) -> Condition:
    """Read a lowered tree."""
    return _read(tree, inside=True)


def _read(tree: Any, *, inside: bool) -> Condition:
    match tree:
        case ["bool", bool(value)]:
            return _TRUE if value is inside else _FALSE
        case ["!", part]:
            return _read(part, inside=not inside)
        case [("&&" | "||") as op, *parts]:
            read = tuple(_read(part, inside=inside) for part in parts)
            return _All(parts=read) if (op == "&&") is inside else _Any(parts=read)
        case ["?:", test, left, right]:
            yes = _All(parts=(_read(test, inside=True), _read(left, inside=inside)))
            no = _All(parts=(_read(test, inside=False), _read(right, inside=inside)))
            return _Any(parts=(yes, no))
        case _:
            pass
    atom = atom_of(_plain(tree))
    denied = atom if inside else opposite(atom)
    assert denied is not None, "a comparison has one bound, and so has its opposite"
    return denied


def _plain(tree: Any) -> Any:
    """Write `job.interactive` as the comparison of `job.kind` that it stands for."""
    match tree:
        case ["field", str(record), "interactive"]:
            return ["==", ["field", record, "kind"], ["string", "interactive"]]
        case _:
            return tree


def implies(one: Condition, other: Condition) -> bool:
    """Say whether `other` certainly is not false wherever `one` is true."""
    if _size(one) * _size(other) > _LARGE * _LARGE:
        return one == other
    return _implies(one, other, {})


def _size(condition: Condition) -> int:
    match condition:
        case _All(parts=parts) | _Any(parts=parts):
            return 1 + sum(map(_size, parts))
        case _:
            return 1


def _implies(one: Condition, other: Condition, seen: dict[tuple[int, int], bool]) -> bool:
    key = (id(one), id(other))
    if key not in seen:  # nested conditions meet the same pair along many ways
        seen[key] = _compare(one, other, seen)
    return seen[key]


def _compare(one: Condition, other: Condition, seen: dict[tuple[int, int], bool]) -> bool:
    match one, other:
        case _, _All(parts=parts):
            return all(_implies(one, part, seen) for part in parts)
        case _Any(parts=parts), _:
            return all(_implies(part, other, seen) for part in parts)
        case _All(parts=known), _Any(parts=asked):
            return any(_implies(one, part, seen) for part in asked) or any(
                _implies(part, other, seen) for part in known
            )
        case _All(parts=known), _:
            return any(_implies(part, other, seen) for part in known)
        case _, _Any(parts=asked):
            return any(_implies(one, part, seen) for part in asked)
        case _:
            pass
    assert not isinstance(one, _All | _Any)
    assert not isinstance(other, _All | _Any)
    return follows(one, other)


def never(condition: Condition) -> bool:
    """Say whether a condition certainly holds for no job: it contradicts itself, or what every job is."""
    match condition:
        case _Any(parts=parts):
            return all(map(never, parts))
        case _All(parts=parts):
            atoms = _conjuncts(condition)
            return any(map(never, parts)) or _contradict(atoms[:_LARGE])
        case _:
            return _contradict([condition])


def _conjuncts(condition: Condition) -> list[Atom]:
    if isinstance(condition, _All):
        return [atom for part in condition.parts for atom in _conjuncts(part)]
    return [] if isinstance(condition, _Any) else [condition]


def _contradict(atoms: list[Atom]) -> bool:
    facts = [fact for atom in atoms if (fact := known_of(atom.subject))]
    return any(
        follows(one, denied)
        for other in atoms
        if (denied := opposite(other)) is not None
        for one in (*atoms, *facts)
    ) or any(isinstance(one, Among) and one.inside and not one.values for one in atoms)


def always(tree: Any) -> bool:
    """Say whether a lowered condition certainly holds for every job for which it does not fault."""
    return never(_read(tree, inside=False))
