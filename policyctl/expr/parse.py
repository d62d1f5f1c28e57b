"""The text of an expression, parsed by cel-python: a parse tree, or the problem that prevents it.

cel-python keeps one parser per process, of the first kind that anybody constructs, and constructing it also
changes the interpreter's recursion limit; therefore the one `Environment` of policyctl is made here, and the
limit is put back. Limits are checked on the text, before a parser sees it.
"""

from __future__ import annotations

import re
import sys
from functools import cache

import celpy
from celpy.celparser import CELParseError
from lark import Token, Tree
from lark.exceptions import UnexpectedToken

from policyctl.expr.problems import Problem, quoted

__all__ = ["MAX_NESTING", "MAX_SOURCE", "environment", "parse"]

MAX_SOURCE = 10_000
"""Longest expression, in characters."""
MAX_NESTING = 32
"""Deepest nesting of brackets."""

_PIECES = re.compile(
    r"""(?P<comment>//[^\n]*)
    |(?P<string>[rR]?(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<unclosed>["'][^\n]*)
    |(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<word>\w+)|(?P<blank>[\t\n\f\r ]+)
    |(?P<operator>&&|\|\||===?|!=|<=|>=|<>|[&|=<>!+*/%?:.,-])|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_INSTEAD = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "is": "==",
    "=": "==",
    "===": "==",
    "&": "&&",
    "|": "||",
    "<>": "!=",
}
_QUOTES = "\u201c\u201d\u2018\u2019\u00ab\u00bb"
_PAIRS = {")": "(", "]": "[", "}": "{"}


@cache
def environment() -> celpy.Environment:
    """Return the one cel-python environment of this process (interpreted runner)."""
    limit = sys.getrecursionlimit()
    try:
        return celpy.Environment()
    finally:
        sys.setrecursionlimit(limit)


def parse(source: str) -> Tree[object] | Problem:
    """Parse an expression; the tree is cel-python's own, with positions in characters."""
    if too_big := _limits(source):
        return too_big
    pieces = [found for found in _PIECES.finditer(source) if found.lastgroup not in {"comment", "blank"}]
    if not pieces:
        return _problem(
            "C002", "the expression is empty", 0, len(source), "write a condition such as `job.gpus >= 64`"
        )
    if unbalanced := _unclosed(pieces) or _brackets(pieces):
        return unbalanced
    try:
        return _placed(environment().compile(source), pieces)
    except CELParseError as error:
        cause = error.__context__
        if isinstance(cause, UnexpectedToken) and cause.token.type == "$END":
            return _problem("C001", f"something is missing after {quoted(pieces[-1][0])}", *pieces[-1].span())
        return _syntax(source, pieces, _offset(source, error.line, error.column))


def _placed(tree: Tree[object], pieces: list[re.Match[str]]) -> Tree[object] | Problem:
    """Mend the positions in a tree: cel-python's lexer loses those of `true` and `false`, and so of what starts there.

    It also reads `intrue` as `in true`; the words of the tree must be the words of the text.
    """
    words = {piece.start(): piece for piece in pieces if piece["word"]}
    truths = iter([piece.span() for piece in words.values() if piece[0] in {"true", "false"}])
    trees: list[Tree[object]] = []
    waiting: list[object] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Tree):
            trees.append(node)
            waiting += reversed(node.children)
        elif isinstance(node, Token) and node.type == "BOOL_LIT":
            node.start_pos, node.end_pos = next(truths, (-1, -1))
        if isinstance(node, Token) and node.type in {"BOOL_LIT", "IDENT"}:
            word = words.get(node.start_pos if node.start_pos is not None else -1)
            if word is None or word[0] != str(node):
                return _glued(pieces)
    for node in reversed(trees):
        inner = [
            child.meta if isinstance(child, Tree) else child
            for child in node.children
            if isinstance(child, Tree | Token)
        ]
        own = [] if node.meta.empty else [node.meta]
        node.meta.start_pos = min(one.start_pos for one in (*own, *inner) if one.start_pos is not None)
        node.meta.end_pos = max(one.end_pos for one in (*own, *inner) if one.end_pos is not None)
        node.meta.empty = False
    return tree


def _glued(pieces: list[re.Match[str]]) -> Problem:
    piece = next((one for one in pieces if re.fullmatch(r"\d*in\w+", one[0])), pieces[0])
    message = f"did not expect {quoted(piece[0])} here"
    return _problem("C001", message, *piece.span(), "put spaces around `in`")


def _problem(code: str, message: str, start: int, end: int, hint: str | None = None) -> Problem:
    return Problem(code=code, message=message, help=hint, start=start, end=end)


def _limits(source: str) -> Problem | None:
    if len(source) > MAX_SOURCE:
        message = f"the expression has {len(source)} characters, the limit is {MAX_SOURCE}"
        return _problem(
            "C003", message, 0, len(source), "split it into several rules, or put a label on the jobs"
        )
    return None


def _unclosed(pieces: list[re.Match[str]]) -> Problem | None:
    for piece in pieces:
        if piece["unclosed"]:
            return _problem(
                "C001", "this text is never closed", *piece.span(), "end it with the quote it starts with"
            )
    return None


def _brackets(pieces: list[re.Match[str]]) -> Problem | None:
    opened: list[re.Match[str]] = []
    for piece in pieces:
        if piece["open"]:
            opened.append(piece)
            if len(opened) > MAX_NESTING:
                message = f"brackets are nested more than {MAX_NESTING} deep"
                return _problem("C003", message, piece.start(), piece.end(), "split it into several rules")
        elif piece["close"]:
            if not opened or opened[-1]["open"] != _PAIRS[piece["close"]]:
                return _problem("C001", f"`{piece[0]}` closes nothing", piece.start(), piece.end())
            opened.pop()
    if opened:
        return _problem("C001", f"`{opened[-1][0]}` is never closed", opened[-1].start(), opened[-1].end())
    return None


def _offset(source: str, line: int | None, column: int | None) -> int | None:
    if line is None or column is None or line < 1:
        return None
    start = 0
    for _ in range(line - 1):
        start = source.index("\n", start) + 1
    return start + column - 1


def _syntax(source: str, pieces: list[re.Match[str]], at: int | None) -> Problem:
    places = [place for place, one in enumerate(pieces) if at is not None and one.start() <= at < one.end()]
    if not places:
        return _problem("C001", "this is not a CEL expression", 0, len(source))
    piece = pieces[places[0]]
    before = pieces[places[0] - 1] if places[0] else piece
    for suspect in (piece, before):
        if instead := _INSTEAD.get(suspect[0]):
            return _problem(
                "C001", f"`{suspect[0]}` is not an operator", *suspect.span(), f"write `{instead}`"
            )
    if piece["unclosed"]:
        return _problem(
            "C001", "this text is never closed", *piece.span(), "end it with the quote it starts with"
        )
    if piece["other"]:
        straight = "write straight quotes" if piece[0] in _QUOTES else None
        shown = f"`{piece[0]}`" if piece[0].isprintable() else f"the character U+{ord(piece[0]):04X}"
        return _problem("C001", f"{shown} has no meaning in CEL", *piece.span(), straight)
    return _problem("C001", f"did not expect {quoted(piece[0])} here", *piece.span())
