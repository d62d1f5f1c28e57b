"""One keyword of a schema that failed for one value, as plain data with the document it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from jsonschema import ValidationError

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, nearest
from policyctl.load.documents import Document
from policyctl.load.limits import FINDINGS_PER_FILE
from policyctl.load.values import MapNode, Node, Path, path_text
from policyctl.units import BadQuantity

__all__ = ["Failure", "example_of", "failure_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What a keyword asked for (`wanted`), what stood there (`seen`), and the reader's complaint if it had one.

    `about_key` means that `seen` is a key of the mapping at `path`, and not the value there.
    """

    document: Document
    path: Path
    keyword: str
    wanted: Any
    seen: Any
    schema: Mapping[str, Any]
    cause: BadQuantity | None
    about_key: bool

    @property
    def node(self) -> Node | None:
        """The value in the text."""
        return self.document.node(*self.path)

    @property
    def text(self) -> str:
        """The text of the key or the scalar."""
        return str(self.seen) if self.about_key else self.document.text(*self.path)

    @property
    def place(self) -> Place:
        """Where the key or the value stands."""
        if self.about_key:
            return self.document.key_place(*self.path, str(self.seen))
        return self.document.place(*self.path)

    @property
    def called(self) -> str:
        """How a message calls the value: by its key, or by the list it stands in."""
        return _called(self.path)

    @property
    def example(self) -> str | None:
        """The first example that the schema gives, as one writes it in YAML."""
        return example_of(self.schema)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields that a mapping may have."""
        found: Mapping[str, Any] = self.schema.get("properties", {})
        return found

    @property
    def incomplete(self) -> bool:
        """Say whether a key of the mapping had to be dropped, so that what is missing may have stood there."""
        return isinstance(self.node, MapNode) and self.node.incomplete

    def meant(self, field: str) -> str | None:
        """Return the field that an unknown one was meant to be: none that stands there already."""
        return nearest(field, [known for known in self.fields if known not in self.seen])

    @property
    def unknown(self) -> tuple[str, ...]:
        """The first fields that the mapping may not have; a mapping with very many of them is something else."""
        return tuple(islice((field for field in self.seen if field not in self.fields), FINDINGS_PER_FILE))

    def misspelt(self) -> set[str | None]:
        """Return the fields that are there in a wrong spelling."""
        return {self.meant(field) for field in self.unknown}

    def finding(self, code: str, message: str, way_out: str | None, place: Place | None = None) -> Finding:
        """Say it, at the value unless another place is given."""
        return finding(code, message, place or self.place, help=way_out, subject=self.document.subject)


def failure_of(document: Document, error: ValidationError) -> Failure:
    """Take out of jsonschema's error what we use of it."""
    return Failure(
        document=document,
        path=tuple(error.absolute_path),
        keyword=str(error.validator),
        wanted=error.validator_value,
        seen=error.instance,
        schema=error.schema if isinstance(error.schema, dict) else {},
        cause=error.cause if isinstance(error.cause, BadQuantity) else None,
        about_key="propertyNames" in list(error.absolute_schema_path)[-2:],
    )


def example_of(schema: Mapping[str, Any]) -> str | None:
    """Return the first example of a schema in YAML's flow style, or None."""
    return next((_flow(example) for example in schema.get("examples", ())), None)


def _called(path: Path) -> str:
    if not path:
        return "the document"
    return f"`{path_text(path[-1:])}`" if isinstance(path[-1], str) else f"an item of {_called(path[:-1])}"


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(inner) for inner in value) + "]"
    text = str(value)
    if '"' in text:
        return f"'{text}'"
    return f'"{text}"' if text[:1] in "@&*!%{[" else text
