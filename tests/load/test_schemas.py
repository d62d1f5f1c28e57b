"""The schemas themselves: keywords from a closed list, words for editors, patterns that cannot be tricked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from policyctl.load.documents import Document
from policyctl.load.formats import CODES
from policyctl.load.instance import instance
from policyctl.load.keywords import KEYWORDS
from policyctl.load.scan import scan
from policyctl.load.schema import KINDS, kind_schemas
from tests.load.sample import DOCUMENTS, ROOT, SCHEMA_FILES, schemas

ANNOTATIONS = {"$schema", "$id", "$defs", "$ref", "title", "description", "examples", "default"}
STRUCTURE = {"properties", "items", "propertyNames", "exclusiveMinimum"}
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def subschemas(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, schema
    for keyword in ("properties", "$defs"):
        for name, inner in schema.get(keyword, {}).items():
            yield from subschemas(inner, f"{path}/{name}")
    for keyword in ("items", "additionalProperties", "propertyNames"):
        if isinstance(schema.get(keyword), dict):
            yield from subschemas(schema[keyword], f"{path}/{keyword}")


@EVERY_KIND
def test_schemas_are_valid_and_every_keyword_is_one_that_we_rewrite(kind: str) -> None:
    Draft202012Validator.check_schema(schemas()[kind])
    for path, schema in subschemas(schemas()[kind]):
        unknown = set(schema) - set(KEYWORDS) - ANNOTATIONS - STRUCTURE
        assert not unknown, f"{path}: {unknown} would be accepted in silence"


@EVERY_KIND
def test_one_of_is_only_ever_a_choice_between_fields(kind: str) -> None:
    for path, schema in subschemas(schemas()[kind]):
        for branch in schema.get("oneOf", ()):
            assert set(branch) == {"required"}, path
            assert len(branch["required"]) == 1, path


@EVERY_KIND
def test_an_editor_has_words_and_an_example_for_every_field(kind: str) -> None:
    for path, schema in subschemas(schemas()[kind]):
        if not path.endswith("propertyNames"):
            assert schema.get("title"), path
            assert schema.get("description", "").endswith("."), path
            assert schema.get("examples"), path


@EVERY_KIND
def test_identity_and_kind_agree(kind: str) -> None:
    schema = schemas()[kind]
    assert schema["$id"].endswith(f"/{SCHEMA_FILES[kind]}.json")
    assert schema["properties"]["kind"]["const"] == kind
    assert schema["required"] == ["apiVersion", "kind", "metadata", "spec"]


@EVERY_KIND
def test_mappings_are_closed(kind: str) -> None:
    for path, schema in subschemas(schemas()[kind]):
        if schema.get("type") == "object" or "properties" in schema:
            assert "additionalProperties" in schema, path


@EVERY_KIND
def test_formats_are_ours_and_come_with_an_anchored_pattern(kind: str) -> None:
    for path, schema in subschemas(schemas()[kind]):
        if "format" in schema:
            assert schema["format"] in CODES, path
            assert "pattern" in schema, path
        for part in schema.get("pattern", "^$").split("|^"):
            assert part.startswith("^") or f"|^{part}" in schema["pattern"], path
            assert part.endswith(("$", "$|")), path


@EVERY_KIND
def test_numbers_are_never_multiples_of_a_float(kind: str) -> None:
    assert all("multipleOf" not in schema for _, schema in subschemas(schemas()[kind]))


@EVERY_KIND
def test_examples_are_valid_as_they_stand(kind: str) -> None:
    for path, schema in subschemas(schemas()[kind]):
        checked = Draft202012Validator({**schema, "$defs": schemas()[kind].get("$defs", {})})
        for example in schema.get("examples", ()):
            assert not list(checked.iter_errors(example)), f"{path}: {example}"


@EVERY_KIND
def test_a_line_break_at_the_end_is_part_of_the_text(kind: str) -> None:
    checked = kind_schemas(schemas())[kind].validator
    for path, schema in subschemas(schemas()[kind]):
        if "pattern" not in schema:
            continue
        example = next(str(one) for one in schema["examples"] if not isinstance(one, dict))
        assert re.fullmatch(schema["pattern"], example), path
        plain = {"type": "string", "pattern": schema["pattern"]}
        assert not list(checked.evolve(schema=plain).iter_errors(example)), path
        assert list(checked.evolve(schema=plain).iter_errors(f"{example}\n")), path


@EVERY_KIND
def test_there_is_a_schema_file_for_the_kind_and_it_is_written_canonically(kind: str) -> None:
    text = (ROOT / "schemas" / f"{SCHEMA_FILES[kind]}.json").read_text()
    assert text.endswith("}\n")
    assert "\t" not in text


@EVERY_KIND
def test_the_field_decides_the_type_and_not_the_look_of_the_scalar(kind: str) -> None:
    (root,) = scan("f.yaml", DOCUMENTS[kind]).documents
    known = kind_schemas(schemas())[kind]
    assert not list(known.errors(instance(root, known.schema).value))
    assert Document(file="f.yaml", lines=[], root=root).subject.startswith(kind)


def test_a_missing_schema_is_a_bug_and_not_an_answer() -> None:
    with pytest.raises(KeyError, match="Governance"):
        kind_schemas({kind: schema for kind, schema in schemas().items() if kind != "Governance"})
