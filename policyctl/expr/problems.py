"""What is wrong with an expression: a code, a sentence, the way out, and the characters it concerns."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Problem", "Problems", "quoted"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Problem:
    """One thing to mend in an expression; `start` and `end` (exclusive) are character offsets into its source."""

    start: int
    end: int
    code: str
    message: str
    help: str | None = None


@dataclass(slots=True)
class Problems:
    """Collects problems while an expression is read."""

    found: list[Problem] = field(default_factory=list)

    def add(self, code: str, message: str, span: tuple[int, int], hint: str | None = None) -> None:
        """Note a problem at the characters `span`."""
        self.found.append(Problem(code=code, message=message, help=hint, start=span[0], end=span[1]))

    def ordered(self) -> tuple[Problem, ...]:
        """Return each problem once, by place, then code, then message."""
        return tuple(
            sorted(
                set(self.found), key=lambda one: (one.start, one.end, one.code, one.message, one.help or "")
            )
        )


def quoted(text: str, longest: int = 60) -> str:
    """Write somebody's text in backticks on one line, shortened where it is long."""
    line = text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
    return f"`{line}`" if len(line) <= longest else f"`{line[: longest - 1]}…`"
