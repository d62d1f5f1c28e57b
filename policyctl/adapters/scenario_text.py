"""The text of a scenario file: its one Scenario document, and the policy documents that stand beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, Severity, ordered
from policyctl.load.characters import decode
from policyctl.load.documents import Document
from policyctl.load.scan import scan
from policyctl.load.schema import kind_schema
from policyctl.load.schema_findings import schema_findings

__all__ = ["KIND", "ScenarioText", "overlaid", "read_scenario_text"]

KIND = "Scenario"
_ONLY_ONCE = frozenset({"Accounting", "Cluster", "Governance", "Preemption"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioText:
    """A scenario file as text: `document` is None while a finding is an error.

    `policy` is the file's text with the Scenario document blanked, so that lines keep their numbers.
    """

    document: Document | None
    policy: str
    findings: tuple[Finding, ...]
    text: str

    @property
    def base(self) -> str | None:
        """The folder of policy documents that this file builds on, as it is written."""
        return self._said("base")

    @property
    def workload_file(self) -> str | None:
        """The workload file that is added to what is written here, as it is written."""
        return self._said("workload", "file")

    def _said(self, *path: str) -> str | None:
        return (self.document.text("spec", *path) or None) if self.document else None


def read_scenario_text(data: bytes, *, file: str, schema: Mapping[str, Any]) -> ScenarioText:
    """Find the Scenario document of a file and check it against its schema; the policy documents are not looked into."""
    text, refused = decode(file, data)
    scanned = scan(file, text)
    lines = text.split("\n")
    found = [Document(file=file, lines=lines, root=root) for root in scanned.documents]
    scenarios = [one for one in found if one.kind == KIND]
    findings: list[Finding] = [*refused]
    spans = [_lines_of(one, lines) for one in scenarios]
    if len(scenarios) == 1:
        begin, end = spans[0]
        findings += [one for one in scanned.findings if begin < one.place.line <= end]
        findings += schema_findings(scenarios[0], kind_schema(schema))
    else:
        findings += scanned.findings
        findings += _how_many(scenarios, file)
    failed = any(one.severity is Severity.ERROR for one in findings)
    return ScenarioText(
        document=None if failed else scenarios[0],
        policy=_blanked(lines, spans),
        findings=ordered(findings),
        text=text,
    )


def _how_many(scenarios: list[Document], file: str) -> Iterator[Finding]:
    if not scenarios:
        message, way_out = "no document here is a Scenario", "write one document with `kind: Scenario`"
        yield finding("S002", message, Place(file=file, end_column=2), help=way_out)
    for other in scenarios[1:]:
        message = "a second Scenario; a file has one"
        yield finding(
            "S013",
            message,
            other.place("metadata", "name"),
            help="give it a file of its own",
            subject=other.subject,
        )


def overlaid(base: Mapping[str, bytes], policy: str, *, file: str) -> dict[str, bytes]:
    """Return the files of a policy: those of the base, without the documents that `policy` replaces, and `policy` itself.

    A document replaces those of the same kind and name; of the kinds of which a policy has only one, whatever its name.
    """
    keys = frozenset(_keys(policy, file))
    files = {name: _without(name, data, keys) for name, data in base.items()}
    if keys or not base:
        files[file] = policy.encode()
    return {name: data for name, data in files.items() if data.strip()}


def _keys(text: str, file: str) -> Iterator[tuple[str, str]]:
    lines = text.split("\n")
    for root in scan(file, text).documents:
        yield _key(Document(file=file, lines=lines, root=root))


def _key(document: Document) -> tuple[str, str]:
    return document.kind, "" if document.kind in _ONLY_ONCE else document.name


def _without(file: str, data: bytes, keys: Collection[tuple[str, str]]) -> bytes:
    """Blank the documents that are replaced; a file that cannot be read is left for the reader of the policy to refuse."""
    text, refused = decode(file, data)
    if refused:
        return data
    lines = text.split("\n")
    found = [Document(file=file, lines=lines, root=root) for root in scan(file, text).documents]
    spans = [_lines_of(one, lines) for one in found if _key(one) in keys]
    return _blanked(lines, spans).encode() if spans else data


def _lines_of(document: Document, lines: list[str]) -> tuple[int, int]:
    """Return the lines of a document, from its `---` up to the next, counted from 0 and without the end."""
    line = document.root.span.line - 1
    begin = next((number for number in range(line, -1, -1) if lines[number].startswith("---")), 0)
    end = next(
        (number for number in range(line + 1, len(lines)) if lines[number].startswith("---")), len(lines)
    )
    return begin, end


def _blanked(lines: list[str], spans: list[tuple[int, int]]) -> str:
    kept = list(lines)
    for begin, end in spans:
        kept[begin:end] = [""] * (end - begin)
    return "\n".join(kept)
