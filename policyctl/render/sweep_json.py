"""A sweep as JSON: options, points with the scores of every seed, the rhythm of the workload, and the choice."""

from __future__ import annotations

import json
from typing import Any

from policyctl.model.sweep import Option, Row, Score, SweepReport
from policyctl.render.sweep_words import option_name, reasons, verdict
from policyctl.units import format_instant, format_ratio

__all__ = ["render"]


def render(report: SweepReport) -> str:
    """Write a report; instants are UTC, times seconds, GPU time GPU-hours, shares and ratios parts of one."""
    answer = {
        "title": report.title,
        "command": report.command,
        "version": report.version,
        "digests": dict(sorted(report.digests.items())),
        "start": format_instant(report.start),
        "end": format_instant(report.end),
        "seeds": list(report.seeds),
        "jitter_seconds": report.jitter,
        "options": [
            {**_option(option), "cost": cost}
            for option, cost in zip(report.options, report.choice.costs, strict=True)
        ],
        "points": [_point(report, row) for row in report.rows],
        "cadence": _cadence(report),
        "choice": _choice(report),
    }
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _option(option: Option) -> dict[str, Any]:
    cap = option.cap
    return {
        "name": option_name(option),
        "window_seconds": option.window,
        "half_life_seconds": option.half_life,
        "cap_factor": None if cap is None or cap.factor is None else format_ratio(cap.factor),
        "cap_default_seconds": None if cap is None else cap.default,
    }


def _point(report: SweepReport, row: Row) -> dict[str, Any]:
    return {
        "option": option_name(row.point.option),
        "load": format_ratio(row.point.load),
        "scores": [
            {"seed": seed, **_score(score)} for seed, score in zip(report.seeds, row.scores, strict=True)
        ],
    }


def _score(score: Score) -> dict[str, Any]:
    return {
        "volatility_per_day": score.volatility,
        "returns": score.returns,
        "recovered": score.recovered,
        "recovery_seconds": score.recovery,
        "wait_median_seconds": score.wait_median,
        "wait_p90_seconds": score.wait_p90,
        "delivered_gpu_hours": score.delivered,
        "lost_gpu_hours": score.lost,
        "preemptions": score.preemptions,
        "occupancy": score.occupancy,
        "delivery_ratio": score.delivery_ratio,
    }


def _cadence(report: SweepReport) -> dict[str, Any]:
    cadence = report.cadence
    return {
        "jobs": cadence.jobs,
        "job_seconds": cadence.job,
        "long_job_seconds": cadence.job_long,
        "cycle_seconds": cadence.cycle,
        "programs": [
            {
                "account": one.account,
                "bursts": one.bursts,
                "burst_seconds": one.burst,
                "idle_spells": one.spells,
                "idle_seconds": one.spell,
                "longest_idle_seconds": one.longest_spell,
            }
            for one in cadence.programs
        ],
    }


def _choice(report: SweepReport) -> dict[str, Any]:
    choice = report.choice
    return {
        "option": option_name(report.options[choice.option]),
        "decided": choice.decided,
        "floor_seconds": choice.floor,
        "ties": [option_name(report.options[place]) for place in choice.ties],
        "verdict": verdict(report),
        "reasons": [
            {"code": why.value, "message": message}
            for why, message in zip(choice.why, reasons(report), strict=True)
        ],
    }
