"""What documents must be together: one Cluster, one Accounting, no name and no cap twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, Related
from policyctl.load.documents import Document
from policyctl.load.wording import quoted

__all__ = ["REQUIRED", "missing_kinds", "together"]

REQUIRED = {
    "Cluster": "{apiVersion: policyctl/v1, kind: Cluster, metadata: {name: lab}, "
    "spec: {pools: {h100: {nodes: 1, gpusPerNode: 8}}}}",
    "Accounting": "{apiVersion: policyctl/v1, kind: Accounting, metadata: {name: default}, "
    "spec: {window: {length: 14d}}}",
}
"""The kinds that a policy cannot do without, with the smallest document of each."""
_ONCE = ("Cluster", "Accounting", "Preemption", "Governance")


def together(documents: Sequence[Document]) -> Iterator[Finding]:
    """Yield what two documents cannot both be; the documents come in a fixed order, the later one is named."""
    for kind in _ONCE:
        same = [document for document in documents if document.kind == kind]
        for second in same[1:]:
            message = f"a second {kind}; a policy has one"
            yield _against(
                second, same[0], "S013", message, way_out="merge the two documents", path=("metadata", "name")
            )
    others = [document for document in documents if document.kind not in _ONCE]
    for second, first in _pairs(others, lambda one: (one.kind, one.name) if one.name else None):
        message = f"a second {second.kind} called {quoted(second.name)}"
        yield _against(
            second, first, "S012", message, way_out="give it a name of its own", path=("metadata", "name")
        )
    caps = [document for document in documents if document.kind == "ProtectionCap"]
    for second, first in _pairs(caps, lambda one: one.text("spec", "account") or None):
        message = f"a second ProtectionCap for {quoted(second.text('spec', 'account'))}"
        yield _against(
            second,
            first,
            "S018",
            message,
            way_out="put all its rules into one document",
            path=("spec", "account"),
        )


def missing_kinds(documents: Iterable[Document], files: Iterable[str]) -> Iterator[Finding]:
    """Yield the kinds that a policy cannot do without and that no document has."""
    present = {document.kind for document in documents}
    place = Place(file=min(files, default="(policy)"))
    for kind, smallest in REQUIRED.items():
        if kind not in present:
            yield finding(
                "S014", f"no document of kind {kind}", place, help=f"the smallest one: `{smallest}`"
            )


def _pairs(
    documents: Iterable[Document], key: Callable[[Document], object | None]
) -> Iterator[tuple[Document, Document]]:
    """Yield each document that has the key of an earlier one, with that one."""
    groups: defaultdict[object, list[Document]] = defaultdict(list)
    for document in documents:
        if (found := key(document)) is not None:
            groups[found].append(document)
    for first, *others in groups.values():
        for second in others:
            yield second, first


def _against(
    second: Document, first: Document, code: str, message: str, *, way_out: str, path: tuple[str, ...]
) -> Finding:
    before = first.place(*path)
    return finding(
        code,
        f"{message} (the first is at {before.file_line})",
        second.place(*path),
        help=way_out,
        subject=second.subject,
        related=(Related(place=before, message="the first one"),),
    )
