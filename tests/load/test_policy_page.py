"""The reference of the policy language: its examples are valid, and it leaves no field out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from policyctl.load.schema import KINDS
from tests.load.sample import ROOT, SMALLEST, load, schemas

PAGE = (ROOT / "docs" / "policy.md").read_text()
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def section(kind: str) -> str:
    found = re.search(rf"^## {kind}\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def fields(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the fields below a mapping as the page writes them: `pools.*.nodes`, `rules.when`."""
    for name, field in schema.get("properties", {}).items():
        below = f"{path}.{name}" if path else name
        leaf = not any(keyword in field for keyword in ("properties", "items")) and not isinstance(
            field.get("additionalProperties"), dict
        )
        if leaf or field.get("type") != "object" or isinstance(field.get("additionalProperties"), dict):
            yield below, field
        yield from fields(field, below)
        yield from fields(field.get("items", {}), below)
        others = field.get("additionalProperties")
        yield from fields(others if isinstance(others, dict) else {}, f"{below}.*")


@pytest.mark.parametrize("text", BLOCKS, ids=lambda text: re.findall(r"name: ([a-z-]+)", text)[0])
def test_the_examples_are_valid(text: str) -> None:
    rest = [one for one in SMALLEST.split("---\n") if re.findall(r"kind: \w+", one)[0] not in text]
    loaded = load({"base.yaml": "---\n".join(rest), "policy.yaml": text})
    assert loaded.findings == ()
    assert loaded.policy is not None


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(kind: str) -> None:
    spec = schemas()[kind]["properties"]["spec"]
    rows = set(
        re.findall(r"`([^`]+)`", "\n".join(re.findall(r"^\| (`[^|]+) \|", section(kind), flags=re.MULTILINE)))
    )
    assert {path for path, _ in fields(spec)} == rows


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_on_the_page_are_those_of_the_schema(kind: str) -> None:
    spec = schemas()[kind]["properties"]["spec"]
    for path, field in fields(spec):
        if "default" in field and field["default"] != []:
            row = re.search(rf"^\| `{re.escape(path)}` \| `([^`]+)`", section(kind), flags=re.MULTILINE)
            assert row is not None, path
            assert row[1] == str(field["default"]), path


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_required_is_marked(kind: str) -> None:
    spec = schemas()[kind]["properties"]["spec"]
    for field in spec.get("required", ()):
        if "properties" not in spec["properties"][field]:
            assert re.search(rf"^\| `{field}` \| required", section(kind), flags=re.MULTILINE), field
