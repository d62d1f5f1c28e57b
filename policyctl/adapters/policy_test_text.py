"""The files of policy tests to PolicyTest documents, or to everything that their schema has against them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Severity, nearest, ordered
from policyctl.load.documents import Document
from policyctl.load.reading import Reader
from policyctl.load.schema import kind_schema
from policyctl.load.schema_findings import schema_findings
from policyctl.load.texts import read_texts
from policyctl.load.wording import quoted

__all__ = ["KIND", "PolicyTests", "asks_of_a_change", "read_policy_tests", "state_files"]

KIND = "PolicyTest"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyTests:
    """The PolicyTest documents that can be read on; none while a finding is an error."""

    documents: tuple[Document, ...]
    findings: tuple[Finding, ...]
    sources: dict[str, str]


def read_policy_tests(files: Mapping[str, bytes], schema: Mapping[str, Any]) -> PolicyTests:
    """Read all files, by their names, and check each document against its schema."""
    texts = read_texts(files)
    shape = kind_schema(_read_elsewhere(schema))
    findings = list(texts.findings)
    for document in texts.documents:
        findings += schema_findings(document, shape) if document.kind == KIND else [_other_kind(document)]
    findings += _names_once(texts.documents)
    failed = any(one.severity is Severity.ERROR for one in findings)
    return PolicyTests(
        documents=() if failed else texts.documents,
        findings=ordered(findings),
        sources=texts.sources,
    )


def _read_elsewhere(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Leave to their own readers what a schema cannot say as well: records, and `none` beside a quantity."""
    open_schema = deepcopy(dict(schema))
    spec = open_schema["properties"]["spec"]["properties"]
    case = spec["cases"]["items"]["properties"]
    spec["state"] = case["state"] = case["quote"] = {"type": "object"}
    changes = {"type": "object", "minProperties": 1}
    case["review"]["properties"] |= {"before": changes, "change": changes}
    expect = case["expect"]["properties"]
    expect["protectedUntil"] = expect["retryAt"] = {}
    expect["accounts"]["additionalProperties"]["properties"]["owed"] = {}
    return open_schema


def _other_kind(document: Document) -> Finding:
    close = nearest(document.kind, [KIND])
    seen = f"{quoted(document.kind)} is no kind of test" if document.kind else "the document has no `kind`"
    way_out = f"did you mean `{close}`?" if close else f"write `kind: {KIND}`, or move the document"
    return finding("S002", seen, document.place("kind"), help=way_out, subject=document.subject)


def _names_once(documents: tuple[Document, ...]) -> Iterator[Finding]:
    first: dict[str, Document] = {}
    for document in documents:
        name = document.name
        before = first.setdefault(name, document)
        if name and before is not document:
            message = f"{quoted(name)} is already the test at `{before.place('metadata', 'name').file_line}`"
            yield finding(
                "S012",
                message,
                document.place("metadata", "name"),
                help="give it another name",
                subject=document.subject,
            )


def state_files(document: Document) -> tuple[str, ...]:
    """Return the state files that a document names, as they are written."""
    spec = Reader(document=document, path=("spec",))
    named = {one.text("stateFile") for one in (spec, *spec.rows("cases")) if one.has("stateFile")}
    return tuple(sorted(named))


def asks_of_a_change(document: Document) -> bool:
    """Say whether a document has a case about a change of the policy."""
    spec = Reader(document=document, path=("spec",))
    return any(one.has("review") for one in spec.rows("cases"))
