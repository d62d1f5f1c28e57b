"""What every reader of Slurm does with its rows: expand arrays, read what the comment declares, name odd TRES."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from policyctl.adapters.log_notes import BadRecord, LogNotes
from policyctl.adapters.log_record import LogRead
from policyctl.adapters.slurm_attempts import Attempt, Declared, declared_in, gather
from policyctl.adapters.slurm_words import Tres
from policyctl.units import BadQuantity

__all__ = ["Row", "Rows", "mapping_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row that was read: the attempt, and the tasks of the array `base` that it stands for, if any."""

    attempt: Attempt
    base: str = ""
    tasks: Sequence[int] = ()


@dataclass(slots=True)
class Rows:
    """Counts what becomes of the rows of one log; `number` is the current one."""

    notes: LogNotes
    number: int = 0
    line: int = 1
    aside: int = 0
    expanded: int = 0

    def read(self, rows: Iterable[tuple[int, str, object]], make: Callable[[object], Row | None]) -> LogRead:
        """Read rows of line, path and value; `make` answers None for a row that it noted and left aside."""
        gathered = gather(list(self._attempts(rows, make)), self.notes)
        return LogRead(
            records=gathered.records,
            findings=self.notes.findings(),
            rows=self.number,
            rejected=self.notes.rejected,
            aside=self.aside,
            repeated=gathered.repeated,
            merged=gathered.merged,
            expanded=self.expanded,
            facts=self.notes.facts(),
        )

    def _attempts(
        self, rows: Iterable[tuple[int, str, object]], make: Callable[[object], Row | None]
    ) -> Iterator[Attempt]:
        for line, path, value in rows:
            self.number += 1
            self.line = line
            try:
                row = make(value)
            except BadRecord as problem:
                self.notes.reject(problem, number=self.number, line=line, path=path)
                continue
            if row is None:
                self.aside += 1
            elif row.tasks:
                yield from self._expanded(row)
            else:
                yield row.attempt

    def _expanded(self, row: Row) -> Iterator[Attempt]:
        self.expanded += len(row.tasks) - 1
        self.note("L022", "{count} of pending arrays taken as one job a task: {which}")
        for task in row.tasks:
            name = f"{row.base}_{task}"
            yield replace(row.attempt, record=replace(row.attempt.record, id=name, array=name), identity=name)

    def note(self, code: str, message: str, *, help: str | None = None) -> None:  # noqa: A002 - the word of every finding
        """Note something about the current row."""
        self.notes.count(code, message, number=self.number, line=self.line, help=help)

    def declared(self, comment: str) -> Declared:
        """Return what the comment declares; one that cannot be read declares nothing, and is counted."""
        try:
            return declared_in(comment)
        except BadQuantity as problem:
            self.note(
                "L024", "{count} declare a minimum runtime that cannot be read: {which}", help=problem.help
            )
            return Declared()

    def named(self, used: Tres) -> Tres:
        """Note the TRES that are numbers without a name."""
        for name in used.unnamed:
            hint = f'if it counts GPUs, write `tres: {{"{name}": gres/gpu}}` in the map'
            self.note("L009", f"TRES `{name}` has no name, in {{count}}", help=hint)
        return used


def mapping_of(value: object) -> Mapping[str, object]:
    """Return an entry of a list of objects; raises BadRecord for anything else."""
    if isinstance(value, dict):
        return value
    raise BadRecord("L002", "it is not an object")
