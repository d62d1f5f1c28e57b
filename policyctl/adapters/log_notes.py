"""Findings of one log while it is read: each bad record by itself, what is only noteworthy once, with a count."""

from __future__ import annotations

from dataclasses import dataclass, field

from policyctl.adapters.printable import printable
from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, ordered

__all__ = ["BadRecord", "LogNotes", "numbers_text"]

_NAMED = 5


class BadRecord(ValueError):
    """A record that cannot be used: the finding's code, what was seen, the way out."""

    def __init__(self, code: str, message: str, *, help: str | None = None) -> None:  # noqa: A002 - the word of every finding
        super().__init__(message)
        self.code = code
        self.help = help


def numbers_text(numbers: list[int], total: int) -> str:
    """Name the first few records: `record 3`, `records 3, 7 and 12 more`."""
    if total == 1:
        return f"record {numbers[0]}"
    named = [str(one) for one in numbers[:_NAMED]]
    if total > len(named):
        return f"records {', '.join(named)} and {total - len(named)} more"
    return f"records {', '.join(named[:-1])} and {named[-1]}"


@dataclass(slots=True)
class _Count:
    message: str
    help: str | None
    total: int = 0
    first: list[int] = field(default_factory=list)
    line: int = 1


class LogNotes:
    """Collects findings about one file, in memory that grows with bad records only."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.rejected = 0
        self._bad: list[Finding] = []
        self._counts: dict[tuple[str, str], _Count] = {}

    def reject(self, problem: BadRecord, *, number: int, line: int, path: str = "") -> None:
        """Note a record that is left out, and why."""
        self.rejected += 1
        what = f"`{path}`" if path else f"record {number}"
        place = Place(file=self.file, line=line, end_line=line, end_column=2, path=path)
        self._bad.append(finding(problem.code, printable(f"{what}: {problem}"), place, help=problem.help))

    def count(self, code: str, message: str, *, number: int, line: int = 1, help: str | None = None) -> None:  # noqa: A002 - the word of every finding
        """Note something about a record that is kept; equal code and message are one finding.

        `{count}` in the message becomes how many records, `{which}` the first few of
        them, and `{lines}` the same where the numbers are those of lines.
        """
        one = self._counts.get((code, message))
        if one is None:
            one = self._counts[code, message] = _Count(message=message, help=help, line=line)
        one.total += 1
        if len(one.first) < _NAMED:
            one.first.append(number)

    def say(self, code: str, message: str, *, help: str | None = None) -> None:  # noqa: A002 - the word of every finding
        """Note something about the whole file."""
        self._bad.append(finding(code, printable(message), Place(file=self.file, end_column=2), help=help))

    def facts(self) -> dict[str, int]:
        """Return how many records each code of a note was seen on."""
        totals: dict[str, int] = {}
        for (code, _), one in sorted(self._counts.items()):
            totals[code] = totals.get(code, 0) + one.total
        return totals

    def findings(self) -> tuple[Finding, ...]:
        """Return all findings, ordered by place."""
        summed = [
            finding(
                code,
                printable(_filled(one)),
                Place(file=self.file, line=one.line, end_line=one.line, end_column=2),
                help=one.help,
            )
            for (code, _), one in self._counts.items()
        ]
        return ordered(self._bad + summed)


def _filled(one: _Count) -> str:
    count = f"{one.total} record" if one.total == 1 else f"{one.total} records"
    which = numbers_text(one.first, one.total)
    lines = which.replace("record", "line")
    return one.message.replace("{count}", count).replace("{which}", which).replace("{lines}", lines)
