"""A simulation as JSON: the shape that programs rely on, every figure with its unit in its name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from policyctl.model.measures import Group, Measures, SimulationReport, WindowRow
from policyctl.render.charts.scene import labels
from policyctl.render.simulation_comparison import comparison
from policyctl.render.simulation_json_parts import (
    impossible_job,
    interactive,
    longest_wait,
    pool,
    preemption_day,
    recovery,
    series,
    user,
    wait_line,
)
from policyctl.units import format_instant

__all__ = ["render"]


def render(report: SimulationReport) -> str:
    """Write a report; instants are UTC, times seconds, shares and ratios parts of one."""
    names = labels(report)
    answer = {
        "title": report.title,
        "command": report.command,
        "version": report.version,
        "digests": dict(sorted(report.digests.items())),
        "contestants": [_contestant(name, one) for name, one in zip(names, report.contestants, strict=True)],
        "comparison": [
            {
                "figure": line.label,
                "cells": [
                    {"text": cell.text, "difference": cell.difference, "verdict": cell.verdict}
                    for cell in line.cells
                ],
            }
            for line in comparison(report.contestants)
        ],
    }
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _contestant(label: str, one: Measures) -> dict[str, Any]:
    return {
        "label": label,
        "name": one.name,
        "policy": one.policy,
        "seed": one.seed,
        "start": format_instant(one.start),
        "end": format_instant(one.end),
        "window": one.window,
        "occupancy": one.occupancy,
        "warnings": [
            {"code": warned.code, "subject": warned.subject, "message": warned.message}
            for warned in one.warnings
        ],
        "overall": _group(one.overall),
        "programs": _groups(one.programs),
        "projects": _groups(one.projects),
        "pools": [pool(each) for each in one.pools],
        "windows": [_window(row) for row in one.windows],
        "waits": [wait_line(line) for line in one.waits],
        "longest_waits": [longest_wait(each) for each in one.longest_waits],
        "preemption_days": [preemption_day(day) for day in one.preemption_days],
        "users": [user(each) for each in one.users],
        "interactive": interactive(one.interactive),
        "recoveries": [recovery(each) for each in one.recoveries],
        "series": [series(each) for each in one.series],
        "impossible": [impossible_job(job) for job in one.impossible],
    }


def _groups(groups: Iterable[Group]) -> list[dict[str, Any]]:
    return [_group(one) for one in groups]


def _group(one: Group) -> dict[str, Any]:
    return {
        "account": one.path,
        "jobs": one.jobs,
        "completed": one.completed,
        "demand_gpu_hours": one.demand,
        "entitled_gpu_hours": one.entitlement,
        "owed_gpu_hours": one.owed,
        "delivered_gpu_hours": one.delivered,
        "funded_gpu_hours": one.funded,
        "opportunistic_gpu_hours": one.opportunistic,
        "lost_gpu_hours": one.lost,
        "met_gpu_hours": one.met,
        "met_useful_gpu_hours": one.met_useful,
        "delivery_ratio": one.delivery_ratio,
        "useful_delivery_ratio": one.useful_delivery_ratio,
        "opportunistic_share": one.opportunistic_share,
        "preemptions": one.preemptions,
        "preempted_jobs": one.preempted_jobs,
        "most_preemptions": one.most_preemptions,
        "restarts": one.restarts,
        "restarts_ok": one.restarts_ok,
        "restarts_failed": one.restarts_failed,
        "restart_success": one.restart_success,
        "protection_bought_gpu_hours": one.protection_bought,
        "protection_unused_gpu_hours": one.protection_unused,
    }


def _window(row: WindowRow) -> dict[str, Any]:
    return {
        "pool": row.pool,
        "account": row.account,
        "start": format_instant(row.start),
        "end": format_instant(row.end),
        "entitled_gpu_hours": row.entitlement,
        "demand_gpu_hours": row.demand,
        "owed_gpu_hours": row.owed,
        "delivered_gpu_hours": row.delivered,
        "lost_gpu_hours": row.lost,
        "delivery_ratio": row.delivery_ratio,
    }
