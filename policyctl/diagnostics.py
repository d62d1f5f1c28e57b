"""Findings: what is wrong or noteworthy in somebody's text, as values with a code, a place and a way out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Finding", "Place", "Related", "Report", "Severity", "nearest", "ordered"]


class Severity(StrEnum):
    """How much a finding matters: an error stops `compile`, a warning does not, a note only informs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """Where something is written: `file` relative to the policy root with `/`, lines and columns from 1.

    The end is exclusive and on the same line for scalars. `path` is the key path inside the document
    (`spec.shares.language`), which stays the same when lines move; it takes no part in comparisons of meaning.
    """

    file: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    path: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def file_line(self) -> str:
        """`file:line`, the form in which decisions name a rule."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A second place that a finding speaks of, such as the first of two equal keys."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to mend: `message` in lower case, no final stop, user text in backticks; the way out in `help`.

    `subject` names the document, as in `Budget organization`; empty where no document could be read.
    """

    code: str
    severity: Severity
    message: str
    place: Place
    help: str | None = None
    subject: str = ""
    related: tuple[Related, ...] = ()


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by place, then code, then message, and drop exact repetitions."""
    return tuple(sorted(set(findings), key=lambda one: (one.place, one.code, one.message, one.help or "")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All findings over some files: what `validate` answers.

    `sources` maps each file name to its text, for renderers that show the line; it is not part of the answer.
    """

    findings: tuple[Finding, ...]
    files: int
    sources: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def count(self, severity: Severity) -> int:
        """Return how many findings have this severity."""
        return sum(one.severity is severity for one in self.findings)

    @property
    def failed(self) -> bool:
        """Say whether any finding is an error."""
        return any(one.severity is Severity.ERROR for one in self.findings)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that `word` was probably meant to be, or None: at most a third of it is wrong."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed once something is already wrong

    folded = {name.lower(): name for name in sorted(known, reverse=True)}
    close = get_close_matches(word.lower(), list(folded), n=1, cutoff=0.66)
    return folded[close[0]] if close else None
