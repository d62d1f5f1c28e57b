"""A proposed change in a test to the policy with it: what the case writes, laid over the policy's own documents.

Every document that the case changes is taken to stand in the file of the test, so that findings name a place there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from policyctl.adapters.policy_test_merge import merged, moved_entry, never_there, takes_away
from policyctl.catalogue import finding
from policyctl.check.policy_checks import run_checks
from policyctl.diagnostics import Finding, Place, Severity, nearest, ordered
from policyctl.load.documents import Document
from policyctl.load.policy_text import ReadDocument, joined, read_document
from policyctl.load.reading import Reader
from policyctl.load.schema import KINDS, KindSchema, kind_schemas
from policyctl.load.texts import read_texts
from policyctl.load.values import Entry, Hole, MapNode, Scalar, Span
from policyctl.load.wording import one_of, quoted
from policyctl.model.policy import Policy

__all__ = ["Changed", "PolicyText", "change_policy", "policy_text"]

_ONCE = frozenset({"Cluster", "Accounting", "Preemption", "Governance"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyText:
    """The documents of a policy that has no errors, read once for all cases, by what a change calls them."""

    policy: Policy
    documents: Mapping[str, ReadDocument]
    kinds: Mapping[str, KindSchema]
    folder: str


def policy_text(files: Mapping[str, bytes], schemas: Mapping[str, Any], folder: str) -> PolicyText | None:
    """Read the files of a policy, which lie in a folder that places are named from; None if it has errors."""
    kinds = kind_schemas(schemas)
    documents = [one for one in read_texts(files).documents if one.kind in KINDS]
    read = [read_document(one, kinds) for one in documents]
    policy = joined(read).policy
    if policy is None:
        return None
    called = {f"{one.document.kind}/{one.document.name}": one for one in read}
    return PolicyText(policy=policy, documents=called, kinds=kinds, folder=folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A policy with a change, `text` None with findings; `refused` says that they are those of the policy."""

    text: PolicyText | None = None
    findings: tuple[Finding, ...] = ()
    refused: bool = False


def change_policy(text: PolicyText, change: Reader) -> Changed:
    """Return the policy with a change, or everything that is wrong with it."""
    findings: list[Finding] = []
    documents = dict(text.documents)
    strangers: list[Finding] = []
    for key in change.names():
        name = _called(text, key)
        wrong = _wrong(text, change, key, name)
        if wrong is not None:
            findings.append(wrong)
            continue
        patch = change.document.node(*change.path, key)
        before = documents.get(name)
        if isinstance(patch, Scalar):
            del documents[name]
        elif isinstance(patch, MapNode):
            root = _root(before, name, patch, change.document.key_place(*change.path, key))
            findings += _never_there(change, key, before, patch)
            written = Document(file=change.document.file, lines=change.document.lines, root=root)
            documents[name] = read_document(written, text.kinds)
            if before is None and _fails(documents[name]) and (near := nearest(name, text.documents)):
                strangers.append(_stranger(change, key, near))
    if findings:
        return Changed(findings=ordered(findings))
    policy, found = _policy(documents)
    if policy is not None:
        return Changed(text=replace(text, policy=policy, documents=documents))
    if strangers:
        return Changed(findings=ordered(strangers))
    placed = ordered([_placed(one, text, change) for one in found])
    return Changed(findings=placed, refused=True)


def _policy(documents: Mapping[str, ReadDocument]) -> tuple[Policy | None, list[Finding]]:
    loaded = joined(sorted(documents.values(), key=lambda one: one.document.place()))
    found = [*loaded.findings, *(run_checks(loaded.policy, now=None) if loaded.policy else ())]
    errors = [one for one in found if one.severity is Severity.ERROR]
    return (None if errors else loaded.policy), errors


def _called(text: PolicyText, key: str) -> str:
    """Return `KIND/NAME`; a kind that stands once needs no name."""
    if key not in _ONCE:
        return key
    return next((name for name in text.documents if name.startswith(f"{key}/")), f"{key}/{key.lower()}")


def _wrong(text: PolicyText, change: Reader, key: str, name: str) -> Finding | None:
    message = way_out = ""
    patch = change.document.node(*change.path, key)
    kind = name.partition("/")[0]
    if kind not in KINDS or kind == name:
        message = f"{quoted(key)} names no document of a policy"
        near = nearest(name, text.documents) or nearest(kind, KINDS)
        known = sorted(one for one in text.documents if one.startswith(f"{kind}/"))
        choice = f"name {one_of(known)}" if known else f"write `KIND/NAME`; the kinds are {one_of(KINDS)}"
        way_out = f"did you mean `{near}`?" if near and not known else choice
    elif takes_away(patch):
        if name in text.documents:
            return None
        near = nearest(name, text.documents)
        message = f"the policy has no {quoted(key)} to take away"
        way_out = f"did you mean `{near}`?" if near else "leave it out"
    elif not isinstance(patch, MapNode | Hole):
        message = f"the change of {quoted(key)} is no mapping of fields"
        way_out = "write the fields of its `spec` that change, or `null` to take the document away"
    else:
        return None
    return finding(
        "S006",
        message,
        change.document.key_place(*change.path, key),
        help=way_out,
        subject=change.document.subject,
    )


def _fails(new: ReadDocument) -> bool:
    return any(one.severity is Severity.ERROR for one in new.findings)


def _stranger(change: Reader, key: str, near: str) -> Finding:
    """Return what is told of a new document that is not whole, and is called nearly as one that there is."""
    message = f"the policy has no {quoted(key)}, and what is written here is no whole document"
    place = change.document.key_place(*change.path, key)
    return finding("S006", message, place, help=f"did you mean `{near}`?", subject=change.document.subject)


def _root(before: ReadDocument | None, name: str, patch: MapNode, place: Place) -> MapNode:
    here = Span(place.line, place.column, place.end_line, place.end_column)
    kind, _, called = name.partition("/")
    top: dict[str, Entry] = {}
    if before is not None:
        assert isinstance(before.document.root, MapNode), "a document that was read is a mapping"
        top = {one: moved_entry(entry, here) for one, entry in before.document.root.entries.items()}
    else:
        named = MapNode({"name": _written("name", called, here)}, here)
        top = {
            "apiVersion": _written("apiVersion", "policyctl/v1", here),
            "kind": _written("kind", kind, here),
            "metadata": Entry(Scalar("metadata", "plain", here), named),
        }
    spec = top["spec"].value if "spec" in top else None
    top["spec"] = Entry(Scalar("spec", "plain", here), merged(spec, patch))
    return MapNode(top, here)


def _written(key: str, text: str, here: Span) -> Entry:
    return Entry(Scalar(key, "plain", here), Scalar(text, "double", here))


def _never_there(change: Reader, key: str, before: ReadDocument | None, patch: MapNode) -> Iterator[Finding]:
    spec = before.document.node("spec") if before else None
    for path, known in never_there(spec, patch):
        near = nearest(path[-1], known)
        yield finding(
            "S003",
            f"there is no {quoted(path[-1])} to take away",
            change.document.key_place(*change.path, key, *path),
            help=f"did you mean `{near}`?" if near else "leave it out",
            subject=change.document.subject,
        )


def _placed(one: Finding, text: PolicyText, change: Reader) -> Finding:
    """Return a finding about the policy with the change, at the change; one that shows elsewhere says where."""
    if one.place.file == change.document.file:
        return replace(one, related=())
    where = f"{text.folder}/{one.place.file_line}"
    return replace(one, message=f"{one.message} (at {where})", place=change.place(), related=())
