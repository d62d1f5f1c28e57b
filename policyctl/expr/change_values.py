"""What a condition over a change read: plain values by their paths, and those of the records that decide a loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from policyctl.expr.change_rule import NoTruth, Shape, holds
from policyctl.expr.parse import parse
from policyctl.expr.problems import Problem, Problems
from policyctl.expr.syntax import Syntax, read

__all__ = ["SeenValue", "values_read"]

_MOST_RECORDS: Final = 3
_DECIDED_BY: Final = {"exists": True, "exists_one": True, "filter": True, "all": False}
_COUNTED_FROM = 2
_Plain = str | bool | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenValue:
    """A value by the path at which a rule finds it: `change.moved`, `impact.programs[0].delivery_change`."""

    path: str
    value: _Plain


def values_read(source: str, variables: Mapping[str, Any], shape: Shape) -> tuple[SeenValue, ...]:
    """Return the plain values that a condition names, each once, in the order of its text.

    Of a loop over records it is those of the records that decide it, the first few: where the body of `exists` is true,
    and that of `all` false. Nothing for a source that is no expression.
    """
    parsed = parse(source)
    syntax = None if isinstance(parsed, Problem) else read(parsed, Problems())
    if syntax is None:
        return ()
    found = _Reading(source, variables, shape).of(syntax, variables, {name: name for name in variables})
    return tuple(dict.fromkeys(found))


class _Reading:
    def __init__(self, source: str, variables: Mapping[str, Any], shape: Shape) -> None:
        self._source, self._variables, self._shape = source, variables, shape

    def of(self, node: Syntax, known: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[SeenValue]:
        at = _resolved(node, known, names)
        if at is not None:
            path, value = at
            if isinstance(value, _Plain):
                yield SeenValue(path=path, value=value)
            elif _is_texts(value):
                yield SeenValue(path=path, value=", ".join(value))
            return
        if node.op == "method" and node.text in _DECIDED_BY and len(node.parts) > _COUNTED_FROM:
            yield from self._loop(node, known, names)
            return
        for part in node.parts:
            yield from self.of(part, known, names)

    def _loop(self, node: Syntax, known: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[SeenValue]:
        target, variable, *body = node.parts
        at = _resolved(target, known, names)
        if at is None or not isinstance(at[1], list) or known is not self._variables:
            return
        path, records = at
        each = _shape_at(target, self._shape)
        shown = 0
        for number, record in enumerate(records):
            if shown == _MOST_RECORDS or not isinstance(record, Mapping):
                return
            inner = {**known, variable.text: record}
            condition = self._source[body[0].start : body[0].end]
            if self._true(condition, inner, {**self._shape, variable.text: each}) is _DECIDED_BY[node.text]:
                shown += 1
                here = f"{path}[{number}]"
                name, told = next(iter(record.items()))
                yield SeenValue(path=f"{here}.{name}", value=told)
                yield from self.of(body[0], inner, {**names, variable.text: here})

    @staticmethod
    def _true(condition: str, known: Mapping[str, Any], shape: Shape) -> bool | None:
        try:
            return holds(condition, known, shape)
        except NoTruth:
            return None


def _resolved(node: Syntax, known: Mapping[str, Any], names: Mapping[str, str]) -> tuple[str, Any] | None:
    """Return the path and the value of a chain of names; None for what is no such chain, or is not there."""
    if node.op == "name":
        return (names[node.text], known[node.text]) if node.text in names else None
    if node.op == "select":
        owner = _resolved(node.parts[0], known, names)
        if owner is not None and isinstance(owner[1], Mapping) and node.text in owner[1]:
            return f"{owner[0]}.{node.text}", owner[1][node.text]
    if node.op == "index" and node.parts[1].op == "int" and node.parts[1].text.isdigit():
        owner, number = _resolved(node.parts[0], known, names), int(node.parts[1].text)
        if owner is not None and isinstance(owner[1], list) and number < len(owner[1]):
            return f"{owner[0]}[{number}]", owner[1][number]
    return None


def _shape_at(node: Syntax, shape: Shape) -> Any:
    """Return the shape of one of the records that a chain of names leads to."""
    found = _shape_of(node, shape)
    return found[0] if isinstance(found, list) else {}


def _shape_of(node: Syntax, shape: Any) -> Any:
    if node.op == "name":
        return shape.get(node.text)
    owner = _shape_of(node.parts[0], shape)
    if node.op == "index":
        return owner[0] if isinstance(owner, Sequence) else None
    return owner.get(node.text) if isinstance(owner, Mapping) else None


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)
