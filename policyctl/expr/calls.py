"""Lowering of functions and methods: arguments counted, typed, and constant where they must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from policyctl.diagnostics import nearest
from policyctl.expr.advice import UNSUPPORTED_FUNCTIONS
from policyctl.expr.automaton import automaton
from policyctl.expr.patterns import BadPattern
from policyctl.expr.problems import quoted
from policyctl.expr.scope import Type, article
from policyctl.expr.signatures import DURATION_PARTS, TEXT_PREDICATES, TIMESTAMP_PARTS
from policyctl.expr.times import read_duration, read_timestamp
from policyctl.expr.typed import Typed
from policyctl.expr.zones import read_zone, zone_help
from policyctl.units import BadQuantity

if TYPE_CHECKING:
    from policyctl.expr.lower import Lowering
    from policyctl.expr.syntax import Syntax

__all__ = ["lower_call", "lower_method"]

_FUNCTIONS = ("duration", "has", "size", "timestamp")
_METHODS = (*TEXT_PREDICATES, *TIMESTAMP_PARTS, "matches", "size")
_READERS = {
    "duration": (read_duration, Type.DURATION, "4h"),
    "timestamp": (read_timestamp, Type.TIMESTAMP, "2026-09-01T12:00:00Z"),
}


def lower_call(lowering: Lowering, node: Syntax) -> Typed | None:
    """Lower `name(…)`."""
    match node.text:
        case "has":
            return _has(lowering, node)
        case "duration" | "timestamp":
            return _constant(lowering, node)
        case "size" if len(node.parts) == 1:
            return _size(lowering, node)
        case "matches" if len(node.parts) == 2:
            return _matches(lowering, node)
    return _unknown(lowering, node, _FUNCTIONS)


def lower_method(lowering: Lowering, node: Syntax) -> Typed | None:
    """Lower `target.name(…)`."""
    if node.text in TEXT_PREDICATES:
        return _text_predicate(lowering, node)
    if node.text == "matches":
        return _matches(lowering, node)
    if node.text in TIMESTAMP_PARTS:
        return _clock(lowering, node)
    if node.text == "size" and len(node.parts) == 1:
        return _size(lowering, node)
    return _unknown(lowering, node, _METHODS)


def _has(lowering: Lowering, node: Syntax) -> Typed | None:
    target = node.parts[0] if len(node.parts) == 1 else None
    if target is None or target.op != "select":
        if target is not None and target.op != "name":
            lowering.lower(target)
        return lowering.wrong(
            "C016", "`has` takes one field", node, "write `has(job.time_limit)` or `'tier' in job.labels`"
        )
    found = lowering.lower(target)
    if found is None:
        return None
    if found.tree[0] == "field":
        return Typed(["has", *found.tree[1:]], Type.BOOL)
    return Typed(["has_label", *found.tree[1:]], Type.BOOL)


def _constant(lowering: Lowering, node: Syntax) -> Typed | None:
    read, kind, example = _READERS[node.text]
    literal = node.parts[0] if len(node.parts) == 1 else None
    if literal is None or literal.op != "string":
        return lowering.wrong(
            "C015", f"`{node.text}` takes one text, written out", node, f"write `{node.text}('{example}')`"
        )
    text = lowering.lower(literal)
    if text is None:
        return None
    try:
        return Typed([node.text, read(text.tree[1])], kind)
    except BadQuantity as error:
        return lowering.wrong("C012", str(error), literal, error.help)


def _size(lowering: Lowering, node: Syntax) -> Typed | None:
    found = lowering.lower(node.parts[0])
    if found is None:
        return None
    if found.type not in {Type.STRING, Type.LABELS}:
        return lowering.wrong(
            "C010", f"{article(found.type)} has no size", node.parts[0], "texts and labels have one"
        )
    return Typed(["size", found.tree], Type.INT)


def _text_target(lowering: Lowering, node: Syntax) -> Typed | None:
    found = lowering.lower(node.parts[0])
    if found and found.type is not Type.STRING:
        return lowering.wrong(
            "C010", f"`{node.text}` is asked of a string, and this is {article(found.type)}", node.parts[0]
        )
    return found


def _text_predicate(lowering: Lowering, node: Syntax) -> Typed | None:
    target = _text_target(lowering, node)
    if len(node.parts) != 2:
        return lowering.wrong(
            "C010", f"`{node.text}` takes one text", node, f"write `job.account.{node.text}('x')`"
        )
    other = lowering.lower(node.parts[1])
    if other and other.type is not Type.STRING:
        return lowering.wrong(
            "C010", f"`{node.text}` takes a string, not {article(other.type)}", node.parts[1]
        )
    return Typed([node.text, target.tree, other.tree], Type.BOOL) if target and other else None


def _matches(lowering: Lowering, node: Syntax) -> Typed | None:
    target = _text_target(lowering, node)
    pattern = node.parts[1] if len(node.parts) == 2 else None
    if pattern is None or pattern.op != "string":
        hint = "write `job.account.matches('^/vision/')`"
        return lowering.wrong("C015", "`matches` takes one pattern, written out", pattern or node, hint)
    text = lowering.lower(pattern)
    if text is None:
        return None
    try:
        automaton(text.tree[1])
    except BadPattern as error:
        lowering.problems.add("C014", str(error), _inside(pattern, text.tree[1], error), error.help)
        return None
    return Typed(["matches", target.tree, text.tree[1]], Type.BOOL) if target else None


def _inside(literal: Syntax, value: str, error: BadPattern) -> tuple[int, int]:
    """Return the place of the mistake in the source: exact if the literal has no escapes, else all of it."""
    plain = literal.text[0] in "rR" or "\\" not in literal.text
    if value and plain and literal.end - literal.start == len(literal.text):
        body = literal.start + literal.text.index(value, 2 if literal.text[0] in "rR" else 1)
        return body + error.start, body + error.end
    return literal.span


def _clock(lowering: Lowering, node: Syntax) -> Typed | None:
    found = lowering.lower(node.parts[0])
    if found and found.type is Type.DURATION:
        return _span_part(lowering, node, found)
    if found and found.type is not Type.TIMESTAMP:
        message = f"`{node.text}` is asked of a timestamp, and this is {article(found.type)}"
        return lowering.wrong("C010", message, node.parts[0])
    zone = _zone(lowering, node)
    return Typed([node.text, found.tree, zone], Type.INT) if found and zone else None


def _span_part(lowering: Lowering, node: Syntax, found: Typed) -> Typed | None:
    if node.text not in DURATION_PARTS or len(node.parts) != 1:
        hint = f"a duration has {', '.join(f'`{name}()`' for name in DURATION_PARTS)}"
        return lowering.wrong("C010", f"a duration has no `{node.text}` of this form", node, hint)
    return Typed([node.text, found.tree], Type.INT)


def _zone(lowering: Lowering, node: Syntax) -> str | None:
    if len(node.parts) == 1:
        return "UTC"
    literal = node.parts[1]
    if len(node.parts) != 2 or literal.op != "string":
        hint = f"write `{node.text}('America/Los_Angeles')`"
        lowering.wrong("C015", f"`{node.text}` takes at most one time zone, written out", node, hint)
        return None
    found = lowering.lower(literal)
    if found is None:
        return None
    zone: str = found.tree[1]
    if read_zone(zone) is None:
        lowering.wrong("C013", f"unknown time zone {quoted(zone)}", literal, zone_help(zone))
        return None
    return zone


def _unknown(lowering: Lowering, node: Syntax, known: tuple[str, ...]) -> Typed | None:
    if node.text in (*_FUNCTIONS, *_METHODS):
        return lowering.wrong("C010", f"`{node.text}` is not called like this", node, _form(node.text))
    if node.text in UNSUPPORTED_FUNCTIONS:
        instead = UNSUPPORTED_FUNCTIONS[node.text]
        return lowering.wrong("C008", f"`{node.text}` is outside of what rules may use", node, instead)
    if node.op == "method":
        lowering.lower(node.parts[0])
    if node.text in lowering.scope.variables and node.op == "call":
        hint = f"it is a variable: write `{node.text}`"
    else:
        close = nearest(node.text, known)
        hint = (
            f"did you mean `{close}`?"
            if close
            else f"known are {', '.join(f'`{name}`' for name in sorted(known))}"
        )
    return lowering.wrong("C009", f"unknown function {quoted(node.text)}", node, hint)


def _form(name: str) -> str:
    if name in {"has", "size"}:
        return f"write `{name}(job.labels.tier)`"
    if name in {"duration", "timestamp"}:
        return f"write `{name}('{_READERS[name][2]}')`"
    if name in TIMESTAMP_PARTS:
        return f"write `now.{name}()`"
    return f"write `job.account.{name}('x')`"
