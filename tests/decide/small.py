"""The smallest policy, job and state that a case needs; whatever a case does not speak of is at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from policyctl.decide.situation import Situation
from policyctl.diagnostics import Place
from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE
from policyctl.model.jobs import ClusterState, Job, Outcome, PastRun
from policyctl.model.policy import (
    Accounting,
    Budget,
    CapRule,
    Charge,
    Expression,
    Freeze,
    Governance,
    Grant,
    Guard,
    Period,
    PerJobLimit,
    Policy,
    PolicyException,
    Pool,
    Preemption,
    ProtectionCap,
    Share,
    SlidingWindow,
    Window,
)
from policyctl.units import Instant, MilliGpu, Seconds, parse_duration, parse_share

__all__ = [
    "FREEZE",
    "HALVES",
    "NOW",
    "ask",
    "budget",
    "cap",
    "exception",
    "guard",
    "hours",
    "job",
    "past",
    "policy",
    "state",
]

NOW = Instant(1_784_116_800)
"""2026-07-15T12:00:00Z."""
HALVES = {"/": {"a": "1/2", "b": "1/2"}}
FREEZE = Freeze(pool="p")
_HERE = Place(file="policy.yaml", line=7)


def hours(number: float) -> int:
    """Return hours in seconds."""
    return round(number * 3600)


def budget(
    account: str, shares: Mapping[str, str], *, since: int | None = None, until: int | None = None
) -> Budget:
    """Divide an account from `since` until `until`, both in seconds after NOW."""
    return Budget(
        name=f"budget-{account.strip('/') or 'root'}",
        account=account,
        period=_period(since, until),
        shares=tuple(Share(name=name, share=parse_share(part), place=_HERE) for name, part in shares.items()),
        place=_HERE,
    )


def _period(since: int | None, until: int | None) -> Period:
    return Period(
        start=None if since is None else Instant(NOW + since),
        end=None if until is None else Instant(NOW + until),
    )


def exception(grant: Grant, *, since: int | None = None, until: int | None = None) -> PolicyException:
    """Grant something from `since` until `until`, both in seconds after NOW."""
    return PolicyException(
        name="exception",
        reason="deadline",
        ticket="OPS-1",
        requested_by="@lab/robotics-leads",
        period=_period(since, until),
        grant=grant,
        place=_HERE,
        grant_place=_HERE,
    )


def _expression(source: str, *, guards: bool) -> Expression:
    lowered = compile_expression(source, GUARD_SCOPE if guards else JOB_SCOPE)
    assert isinstance(lowered, Lowered), lowered
    return Expression(source=source, tree=lowered.tree, place=_HERE)


def cap(account: str, default: str | None = None, **rules: tuple[str, str]) -> ProtectionCap:
    """Cap an account; each rule is its condition and its duration, in order."""
    return ProtectionCap(
        name=f"cap-{account.strip('/') or 'root'}",
        account=account,
        rules=tuple(
            CapRule(
                name=name,
                when=_expression(when, guards=False),
                max_protected=parse_duration(limit),
                place=_HERE,
            )
            for name, (when, limit) in rules.items()
        ),
        default=None if default is None else parse_duration(default),
        place=_HERE,
    )


def guard(when: str) -> Guard:
    """Refuse where a condition holds."""
    return Guard(name="guard", when=_expression(when, guards=True), reason="live sessions", place=_HERE)


def policy(
    divisions: Mapping[str, Mapping[str, str]] | Sequence[Budget] = HALVES,
    *,
    nodes: int = 1,
    gpus_per_node: int = 8,
    block_nodes: int | None = None,
    charge_rate: str = "1",
    window: Window | None = None,
    charge: Charge | None = None,
    credit_limit: str | None = None,
    overdraft: str | None = None,
    quantum: str = "10m",
    caps: Sequence[ProtectionCap] = (),
    hysteresis: str = "0",
    per_job: PerJobLimit | None = None,
    per_pool: str | None = None,
    guards: Sequence[Guard] = (),
    exceptions: Sequence[PolicyException] = (),
) -> Policy:
    """Build a policy with one pool `p`; a window of ten days where none is given."""
    budgets = (
        [budget(account, shares) for account, shares in divisions.items()]
        if isinstance(divisions, Mapping)
        else divisions
    )
    pool = Pool(
        name="p",
        nodes=nodes,
        gpus_per_node=gpus_per_node,
        block_nodes=block_nodes,
        charge_rate=Fraction(charge_rate),
        place=_HERE,
    )
    return Policy(
        pools=(pool,),
        budgets=tuple(budgets),
        accounting=Accounting(
            name="accounting",
            window=window or SlidingWindow(length=parse_duration("10d")),
            charge=charge or Charge(),
            credit_limit=None if credit_limit is None else parse_duration(credit_limit),
            overdraft=None if overdraft is None else Fraction(overdraft),
            quantum=parse_duration(quantum),
            place=_HERE,
        ),
        caps=tuple(caps),
        preemption=Preemption(
            name="preemption",
            hysteresis=Fraction(hysteresis),
            per_job=per_job,
            max_gpu_hours_per_hour=None if per_pool is None else Fraction(per_pool),
            guards=tuple(guards),
            place=_HERE,
        ),
        exceptions=tuple(exceptions),
        governance=Governance(name="governance", place=_HERE),
    )


def job(
    identity: str,
    account: str = "/a",
    user: str = "u",
    *,
    gpus: float = 1,
    nodes: int = 1,
    submit: int = -100,
    start: int | None = None,
    wants: int = 0,
    priority: int = 0,
    labels: Mapping[str, str] | None = None,
    checkpoint: int | None = None,
    preempted: Sequence[int] = (),
    on: Mapping[str, float] | None = None,
    block: bool = False,
) -> Job:
    """Build a job: instants in seconds after NOW, `wants` its minimum runtime in seconds, `on` its placement."""
    return Job(
        id=identity,
        account=account,
        user=user,
        pool="p",
        gpus=MilliGpu(round(gpus * 1000)),
        nodes=nodes,
        submit=Instant(NOW + submit),
        start=None if start is None else Instant(NOW + start),
        min_runtime=Seconds(wants),
        priority=priority,
        labels=labels or {},
        last_checkpoint=None if checkpoint is None else Instant(NOW + checkpoint),
        preemptions=tuple(Instant(NOW + at) for at in preempted),
        placement=None if on is None else {node: MilliGpu(round(gpus * 1000)) for node, gpus in on.items()},
        topology="block" if block else "any",
    )


def past(run: Job, end: int, outcome: Outcome = Outcome.COMPLETED) -> PastRun:
    """End a run `end` seconds after NOW."""
    return PastRun(job=run, end=Instant(NOW + end), outcome=outcome)


def state(*jobs: Job, usage: Sequence[PastRun] = ()) -> ClusterState:
    """Build a state at NOW."""
    return ClusterState(time=NOW, jobs=jobs, usage=tuple(usage))


def ask(some: Policy, there: ClusterState, *, later: int = 0) -> Situation:
    """Ask at NOW, or so many seconds later."""
    return Situation(policy=some, state=there, now=Instant(NOW + later))
