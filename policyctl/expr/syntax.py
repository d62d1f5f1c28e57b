"""The structure of an expression, made from cel-python's parse tree: one small node per construct, with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lark import Token, Tree

from policyctl.expr.trees import MAX_DEPTH, MAX_NODES

if TYPE_CHECKING:
    from policyctl.expr.problems import Problems

__all__ = ["Syntax", "read"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """One construct: `op` says which, `text` is its name or its literal as written, `parts` are its operands.

    `op` is an operator of CEL, `neg`, `call`, `method` (the target is the first part), `select`, `index`, `name`,
    `list`, `map`, `object`, or `int`, `uint`, `double`, `string`, `bytes`, `bool`, `null` for a literal.
    """

    op: str
    start: int
    end: int
    text: str = ""
    parts: tuple[Syntax, ...] = ()

    @property
    def span(self) -> tuple[int, int]:
        """The characters of the source that the construct covers."""
        return self.start, self.end


class _TooBig(Exception):
    def __init__(self, message: str, span: tuple[int, int]) -> None:
        super().__init__(message)
        self.span = span


_BINARY = {
    "relation_lt": "<",
    "relation_le": "<=",
    "relation_gt": ">",
    "relation_ge": ">=",
    "relation_eq": "==",
    "relation_ne": "!=",
    "relation_in": "in",
    "addition_add": "+",
    "addition_sub": "-",
    "multiplication_mul": "*",
    "multiplication_div": "/",
    "multiplication_mod": "%",
}
_CHAINS = {"conditionalor": "||", "conditionaland": "&&"}
_LITERALS = {
    "INT_LIT": "int",
    "UINT_LIT": "uint",
    "FLOAT_LIT": "double",
    "STRING_LIT": "string",
    "MLSTRING_LIT": "string",
    "BYTES_LIT": "bytes",
    "BOOL_LIT": "bool",
    "NULL_LIT": "null",
}


def read(tree: Tree[object], problems: Problems) -> Syntax | None:
    """Return the structure of a parse tree, or None after noting that it is too deep or has too many parts."""
    try:
        return _Reader(_span(tree)).read(tree, 0)
    except _TooBig as error:
        problems.add(
            "C003", str(error), error.span, "split it into several rules, or put a label on the jobs"
        )
        return None


def _trees(tree: Tree[object]) -> list[Tree[object]]:
    return [child for child in tree.children if isinstance(child, Tree)]


def _token(tree: Tree[object]) -> Token:
    return next(child for child in tree.children if isinstance(child, Token))


def _plain(tree: Tree[object]) -> Tree[object]:
    """Skip the levels of the grammar that hold exactly one other level."""
    while tree.data in _LEVELS and len(tree.children) == 1:
        (tree,) = _trees(tree)
    return tree


_LEVELS = {"expr", *_CHAINS, "relation", "addition", "multiplication", "unary", "member", "primary"}


class _Reader:
    def __init__(self, everything: tuple[int, int]) -> None:
        self.everything = everything
        self.nodes = 0

    def read(self, tree: Tree[object], depth: int) -> Syntax:
        tree = _plain(tree)
        self._count(tree, depth)
        kind = str(tree.data)
        if kind in _CHAINS:
            return self._chain(tree, depth)
        if kind in {"relation", "addition", "multiplication"}:
            operator, right = _trees(tree)
            (left,) = _trees(operator)
            return self._node(_BINARY[str(operator.data)], tree, (left, right), depth)
        if kind == "unary":
            operator, operand = _trees(tree)
            return self._unary(tree, str(operator.data), self.read(operand, depth + 1))
        if kind == "expr":
            return self._node("?:", tree, _trees(tree), depth)
        if kind == "paren_expr":
            inner = self.read(_trees(tree)[0], depth + 1)
            start, end = _span(tree)
            return Syntax(op=inner.op, text=inner.text, parts=inner.parts, start=start, end=end)
        return self._primary(kind, tree, depth)

    def _primary(self, kind: str, tree: Tree[object], depth: int) -> Syntax:
        if kind == "literal":
            token = _token(tree)
            return self._node(_LITERALS[token.type], tree, (), depth, str(token))
        if kind in {"ident", "dot_ident"}:
            return self._node("name", tree, (), depth, str(_token(tree)))
        if kind in {"ident_arg", "dot_ident_arg"}:
            return self._node("call", tree, _listed(_trees(tree)), depth, str(_token(tree)))
        if kind == "member_dot":
            return self._node("select", tree, _trees(tree), depth, str(_token(tree)))
        if kind == "member_dot_arg":
            target, *rest = _trees(tree)
            return self._node("method", tree, (target, *_listed(rest)), depth, str(_token(tree)))
        if kind == "member_index":
            return self._node("index", tree, _trees(tree), depth)
        if kind == "list_lit":
            return self._node("list", tree, _listed(_trees(tree)), depth)
        return self._node("map" if kind == "map_lit" else "object", tree, (), depth)

    def _node(
        self,
        op: str,
        tree: Tree[object],
        parts: list[Tree[object]] | tuple[Tree[object], ...],
        depth: int,
        text: str = "",
    ) -> Syntax:
        start, end = _span(tree)
        inner = tuple(self.read(part, depth + 1) for part in parts)
        return Syntax(op=op, start=start, end=end, text=text, parts=inner)

    def _chain(self, tree: Tree[object], depth: int) -> Syntax:
        kind = tree.data
        start, end = _span(tree)
        operands: list[Syntax] = []
        while tree.data == kind and len(tree.children) == 2:
            left, right = _trees(tree)
            operands.append(self.read(right, depth + 1))
            tree = _plain(left)
        operands.append(self.read(tree, depth + 1))
        return Syntax(op=_CHAINS[str(kind)], start=start, end=end, parts=tuple(reversed(operands)))

    def _unary(self, tree: Tree[object], kind: str, operand: Syntax) -> Syntax:
        start, end = _span(tree)
        bare = operand.end - operand.start == len(operand.text) and not operand.text.startswith("-")
        if kind == "unary_neg" and operand.op in {"int", "double"} and bare:
            return Syntax(op=operand.op, text="-" + operand.text, start=start, end=end)
        return Syntax(op="!" if kind == "unary_not" else "neg", parts=(operand,), start=start, end=end)

    def _count(self, tree: Tree[object], depth: int) -> None:
        self.nodes += 1
        if depth > MAX_DEPTH:
            raise _TooBig(f"the expression is nested more than {MAX_DEPTH} deep", _span(tree))
        if self.nodes > MAX_NODES:
            raise _TooBig(f"the expression has more than {MAX_NODES} parts", self.everything)


def _listed(trees: list[Tree[object]]) -> list[Tree[object]]:
    return _trees(trees[0]) if trees else []


def _span(tree: Tree[object]) -> tuple[int, int]:
    return tree.meta.start_pos, tree.meta.end_pos
