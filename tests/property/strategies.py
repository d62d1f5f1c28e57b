"""Small adversarial policies and states: few accounts, few jobs, ties and edges everywhere, seconds instead of days."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from hypothesis import strategies as st

from policyctl.diagnostics import Place
from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE, Scope
from policyctl.model.jobs import ClusterState, Job, Node, Outcome, PastRun
from policyctl.model.policy import (
    Accounting,
    Budget,
    CalendarWindow,
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
    ProtectionGrant,
    Share,
    ShareGrant,
    SlidingWindow,
    Suspension,
    Window,
)
from policyctl.units import Instant, MilliGpu, Seconds
from tests.oracle.rules import CAP_RULES, GUARD_RULES
from tests.oracle.shares import lineage, shares_at

__all__ = [
    "EXAMPLES",
    "FAULTY",
    "NOW",
    "World",
    "brief",
    "cap_expression",
    "crowds",
    "guard_expression",
    "policies",
    "states",
    "worlds",
]

NOW = Instant(1_784_116_800)
"""2026-07-15T12:00:00Z, the instant of every question unless a test asks at others."""
EXAMPLES = 40
"""How often a law is tried; worlds are slow to draw and small, so that most examples are worth their time."""
FAULTY = 'job.labels["team"] == "x"'
"""The rule shape that has no value on a job without the label."""
_HERE = Place(file="policy.yaml")
_POOLS = ("p", "q")
_USERS = ("u0", "u1", "u2")
_ACCOUNTS = ("/a", "/b", "/c", "/a/x", "/a/y", "/b/x", "/a/x/k", "/a/x/l", "/zz", "/a/new", "/")
_PARTS = [
    Fraction(part)
    for part in ("0", "1/3", "1/3", "1/3", "1/7", "2/7", "1/2", "1/4", "1/10", "3/5", "1/1000003", "1")
]
_EDGES = st.sampled_from([None, -1000, -120, -50, -1, 0, 1, 50, 1000])
_RATES = st.sampled_from([Fraction(part) for part in ("1", "1", "1/2", "2", "1/3", "5/7", "0")])
_DECLARED = st.sampled_from([120, 50, 51, 10, 1, 300, 1000, 0])
_LENGTHS = st.sampled_from([0, 1, 10, 50, 51, 120, 300, 1000])


_NOISE = re.compile(r"(?<=[(, ])(\w*place=Place\(.*?\)|places=\{\}|\w+=(None|\{\}|\(\)))(, |(?=\)))")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class World:
    """A policy and a state to ask about; its text leaves out what every example has in common."""

    policy: Policy
    state: ClusterState

    def __repr__(self) -> str:
        return brief(f"\n  {self.policy!r}\n  {self.state!r}")


def brief(text: str) -> str:
    """Return the text of an example without what says nothing, a line for each part."""
    return _NOISE.sub("", text).replace(str(NOW), "NOW").replace("), ", "),\n    ")


@cache
def cap_expression(source: str) -> Expression:
    """Compile the condition of a cap rule that is known to be right."""
    return _compiled(source, JOB_SCOPE)


@cache
def guard_expression(source: str) -> Expression:
    """Compile the condition of a guard that is known to be right."""
    return _compiled(source, GUARD_SCOPE)


def _compiled(source: str, scope: Scope) -> Expression:
    lowered = compile_expression(source, scope)
    assert isinstance(lowered, Lowered), lowered
    return Expression(source=source, tree=lowered.tree, place=_HERE)


def _period(start: int | None, end: int | None) -> Period:
    if start is not None and end is not None and start >= end:
        start, end = end, start + 1
    return Period(
        start=None if start is None else Instant(NOW + start), end=None if end is None else Instant(NOW + end)
    )


_PERIODS = st.builds(_period, _EDGES, _EDGES)


@st.composite
def _shares(draw: st.DrawFn, names: tuple[str, ...]) -> tuple[Share, ...]:
    parts = draw(st.lists(st.sampled_from(_PARTS), min_size=len(names), max_size=len(names)))
    if draw(st.booleans()):
        weights = [max(part, Fraction(1, 10)) for part in parts]
        parts = [weight / sum(weights) for weight in weights]
    left = Fraction(1)
    shares = []
    for name, part in zip(names, parts, strict=True):
        given = min(part, left)
        left -= given
        shares.append(Share(name=name, share=given, place=_HERE))
    return tuple(shares)


@st.composite
def _budgets(draw: st.DrawFn) -> tuple[Budget, ...]:
    found: list[Budget] = []
    for account, names in (("/", ("a", "b", "c")), ("/a", ("x", "y")), ("/b", ("x",)), ("/a/x", ("k", "l"))):
        if account != "/" and draw(st.booleans()):
            continue
        for pool in (None, *draw(st.sampled_from([(), (), (), ("p",)]))):
            change = draw(st.sampled_from([None, None, None, None, -300, -50, 0, 1, 50]))
            periods = [Period()] if change is None else [_period(None, change), _period(change, None)]
            if change is not None and draw(st.booleans()):
                periods = periods[draw(st.integers(0, 1)) :][:1]
            for period in periods:
                found.append(
                    Budget(
                        name=f"b{len(found)}",
                        account=account,
                        pool=pool,
                        period=period,
                        shares=draw(_shares(names)),
                        place=_HERE,
                    )
                )
    return tuple(found)


_SHARE_MOVES = st.builds(
    ShareGrant,
    to=st.sampled_from(_ACCOUNTS[:8]),
    source=st.sampled_from(_ACCOUNTS[:8]),
    add=st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(1, 21), Fraction(1, 1000)]),
)
_OTHER_GRANTS: st.SearchStrategy[Grant] = st.one_of(
    st.builds(Suspension, account=st.sampled_from(_ACCOUNTS)),
    st.builds(Freeze, pool=st.sampled_from(_POOLS)),
    st.builds(ProtectionGrant, account=st.sampled_from(_ACCOUNTS), max_protected=_LENGTHS.map(Seconds)),
    st.builds(ProtectionGrant, job=st.sampled_from(["j0", "j1", "j2"]), max_protected=_LENGTHS.map(Seconds)),
)


def _sound(policy: Policy) -> bool:
    """Say whether no share is ever below zero and no siblings are above the whole."""
    edges = {NOW}
    for period in (*(b.period for b in policy.budgets), *(e.period for e in policy.exceptions)):
        edges |= {edge for edge in (period.start, period.end) if edge is not None}
    for pool in policy.pools:
        for at in (min(edges) - 1, *sorted(edges)):
            found = shares_at(policy, pool.name, at)
            for path, one in found.items():
                below = [
                    found[child].absolute for child in found if child != "/" and lineage(child)[1] == path
                ]
                if one.absolute < 0 or sum(below) > one.absolute:
                    return False
    return True


def _apart(move: ShareGrant) -> bool:
    return move.to not in lineage(move.source) and move.source not in lineage(move.to)


def _exception(name: str, grant: Grant, period: Period) -> PolicyException:
    return PolicyException(
        name=name,
        reason="because",
        ticket="OPS-1",
        requested_by="@lab/robotics-leads",
        period=period,
        grant=grant,
        place=_HERE,
        grant_place=_HERE,
    )


_WINDOWS: st.SearchStrategy[Window] = st.one_of(
    st.builds(SlidingWindow, length=st.sampled_from([1, 50, 120, 300, 1000]).map(Seconds)),
    st.builds(
        CalendarWindow,
        unit=st.sampled_from(["day", "week"]),
        timezone=st.sampled_from(["UTC", "America/Los_Angeles", "Etc/GMT+12"]),
    ),
)
_DECAYING = st.builds(
    SlidingWindow,
    length=st.sampled_from([120, 300, 1000]).map(Seconds),
    half_life=st.sampled_from([50, 100, 1000]).map(Seconds),
)


@st.composite
def _accounting(draw: st.DrawFn, *, decay: bool) -> Accounting:
    return Accounting(
        name="accounting",
        window=draw(_DECAYING if decay else _WINDOWS),
        charge=Charge(
            protected=draw(_RATES),
            after_protection=draw(_RATES),
            opportunistic=draw(st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 3)])),
            unused_protection=draw(st.sampled_from([Fraction(1, 2), Fraction(0), Fraction(1)])),
        ),
        credit_limit=draw(st.sampled_from([None, None, Seconds(1), Seconds(50), Seconds(1000)])),
        overdraft=draw(st.sampled_from([None, None, Fraction(0), Fraction(1, 10), Fraction(2)])),
        quantum=Seconds(draw(st.sampled_from([1, 60, 600]))),
        place=_HERE,
    )


@st.composite
def _caps(draw: st.DrawFn, shapes: list[str]) -> tuple[ProtectionCap, ...]:
    caps: list[ProtectionCap] = []
    for account in ("/", "/a", "/a/x", "/zz"):
        if draw(st.booleans()):
            continue
        rules = tuple(
            CapRule(
                name=f"r{number}",
                when=cap_expression(source),
                max_protected=Seconds(draw(_LENGTHS)),
                place=_HERE,
            )
            for number, source in enumerate(draw(st.lists(st.sampled_from(shapes), max_size=2)))
        )
        default = draw(st.none() | _LENGTHS.map(Seconds))
        caps.append(
            ProtectionCap(name=f"c{len(caps)}", account=account, rules=rules, default=default, place=_HERE)
        )
    return tuple(caps)


@st.composite
def _preemption(draw: st.DrawFn, *, limited: bool) -> Preemption:
    guards = draw(st.lists(st.sampled_from(sorted(GUARD_RULES)), max_size=1) if limited else st.just([]))
    limits = [None, None, PerJobLimit(max=1, within=Seconds(50)), PerJobLimit(max=2, within=Seconds(1000))]
    return Preemption(
        name="preemption",
        hysteresis=draw(
            st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 20), Fraction(1, 3), Fraction(1)])
        ),
        per_job=draw(st.sampled_from(limits)) if limited else None,
        max_gpu_hours_per_hour=draw(
            st.sampled_from([None, None, Fraction(0), Fraction(1, 10), Fraction(1, 3)])
        )
        if limited
        else None,
        guards=tuple(
            Guard(name=f"g{number}", when=guard_expression(source), reason="not now", place=_HERE)
            for number, source in enumerate(guards)
        ),
        place=_HERE,
    )


@st.composite
def policies(
    draw: st.DrawFn, *, decay: bool = False, limited: bool = True, faulty: bool = False, quiet: bool = False
) -> Policy:
    """Draw a policy that the whole-policy checks would pass.

    `decay` asks for a half-life, `limited` for the brakes on preemption, `faulty` for rules that may fault; `quiet`
    leaves out all exceptions.
    """
    shapes = [source for source in sorted(CAP_RULES) if faulty or source != FAULTY]
    pools = tuple(
        Pool(
            name=name,
            nodes=draw(st.integers(1, 3)),
            gpus_per_node=draw(st.sampled_from([1, 2, 4])),
            block_nodes=draw(st.sampled_from([None, 1, 2])),
            charge_rate=draw(_RATES),
            place=_HERE,
        )
        for name in _POOLS
    )
    policy = Policy(
        pools=pools,
        budgets=draw(_budgets()),
        accounting=draw(_accounting(decay=decay)),
        caps=draw(_caps(shapes)),
        preemption=draw(_preemption(limited=limited)),
        governance=Governance(name="governance", place=_HERE),
    )
    if quiet:
        return policy
    for number in range(draw(st.integers(0, 3))):
        move = draw(_SHARE_MOVES)
        if _apart(move):
            more = (*policy.exceptions, _exception(f"e{number}", move, draw(_PERIODS)))
            grown = replace(policy, exceptions=more)
            policy = grown if _sound(grown) else policy
    others = tuple(
        _exception(f"f{number}", draw(_OTHER_GRANTS), draw(_PERIODS))
        for number in range(draw(st.integers(0, 2)))
    )
    return replace(policy, exceptions=policy.exceptions + others)


_PLACED = [st.just(True), st.just(True), st.just(True), st.just(False), st.booleans()]  # noqa: FBT003 - values to draw
_STARTS = st.sampled_from([-1001, -1000, -300, -120, -51, -50, -49, -10, -1, 0])
_SIZES = st.sampled_from([1000, 1000, 2000, 2000, 4000, 500, 250, 1500, 333, 0])


@st.composite
def _jobs(draw: st.DrawFn, identity: str, start: int | None, accounts: tuple[str, ...]) -> Job:
    checkpoint = None if start is None else draw(st.sampled_from([None, None, -60, -5, 0]))
    recent = draw(st.sampled_from([(), (), (), (-50,), (-49,), (-49, 0), (1,)]))
    return Job(
        id=identity,
        account=draw(st.sampled_from(accounts)),
        user=draw(st.sampled_from(_USERS)),
        pool=draw(st.sampled_from(["p", "p", "p", "q"])),
        gpus=MilliGpu(draw(_SIZES)),
        nodes=draw(st.sampled_from([1, 1, 1, 2, 3])),
        submit=Instant(NOW - 2000 + draw(st.sampled_from([0, 0, 1]))),
        start=None if start is None else Instant(NOW + start),
        min_runtime=Seconds(draw(_DECLARED)),
        time_limit=draw(st.sampled_from([None, Seconds(100), Seconds(1000)])),
        priority=draw(st.sampled_from([0, 0, 1, -1, -7])),
        kind=draw(st.sampled_from(["batch", "interactive"])),
        resumable=draw(st.booleans()),
        last_checkpoint=None if checkpoint is None else Instant(NOW + checkpoint),
        labels=draw(st.sampled_from([{}, {"team": "x"}, {"team": "y"}])),
        preemptions=tuple(Instant(NOW + at) for at in recent),
        topology=draw(st.sampled_from(["any", "any", "block"])),
    )


def _placed(job: Job, pool: Pool, room: dict[str, int]) -> Job:
    """Put a job on the nodes with most room, as much of it as they take; where nothing is free it waits."""
    for number in range(pool.nodes):
        room.setdefault(f"{pool.name}-{number + 1}", pool.gpus_per_node * 1000)
    names = sorted(
        (name for name in room if name.startswith(pool.name)), key=lambda name: (-room[name], name)
    )
    count = min(job.nodes, pool.nodes)
    each = min(job.gpus // count, *(room[name] for name in names[:count]), job.gpus)
    if job.gpus and not each:
        return replace(job, start=None, last_checkpoint=None)
    for name in names[:count]:
        room[name] -= each
    placement = dict.fromkeys(names[:count], MilliGpu(each))
    return replace(job, gpus=MilliGpu(each * count), placement=placement)


def _reachable(policy: Policy) -> tuple[str, ...]:
    """Return the accounts to submit to: mostly those that can buy protection, some of every other kind."""
    found = shares_at(policy, "p", NOW)
    useful = [path for path in sorted(found) if found[path].leaf and found[path].absolute > 0]
    return (*useful, *useful, *useful, *_ACCOUNTS)


def _window_start(policy: Policy) -> int:
    window = policy.accounting.window
    return NOW - window.length if isinstance(window, SlidingWindow) else NOW


@st.composite
def states(
    draw: st.DrawFn,
    policy: Policy,
    *,
    least: int = 0,
    most: int = 7,
    pending_only: bool = False,
    queue: bool = False,
) -> ClusterState:
    """Draw a state that fits the policy's pools; most running jobs say on which nodes they are.

    `pending_only` leaves out all runs; with `queue` most jobs wait.
    """
    accounts = _reachable(policy)
    jobs: list[Job] = []
    room: dict[str, int] = {}
    placed = draw(st.sampled_from(_PLACED))
    for number in range(draw(st.integers(least, most))):
        waits = pending_only or (queue and draw(st.integers(0, 3)))
        start = None if waits else draw(st.none() | _STARTS | _STARTS)
        job = draw(_jobs(f"j{number}", start, accounts))
        pool = policy.pool(job.pool)
        assert pool is not None
        jobs.append(_placed(job, pool, room) if start is not None and draw(placed) else job)
    runs = []
    for number in range(0 if pending_only else draw(st.integers(0, 4))):
        run = draw(_jobs(draw(st.sampled_from([f"r{number}", "j0"])), draw(_STARTS), accounts))
        assert run.start is not None
        after = run.start + draw(st.sampled_from([0, 1, 49, 50, 51, 300, 700, 1000]))
        end = max(run.start, draw(st.sampled_from([after, after, NOW, _window_start(policy)])))
        runs.append(PastRun(job=run, end=Instant(end), outcome=draw(st.sampled_from(sorted(Outcome)))))
    nodes = draw(st.none() | st.none() | _nodes(policy))
    return ClusterState(time=NOW, jobs=tuple(jobs), usage=tuple(runs), nodes=nodes)


@st.composite
def crowds(draw: st.DrawFn) -> World:
    """Draw a pool that is full, or nearly, and large jobs that wait for it; no brakes but shares and protection."""
    policy = draw(policies(limited=False))
    accounts = _reachable(policy)
    pool = replace(
        policy.pools[0], nodes=draw(st.integers(2, 3)), gpus_per_node=draw(st.sampled_from([2, 4]))
    )
    policy = replace(policy, pools=(pool, *policy.pools[1:]))
    room: dict[str, int] = {}
    placed = draw(st.sampled_from(_PLACED))
    jobs = []
    for number in range(draw(st.integers(3, 7))):
        job = replace(draw(_jobs(f"j{number}", draw(_STARTS), accounts)), pool="p")
        jobs.append(_placed(job, pool, room) if draw(placed) else job)
    for number in range(draw(st.integers(1, 3))):
        size = MilliGpu(draw(st.sampled_from([4000, 2000, 8000, 3000, 1000, 6000])))
        job = draw(_jobs(f"w{number}", None, accounts))
        jobs.append(replace(job, pool="p", gpus=size, min_runtime=draw(_DECLARED.map(Seconds))))
    runs = tuple(
        PastRun(
            job=draw(_jobs(f"r{number}", -300, accounts)), end=Instant(NOW - 50), outcome=Outcome.COMPLETED
        )
        for number in range(draw(st.integers(0, 2)))
    )
    nodes = draw(st.none() | st.none() | _nodes(policy))
    return World(policy=policy, state=ClusterState(time=NOW, jobs=tuple(jobs), usage=runs, nodes=nodes))


@st.composite
def _nodes(draw: st.DrawFn, policy: Policy) -> tuple[Node, ...]:
    return tuple(
        Node(
            name=f"{pool.name}-{number + 1}",
            pool=pool.name,
            gpus=MilliGpu(pool.gpus_per_node * 1000),
            available=draw(st.sampled_from([True, True, True, False])),
            block=draw(st.sampled_from([None, "left", "right"])),
        )
        for pool in policy.pools
        for number in range(pool.nodes)
    )


@st.composite
def worlds(
    draw: st.DrawFn,
    *,
    decay: bool = False,
    limited: bool = True,
    quiet: bool = False,
    least: int = 0,
    most: int = 7,
    queue: bool = False,
) -> World:
    """Draw a policy with a state."""
    policy = draw(policies(decay=decay, limited=limited, quiet=quiet))
    return World(policy=policy, state=draw(states(policy, least=least, most=most, queue=queue)))
