"""Usage for people: a table with a bar for each account, of what it used against what it is entitled to."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from policyctl.model.decisions import AccountUsage, PoolUsage
from policyctl.render.table_text import hours, table
from policyctl.render.terminal import painted
from policyctl.units import Instant, format_instant, format_percent

__all__ = ["render"]

_HEADER = ("account", "share", "of pool", "entitled", "charged", "committed", "used", "owed", "spare", "")
_NUMBERS = frozenset({1, 2, 3, 4, 5, 7, 8})
_CELLS = 20


def render(pools: Iterable[PoolUsage], *, bundle: str, now: Instant, colour: bool) -> str:
    """Write one table for each pool, in GPU-hours as the window weighs them."""
    lines = [f"as of {format_instant(now)}, policy {bundle[:19]}, in GPU-hours"]
    for pool in pools:
        lines += ["", painted(_title(pool), "cyan", on=colour, bold=True)]
        lines += table(_HEADER, [_row(one) for one in pool.accounts], right=_NUMBERS)
    lines += [
        "",
        "charged: in the window; committed: protection still to come; owed: the smaller of entitled and demand;",
        "spare: opportunistic time, not charged against the share unless the policy says so",
    ]
    return "\n".join(lines) + "\n"


def _title(pool: PoolUsage) -> str:
    rate = "" if pool.charge_rate == "1" else f", charge rate {pool.charge_rate}"
    return (
        f"pool {pool.pool}: {hours(pool.capacity_gpu_hours)} GPU-hours in the window from "
        f"{format_instant(pool.window_start)} to {format_instant(pool.window_end)}{rate}, "
        f"unassigned {format_percent(Fraction(pool.unassigned_share))}"
    )


def _row(one: AccountUsage) -> tuple[str, ...]:
    depth = 0 if one.account == "/" else one.account.count("/")
    return (
        "  " * depth + (one.account if one.account == "/" else one.account.rpartition("/")[2]),
        format_percent(Fraction(one.share), 1),
        format_percent(Fraction(one.absolute_share), 1),
        hours(one.entitled_gpu_hours),
        hours(one.charged_gpu_hours),
        hours(one.committed_gpu_hours),
        _bar(one.charged_gpu_hours + one.committed_gpu_hours, one.entitled_gpu_hours),
        hours(one.owed_gpu_hours),
        hours(one.opportunistic_gpu_hours),
        "" if one.known else "in no budget",
    )


def _bar(used: float, entitled: float) -> str:
    """Draw what was used of the entitlement: `#` up to it, `+` for the half beyond it, and the percentage."""
    if entitled <= 0:
        return "nothing entitled" if used > 0 else ""
    part = used / entitled
    full = min(_CELLS, round(part * _CELLS))
    beyond = min(_CELLS // 2, round(max(0.0, part - 1) * _CELLS))
    return f"[{'#' * full}{'.' * (_CELLS - full)}]{'+' * beyond} {part:.0%}"
