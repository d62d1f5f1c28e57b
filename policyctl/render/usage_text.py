"""Usage for people: a table with a bar for each account, of what it used against what it is entitled to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from policyctl.model.decisions import AccountUsage, PoolUsage
from policyctl.render.basis import Basis
from policyctl.render.table_text import fitting, hours, table, wrapped
from policyctl.render.terminal import painted
from policyctl.units import format_duration, format_instant, format_percent

__all__ = ["render"]

_STRANGER = "in no budget"
_MEANINGS = {
    "charged": "in the window",
    "committed": "protection still to come",
    "used": "charged and committed, of entitled",
    "owed": "the smaller of entitled and demand",
    "spare": "opportunistic GPU-hours as they ran, not charged against the share unless the policy says so",
}


@dataclass(frozen=True, slots=True)
class _Layout:
    """Columns to show, and how many characters a bar has; 0 leaves only its percentage."""

    names: tuple[str, ...]
    cells: int


_ALL = ("account", "share", "of pool", "entitled", "charged", "committed", "used", "owed", "spare")
_LAYOUTS = (
    _Layout((*_ALL, ""), 20),
    _Layout(_ALL, 20),
    _Layout(_ALL, 10),
    _Layout(tuple(name for name in _ALL if name != "share"), 10),
    _Layout(tuple(name for name in _ALL if name != "share"), 0),
    _Layout(tuple(name for name in _ALL if name not in {"share", "owed"}), 0),
    _Layout(tuple(name for name in _ALL if name not in {"share", "owed", "spare"}), 0),
)
"""From wide to narrow: entitled, charged and committed are never left out, for without them nothing can be judged."""


def render(pools: Iterable[PoolUsage], basis: Basis, *, colour: bool, columns: int | None = None) -> str:
    """Write one table for each pool, in GPU-hours as the window weighs them, in the widest form that fits."""
    shown = list(pools)
    layout, tables = _widest(shown, columns)
    lines = wrapped(f"{basis}, in GPU-hours", columns)
    for pool, body in zip(shown, tables, strict=True):
        lines.append("")
        lines += [painted(line, "cyan", on=colour, bold=True) for line in wrapped(_title(pool), columns)]
        lines += body
    meanings = [f"{name}: {told}" for name, told in _MEANINGS.items() if name in layout.names]
    if "" not in layout.names and any(not one.known for pool in shown for one in pool.accounts):
        meanings.append(f"*: {_STRANGER}")
    return "\n".join([*lines, "", *wrapped("; ".join(meanings), columns or 110)]) + "\n"


def _widest(pools: Sequence[PoolUsage], columns: int | None) -> tuple[_Layout, list[list[str]]]:
    for layout in _LAYOUTS[:-1]:
        tables = [_table(pool, layout) for pool in pools]
        if fitting([line for lines in tables for line in lines], columns):
            return layout, tables
    return _LAYOUTS[-1], [_table(pool, _LAYOUTS[-1]) for pool in pools]


def _table(pool: PoolUsage, layout: _Layout) -> list[str]:
    right = frozenset(
        number for number, name in enumerate(layout.names) if name not in {"account", "used", ""}
    )
    rows = [_row(one, layout) for one in pool.accounts]
    return table(layout.names, [[row[name] for name in layout.names] for row in rows], right=right)


def _title(pool: PoolUsage) -> str:
    rate = "" if pool.charge_rate == "1" else f", charged at {pool.charge_rate} per GPU-hour"
    decay = "" if pool.half_life is None else f", weighted with half-life {format_duration(pool.half_life)}"
    return (
        f"pool {pool.pool}: {hours(pool.capacity_gpu_hours)} GPU-hours in the window from "
        f"{format_instant(pool.window_start)} to {format_instant(pool.window_end)}{decay}{rate}, "
        f"unassigned {format_percent(Fraction(pool.unassigned_share))}"
    )


def _row(one: AccountUsage, layout: _Layout) -> dict[str, str]:
    depth = 0 if one.account == "/" else one.account.count("/")
    name = one.account if one.account == "/" else one.account.rpartition("/")[2]
    mark = " *" if not one.known and "" not in layout.names else ""
    return {
        "account": "  " * depth + name + mark,
        "share": format_percent(Fraction(one.share), 1),
        "of pool": format_percent(Fraction(one.absolute_share), 1),
        "entitled": hours(one.entitled_gpu_hours),
        "charged": hours(one.charged_gpu_hours),
        "committed": hours(one.committed_gpu_hours),
        "used": _bar(one.charged_gpu_hours + one.committed_gpu_hours, one.entitled_gpu_hours, layout.cells),
        "owed": hours(one.owed_gpu_hours),
        "spare": hours(one.opportunistic_gpu_hours),
        "": "" if one.known else _STRANGER,
    }


def _bar(used: float, entitled: float, cells: int) -> str:
    """Draw what was used of the entitlement: `#` up to it, `+` for the half beyond it, and the percentage."""
    if entitled <= 0:
        return "nothing entitled" if used > 0 else ""
    part = used / entitled
    if not cells:
        return f"{part:.0%}"
    full = min(cells, round(part * cells))
    beyond = min(cells // 2, round(max(0.0, part - 1) * cells))
    return f"[{'#' * full}{'.' * (cells - full)}]{'+' * beyond} {part:.0%}"
