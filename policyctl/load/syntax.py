"""The YAML scanner's complaints in our words: one table from what was seen to a message and a way out.

The C scanner and the Python one word the same mistake differently; the rows look at the text around the
mark, so that both lead to one finding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from policyctl.load.wording import quoted

__all__ = ["Complaint", "complaint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """A mistake in the notation, with line and column from 0."""

    code: str
    message: str
    help: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class _Seen:
    """Where the scanner stopped, and where it had begun what it could not finish."""

    lines: list[str]
    problem: str
    context: str
    stop: tuple[int, int]
    begin: tuple[int, int]
    bracket: tuple[int, int] | None
    quote: tuple[int, int] | None

    def line(self, at: tuple[int, int]) -> str:
        return self.lines[at[0]] if at[0] < len(self.lines) else ""

    def rest(self, at: tuple[int, int]) -> str:
        return self.line(at)[at[1] :]

    def before(self, at: tuple[int, int]) -> str:
        return self.line(at)[: at[1]]


def complaint(
    error: yaml.YAMLError,
    lines: list[str],
    *,
    bracket: tuple[int, int] | None = None,
    quote: tuple[int, int] | None = None,
) -> Complaint:
    """Say what is wrong with the notation, where, and what would work.

    `bracket` is the innermost open one; `quote` opens a quoted text of several lines that ended just before.
    """
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    context = getattr(error, "context_mark", None) or mark
    stop = (mark.line, mark.column) if mark else (0, 0)
    seen = _Seen(
        lines,
        str(getattr(error, "problem", None) or "it cannot be read"),
        str(getattr(error, "context", None) or ""),
        stop,
        (context.line, context.column) if context else stop,
        bracket,
        quote,
    )
    for row in _ROWS:
        if found := row(seen):
            return found
    return _at(
        seen.stop, f"this is not YAML: {quoted(seen.problem)[1:-1]}", "compare with the lines around it"
    )


_UNCLOSED, _QUOTES, _TAB = "Y013", "Y014", "Y015"


def _at(at: tuple[int, int], message: str, way_out: str, code: str = "Y002") -> Complaint:
    return Complaint(code=code, message=message, help=way_out, line=at[0], column=at[1])


def _tab(seen: _Seen) -> Complaint | None:
    if seen.rest(seen.stop).startswith("\t"):
        return _at(seen.stop, "a tab where YAML needs spaces", "use spaces to indent and to separate", _TAB)
    return None


def _bad_start(seen: _Seen) -> Complaint | None:
    at = seen.begin if "alphabetic or numeric" in seen.problem else seen.stop
    if "cannot start any token" not in seen.problem and at == seen.stop:
        return None
    word = re.split(r"[,\]}#]", seen.rest(at))[0].strip()
    message = f"a value cannot begin with {quoted(word[:1])}"
    return _at(at, message, f"put it into quotes: {_in_quotes(word)}", _QUOTES)


def _in_quotes(word: str) -> str:
    return f"`'{word}'`" if '"' in word or "\\" in word else f'`"{word}"`'


def _second_colon(seen: _Seen) -> Complaint | None:
    if "mapping values are not allowed" not in seen.problem:
        return None
    if ":" in re.sub(r"^\s*(- )*", "", seen.before(seen.stop)).strip(":"):
        return _at(seen.stop, "a second `:` in one value", "put text that contains `: ` into quotes", _QUOTES)
    return _at(
        seen.stop,
        "this key does not fit the line above it",
        "give the keys of one mapping the same indentation, and each a `:`",
    )


def _open_quote(seen: _Seen) -> Complaint | None:
    if "scalar" in seen.context and "found unexpected" in seen.problem:
        return _unclosed_quote(seen.begin)
    return None


def _unclosed_quote(at: tuple[int, int]) -> Complaint:
    return _at(
        at,
        "the quote that opens here is not closed where it should be",
        "close it on the same line",
        _UNCLOSED,
    )


def _escape(seen: _Seen) -> Complaint | None:
    if "unknown escape" not in seen.problem and "hexdecimal" not in seen.problem:
        return None
    at = seen.stop
    while at[1] > 0 and not seen.rest(at).startswith("\\"):
        at = (at[0], at[1] - 1)
    return _at(
        at,
        f"{quoted(seen.rest(at)[:2])} is not an escape that YAML knows",
        "use single quotes: there a backslash is itself",
        _QUOTES,
    )


def _open_bracket(seen: _Seen) -> Complaint | None:
    rest = seen.rest(seen.stop)
    if "while parsing a flow" not in seen.context or seen.bracket is None:
        return None
    if "node content" in seen.problem and rest and not rest.startswith(("---", "...")):
        return None
    opener = seen.rest(seen.bracket)[:1]
    closer = "]" if opener == "[" else "}"
    message = f"`{opener}` is not closed by `{closer}`, or a comma is missing"
    return _at(seen.bracket, message, f"close it with `{closer}`", _UNCLOSED)


def _no_value(seen: _Seen) -> Complaint | None:
    if "node content" not in seen.problem:
        return None
    char = seen.rest(seen.stop)[:1]
    if char in (",", ""):
        return _at(seen.stop, "a value is missing here", "write it, or take the comma out")
    return _at(
        seen.stop, f"a value cannot begin with {quoted(char)}", f"put text into quotes: {_in_quotes(char)}"
    )


def _no_key(seen: _Seen) -> Complaint | None:
    if (
        "expected key" not in seen.problem
        and "expected <block end>" not in seen.problem
        and "'-'" not in seen.problem
    ):
        return None
    if seen.rest(seen.stop).startswith(":"):
        return _at(seen.stop, "no key before the `:`", "write `key: value`")
    if seen.quote is not None:
        return _unclosed_quote(seen.quote)
    if seen.before(seen.stop).rstrip().endswith(('"', "'")):
        return _at(
            seen.stop, "text goes on after a closing quote", "put the whole value into single quotes", _QUOTES
        )
    return _at(
        seen.stop,
        "this line fits neither the mapping above it nor a new one",
        "align it with the keys of its mapping; list items stand below a key and begin with `- `",
    )


def _no_colon(seen: _Seen) -> Complaint | None:
    if "could not find expected ':'" in seen.problem:
        return _at(seen.begin, f"{quoted(seen.rest(seen.begin).strip())} has no `:`", "write `key: value`")
    return None


def _block_header(seen: _Seen) -> Complaint | None:
    if "block scalar" in seen.context and (
        "comment or line break" in seen.problem or "indicator" in seen.problem
    ):
        return _at(seen.stop, "text after `|` or `>`", "begin the text on the next line, indented")
    return None


def _unknown_tag(seen: _Seen) -> Complaint | None:
    if "tag handle" in seen.problem:
        return _at(seen.begin, "a tag", "leave it out: the schema says which type a field has", "Y008")
    return None


_ROWS = (
    _tab,
    _bad_start,
    _second_colon,
    _open_quote,
    _escape,
    _open_bracket,
    _no_value,
    _no_key,
    _no_colon,
    _block_header,
    _unknown_tag,
)
