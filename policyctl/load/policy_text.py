"""The texts of a policy to its model, or to everything that is wrong with them.

Documents are read one by one, so that a broken one hides nothing about the others; the model is made only when no
error is left. Whatever the order of files, documents and keys, the same policy comes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Severity, nearest, ordered
from policyctl.load.budgets import accounting, budget, pools
from policyctl.load.decisions import (
    NO_GOVERNANCE,
    NO_PREEMPTION,
    exception,
    governance,
    preemption,
    protection_cap,
)
from policyctl.load.document_checks import document_findings
from policyctl.load.documents import Document
from policyctl.load.expressions import Expressions, expressions
from policyctl.load.policy_checks import missing_kinds, together
from policyctl.load.schema import KINDS, KindSchema, kind_schemas
from policyctl.load.schema_findings import schema_findings
from policyctl.load.texts import read_texts
from policyctl.load.values import Hole, MapNode
from policyctl.load.wording import one_of, quoted
from policyctl.model.policy import Policy

__all__ = ["Loaded", "ReadDocument", "joined", "read_document", "read_policy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What was read: `policy` is None exactly if a finding is an error; `sources` are the texts by file."""

    policy: Policy | None
    findings: tuple[Finding, ...]
    sources: dict[str, str]
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocument:
    """A document of a known kind with its rules, and what is wrong with it by itself."""

    document: Document
    rules: Expressions
    findings: tuple[Finding, ...]


def read_policy(files: Mapping[str, bytes], schemas: Mapping[str, Any]) -> Loaded:
    """Read the files of a policy (path below its root -> bytes) with the schema of each kind.

    All independent findings come at once; a policy comes only without errors.
    """
    kinds = kind_schemas(schemas)
    texts = read_texts(files)
    findings = list(texts.findings)
    known: list[ReadDocument] = []
    for document in texts.documents:
        if document.kind not in KINDS:
            findings += _unknown_kind(document)
            continue
        known.append(read_document(document, kinds))
        findings += known[-1].findings
    readable = [one.document for one in known]
    findings += together(readable)
    if not texts.incomplete and len(readable) == len(texts.documents):
        findings += missing_kinds(readable, files)
    failed = any(one.severity is Severity.ERROR for one in findings)
    return Loaded(
        policy=None if failed else _policy(known),
        findings=ordered(findings),
        sources=texts.sources,
        documents=len(texts.documents),
    )


def read_document(document: Document, kinds: Mapping[str, KindSchema]) -> ReadDocument:
    """Read one document of a known kind by itself."""
    rules = expressions(document)
    findings = [
        *schema_findings(document, kinds[document.kind]),
        *document_findings(document),
        *rules.findings,
    ]
    return ReadDocument(document=document, rules=rules, findings=tuple(findings))


def joined(known: Sequence[ReadDocument]) -> Loaded:
    """Make the policy of documents that were read one by one, in the order of their places."""
    documents = [one.document for one in known]
    findings = [told for one in known for told in one.findings]
    findings += together(documents)
    findings += missing_kinds(documents, [one.file for one in documents])
    failed = any(one.severity is Severity.ERROR for one in findings)
    return Loaded(
        policy=None if failed else _policy(known),
        findings=ordered(findings),
        sources={},
        documents=len(documents),
    )


def _unknown_kind(document: Document) -> Iterator[Finding]:
    root, choice = document.root, f"the kinds are {one_of(KINDS)}"
    if isinstance(root, Hole):
        return
    if not isinstance(root, MapNode):
        message = "a document is a mapping of fields, not a list or a single value"
        yield finding("S005", message, document.place(), help=_BEGIN)
    elif "kind" in root.entries:
        kind = document.kind
        close = nearest(kind, KINDS)
        way_out = f"did you mean `{close}`? {choice}" if close else choice
        message = f"unknown kind {quoted(kind)}"
        yield finding("S002", message, document.place("kind"), help=way_out, subject=document.subject)
    elif not root.incomplete:
        close = nearest("kind", [key for key in root.entries if key not in _TOP])
        place = document.key_place(close) if close else document.place()
        yield finding("S002", "the document has no `kind`", place, help=choice, subject=document.subject)


_TOP = ("apiVersion", "metadata", "spec")
_BEGIN = "begin with `apiVersion: policyctl/v1` and `kind:`"


def _policy(known: Sequence[ReadDocument]) -> Policy:
    of = {kind: [one for one in known if one.document.kind == kind] for kind in KINDS}
    budgets = [budget(one.document) for one in of["Budget"]]
    caps = [protection_cap(one.document, one.rules.compiled) for one in of["ProtectionCap"]]
    exceptions = [exception(one.document) for one in of["Exception"]]
    brakes = [preemption(one.document, one.rules.compiled) for one in of["Preemption"]]
    rulings = [governance(one.document) for one in of["Governance"]]
    return Policy(
        pools=pools(of["Cluster"][0].document),
        budgets=tuple(
            sorted(
                budgets, key=lambda one: (one.account, one.pool or "", one.period.start or -(2**62), one.name)
            )
        ),
        accounting=accounting(of["Accounting"][0].document),
        caps=tuple(sorted(caps, key=lambda one: (one.account, one.name))),
        preemption=brakes[0] if brakes else NO_PREEMPTION,
        exceptions=tuple(sorted(exceptions, key=lambda one: one.name)),
        governance=rulings[0] if rulings else NO_GOVERNANCE,
    )
