"""A comparison of two policies as JSON."""

from __future__ import annotations

import json
from typing import Any

from policyctl.model.change import (
    Balance,
    Change,
    Compared,
    Example,
    ExceptionChange,
    JobMove,
    Right,
    Setting,
    ShareChange,
)
from policyctl.render import diff_impact
from policyctl.units import Instant, format_instant, format_ratio

__all__ = ["render"]


def render(compared: Compared) -> str:
    """Write the comparison; exact shares as rationals, instants in UTC, null where something is open or missing."""
    change = compared.change or Change()
    answer = {
        "base": compared.base,
        "head": compared.head,
        "comparable": compared.change is not None,
        "same_files": compared.same_files,
        "same_meaning": compared.change is not None and change.empty,
        "base_errors": compared.base_errors,
        "base_left_out": list(compared.left_out),
        "may_loosen": compared.change is None or any(one.direction.may_loosen for one in change.rights),
        "shares": [_share(one) for one in change.shares],
        "balances": [_balance(one) for one in change.balances],
        "settings": [_setting(one) for one in change.settings],
        "exceptions": [_exception(one) for one in change.exceptions],
        "rights": [_right(one) for one in change.rights],
        "jobs": None if compared.jobs is None else [_job(one) for one in compared.jobs],
        "impact": diff_impact.as_json(compared.impact),
    }
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _at(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)


def _share(one: ShareChange) -> dict[str, Any]:
    return {
        "account": one.account,
        "pool": one.pool,
        "from": _at(one.start),
        "until": _at(one.end),
        "inherited": one.inherited,
        "share": [format_ratio(one.share_before), format_ratio(one.share_after)],
        "absolute_share": [format_ratio(one.absolute_before), format_ratio(one.absolute_after)],
        "gpus": [format_ratio(one.gpus_before), format_ratio(one.gpus_after)],
        "gpu_hours_per_window": [one.gpu_hours_before, one.gpu_hours_after],
    }


def _balance(one: Balance) -> dict[str, Any]:
    return {
        "account": one.account,
        "pool": one.pool,
        "from": _at(one.start),
        "until": _at(one.end),
        "children": {account: format_ratio(moved) for account, moved in one.children},
        "unassigned": format_ratio(one.unassigned),
        "whole": format_ratio(one.whole),
    }


def _setting(one: Setting) -> dict[str, Any]:
    return {"subject": one.subject, "field": one.field, "before": one.before, "after": one.after}


def _exception(one: ExceptionChange) -> dict[str, Any]:
    return {
        "name": one.name,
        "what": one.what,
        "grant": one.grant,
        "expires": [_at(one.end_before), _at(one.end_after)],
    }


def _right(one: Right) -> dict[str, Any]:
    return {
        "account": one.account,
        "kind": one.kind,
        "direction": one.direction,
        "examples": [_example(example) for example in one.examples],
    }


def _example(one: Example) -> dict[str, Any]:
    return {"pool": one.pool, "at": _at(one.at), "what": one.what, "before": one.before, "after": one.after}


def _job(one: JobMove) -> dict[str, Any]:
    return {
        "job": one.job,
        "pool": one.pool,
        "account": one.account,
        "user": one.user,
        "running": one.running,
        "what": list(one.what),
        "rank": [one.rank_before, one.rank_after],
        "class": [one.class_before, one.class_after],
        "protection_seconds": [one.protection_before, one.protection_after],
    }
