"""Comparisons for those who look at their page: small, large, with jobs and impact, and made to break out of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from policyctl.govern.judge import Judged, Outcome, State
from policyctl.govern.requirements import Requirement, first_requirement, requirements
from policyctl.model.change import (
    Balance,
    Change,
    Compared,
    Direction,
    Example,
    ExceptionChange,
    JobMove,
    Right,
    RightKind,
    Setting,
    ShareChange,
)
from policyctl.model.impact import Figure, FigureKind, Impact, ProgramImpact
from policyctl.render.diff_html import DiffReport
from policyctl.render.diff_html_approvals import Approvals
from policyctl.units import Seconds
from tests.diff.policies import BASE, changed, policy
from tests.diff.test_directions import exception
from tests.render.simulation.samples import LAB, contestant

__all__ = ["HOSTILE", "REPORTS", "figure", "impact", "large", "report"]

LEND = "share: {to: /language/data, from: /robotics, add: 5%}"
EDITS = (
    ("hysteresis: 5%", "hysteresis: 0%"),
    ("maxProtected: 12h", "maxProtected: 8h"),
    ("language: 60%", "language: 50%"),
)
HOSTILE = (
    "<script>alert('x')</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>body{display:none}",
    "{{ 7 * 7 }}{% include 'x' %}",
    "tab\there\nline\x00null \x1b[31m",
    "right\u202eto-left \u200b",
    "`code` & &lt;b&gt;",
    "x" * 3_000,
)


def figure(kind: FigureKind, before: float, least: float, most: float, size: str | None = None) -> Figure:
    """Return a figure whose mean difference lies in the middle."""
    return Figure(
        kind=kind, size=size, before=before, after=before + (least + most) / 2, least=least, most=most
    )


def impact(*programs: str, seeds: tuple[int, ...] = (1, 2), moved: float = 1.0) -> Impact:
    """Return an impact on all and on these programs; `moved` 0 has no visible effect."""
    return Impact(
        seeds=seeds,
        jobs=1_234,
        programs=tuple(
            ProgramImpact(
                account=account,
                figures=(
                    figure(FigureKind.DELIVERY, 0.9, -0.05 * moved * (at - 1.5), -0.02 * moved * (at - 1.5)),
                    figure(FigureKind.PREEMPTIONS, 200, 10 * moved, 90 * moved),
                    figure(FigureKind.LOST, 30, -9 * moved, 4 * moved),
                    figure(FigureKind.PROTECTION, 900, 50 * moved, 70 * moved),
                    figure(FigureKind.WAIT, 7_265, -4_000 * moved, -65 * moved, "9-32"),
                ),
            )
            for at, account in enumerate(("/", *programs))
        ),
    )


def report(change: Change | None, **given: object) -> DiffReport:
    """Return a report about a change; `given` are fields of the comparison."""
    compared = replace(Compared(base="main", head="the folder policies", change=change), **given)  # type: ignore[arg-type]
    return DiffReport(
        compared=compared,
        approvals=Approvals(
            needed=(
                Requirement(
                    rule="default", group="leads", count=2, account="/", why=("`/` is divided anew",)
                ),
            )
        ),
        command="policyctl diff --now 2026-09-01T00:00:00Z main",
        version="0.1.0",
        digests={"base": f"sha256:{'0a' * 32}", "head": f"sha256:{'b1' * 32}"},
    )


def ordinary() -> DiffReport:
    """Return what a policy's own change comes to, with the approvals that it needs."""
    change = changed(*EDITS, added=exception("once", LEND))
    head = BASE
    for before, after in EDITS:
        head = head.replace(before, after)
    needed = requirements(policy(BASE), policy(head + exception("once", LEND)), change, None)
    return replace(report(change), approvals=Approvals(needed=needed))


def share(account: str, before: Fraction, after: Fraction, *, inherited: bool = False) -> ShareChange:
    return ShareChange(
        account=account,
        pool="h100",
        start=None,
        end=None,
        share_before=before,
        share_after=after,
        absolute_before=before,
        absolute_after=after,
        gpus_before=before * 704,
        gpus_after=after * 704,
        gpu_hours_before=float(before * 704 * 336),
        gpu_hours_after=float(after * 704 * 336),
        inherited=inherited,
    )


def large(accounts: int = 3_000) -> DiffReport:
    """Return a change that touches very many accounts, the last of them most."""
    paths = [f"/program-{number % 40:02d}/team-{number:05d}" for number in range(accounts)]
    own = [share(path, Fraction(1, 9_000), Fraction(1, 8_000 - at)) for at, path in enumerate(paths)]
    below = [
        share(f"{path}/below", Fraction(1, 90_000), Fraction(1, 80_000), inherited=True) for path in paths
    ]
    children = tuple((path, Fraction(at - accounts // 2, 100)) for at, path in enumerate(paths))
    rights = tuple(
        Right(
            account=path,
            kind=RightKind.PROTECTION,
            direction=Direction.TIGHTENS if at % 2 else Direction.LOOSENS,
            examples=(Example(pool="h100", what="default", before="4h", after="6h"),) * 2,
        )
        for at, path in enumerate(paths)
    )
    change = Change(
        shares=(*own, *below),
        balances=tuple(
            Balance(
                account=path,
                pool="h100",
                start=None,
                end=None,
                children=children,
                unassigned=Fraction(-3),
                whole=Fraction(2),
            )
            for path in paths[:60]
        ),
        settings=tuple(
            Setting(subject=f"ProtectionCap {path}", field="default", before="4h", after="6h")
            for path in paths
        ),
        rights=rights,
    )
    return replace(
        report(change, jobs=tuple(job(str(at), path) for at, path in enumerate(paths))),
        approvals=Approvals(needed=needs(paths)),
    )


def needs(paths: list[str]) -> tuple[Requirement, ...]:
    why = tuple(f"`{path}` is divided anew" for path in paths)
    return tuple(
        Requirement(rule="default", group=f"g{at}", count=1, account=path, why=why)
        for at, path in enumerate(paths)
    )


def job(name: str, account: str, user: str = "r001", pool: str = "h100") -> JobMove:
    return JobMove(
        job=name,
        pool=pool,
        account=account,
        user=user,
        running=False,
        what=("rank", "class"),
        rank_before=12,
        rank_after=3,
        class_before="opportunistic",
        class_after="funded",
        protection_before=Seconds(0),
        protection_after=Seconds(7_200),
    )


def hostile() -> DiffReport:
    """Return a report in which everything that anybody may write is made to break out of the page."""
    text = HOSTILE
    change = Change(
        shares=tuple(share(one, Fraction(1, 3), Fraction(2, 3)) for one in text),
        balances=tuple(
            Balance(
                account=one,
                pool=one,
                start=None,
                end=None,
                children=((one, Fraction(1)),),
                unassigned=Fraction(0),
                whole=Fraction(1),
            )
            for one in text
        ),
        settings=tuple(Setting(subject=one, field=one, before=one, after=one) for one in text),
        exceptions=tuple(
            ExceptionChange(name=one, what="added", grant=one, end_before=None, end_after=None)
            for one in text
        ),
        rights=tuple(
            Right(
                account=one,
                kind=RightKind.FUNDING,
                direction=Direction.MIXED,
                examples=(Example(pool=one, what=one, before=one, after=one),),
            )
            for one in text
        ),
    )
    made = report(
        change,
        base=text[0],
        head=text[1],
        base_errors=1,
        left_out=text,
        jobs=tuple(job(one, one, one, one) for one in text),
        impact=impact(*text),
    )
    needed = tuple(Requirement(rule=one, group=one, count=1, account=one, why=(one,)) for one in text)
    return replace(
        made,
        approvals=Approvals(needed=needed),
        command=f"policyctl diff '{text[0]}'",
        digests={"state": text[1]},
    )


def with_impact(found: Impact) -> DiffReport:
    """Return an ordinary change that was replayed."""
    made = ordinary()
    runs = (contestant("base", programs=LAB), contestant("head", 0.9, programs=LAB)) if found.visible else ()
    jobs = (job("4711", "/language/data"), job("4712", "/robotics"))
    return replace(made, compared=replace(made.compared, impact=found, jobs=jobs), runs=runs)


def judged() -> DiffReport:
    """Return an ordinary change whose approvals are known: one is there, one is missing, one saw another change."""
    made = ordinary()
    by: dict[State, dict[str, tuple[str, ...]]] = {
        State.SATISFIED: {"approved": ("dev3", "dev4")},
        State.PENDING: {"own": ("dev1",), "unknown": ("@lab/ops",)},
        State.STALE: {"stale": ("root", HOSTILE[0])},
    }
    outcome = Outcome(
        base="main",
        head="work",
        author="dev1",
        digest="sha256:0",
        judged=tuple(
            Judged(
                requirement=Requirement(rule=f"rule-{state}", group=f"{state}-leads", count=2, account="/"),
                state=state,
                **people,
            )
            for state, people in by.items()
        ),
    )
    return replace(made, approvals=replace(made.approvals, author="dev1", outcome=outcome))


REPORTS = {
    "ordinary": ordinary(),
    "judged": judged(),
    "no file differs": replace(report(Change(), same_files=True, jobs=()), approvals=Approvals(needed=())),
    "same meaning": replace(report(Change()), approvals=Approvals(needed=())),
    "unreadable base": replace(
        report(None, base_errors=3, left_out=("a.yaml",)), approvals=Approvals(needed=None)
    ),
    "first policy": replace(report(None), approvals=Approvals(needed=(first_requirement(),))),
    "no answer about impact": report(
        changed(EDITS[0]), unmeasured="`base` and `head` do not have the same nodes"
    ),
    "impact": with_impact(impact(*LAB)),
    "no visible effect": with_impact(impact(*LAB, moved=0)),
    "hostile": hostile(),
    "large": large(),
}
