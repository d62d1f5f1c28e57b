"""What every policy satisfies that `compile` ever writes, so that the evaluator may rely on it.

A digest says that a bundle is whole, not who made it. The whole-policy checks run when a policy is compiled; here
stand only the facts without which a decision would fault or divide by nothing: signs, ranges, names that resolve.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from policyctl.bundle.provenance import Provenance
from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE, Scope
from policyctl.expr.trees import check_tree
from policyctl.model.policy import (
    Accounting,
    Budget,
    CalendarWindow,
    Expression,
    Freeze,
    Governance,
    Grant,
    Period,
    Policy,
    PolicyException,
    Pool,
    Preemption,
    ProtectionCap,
    ProtectionGrant,
    ShareGrant,
    SlidingWindow,
    Suspension,
    Window,
)

__all__ = ["unsound"]

_NAME = re.compile(r"[^/\x00-\x20\x7f]{1,253}")
_ACCOUNT = re.compile(r"/|(/[^/\x00-\x20\x7f]{1,253})+")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# Exact numbers become floats in the evaluator: outside of these they would turn into infinity or nothing.
_LARGEST, _SMALLEST = Fraction(10**40), Fraction(1, 10**100)
_MOST_NODES, _MOST_GPUS_PER_NODE = 10**7, 10**5

Problems = Iterator[str]


def unsound(policy: Policy, provenance: Provenance) -> str | None:
    """Return the first thing that no compiled policy could say, or None."""
    return next(_all(policy, provenance), None)


def _all(policy: Policy, provenance: Provenance) -> Problems:
    pools = {pool.name for pool in policy.pools}
    yield from _once((pool.name for pool in policy.pools), "pool")
    yield from _once((cap.account for cap in policy.caps), "cap of account")
    yield from _once((one.name for one in policy.exceptions), "exception")
    for pool in policy.pools:
        yield from _pool(pool)
    for budget in policy.budgets:
        yield from _budget(budget, pools)
    yield from _divided_twice(policy.budgets)
    yield from _accounting(policy.accounting)
    for cap in policy.caps:
        yield from _cap(cap)
    yield from _preemption(policy.preemption)
    for one in policy.exceptions:
        yield from _exception(one, pools)
    yield from _governance(policy.governance)
    yield from _provenance(provenance)


def _once(names: Iterable[str], what: str) -> Problems:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield f"the {what} {name[:60]!a} stands there twice"
        seen.add(name)


def _range(value: Fraction | None, what: str, *, most: Fraction = _LARGEST) -> Problems:
    if value is not None and not (value == 0 or _SMALLEST <= value <= most):
        yield f"{what} is out of range"


def _count(value: int | None, what: str, *, least: int = 0, most: int = 2**63 - 1) -> Problems:
    if value is not None and not least <= value <= most:
        yield f"{what} is out of range"


def _account(path: str, what: str) -> Problems:
    if not _ACCOUNT.fullmatch(path):
        yield f"{what} {path[:60]!a} is not the path of an account"


def _period(period: Period, what: str) -> Problems:
    if period.start is not None and period.end is not None and period.start >= period.end:
        yield f"the period of {what} ends before it starts"


def _pool(pool: Pool) -> Problems:
    if not _NAME.fullmatch(pool.name):
        yield f"{pool.name[:60]!a} is not the name of a pool"
    what = f"pool {pool.name[:60]!a}"
    yield from _count(pool.nodes, f"nodes of {what}", least=1, most=_MOST_NODES)
    yield from _count(pool.gpus_per_node, f"GPUs per node of {what}", least=1, most=_MOST_GPUS_PER_NODE)
    yield from _count(pool.block_nodes, f"block of {what}", least=1)
    yield from _range(pool.charge_rate, f"charge rate of {what}")


def _budget(budget: Budget, pools: set[str]) -> Problems:
    what = f"budget of {budget.account[:60]!a}"
    yield from _account(budget.account, "account")
    if budget.pool is not None and budget.pool not in pools:
        yield f"{what} is for the unknown pool {budget.pool[:60]!a}"
    yield from _period(budget.period, what)
    yield from _once((share.name for share in budget.shares), f"child in the {what}")
    for share in budget.shares:
        if not _NAME.fullmatch(share.name):
            yield f"{share.name[:60]!a} is not the name of an account"
        yield from _range(share.share, f"share of {share.name[:60]!a}", most=Fraction(1))
    if not budget.shares or sum(share.share for share in budget.shares) > 1:
        yield f"{what} does not divide a whole"


def _divided_twice(budgets: Iterable[Budget]) -> Problems:
    by: dict[tuple[str, str | None], list[Period]] = {}
    for budget in budgets:
        by.setdefault((budget.account, budget.pool), []).append(budget.period)
    for (account, _), periods in by.items():
        # None starts before every instant; an equal start is an overlap whatever the ends are.
        ordered = sorted(periods, key=lambda one: (one.start is not None, one.start or 0))
        if any(first.overlaps(second) for first, second in pairwise(ordered)):
            yield f"account {account[:60]!a} is divided twice at one time"


def _accounting(accounting: Accounting) -> Problems:
    yield from _window(accounting.window)
    charge = accounting.charge
    yield from _range(charge.protected, "charge while protected")
    yield from _range(charge.after_protection, "charge after protection")
    yield from _range(charge.opportunistic, "charge of opportunistic time")
    yield from _range(charge.unused_protection, "charge of unused protection", most=Fraction(1))
    yield from _range(accounting.overdraft, "overdraft")
    if accounting.quantum <= 0:
        yield "the quantum is nothing"


def _window(window: Window) -> Problems:
    match window:
        case SlidingWindow():
            if window.length <= 0 or window.half_life == 0:
                yield "the window has no length"
        case CalendarWindow():
            try:
                ZoneInfo(window.timezone)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                yield f"the time zone {window.timezone[:60]!a} is not known here"


def _cap(cap: ProtectionCap) -> Problems:
    yield from _account(cap.account, "account of a cap")
    yield from _once((rule.name for rule in cap.rules), f"rule in the cap of {cap.account[:60]!a}")
    for rule in cap.rules:
        yield from _expression(rule.when, JOB_SCOPE, f"rule {rule.name[:60]!a}")


def _expression(expression: Expression, scope: Scope, what: str) -> Problems:
    if problem := check_tree(expression.tree, scope):
        yield f"{what} cannot be evaluated: {problem}"


def _preemption(preemption: Preemption) -> Problems:
    yield from _range(preemption.hysteresis, "hysteresis")
    yield from _range(preemption.max_gpu_hours_per_hour, "limit of GPU-hours per hour")
    if preemption.per_job is not None:
        yield from _count(preemption.per_job.max, "limit of preemptions of one job")
    yield from _once((guard.name for guard in preemption.guards), "guard")
    for guard in preemption.guards:
        yield from _expression(guard.when, GUARD_SCOPE, f"guard {guard.name[:60]!a}")


def _exception(one: PolicyException, pools: set[str]) -> Problems:
    what = f"exception {one.name[:60]!a}"
    yield from _period(one.period, what)
    if one.period.start is None or one.period.end is None:
        yield f"{what} has no end"
    yield from _grant(one.grant, what, pools)


def _grant(grant: Grant, what: str, pools: set[str]) -> Problems:
    match grant:
        case ShareGrant():
            yield from _account(grant.to, f"recipient of {what}")
            yield from _account(grant.source, f"donor of {what}")
            yield from _range(grant.add, f"points of {what}", most=Fraction(1))
        case ProtectionGrant():
            if (grant.account is None) is (grant.job is None):
                yield f"{what} is for neither an account nor a job, or for both"
            yield from _account(grant.account or "/", f"account of {what}")
        case Suspension():
            yield from _account(grant.account, f"account of {what}")
        case Freeze() if grant.pool not in pools:
            yield f"{what} freezes the unknown pool {grant.pool[:60]!a}"
        case Freeze():
            pass


def _governance(governance: Governance) -> Problems:
    yield from _count(governance.max_active, "limit of active exceptions")
    yield from _count(governance.max_renewals, "limit of renewals")


def _provenance(provenance: Provenance) -> Problems:
    if provenance.commit is not None and not _COMMIT.fullmatch(provenance.commit):
        yield "its commit is not the name of a commit"
    for path, digest in provenance.sources.items():
        if not path or path.startswith("/") or ".." in path.split("/"):
            yield f"its source {path[:60]!a} is not below the policy root"
        if not _DIGEST.fullmatch(digest):
            yield f"the digest of its source {path[:60]!a} is not one"
