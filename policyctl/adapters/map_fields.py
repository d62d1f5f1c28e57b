"""The fields of a map's YAML, read by the kind of value they have; every refusal has its line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, nearest
from policyctl.load.values import Hole, ListNode, MapNode, Node, Path, Scalar, path_text
from policyctl.units import BadQuantity

__all__ = ["MapFields", "MapReading", "Refused", "choice", "known_fields"]

_T = TypeVar("_T")


@dataclass(slots=True)
class MapReading:
    """Collects findings while a map is read."""

    file: str
    pools: Collection[str] | None
    findings: list[Finding] = field(default_factory=list)

    def say(self, code: str, message: str, node: Node, path: Path, way_out: str | None = None) -> None:
        span = node.span
        place = Place(
            file=self.file,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            path=path_text(path),
        )
        self.findings.append(finding(code, message, place, help=way_out))


def known_fields(node: MapNode, names: Collection[str], path: Path, reading: MapReading) -> None:
    for name, entry in node.entries.items():
        if name not in names:
            close = nearest(name, names)
            way_out = (
                f"did you mean `{close}`?"
                if close
                else f"the fields are {', '.join(f'`{one}`' for one in names)}"
            )
            reading.say("L025", f"`{name}` is not a field of a map", entry.key, (*path, name), way_out)


class Refused(ValueError):
    """A value of a map that is not accepted; `code` names the finding."""

    def __init__(self, message: str, way_out: str | None = None, code: str = "L026") -> None:
        super().__init__(message)
        self.way_out = way_out
        self.code = code


@dataclass(frozen=True, slots=True)
class MapFields:
    """The fields of one mapping, read by the kind of value they have."""

    node: MapNode
    path: Path
    reading: MapReading

    def one(self, name: str, read: Callable[[str], _T], default: _T) -> _T:
        """Return a scalar read by `read`, which raises BadQuantity or Refused; the default where it is absent."""
        entry = self.node.entries.get(name)
        if entry is None:
            return default
        value, path = entry.value, (*self.path, name)
        if not isinstance(value, Scalar):
            self._refuse(value, path, f"`{name}` is one value")
            return default
        try:
            return read(value.text)
        except BadQuantity as problem:
            self.reading.say("L026", f"`{name}`: {problem}", value, path, problem.help)
        except Refused as problem:
            self.reading.say(problem.code, f"`{name}`: {problem}", value, path, problem.way_out)
        return default

    def rules(self, name: str, make: Callable[[MapFields], _T | None]) -> tuple[_T, ...]:
        """Return the rules of a list of mappings, without those that could not be read."""
        made: list[_T] = []
        for index, item in enumerate(self._items(name)):
            path = (*self.path, name, index)
            if not isinstance(item, MapNode):
                self._refuse(item, path, f"a rule of `{name}` is a mapping")
                continue
            rule = make(MapFields(item, path, self.reading))
            if rule is not None:
                made.append(rule)
        return tuple(made)

    def texts(self, name: str, allowed: Collection[str] | None = None) -> tuple[str, ...]:
        """Return a list of texts, of the allowed ones if any are named."""
        found: list[str] = []
        for index, item in enumerate(self._items(name)):
            path = (*self.path, name, index)
            if not isinstance(item, Scalar) or not item.text:
                self._refuse(item, path, f"`{name}` is a list of names")
            elif allowed is not None and item.text not in allowed:
                self.reading.say(
                    "L026",
                    f"`{item.text}` cannot be one of `{name}`",
                    item,
                    path,
                    choice(item.text, allowed),
                )
            else:
                found.append(item.text)
        return tuple(found)

    def pairs(self, name: str) -> Mapping[str, str]:
        """Return a mapping of texts."""
        entry = self.node.entries.get(name)
        if entry is None:
            return {}
        path = (*self.path, name)
        if not isinstance(entry.value, MapNode):
            self._refuse(entry.value, path, f"`{name}` is a mapping")
            return {}
        found: dict[str, str] = {}
        for key, one in entry.value.entries.items():
            if isinstance(one.value, Scalar):
                found[key] = one.value.text
            else:
                self._refuse(one.value, (*path, key), f"`{key}` is one value")
        return found

    def _items(self, name: str) -> tuple[Node, ...]:
        entry = self.node.entries.get(name)
        if entry is None or isinstance(entry.value, Hole):
            return ()
        if isinstance(entry.value, ListNode):
            return entry.value.items
        self._refuse(entry.value, (*self.path, name), f"`{name}` is a list")
        return ()

    def _refuse(self, node: Node, path: Path, message: str) -> None:
        if not isinstance(node, Hole):
            self.reading.say("L026", message, node, path)


def choice(word: str, known: Collection[str]) -> str:
    close = nearest(word, known)
    return (
        f"did you mean `{close}`?"
        if close
        else f"it is one of {', '.join(f'`{one}`' for one in sorted(known))}"
    )
