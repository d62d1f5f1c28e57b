"""What must agree between a scenario and its policy: pools, nodes, accounts, incidents, times."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, nearest
from policyctl.load.documents import Document
from policyctl.load.reading import Reader
from policyctl.load.wording import one_of, quoted
from policyctl.model.policy import Policy
from policyctl.units import format_duration, parse_duration

__all__ = ["check_scenario"]


def check_scenario(document: Document, policy: Policy) -> Iterator[Finding]:
    """Yield what the schema of a scenario cannot say; every field is there and can be read."""
    spec = Reader(document=document, path=("spec",))
    yield from _once(list(spec.inside("workload").rows("tasks")), "tasks")
    yield from _once(list(spec.rows("incidents")), "incidents")
    yield from _known_pools(spec, policy)
    yield from _known_accounts(spec, policy)
    yield from _known_incidents(spec)
    yield from _nodes(spec, policy)
    yield from _times(spec)
    yield from _one_loop(spec.inside("workload").inside("lab"))


def _once(rows: list[Reader], what: str) -> Iterator[Finding]:
    first: dict[str, Reader] = {}
    for row in rows:
        name = row.text("name")
        if first.setdefault(name, row) is not row:
            yield _finding(
                "S017", row, "name", f"{quoted(name)} names two of the {what}", "give each its own name"
            )


def _known_pools(spec: Reader, policy: Policy) -> Iterator[Finding]:
    pools = [pool.name for pool in policy.pools]
    for row in (*spec.inside("workload").rows("tasks"), *spec.rows("incidents"), *_expected(spec, "portion")):
        name = row.text("pool")
        if name not in pools:
            yield _finding(
                "A006", row, "pool", f"no Cluster document has a pool {quoted(name)}", _meant(name, pools)
            )


def _known_accounts(spec: Reader, policy: Policy) -> Iterator[Finding]:
    known = {budget.child(share) for budget in policy.budgets for share in budget.shares} | {"/"}
    for row in (*spec.inside("workload").rows("tasks"), *_expected(spec, "portion")):
        path = row.text("account")
        if path not in known:
            yield _finding(
                "A005", row, "account", f"no budget names {quoted(path)}", _meant(path, sorted(known))
            )


def _known_incidents(spec: Reader) -> Iterator[Finding]:
    kinds = {row.text("name"): row.text("kind") for row in spec.rows("incidents")}
    for expected, wanted in (("hitsOnly", "fail"), ("emptiesWithin", "drain")):
        names = [name for name, kind in kinds.items() if kind == wanted]
        for row in _expected(spec, expected):
            name = row.text("incident")
            if name not in names:
                message = f"no incident of kind `{wanted}` is called {quoted(name)}"
                yield _finding("S006", row, "incident", message, _meant(name, names))


def _nodes(spec: Reader, policy: Policy) -> Iterator[Finding]:
    counts = {pool.name: pool.nodes for pool in policy.pools}
    for row in spec.rows("incidents"):
        nodes, count = row.inside("nodes"), counts.get(row.text("pool"))
        first = int(nodes.text("first"))
        last = nodes.maybe("last", int, first)
        if last < first:
            message = f"`last` is `{last}`, before `first`"
            yield _finding("S007", nodes, "last", message, f"write `{first}` or more, or leave it out")
        elif count is not None and last >= count:
            field = "last" if nodes.has("last") else "first"
            message = f"pool {quoted(row.text('pool'))} has no node `{last}`"
            yield _finding("J014", nodes, field, message, f"its nodes are `0` to `{count - 1}`")


def _times(spec: Reader) -> Iterator[Finding]:
    horizon = parse_duration(spec.text("horizon"))
    for row in (*spec.inside("workload").rows("tasks"), *spec.rows("incidents")):
        if row.has("at") and parse_duration(row.text("at")) >= horizon:
            message = f"`at` is {quoted(row.text('at'))}, not before the horizon"
            way_out = f"write less than `{format_duration(horizon)}`, or a longer horizon"
            yield _finding("S007", row, "at", message, way_out)
    for row in _expected(spec, "portion"):
        since, until = parse_duration(row.text("from")), parse_duration(row.text("until"))
        if until <= since:
            yield _finding("S016", row, "until", "`until` is not after `from`", "nothing lies between them")
        elif until > horizon:
            message = f"`until` is {quoted(row.text('until'))}, after the horizon"
            yield _finding("S007", row, "until", message, f"write at most `{format_duration(horizon)}`")


def _one_loop(lab: Reader) -> Iterator[Finding]:
    if lab.has("queueDepth") and lab.has("atMost"):
        message = "`queueDepth` and `atMost` exclude each other"
        yield _finding(
            "S011", lab, "atMost", message, "a queue is always full, or has a limit: give one of them"
        )


def _expected(spec: Reader, kind: str) -> Iterator[Reader]:
    return (row.inside(kind) for row in spec.rows("expect") if row.has(kind))


def _meant(word: str, known: Collection[str]) -> str | None:
    close = nearest(word, known)
    if close:
        return f"did you mean `{close}`?"
    return f"write {one_of(known)}" if known else None


def _finding(code: str, row: Reader, field: str, message: str, way_out: str | None) -> Finding:
    return finding(code, message, row.place(field), help=way_out, subject=row.document.subject)
