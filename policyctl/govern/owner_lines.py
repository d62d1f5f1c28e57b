"""An existing CODEOWNERS, read as GitHub reads it, beside the owners that the policy names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from policyctl.govern.codeowners import OwnedFiles

__all__ = ["Mismatch", "OwnerLine", "last_match", "mismatches", "owner_lines"]

_WORD = re.compile(r"(?:\\.|[^\s\\])+|\\$")
_OWNER = re.compile(r"@[\w.-]+(?:/[\w.-]+)?|[^\s@]+@[^\s@]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerLine:
    """One line that counts: its number from 1, the pattern as written, and the owners, in lower case."""

    number: int
    pattern: str
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A file whose owners are not those of the policy; `line` is the last that matches, None if there is none."""

    path: str
    line: int | None
    owners: tuple[str, ...]
    expected: tuple[str, ...]


def owner_lines(text: str) -> tuple[OwnerLine, ...]:
    """Return the lines that count; comments and lines that GitHub does not understand are passed over."""
    found = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        words = list(_words(line))
        if words and _sound(words):
            owners = tuple(sorted(word.lower() for word in words[1:]))
            found.append(OwnerLine(number=number, pattern=words[0], owners=owners))
    return tuple(found)


def _words(line: str) -> Iterator[str]:
    for word in _WORD.findall(line):
        if word.startswith("#"):
            return
        yield word


def _sound(words: list[str]) -> bool:
    pattern, *owners = words
    understood = not pattern.startswith("!") and "[" not in pattern
    return understood and all(_OWNER.fullmatch(owner) for owner in owners)


def last_match(lines: tuple[OwnerLine, ...], path: str) -> OwnerLine | None:
    """Return the line that decides who owns a file: the last one that matches its path from the top."""
    return next((line for line in reversed(lines) if _regex(line.pattern).fullmatch(path)), None)


def _regex(pattern: str) -> re.Pattern[str]:
    """Translate a pattern: anchored if a `/` is not its last character, a folder covers all that lies below it."""
    body = pattern.removesuffix("/")
    anchored = "/" in body
    body = body.removeprefix("/")
    parts = re.findall(r"\*\*/|/\*\*$|\*\*|\*|\?|\\.|[^*?\\]", body)
    known = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    text = "".join(known.get(part) or re.escape(part.removeprefix("\\") or part) for part in parts)
    below = "/.+" if pattern.endswith("/") else "" if body.endswith("/*") else "(?:/.*)?"
    if not body:
        return re.compile(".*", re.DOTALL)
    return re.compile(f"{'' if anchored else '(?:.*/)?'}{text}{below}", re.DOTALL)


def mismatches(owned: OwnedFiles, lines: tuple[OwnerLine, ...]) -> tuple[Mismatch, ...]:
    """Return every file with other owners than the policy names, and the folder, for files that are yet to come."""
    expected = {f"{owned.folder}a-new-file.yaml": owned.others, **owned.files}
    found = []
    for path in sorted(expected):
        line = last_match(lines, path)
        owners = () if line is None else line.owners
        wanted = tuple(sorted({handle.lower() for handle in expected[path]}))
        if tuple(sorted(set(owners))) != wanted:
            number = None if line is None else line.number
            found.append(Mismatch(path=path, line=number, owners=owners, expected=wanted))
    return tuple(found)
