"""One answer of each kind to write in every form: made by hand, with what is hard to write in it."""

from __future__ import annotations

from dataclasses import replace

from policyctl.model.decisions import (
    AccountUsage,
    Authorization,
    CappedBy,
    Explanation,
    Level,
    PoolRanking,
    PoolUsage,
    Quote,
    QuoteAlternative,
    RankedJob,
    Reason,
    UnrankedJob,
    VictimVerdict,
)
from policyctl.render.basis import Basis
from policyctl.units import Instant, MilliGpu, Seconds

__all__ = ["BASIS", "EXPLAINED", "PREEMPTED", "QUOTED", "RANKED", "USED"]

NOW = Instant(1_784_116_800)
BASIS = Basis(meaning="sha256:" + "0123456789abcdef" * 4, now=NOW, state_time=NOW)
_CAPPED = Reason(
    "funded",
    {
        "declared_seconds": 86_400,
        "protected_seconds": 43_200,
        "capped_by": "large",
        "account": "/",
        "written": "policies/caps/lab.yaml:14",
    },
)
_ZERO = Reason("declared_zero", {"account": "/language/posttrain"})
_UNKNOWN = Reason("unknown_account", {"account": "/language/pretrian", "nearest": "/language/pretrain"})
_TOO_LARGE = Reason(
    "never_fits",
    {
        "pool": "a100",
        "gpus": "12",
        "nodes": 1,
        "block": False,
        "pool_gpus": "376",
        "pool_nodes": 47,
        "largest_node_gpus": "8",
        "nodes_large_enough": 0,
        "counted_by_node": True,
    },
)
_FUNDED = Quote(
    job="(new)",
    pool="a100",
    account="/language/posttrain",
    user="r017",
    gpus=MilliGpu(96_000),
    klass="funded",
    declared=Seconds(86_400),
    protected=Seconds(43_200),
    capped_by=CappedBy(rule="large", account="/", file="policies/caps/lab.yaml", line=14),
    charge_rate="1/2",
    spare_rate="0",
    cost_gpu_hours=576.0,
    unused_cost_gpu_hours=288.0,
    entitled_gpu_hours=4363.0,
    used_gpu_hours=2736.0,
    rank=29,
    of=89,
    alternatives=(
        QuoteAlternative(
            declared=Seconds(0), klass="opportunistic", protected=Seconds(0), cost_gpu_hours=0.0, rank=74
        ),
        QuoteAlternative(
            declared=Seconds(21_600), klass="funded", protected=Seconds(21_600), cost_gpu_hours=288.0, rank=29
        ),
    ),
    reasons=(_CAPPED,),
)
_SPARE = replace(
    _FUNDED,
    klass="opportunistic",
    declared=Seconds(0),
    protected=Seconds(0),
    capped_by=None,
    cost_gpu_hours=0.0,
    unused_cost_gpu_hours=0.0,
    rank=74,
    alternatives=(_FUNDED.alternatives[1],),
    reasons=(_ZERO,),
)
QUOTED = {
    "protection at a rate": _FUNDED,
    "protection at rate one": replace(_FUNDED, charge_rate="1", cost_gpu_hours=1152.0),
    "spare cycles": _SPARE,
    "spare cycles that are charged": replace(_SPARE, spare_rate="1/4"),
    "unknown account": replace(
        _SPARE, account="/language/pretrian", alternatives=(), reasons=(_ZERO, _UNKNOWN)
    ),
    "never fits": replace(_FUNDED, alternatives=(), reasons=(_TOO_LARGE, _CAPPED)),
    "a rule failed": replace(
        _SPARE,
        klass=None,
        rank=None,
        alternatives=(),
        reasons=(
            Reason(
                "rule_failed",
                {
                    "rule": "team",
                    "account": "/",
                    "fault": "no_key",
                    "message": "no label `team`",
                    "written": None,
                },
            ),
        ),
    ),
}


def _victim(job: str, outcome: str, *reasons: Reason) -> VictimVerdict:
    assert outcome in {"granted", "refused"}
    return VictimVerdict(
        job=job,
        account="/vision/video",
        user="r051",
        gpus=MilliGpu(1000 if job == "71" else 128_000),
        outcome="granted" if outcome == "granted" else "refused",
        code=reasons[0].code,
        retry_at=None,
        reasons=reasons,
    )


_COMPARED = {
    "below": "/",
    "account": "/language",
    "victim_account": "/vision",
    "virtual_time_after_gpu_hours": 22_441.0,
    "victim_virtual_time_gpu_hours": 39_812.0,
    "hysteresis": "1/20",
}
_FROZEN = Reason(
    "frozen",
    {
        "exception": "acceptance",
        "reason": "acceptance runs",
        "ticket": "OPS-325",
        "until": "2026-07-16T00:00:00Z",
        "written": "policies/exceptions/acceptance.yaml:4",
    },
)
_WANTS = {"gpus": "96", "nodes": 12, "block": False, "free_gpus": "58"}
_GRANTED = Authorization(
    outcome="granted",
    job="72",
    pool="a100",
    victims=(
        _victim("70", "granted", Reason("still_behind", _COMPARED)),
        _victim("71", "granted", Reason("victim_opportunistic", {"why": ["declared_zero", "zero_share"]})),
    ),
    retry_at=None,
    notice=Seconds(120),
    reasons=(Reason("can_start", _WANTS | {"free_gpus": "138"}),),
)
_GONE = VictimVerdict(
    job="48",
    account=None,
    user=None,
    gpus=None,
    outcome="error",
    code="unknown_victim",
    retry_at=None,
    reasons=(Reason("unknown_victim", {"job": "48", "nearest": "47"}),),
)
PREEMPTED = {
    "granted": _GRANTED,
    "nothing is needed": replace(
        _GRANTED, victims=(), reasons=(Reason("fits_without_preemption", {"free_gpus": "138"}),)
    ),
    "one user of an account and another": replace(
        _GRANTED,
        victims=(
            _victim(
                "70",
                "granted",
                Reason("still_behind", _COMPARED | {"account": "/~r001", "victim_account": "/vision/~r051"}),
            ),
        ),
    ),
    "this job is refused": replace(
        _GRANTED,
        outcome="refused",
        victims=(_victim("70", "refused", Reason("not_behind", _COMPARED)),),
        reasons=(Reason("victims_refused", {"jobs": ["70"]}), Reason("would_not_start", _WANTS)),
    ),
    "these jobs are one too many": replace(
        _GRANTED, outcome="refused", reasons=(Reason("not_needed", {"jobs": ["71"]}),)
    ),
    "no set, in a freeze": replace(
        _GRANTED,
        outcome="refused",
        victims=(),
        retry_at=Instant(NOW + 43_200),
        reasons=(
            _FROZEN,
            Reason("would_not_start", _WANTS | {"block": True}),
            Reason("not_available", {"why": "guard", "jobs": 1, "retry_at": None}),
            Reason(
                "not_available",
                {"why": "victim_protected", "jobs": 1200, "retry_at": "2026-07-15T13:00:00Z"},
            ),
        ),
    ),
    "a victim that is not there": replace(
        _GRANTED, outcome="error", victims=(_GONE,), reasons=(Reason("victims_failed", {"jobs": ["48"]}),)
    ),
}


def _ranked(rank: int, klass: str, virtual: float | None, *reasons: Reason) -> RankedJob:
    turn = Reason("fair_share", {"path": [{"account": "/language", "virtual_time_gpu_hours": virtual}]})
    return RankedJob(
        rank=rank,
        job=f"7{rank}",
        klass="funded" if klass == "funded" else "opportunistic",
        account="/language/posttrain",
        user="r017",
        reasons=(*reasons, turn),
    )


_ORDER = PoolRanking(
    pool="a100",
    order=(
        _ranked(1, "funded", 2050.4, _CAPPED),
        _ranked(2, "funded", 12_050.0, _TOO_LARGE, _CAPPED),
        _ranked(3, "opportunistic", 99.5, _ZERO),
        _ranked(4, "opportunistic", None, _ZERO, _UNKNOWN),
    ),
    errors=(
        UnrankedJob(
            job="80",
            account="/language/posttrain",
            user="r017",
            reasons=QUOTED["a rule failed"].reasons,
        ),
    ),
    pending=1_240,
)
RANKED = {
    "both classes": _ORDER,
    "one job, of one class": replace(_ORDER, order=_ORDER.order[:1], errors=(), pending=1),
    "spare cycles only": replace(_ORDER, order=_ORDER.order[2:], errors=(), pending=2),
    "nobody waits": replace(_ORDER, order=(), errors=(), pending=0),
}
_ROOT = AccountUsage(
    account="/",
    share="1",
    absolute_share="1",
    unassigned_share="1/25",
    entitled_gpu_hours=34_902.0,
    charged_gpu_hours=22_614.0,
    committed_gpu_hours=0.7,
    opportunistic_gpu_hours=22_962.0,
    queued_gpu_hours=2_736.0,
    owed_gpu_hours=25_350.0,
    remaining_gpu_hours=12_287.0,
    known=True,
)
USED = PoolUsage(
    pool="a100",
    capacity_gpu_hours=69_803.0,
    charge_rate="1/2",
    unassigned_share="1/25",
    window_start=Instant(NOW - 14 * 86_400),
    window_end=NOW,
    half_life=Seconds(7 * 86_400),
    accounts=(
        _ROOT,
        replace(_ROOT, account="/vision", share="1/3", absolute_share="1/3", charged_gpu_hours=50_000.0),
        replace(
            _ROOT,
            account="/vision/medical",
            share="0",
            absolute_share="0",
            entitled_gpu_hours=0.0,
            known=False,
        ),
    ),
)
_LEVEL = Level(
    account="/language",
    user=None,
    share="19/50",
    usage_gpu_hours=36_351.0,
    virtual_time=95_660.0,
    projected_gpu_hours=124.0,
    at_turn=95_987.0,
    jobs_before={"/robotics": 7, "/language/posttrain/~r025": 1},
    ahead_of=("/biology", "/vision"),
    behind=("/a", "/robotics", "/safety", "/systems"),
    written="policies/budgets/organization.yaml:10",
)
_WAITS = Explanation(
    job="72",
    pool="a100",
    account="/language/posttrain",
    user="r017",
    running=False,
    rank=19,
    of=61,
    klass="funded",
    protected_until=None,
    path=(
        _LEVEL,
        replace(
            _LEVEL,
            account="/language/posttrain",
            user="r017",
            share="1/3",
            virtual_time=None,
            at_turn=None,
            jobs_before={},
            ahead_of=(),
            behind=("/language/posttrain/~r025",),
        ),
    ),
    reasons=(_CAPPED,),
)
EXPLAINED = {
    "it waits": _WAITS,
    "it runs": replace(
        _WAITS,
        running=True,
        rank=None,
        path=tuple(replace(level, jobs_before={}) for level in _WAITS.path),
        reasons=(
            Reason(
                "running",
                {
                    "start": "2026-07-15T11:00:00Z",
                    "protected_until": "2026-07-15T23:00:00Z",
                    "protected": True,
                },
            ),
            _CAPPED,
        ),
    ),
    "it never fits": replace(_WAITS, reasons=(_TOO_LARGE, _CAPPED)),
}
