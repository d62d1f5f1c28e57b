"""A failed keyword of a schema in our words: for each keyword what a person did, and what would work."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from policyctl.diagnostics import Finding
from policyctl.load.failures import Failure, example_of
from policyctl.load.formats import CODES
from policyctl.load.surprises import is_null, plain_number, surprise
from policyctl.load.values import MapNode, Scalar
from policyctl.load.wording import one_of, quoted

__all__ = ["KEYWORDS"]

Rewrite = Callable[[Failure], Iterator[Finding]]


def _type(failure: Failure) -> Iterator[Finding]:
    node, wanted = failure.node, failure.wanted
    kinds = _kinds(wanted if isinstance(wanted, list) else [wanted])
    if isinstance(node, Scalar) and node.plain and is_null(node.text):
        way_out = f"write a value, for example `{failure.example}`, or leave the field out"
        yield failure.finding("S005", f"{failure.called} has no value", way_out)
    elif isinstance(node, Scalar):
        message = f"{quoted(node.text)} {'is' if node.plain else 'in quotes is text,'} not {kinds}"
        mended = _whole_number(node) if wanted == "integer" else None
        yield failure.finding("S005", message, mended or _for_example(failure))
    else:
        seen = "a mapping" if isinstance(node, MapNode) else "a list"
        yield failure.finding("S005", f"{failure.called} is {seen}, not {kinds}", _for_example(failure))


_KINDS = {
    "object": "a mapping of fields",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
}


def _kinds(wanted: list[str]) -> str:
    if "object" in wanted and len(wanted) > 1:
        return "a share or `{weight: N}`"
    return " or ".join(_KINDS[kind] for kind in wanted if len(wanted) == 1 or kind in ("string", "number"))


def _for_example(failure: Failure) -> str | None:
    return f"for example `{failure.example}`" if failure.example else None


def _whole_number(node: Scalar) -> str | None:
    if not node.plain:
        return "write the number without quotes"
    number = plain_number(node.text) or node.text
    whole, _, rest = number.partition(".")
    if not whole.removeprefix("-").isdigit() or rest.strip("0"):
        odd = _other_reading(node)
        return _joined("write a whole number in plain digits", odd) if odd else None
    return _joined(f"write `{whole}`", _other_reading(node))


def _other_reading(node: Scalar) -> str:
    odd = surprise(node.text) if node.plain else None
    return f"YAML 1.1 reads {quoted(node.text)} as {odd.seen}" if odd else ""


def _joined(first: str, second: str) -> str:
    if not second:
        return first
    return f"{first} {second}" if first.endswith("?") else f"{first}; {second}"


def _unknown_fields(failure: Failure) -> Iterator[Finding]:
    for field in failure.unknown:
        close = failure.meant(field)
        top = "" if failure.path else " at the top of the document"
        way_out = (
            f"did you mean `{close}`?" if close else f"the fields of {failure.called} are {_listed(failure)}"
        )
        place = failure.document.key_place(*failure.path, field)
        yield failure.finding("S003", f"unknown field {quoted(field)}{top}", way_out, place)


def _listed(failure: Failure) -> str:
    return ", ".join(f"`{field}`" for field in failure.fields)


def _missing_fields(failure: Failure) -> Iterator[Finding]:
    if failure.incomplete:
        return
    misspelt = failure.misspelt()
    for field in failure.wanted:
        if field not in failure.seen and field not in misspelt:
            example = example_of(failure.fields.get(field, {}))
            way_out = f"add `{field}: {example}`" if example else f"add `{field}`"
            yield failure.finding("S004", f"{failure.called} has no `{field}`", way_out)


def _exactly_one(failure: Failure) -> Iterator[Finding]:
    choice = [branch["required"][0] for branch in failure.wanted]
    present = [field for field in failure.seen if field in choice]
    if present:
        both = " and ".join(f"`{field}`" for field in present)
        place = failure.document.key_place(*failure.path, present[1])
        yield failure.finding("S011", f"{both} exclude each other", f"keep one of {one_of(choice)}", place)
    elif not failure.incomplete and not failure.misspelt() & set(choice):
        yield failure.finding(
            "S011", f"{failure.called} has none of {one_of(choice)}", "add exactly one of them"
        )


def _goes_with(failure: Failure) -> Iterator[Finding]:
    if failure.incomplete:
        return
    misspelt = failure.misspelt()
    for field, needed in failure.wanted.items():
        for other in needed:
            if field in failure.seen and other not in failure.seen and other not in misspelt:
                place = failure.document.key_place(*failure.path, field)
                way_out = f"add `{other}`, or leave `{field}` out"
                yield failure.finding("S011", f"`{field}` goes with `{other}` only", way_out, place)


def _constant(failure: Failure) -> Iterator[Finding]:
    message = f"{quoted(failure.text)} is not a version of the policy language that is known here"
    yield failure.finding("S001", message, f"write `apiVersion: {failure.wanted}`")


def _range(failure: Failure) -> Iterator[Finding]:
    message = f"{quoted(failure.text)} is out of range for {failure.called}"
    low, high = failure.schema.get("minimum"), failure.schema.get("maximum")
    yield failure.finding("S007", message, f"write a whole number from {low} to {high}")


def _format(failure: Failure) -> Iterator[Finding]:
    code, node, cause = CODES[failure.wanted], failure.node, failure.cause
    assert cause is not None, "our formats fail with a reason"
    odd = _other_reading(node) if code == "S008" and isinstance(node, Scalar) else ""
    # A reader quotes the text whole; here it is cut and made printable.
    message = str(cause).replace(f"`{failure.text}`", quoted(failure.text))
    yield failure.finding(code, message, _joined(cause.help, odd))


def _pattern(failure: Failure) -> Iterator[Finding]:
    code = CODES[failure.schema["format"]]
    what = "a name" if failure.about_key else f"{failure.called} is"
    yield failure.finding(code, f"{quoted(failure.text)} is not written as {what}", _for_example(failure))


def _word(failure: Failure) -> Iterator[Finding]:
    yield failure.finding(
        "S006",
        f"{quoted(failure.text)} is not a word for {failure.called}",
        f"write {one_of(failure.wanted)}",
    )


def _empty(failure: Failure) -> Iterator[Finding]:
    yield failure.finding("S010", f"{failure.called} is empty", _for_example(failure))


def _long(failure: Failure) -> Iterator[Finding]:
    message = f"{failure.called} has {len(failure.text):,} characters; at most {failure.wanted:,} are read"
    yield failure.finding("S010", message, "shorten it")


def _repeated(failure: Failure) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, text in enumerate(failure.seen):
        if not isinstance(text, str):
            continue
        if text in seen:
            place = failure.document.place(*failure.path, index)
            yield failure.finding(
                "S017", f"{quoted(text)} stands twice in {failure.called}", "keep one", place
            )
        seen.add(text)


KEYWORDS: dict[str, Rewrite] = {
    "type": _type,
    "const": _constant,
    "enum": _word,
    "format": _format,
    "pattern": _pattern,
    "minLength": _empty,
    "maxLength": _long,
    "minimum": _range,
    "maximum": _range,
    "additionalProperties": _unknown_fields,
    "required": _missing_fields,
    "oneOf": _exactly_one,
    "dependentRequired": _goes_with,
    "minItems": _empty,
    "minProperties": _empty,
    "uniqueItems": _repeated,
}
"""In the order in which one of several failures of a single value is told; a test keeps our schemas to these."""
