"""Random well-typed conditions, as lowered trees, and random rows of jobs to ask them of."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from policyctl.expr.scope import JOB_SCOPE, Type
from policyctl.expr.signatures import (
    ARITHMETIC,
    COMPARISONS,
    DURATION_PARTS,
    TEXT_PREDICATES,
    TIMESTAMP_PARTS,
)
from policyctl.expr.times import MAX_SPAN
from policyctl.expr.trees import Tree

Draw = Any

_FIELDS = JOB_SCOPE.records["job"]
_FREE = {name: field.type for name, field in _FIELDS.items() if not field.values}
_TEXTS = ("", "a", "ab", "b", "/a/b", "aba", "gold", "Z", "é", "a\n", "𝛼")
_NAMES = ("tier", "team", "x")
_ZONES = (
    "UTC",
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Pacific/Kiritimati",
    "-08:00",
    "+05:45",
    "Europe/Dublin",
)
_PATTERNS = ("a", "^a", "b$", "^$", "[a-b]+", "^(?:a|aba)$", "^.$", "\\\\.", "[^a]", "(?i)Z", "a{2}|^/")

ints = st.one_of(
    st.integers(-5, 5),
    st.sampled_from((-(2**63), 2**63 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**31, 2**32 + 1)),
)
doubles = st.one_of(
    st.sampled_from(
        (0.0, -0.0, 1.0, 1.5, -2.0, 0.1, 8.0, 2.0**53, 2.0**63, -(2.0**63), 1e19, 0.30000000000000004)
    ),
    st.floats(-1e6, 1e6, allow_nan=False),
)
spans = st.one_of(
    st.sampled_from((0, 1, -1, 59, 3_600, -5_401, 86_400, MAX_SPAN, -MAX_SPAN)), st.integers(-(10**6), 10**6)
)
times = st.one_of(
    st.sampled_from((0, -1, 951_782_400, 1_793_523_600, 4_102_444_799, -2_208_988_800)),
    st.integers(0, 2_000_000_000),
)
strings = st.sampled_from(_TEXTS)

_CONSTANTS: dict[Type, tuple[str, st.SearchStrategy[Any]]] = {
    Type.INT: ("int", ints),
    Type.DOUBLE: ("double", doubles),
    Type.STRING: ("string", strings),
    Type.BOOL: ("bool", st.booleans()),
    Type.DURATION: ("duration", spans),
    Type.TIMESTAMP: ("timestamp", times),
}
_SCALARS = tuple(_CONSTANTS)


@st.composite
def jobs(draw: Draw) -> dict[str, Any]:
    """Draw a row: one job, with or without a time limit."""
    row = {
        **{name: draw(strings) for name, kind in _FREE.items() if kind is Type.STRING},
        "kind": draw(st.sampled_from(("batch", "interactive"))),
        "gpus": draw(doubles),
        "nodes": draw(ints),
        "priority": draw(ints),
        "interactive": draw(st.booleans()),
        "resumable": draw(st.booleans()),
        "labels": draw(st.dictionaries(st.sampled_from(_NAMES), strings)),
        "min_runtime": draw(spans),
        "submit": draw(times),
    }
    if draw(st.booleans()):
        row["time_limit"] = draw(spans)
    return {"job": row}


@st.composite
def conditions(draw: Draw, depth: int = 3) -> Tree:
    """Draw a condition that `check_tree` accepts and `expression_text` writes."""
    return _tree(draw, Type.BOOL, depth)


def _tree(draw: Draw, kind: Type, depth: int) -> Tree:
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return _leaf(draw, kind)
    return {
        Type.BOOL: _bool,
        Type.STRING: _string,
        Type.INT: _int,
        Type.DOUBLE: _number,
        Type.DURATION: _number,
        Type.TIMESTAMP: _number,
    }[kind](draw, kind, depth - 1)


def _leaf(draw: Draw, kind: Type) -> Tree:
    fields = [["field", "job", name] for name, its in _FREE.items() if its is kind]
    if kind is Type.TIMESTAMP:
        fields.append(["name", "now"])
    if draw(st.booleans()):
        name, values = _CONSTANTS[kind]
        return [name, draw(values)]
    field: Tree = draw(st.sampled_from(fields))
    return field


def _bool(draw: Draw, _kind: Type, depth: int) -> Tree:
    form = draw(
        st.sampled_from(
            ("compare", "compare", "logic", "logic", "!", "?:", "in", "text", "labels", "has", "matches")
        )
    )
    if form == "compare":
        left = draw(st.sampled_from(_SCALARS))
        right = draw(st.sampled_from((Type.INT, Type.DOUBLE))) if left.numeric else left
        return [draw(st.sampled_from(COMPARISONS)), _tree(draw, left, depth), _tree(draw, right, depth)]
    if form == "logic":
        count = draw(st.integers(2, 3))
        return [draw(st.sampled_from(("&&", "||"))), *(_tree(draw, Type.BOOL, depth) for _ in range(count))]
    if form == "!":
        return ["!", _tree(draw, Type.BOOL, depth)]
    if form == "?:":
        return _choice(draw, Type.BOOL, depth)
    if form == "in":
        return _in(draw, depth)
    if form == "text":
        parts = (_tree(draw, Type.STRING, depth) for _ in range(2))
        return [draw(st.sampled_from(TEXT_PREDICATES)), *parts]
    if form == "labels":
        return ["has_label", ["field", "job", "labels"], _key(draw, depth)]
    if form == "has":
        return ["has", "job", draw(st.sampled_from(sorted(_FIELDS)))]
    return ["matches", _tree(draw, Type.STRING, depth), draw(st.sampled_from(_PATTERNS))]


def _in(draw: Draw, depth: int) -> Tree:
    left = draw(st.sampled_from(_SCALARS))
    kinds = (Type.INT, Type.DOUBLE) if left.numeric else (left,)
    items = [_tree(draw, draw(st.sampled_from(kinds)), min(depth, 1)) for _ in range(draw(st.integers(0, 3)))]
    return ["in", _tree(draw, left, depth), *items]


def _choice(draw: Draw, kind: Type, depth: int) -> Tree:
    return ["?:", _tree(draw, Type.BOOL, depth), _tree(draw, kind, depth), _tree(draw, kind, depth)]


def _key(draw: Draw, depth: int) -> Tree:
    return (
        ["string", draw(st.sampled_from(_NAMES))] if draw(st.booleans()) else _tree(draw, Type.STRING, depth)
    )


def _string(draw: Draw, kind: Type, depth: int) -> Tree:
    if draw(st.integers(0, 2)) == 0:
        return _choice(draw, kind, depth)
    return ["label", ["field", "job", "labels"], _key(draw, depth)]


def _int(draw: Draw, kind: Type, depth: int) -> Tree:
    form = draw(st.sampled_from(("number", "number", "size", "sizes", "timestamp", "duration")))
    if form == "size":
        return ["size", _tree(draw, Type.STRING, depth)]
    if form == "sizes":
        return ["size", ["field", "job", "labels"]]
    if form == "timestamp":
        part, zone = draw(st.sampled_from(TIMESTAMP_PARTS)), draw(st.sampled_from(_ZONES))
        return [part, _tree(draw, Type.TIMESTAMP, depth), zone]
    if form == "duration":
        return [draw(st.sampled_from(DURATION_PARTS)), _tree(draw, Type.DURATION, depth)]
    return _number(draw, kind, depth)


def _number(draw: Draw, kind: Type, depth: int) -> Tree:
    """Arithmetic; doubles are divided by constants only, since policyctl has no infinity."""
    form = draw(st.sampled_from(("arithmetic", "arithmetic", "?:", "neg")))
    if form == "?:" or (form == "neg" and not kind.numeric):
        return _choice(draw, kind, depth)
    if form == "neg":
        return ["neg", _tree(draw, kind, depth)]
    options = [
        (op, left, right)
        for op, table in ARITHMETIC.items()
        for (left, right), made in table.items()
        if made is kind
    ]
    op, left, right = draw(st.sampled_from(options))
    if op == "/" and kind is Type.DOUBLE:
        return [op, _tree(draw, left, depth), ["double", draw(st.sampled_from((2.0, -0.5, 3.0)))]]
    return [op, _tree(draw, left, depth), _tree(draw, right, depth)]
