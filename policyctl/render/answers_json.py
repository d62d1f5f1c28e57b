"""Answers as JSON: the shapes that programs rely on, one function for each question."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from policyctl.model.decisions import (
    Authorization,
    CappedBy,
    Explanation,
    Level,
    PoolRanking,
    PoolUsage,
    Quote,
    Reason,
    VictimVerdict,
)
from policyctl.render.basis import Basis
from policyctl.units import Instant, MilliGpu, format_instant

__all__ = ["explanation", "preemption", "quotation", "ranking", "usage"]


def _text(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _reasons(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    return [{"code": reason.code, **reason.facts} for reason in reasons]


def _basis(basis: Basis) -> dict[str, Any]:
    return {
        "bundle": basis.meaning,
        "now": format_instant(basis.now),
        "state_time": format_instant(basis.state_time),
    }


def _at(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)


def ranking(pools: Iterable[PoolRanking], basis: Basis) -> str:
    """Return the order of each pool."""
    return _text({**_basis(basis), "pools": {one.pool: _ranked(one) for one in pools}})


def _ranked(pool: PoolRanking) -> dict[str, Any]:
    return {
        "pending": pool.pending,
        "order": [
            {
                "rank": job.rank,
                "job": job.job,
                "class": job.klass,
                "account": job.account,
                "user": job.user,
                "reasons": _reasons(job.reasons),
            }
            for job in pool.order
        ],
        "errors": [
            {"job": job.job, "account": job.account, "user": job.user, "reasons": _reasons(job.reasons)}
            for job in pool.errors
        ],
    }


def preemption(answer: Authorization, basis: Basis) -> str:
    """Return an authorization or a plan."""
    return _text(
        {
            "outcome": answer.outcome,
            "job": answer.job,
            "pool": answer.pool,
            "victims": [_victim(one) for one in answer.victims],
            "retry_at": _at(answer.retry_at),
            "notice_seconds": answer.notice,
            "reasons": _reasons(answer.reasons),
            **_basis(basis),
        }
    )


def _gpus(gpus: MilliGpu) -> float:
    return gpus // 1000 if gpus % 1000 == 0 else gpus / 1000


def _victim(verdict: VictimVerdict) -> dict[str, Any]:
    return {
        "job": verdict.job,
        "account": verdict.account,
        "user": verdict.user,
        "gpus": None if verdict.gpus is None else _gpus(verdict.gpus),
        "outcome": verdict.outcome,
        "code": verdict.code,
        "retry_at": _at(verdict.retry_at),
        "reasons": _reasons(verdict.reasons),
    }


def _capped(cap: CappedBy | None) -> dict[str, Any] | None:
    if cap is None:
        return None
    return {"rule": cap.rule, "account": cap.account, "file": cap.file, "line": cap.line}


def quotation(answer: Quote, basis: Basis) -> str:
    """Return a quote."""
    return _text(
        {
            "job": answer.job,
            "pool": answer.pool,
            "account": answer.account,
            "user": answer.user,
            "gpus": _gpus(answer.gpus),
            "class": answer.klass,
            "declared_seconds": answer.declared,
            "protected_seconds": answer.protected,
            "capped_by": _capped(answer.capped_by),
            "charge_rate": answer.charge_rate,
            "spare_rate": answer.spare_rate,
            "cost_gpu_hours": answer.cost_gpu_hours,
            "unused_cost_gpu_hours": answer.unused_cost_gpu_hours,
            "entitled_gpu_hours": answer.entitled_gpu_hours,
            "used_gpu_hours": answer.used_gpu_hours,
            "rank": answer.rank,
            "of": answer.of,
            "alternatives": [
                {
                    "declared_seconds": other.declared,
                    "class": other.klass,
                    "protected_seconds": other.protected,
                    "cost_gpu_hours": other.cost_gpu_hours,
                    "rank": other.rank,
                }
                for other in answer.alternatives
            ],
            "reasons": _reasons(answer.reasons),
            **_basis(basis),
        }
    )


def _share(name: str, exact: str) -> dict[str, Any]:
    return {name: float(Fraction(exact)), f"{name}_exact": exact}


def usage(pools: Iterable[PoolUsage], basis: Basis) -> str:
    """Return the accounts of each pool; shares as numbers, and exactly beside them."""
    return _text({**_basis(basis), "pools": {one.pool: _accounts(one) for one in pools}})


def _accounts(pool: PoolUsage) -> dict[str, Any]:
    return {
        "capacity_gpu_hours": pool.capacity_gpu_hours,
        "charge_rate": pool.charge_rate,
        **_share("unassigned_share", pool.unassigned_share),
        "window": {
            "start": format_instant(pool.window_start),
            "end": format_instant(pool.window_end),
            "half_life_seconds": pool.half_life,
        },
        "accounts": [
            {
                "account": one.account,
                **_share("share", one.share),
                **_share("absolute_share", one.absolute_share),
                **_share("unassigned_share", one.unassigned_share),
                "entitled_gpu_hours": one.entitled_gpu_hours,
                "charged_gpu_hours": one.charged_gpu_hours,
                "committed_gpu_hours": one.committed_gpu_hours,
                "opportunistic_gpu_hours": one.opportunistic_gpu_hours,
                "queued_gpu_hours": one.queued_gpu_hours,
                "owed_gpu_hours": one.owed_gpu_hours,
                "remaining_gpu_hours": one.remaining_gpu_hours,
                "known": one.known,
            }
            for one in pool.accounts
        ],
    }


def explanation(answer: Explanation, basis: Basis) -> str:
    """Return why a job stands where it does."""
    return _text(
        {
            "job": answer.job,
            "pool": answer.pool,
            "account": answer.account,
            "user": answer.user,
            "running": answer.running,
            "rank": answer.rank,
            "of": answer.of,
            "class": answer.klass,
            "protected_until": _at(answer.protected_until),
            "path": [_level(one) for one in answer.path],
            "reasons": _reasons(answer.reasons),
            **_basis(basis),
        }
    )


def _level(level: Level) -> dict[str, Any]:
    return {
        "account": level.account,
        "user": level.user,
        **_share("share", level.share),
        "usage_gpu_hours": level.usage_gpu_hours,
        "virtual_time": level.virtual_time,
        "projected_gpu_hours": level.projected_gpu_hours,
        "virtual_time_at_turn": level.at_turn,
        "jobs_before": dict(level.jobs_before),
        "ahead_of": list(level.ahead_of),
        "behind": list(level.behind),
        "written": level.written,
    }
