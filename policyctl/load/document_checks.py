"""What a schema cannot say about one document: periods, shares beside weights, names twice in a list."""

from __future__ import annotations

from collections.abc import Iterator

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Related
from policyctl.load.documents import Document
from policyctl.load.formats import read_instant
from policyctl.load.values import ListNode, MapNode, Path, Scalar
from policyctl.load.wording import quoted
from policyctl.units import BadQuantity, format_instant

__all__ = ["document_findings"]


def document_findings(document: Document) -> Iterator[Finding]:
    """Yield what is wrong within a document; parts that cannot be read are passed over, they have findings already."""
    match document.kind:
        case "Budget":
            yield from _period(document, ("spec", "effective", "from"), ("spec", "effective", "until"))
            yield from _mixed(document)
        case "Exception":
            yield from _period(document, ("spec", "starts"), ("spec", "expires"))
        case "ProtectionCap":
            yield from _names_once(document, ("spec", "rules"))
        case "Preemption":
            yield from _names_once(document, ("spec", "guards"))
        case "Governance":
            yield from _names_once(document, ("spec", "approvals"))
            yield from _names_once(document, ("spec", "gates"))
        case _:
            return


def _period(document: Document, start: Path, end: Path) -> Iterator[Finding]:
    first, last = _instant(document, start), _instant(document, end)
    if first is None or last is None or first < last:
        return
    what = (
        "nothing lies between them"
        if first == last
        else f"it is {format_instant(last)}, before {format_instant(first)}"
    )
    yield finding(
        "S016",
        f"`{end[-1]}` is not after `{start[-1]}`: {what}",
        document.place(*end),
        help=f"a period holds from `{start[-1]}` up to, and without, `{end[-1]}`",
        subject=document.subject,
        related=(Related(place=document.place(*start), message=f"`{start[-1]}` is here"),),
    )


def _instant(document: Document, path: Path) -> int | None:
    node = document.node(*path)
    if not isinstance(node, Scalar):
        return None
    try:
        return read_instant(node.text)
    except BadQuantity:
        return None


def _mixed(document: Document) -> Iterator[Finding]:
    shares = document.node("spec", "shares")
    if not isinstance(shares, MapNode):
        return
    weights = [name for name, entry in shares.entries.items() if isinstance(entry.value, MapNode)]
    parts = [name for name, entry in shares.entries.items() if isinstance(entry.value, Scalar)]
    if not weights or not parts:
        return
    first = next(iter(shares.entries))
    first_is_weight = first in weights
    other = parts[0] if first_is_weight else weights[0]
    one, two = ("a weight", "a share") if first_is_weight else ("a share", "a weight")
    yield finding(
        "S015",
        f"{quoted(other)} has {two}, its sibling {quoted(first)} has {one}",
        document.entry_place("spec", "shares", other),
        help="write all siblings as shares (`60%`) or all as `{weight: N}`",
        subject=document.subject,
        related=(Related(place=document.entry_place("spec", "shares", first), message=f"{one} here"),),
    )


def _names_once(document: Document, path: Path) -> Iterator[Finding]:
    rules = document.node(*path)
    if not isinstance(rules, ListNode):
        return
    first: dict[str, Path] = {}
    for index in range(len(rules.items)):
        here = (*path, index, "name")
        name = document.text(*here)
        if name and name in first:
            yield finding(
                "S017",
                f"{quoted(name)} names two of the {path[-1]}",
                document.place(*here),
                help="give each its own name: answers refer to it",
                subject=document.subject,
                related=(Related(place=document.place(*first[name]), message="the first one"),),
            )
        else:
            first[name] = here
