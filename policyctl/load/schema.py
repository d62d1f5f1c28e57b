"""JSON Schemas to validators, one for each kind: references replaced, formats read exactly, patterns without gaps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from policyctl.load.formats import checker

__all__ = ["KINDS", "KindSchema", "kind_schema", "kind_schemas"]

KINDS = ("Cluster", "Budget", "Accounting", "ProtectionCap", "Preemption", "Exception", "Governance")
"""Every kind of document, in the order in which people meet them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSchema:
    """A schema without references, and the validator made of it."""

    schema: Mapping[str, Any]
    validator: Any

    def errors(self, value: Any) -> Iterator[ValidationError]:
        """Yield what the schema has against a value."""
        yield from self.validator.iter_errors(value)


def kind_schemas(schemas: Mapping[str, Any]) -> dict[str, KindSchema]:
    """Make the validators of all kinds; a kind that `schemas` does not have is a KeyError."""
    return {kind: kind_schema(schemas[kind]) for kind in KINDS}


def kind_schema(schema: Mapping[str, Any]) -> KindSchema:
    """Make the validator of one kind; documents that are no policy, such as scenarios, have schemas of the same make."""
    plain = _without_references(schema, schema.get("$defs", {}))
    return KindSchema(schema=plain, validator=_Validator(plain, format_checker=checker()))


def _whole_pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[ValidationError]:
    # `$` also matches before a last line break, so that a name could end in one; the whole text must match.
    if isinstance(value, str) and re.fullmatch(pattern, value) is None:
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _texts_once(_: Any, once: bool, value: Any, __: Any) -> Iterator[ValidationError]:  # noqa: FBT001 - the keyword's value
    # Lists that must not repeat hold texts. Where jsonschema meets anything else beside them, it compares all with
    # all, which takes hours for a list as long as a file may be.
    texts = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    if once and len(set(texts)) < len(texts):
        yield ValidationError("a text stands twice")


_extend: Any = extend  # the stubs leave the function untyped
_Validator = _extend(Draft202012Validator, {"pattern": _whole_pattern, "uniqueItems": _texts_once})


def _without_references(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """Replace `$ref` by what it names, and leave out the words that only an editor shows."""
    if isinstance(schema, list):
        return [_without_references(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {
        keyword: {name: _without_references(field, definitions) for name, field in value.items()}
        if keyword == "properties"
        else _without_references(value, definitions)
        for keyword, value in schema.items()
        if keyword not in _NOT_ASKED
    }
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return {**_without_references(definitions[name], definitions), **plain}
    return plain


_NOT_ASKED = frozenset({"$ref", "$defs", "$schema", "$id", "title", "description", "default"})
