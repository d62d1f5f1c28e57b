"""A bundle for people: what it grants, to whom, until when, and where it comes from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from policyctl.bundle.decode import Bundle
from policyctl.bundle.provenance import Provenance
from policyctl.model.policy import (
    Accounting,
    Budget,
    Period,
    Policy,
    PolicyException,
    Preemption,
    ProtectionCap,
    SlidingWindow,
)
from policyctl.render.grant_text import grant_text
from policyctl.render.terminal import visible, width
from policyctl.units import format_duration, format_instant, format_percent

__all__ = ["render"]

Lines = Iterator[str]


def render(bundle: Bundle) -> str:
    """Write one section for each kind of document; nothing depends on the time of the call."""
    policy = bundle.policy
    sections = (
        ("bundle", _origin(bundle)),
        ("pools", _pools(policy)),
        ("shares", _shares(policy)),
        ("accounting", _accounting(policy.accounting)),
        ("protection caps", _caps(policy.caps)),
        ("preemption", _preemption(policy.preemption)),
        ("exceptions", _exceptions(policy.exceptions)),
        ("sources", _sources(bundle.provenance)),
    )
    written = [
        "\n".join([title, *(f"  {visible(line)}".rstrip() for line in lines)]) for title, lines in sections
    ]
    return "\n\n".join(written) + "\n"


def _origin(bundle: Bundle) -> Lines:
    origin = bundle.provenance
    state = {
        True: ", and the policy files differed from it",
        False: "",
        None: ", nobody knows whether unchanged",
    }
    yield f"digest   {bundle.digest}"
    yield f"meaning  {bundle.meaning}"
    yield f"commit   {origin.commit}{state[origin.dirty]}" if origin.commit else "commit   none"
    yield f"schema   {origin.schema_version}"


def _pools(policy: Policy) -> Lines:
    for pool in policy.pools:
        blocks = f", blocks of {pool.block_nodes} nodes" if pool.block_nodes else ""
        yield (
            f"{pool.name}  {pool.gpus:,} GPUs: {pool.nodes:,} nodes of {pool.gpus_per_node}{blocks}, "
            f"charge rate {pool.charge_rate}"
        )


def _shares(policy: Policy) -> Lines:
    """Write the tree: below each account its budgets, below each share the budgets of that child, once each."""
    by_account: dict[str, list[Budget]] = defaultdict(list)
    for budget in policy.budgets:
        by_account[budget.account].append(budget)
    children = {budget.child(share) for budget in policy.budgets for share in budget.shares}
    written: set[str] = set()
    for account in sorted(set(by_account) - children) + sorted(by_account):
        if account not in written:
            yield from _account(account, by_account, written, "")


def _account(account: str, by_account: dict[str, list[Budget]], written: set[str], indent: str) -> Lines:
    written.add(account)
    if not indent:
        yield account
    for budget in by_account[account]:
        if label := _budget(budget):
            yield f"{indent}  ({label})"
        widest = max(width(share.name) for share in budget.shares)
        for share in budget.shares:
            fill = " " * (widest - width(share.name))
            yield f"{indent}  {share.name}{fill}  {format_percent(share.share)}"
            child = budget.child(share)
            if child in by_account and child not in written:
                yield from _account(child, by_account, written, f"{indent}  ")
        if left := 1 - sum((share.share for share in budget.shares), Fraction(0)):
            yield f"{indent}  unassigned {format_percent(left)}"


def _budget(budget: Budget) -> str:
    parts = [f"pool {budget.pool}"] if budget.pool else []
    parts += [_period(budget.period)] if budget.period != Period() else []
    return ", ".join(parts)


def _period(period: Period) -> str:
    start = f"from {format_instant(period.start)}" if period.start is not None else ""
    end = f"until {format_instant(period.end)}" if period.end is not None else ""
    return " ".join(part for part in (start, end) if part)


def _accounting(accounting: Accounting) -> Lines:
    window = accounting.window
    if isinstance(window, SlidingWindow):
        half = f", half its weight every {format_duration(window.half_life)}" if window.half_life else ""
        yield f"window      the last {format_duration(window.length)}{half}"
    else:
        yield f"window      the calendar {window.unit} in {window.timezone}"
    charge = accounting.charge
    yield (
        f"charge      protected {charge.protected}, after protection {charge.after_protection}, "
        f"opportunistic {charge.opportunistic}, unused protection {charge.unused_protection}"
    )
    yield f"overdraft   {'unlimited' if accounting.overdraft is None else format_percent(accounting.overdraft)}"
    if accounting.credit_limit is not None:
        yield f"credit      at most {format_duration(accounting.credit_limit)} of an account's entitlement"


def _caps(caps: tuple[ProtectionCap, ...]) -> Lines:
    if not caps:
        yield "none"
    for cap in caps:
        yield f"{cap.account}  ({cap.place.file_line})"
        for rule in cap.rules:
            yield f"  {rule.name}: at most {format_duration(rule.max_protected)} when {_one_line(rule.when.source)}"
        if cap.default is not None:
            yield f"  otherwise: at most {format_duration(cap.default)}"


def _one_line(source: str) -> str:
    return " ".join(source.split())


def _preemption(preemption: Preemption) -> Lines:
    yield f"hysteresis  {format_percent(preemption.hysteresis)}"
    yield f"notice      {format_duration(preemption.notice)}"
    if preemption.per_job is not None:
        yield f"per job     at most {preemption.per_job.max} in {format_duration(preemption.per_job.within)}"
    if preemption.max_gpu_hours_per_hour is not None:
        yield f"per pool    at most {preemption.max_gpu_hours_per_hour} GPU-hours per hour"
    for guard in preemption.guards:
        yield f"deny {guard.name}: when {_one_line(guard.when.source)} ({guard.reason})"


def _exceptions(exceptions: tuple[PolicyException, ...]) -> Lines:
    if not exceptions:
        yield "none"
    for one in exceptions:
        yield f"{one.name}  {_period(one.period)}  ({one.place.file_line})"
        yield f"  {grant_text(one.grant)}"
        yield f"  {one.reason} ({one.ticket}, asked for by {one.requested_by})"


def _sources(origin: Provenance) -> Lines:
    if not origin.sources:
        yield "none named"
    for path, digest in sorted(origin.sources.items()):
        yield f"{digest.removeprefix('sha256:')[:12]}  {path}"
