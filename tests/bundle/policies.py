"""Policies for tests: one plain example, and random ones that use every noun and are sound."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

from hypothesis import strategies as st

from policyctl.bundle.provenance import Provenance
from policyctl.diagnostics import Place
from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE, Scope
from policyctl.model.policy import (
    Accounting,
    Budget,
    CalendarWindow,
    CapRule,
    Charge,
    Expression,
    Freeze,
    Governance,
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
)
from policyctl.units import Instant, Seconds


def at(file: str, line: int = 1, column: int = 1) -> Place:
    """Return a place in the form in which a bundle gives it back."""
    return Place(file=file, line=line, column=column, end_line=line, end_column=column)


EXAMPLE = Policy(
    pools=(Pool(name="h100", nodes=88, gpus_per_node=8, block_nodes=16, place=at("cluster.yaml", 6, 5)),),
    budgets=(
        Budget(
            name="organization",
            account="/",
            owner="leadership",
            period=Period(start=Instant(1_782_864_000), end=Instant(1_798_761_600)),
            review_by=Instant(1_796_083_200),
            shares=(
                Share(name="language", share=Fraction(3, 5), place=at("organization.yaml", 9, 5)),
                Share(name="robotics", share=Fraction(1, 3), place=at("organization.yaml", 10, 5)),
            ),
            place=at("organization.yaml", 1),
        ),
        Budget(
            name="language",
            account="/language",
            pool="h100",
            shares=(Share(name="pretrain", share=Fraction(1), place=at("language.yaml", 7, 5)),),
            place=at("language.yaml", 1),
        ),
    ),
    accounting=Accounting(
        name="accounting",
        window=SlidingWindow(length=Seconds(1_209_600), half_life=Seconds(604_800)),
        place=at("accounting.yaml", 1),
    ),
    caps=(ProtectionCap(name="cap", account="/", default=Seconds(14_400), place=at("cap.yaml", 1)),),
    preemption=Preemption(name="preemption", hysteresis=Fraction(1, 20), place=at("preemption.yaml", 1)),
    exceptions=(
        PolicyException(
            name="deadline",
            reason="camera-ready deadline; robotics agreed to lend",
            ticket="OPS-123",
            requested_by="@lab/language-leads",
            period=Period(start=Instant(1_788_220_800), end=Instant(1_789_430_400)),
            grant=ShareGrant(to="/language/pretrain", source="/robotics", add=Fraction(1, 10)),
            place=at("exceptions/deadline.yaml", 1),
            grant_place=at("exceptions/deadline.yaml", 10, 3),
        ),
    ),
    governance=Governance(
        name="governance",
        groups={"leadership": ("@lab/leadership",)},
        max_duration=Seconds(2_592_000),
        place=at("governance.yaml", 1),
    ),
)

ORIGIN = Provenance(
    commit="0123456789abcdef0123456789abcdef01234567",
    dirty=False,
    sources={"cluster.yaml": f"sha256:{'0' * 64}"},
)


def expression(source: str, scope: Scope, line: int = 1) -> Expression:
    """Return a rule as the loader would."""
    lowered = compile_expression(source, scope)
    assert isinstance(lowered, Lowered), lowered
    return Expression(source=source, tree=lowered.tree, place=at("rules.yaml", line, 13))


JOB_RULES = tuple(
    expression(source, JOB_SCOPE)
    for source in (
        'job.kind == "interactive"',
        "job.gpus >= 64.5 && has(job.time_limit)",
        'job.labels["tier"] == "débug" || now.getHours("Europe/Paris") < 9',
        'job.time_limit > duration("90m") ? job.user.matches("^a.*z$") : job.nodes in [1, 2, 4]',
    )
)
GUARD_RULES = tuple(
    expression(source, GUARD_SCOPE)
    for source in ('victim.kind == "interactive"', "account.usage > 2.0 * account.entitled")
)

_names = st.from_regex(r"[a-z0-9]([a-z0-9_.-]{0,8}[a-z0-9])?", fullmatch=True)
_paths = st.lists(_names, max_size=3).map(lambda parts: "/" + "/".join(parts))
_texts = st.text(st.characters(codec="utf-8"), max_size=12)
_instants = st.integers(0, 7_000_000_000).map(Instant)
_spans = st.integers(0, 10**9).map(Seconds)
_lengths = st.integers(1, 10**9).map(Seconds)
_rates = st.fractions(0, 10**6, max_denominator=10**9)
_places = st.builds(at, _names.map(lambda name: f"{name}/a:b.yaml"), st.integers(1, 9999), st.integers(1, 99))


def _maybe(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | strategy


@st.composite
def _periods(draw: st.DrawFn, *, closed: bool = False) -> Period:
    start, end = sorted(draw(st.lists(_instants, min_size=2, max_size=2, unique=True)))
    if closed:
        return Period(start=start, end=end)
    return Period(start=draw(st.sampled_from([None, start])), end=draw(st.sampled_from([None, end])))


@st.composite
def _shares(draw: st.DrawFn) -> tuple[Share, ...]:
    names = draw(st.lists(_names, min_size=1, max_size=4, unique=True))
    parts = [draw(st.integers(0, 9)) for _ in names]
    whole = max(1, sum(parts) + draw(st.integers(0, 5)))
    return tuple(
        Share(name=name, share=Fraction(part, whole), place=draw(_places))
        for name, part in zip(names, parts, strict=True)
    )


_pools = st.builds(
    Pool,
    name=_names,
    nodes=st.integers(1, 1000),
    gpus_per_node=st.integers(1, 8),
    block_nodes=_maybe(st.integers(1, 64)),
    charge_rate=_rates,
    place=_places,
)
_windows = st.builds(SlidingWindow, length=_lengths, half_life=_maybe(_lengths)) | st.builds(
    CalendarWindow,
    unit=st.sampled_from(["day", "week", "month", "quarter", "year"]),
    timezone=st.sampled_from(["UTC", "America/Los_Angeles"]),
)
_charges = st.builds(
    Charge,
    protected=_rates,
    after_protection=_rates,
    opportunistic=_rates,
    unused_protection=st.fractions(0, 1),
)
_accountings = st.builds(
    Accounting,
    name=_names,
    window=_windows,
    charge=_charges,
    credit_limit=_maybe(_spans),
    overdraft=_maybe(_rates),
    quantum=_lengths,
    place=_places,
)
_rules = st.builds(CapRule, name=_names, when=st.sampled_from(JOB_RULES), max_protected=_spans, place=_places)
_caps = st.builds(
    ProtectionCap,
    name=_names,
    account=_paths,
    rules=st.lists(_rules, max_size=3, unique_by=lambda one: one.name).map(tuple),
    default=_maybe(_spans),
    default_place=_maybe(_places),
    place=_places,
)
_guards = st.builds(Guard, name=_names, when=st.sampled_from(GUARD_RULES), reason=_texts, place=_places)
_preemptions = st.builds(
    Preemption,
    name=_names,
    hysteresis=_rates,
    notice=_spans,
    per_job=_maybe(st.builds(PerJobLimit, max=st.integers(0, 9), within=_spans)),
    max_gpu_hours_per_hour=_maybe(_rates),
    guards=st.lists(_guards, max_size=3, unique_by=lambda one: one.name).map(tuple),
    place=_places,
)
_governances = st.builds(
    Governance,
    name=_names,
    groups=st.dictionaries(_names, st.lists(_texts, max_size=2).map(tuple), max_size=2),
    max_duration=_maybe(_spans),
    max_active=_maybe(st.integers(0, 9)),
    max_renewals=_maybe(st.integers(0, 9)),
    review_every=_maybe(_spans),
    approvals=st.lists(st.dictionaries(_names, _texts | st.integers(0, 9) | st.floats(0, 1)), max_size=2).map(
        tuple
    ),
    gates=st.just(()),
    place=_places,
)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Draw a policy that a bundle can hold, with places as a bundle gives them back."""
    pools = draw(st.lists(_pools, min_size=1, max_size=3, unique_by=lambda pool: pool.name))
    some_pool = st.sampled_from([pool.name for pool in pools])
    budgets = st.builds(
        Budget,
        name=_names,
        account=_paths,
        pool=_maybe(some_pool),
        owner=_maybe(_names),
        period=_periods(),
        review_by=_maybe(_instants),
        shares=_shares(),
        weighted=st.booleans(),
        places=st.dictionaries(_names, _places, max_size=2),
        place=_places,
    )
    grants = (
        st.builds(ShareGrant, to=_paths, source=_paths, add=st.fractions(0, 1))
        | st.builds(ProtectionGrant, account=_paths, max_protected=_spans)
        | st.builds(ProtectionGrant, job=_texts, max_protected=_spans)
        | st.builds(Suspension, account=_paths)
        | st.builds(Freeze, pool=some_pool)
    )
    exceptions = st.builds(
        PolicyException,
        name=_names,
        reason=_texts,
        ticket=_texts,
        requested_by=_texts,
        period=_periods(closed=True),
        grant=grants,
        place=_places,
        grant_place=_places,
    )
    return Policy(
        pools=tuple(pools),
        budgets=tuple(draw(st.lists(budgets, max_size=4, unique_by=lambda one: one.account))),
        accounting=draw(_accountings),
        caps=tuple(draw(st.lists(_caps, max_size=2, unique_by=lambda one: one.account))),
        preemption=draw(_preemptions),
        exceptions=tuple(draw(st.lists(exceptions, max_size=3, unique_by=lambda one: one.name))),
        governance=draw(_governances),
    )


def with_rules(policy: Policy) -> Policy:
    """Return the policy with each of the rules above in its first cap and its guards."""
    rules = tuple(
        CapRule(name=name, when=when, max_protected=Seconds(3600), place=at("rules.yaml", 2, 7))
        for name, when in zip("abcd", JOB_RULES, strict=True)
    )
    guards = tuple(
        Guard(name=name, when=when, reason="live sessions", place=at("rules.yaml", 3, 7))
        for name, when in zip("ab", GUARD_RULES, strict=True)
    )
    cap = dataclasses.replace(policy.caps[0], rules=rules)
    preemption = dataclasses.replace(policy.preemption, guards=guards)
    return dataclasses.replace(policy, caps=(cap,), preemption=preemption)
