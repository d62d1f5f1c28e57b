"""Records of a JSON file to nouns, field by field: every problem is collected, and placed once all are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from policyctl.adapters.json_text import Doubled, Spot, spots
from policyctl.adapters.printable import printable, shortened
from policyctl.adapters.state_fields import BadValue, Table
from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, nearest, ordered

__all__ = ["JsonRecords", "Problem"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A finding before it has a place: its code, the path it is about, and the paths that may stand in for it."""

    code: str
    path: str
    message: str
    help: str | None = None
    instead: str = ""


@dataclass(slots=True)
class JsonRecords:
    """Reads the records of one file; `what` is what the file is called in messages: `a state file`."""

    what: str
    problems: list[Problem] = field(default_factory=list)

    def all(
        self, values: object, fields: Table, name: str, make: Callable[[dict[str, Any]], _T]
    ) -> list[tuple[str, _T]]:
        """Return path and noun of every record of a list that could be read whole."""
        made: list[tuple[str, _T]] = []
        for number, value in enumerate(values if isinstance(values, list) else ()):
            path = f"{name}[{number}]"
            if not isinstance(value, dict):
                self.problems.append(Problem(code="J003", path=path, message=f"`{path}` is not an object"))
                continue
            before = len(self.problems)
            read = self.record(value, fields, path)
            if len(self.problems) == before:
                made.append((path, make(read)))
        return made

    def record(self, value: dict[str, object], fields: Table, path: str) -> dict[str, Any]:
        """Return the fields of one object that could be read, and add a problem for each that could not."""
        read: dict[str, Any] = {}
        prefix = f"{path}." if path else ""
        if isinstance(value, Doubled):
            self.problems.extend(
                Problem(
                    code="J010",
                    path=prefix + name,
                    message=f"`{prefix}{name}` is written twice",
                    help="keep one of the two",
                )
                for name in value.repeated
            )
        for name, one in value.items():
            known = fields.get(name)
            if known is None:
                self.problems.append(self._unknown(prefix + name, name, fields))
                continue
            try:
                read[name] = known.read(one)
            except BadValue as problem:
                self.problems.append(_refused(prefix + name, problem))
        self.problems.extend(
            Problem(code="J002", path=prefix + name, message=f"`{prefix}{name}` is missing", instead=path)
            for name in fields.required
            if name not in value
        )
        return read

    def _unknown(self, path: str, name: str, fields: Table) -> Problem:
        close = nearest(name[:60], fields)
        hint = (
            f"did you mean `{close}`?"
            if close
            else f"the fields are {', '.join(f'`{one}`' for one in fields)}"
        )
        message = f"`{shortened(path)}` is not a field of {self.what}"
        return Problem(code="J001", path=path, message=message, help=hint)

    def placed(self, text: str, file: str) -> tuple[Finding, ...]:
        """Give every problem its line, which needs one walk over the text, and only when there is a problem."""
        if not self.problems:
            return ()
        wanted = frozenset(path for one in self.problems for path in (one.path, one.instead) if path)
        where = spots(text, wanted)
        start = Spot(line=1, column=1, end_line=1, end_column=2)
        return ordered(
            finding(
                one.code,
                printable(one.message),
                _place(where.get(one.path) or where.get(one.instead) or start, one.path, file),
                help=None if one.help is None else printable(one.help),
            )
            for one in self.problems
        )


def _refused(path: str, problem: BadValue) -> Problem:
    close = nearest(problem.seen, problem.words) if problem.words else None
    way_out = f"did you mean `{close}`?" if close else problem.help
    return Problem(code=problem.code, path=path, message=f"`{path}`: {problem}", help=way_out)


def _place(spot: Spot, path: str, file: str) -> Place:
    return Place(
        file=file,
        line=spot.line,
        column=spot.column,
        end_line=spot.end_line,
        end_column=spot.end_column,
        path=path,
    )
