"""The files of a policy to its documents: limits over all of them, and a word for a file that says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place
from policyctl.load import limits
from policyctl.load.characters import decode
from policyctl.load.documents import Document
from policyctl.load.scan import scan
from policyctl.load.surprises import is_null
from policyctl.load.values import Scalar

__all__ = ["Texts", "read_texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All documents of all files; incomplete if some could not be read."""

    documents: tuple[Document, ...]
    findings: tuple[Finding, ...]
    sources: dict[str, str]
    incomplete: bool


def read_texts(files: Mapping[str, bytes], *, room: int = limits.NODES) -> Texts:
    """Read the documents of all files, in the order of their names, with at most `room` nodes."""
    documents: list[Document] = []
    findings: list[Finding] = []
    sources: dict[str, str] = {}
    total, incomplete = 0, False
    for file in sorted(files):
        total += len(files[file])
        if (wrong := _too_large(file, len(files[file]), total)) is not None:
            findings.append(wrong)
            incomplete = True
            continue
        text, refused = decode(file, files[file])
        sources[file] = text
        scanned = scan(file, text, room=room)
        room -= scanned.nodes
        lines = text.split("\n")
        found = [Document(file=file, lines=lines, root=root) for root in scanned.documents]
        documents += [one for one in found if not _is_empty(one)]
        findings += [*refused, *scanned.findings, *_without_content(file, found, scanned.unread)]
        incomplete |= bool(scanned.unread or refused)
        if scanned.full:
            break
    return Texts(documents=tuple(documents), findings=tuple(findings), sources=sources, incomplete=incomplete)


def _too_large(file: str, size: int, total: int) -> Finding | None:
    if size > limits.FILE_BYTES:
        message = f"the file has {size:,} bytes; at most {limits.FILE_BYTES:,} are read"
    elif total > limits.TOTAL_BYTES:
        message = f"the policy has more than {limits.TOTAL_BYTES:,} bytes with this file"
    else:
        return None
    return finding(
        "Y010", message, Place(file=file), help="split it, or move what is no policy out of the folder"
    )


def _is_empty(document: Document) -> bool:
    root = document.root
    return isinstance(root, Scalar) and root.plain and is_null(root.text)


def _without_content(file: str, documents: Sequence[Document], unread: int) -> Iterator[Finding]:
    if not documents and not unread:
        place = Place(file=file)
        yield finding("Y011", "the file holds no document", place, help="write one, or delete the file")
    for document in documents:
        if _is_empty(document):
            span = document.root.span
            line = min(span.line, len(document.lines))
            place = Place(file=file, line=line, column=1, end_line=line, end_column=2)
            yield finding(
                "Y011", "an empty document", place, help="delete the `---` before it, or write the document"
            )
