"""Rankings for people: who is next in each pool, in which class, at what protection, and why."""

from __future__ import annotations

from collections.abc import Iterable

from policyctl.model.decisions import PoolRanking, RankedJob
from policyctl.render.basis import Basis
from policyctl.render.names_text import counted
from policyctl.render.reasons_text import sentence
from policyctl.render.table_text import hours, table, wrapped
from policyctl.render.terminal import painted, visible
from policyctl.units import format_duration

__all__ = ["render"]

_HEADER = ("rank", "job", "class", "protected", "account", "user", "virtual time", "why")
_SPARE = "-- spare cycles from here on: no job is funded, and virtual time begins again from the smallest --"
_LEGEND = (
    "virtual time: what the program used, and is charged for the jobs ranked before, divided by its share, in "
    "GPU-hours; the smallest goes next"
)


def render(pools: Iterable[PoolRanking], basis: Basis, *, colour: bool, columns: int | None = None) -> str:
    """Write one table for each pool; the virtual time is that of the program, in GPU-hours."""
    shown = list(pools)
    lines = [str(basis), *(wrapped(_LEGEND, columns) if any(pool.order for pool in shown) else ())]
    for pool in shown:
        lines += ["", painted(f"pool {pool.pool}: {_count(pool)}", "cyan", on=colour, bold=True)]
        lines += _order(pool)
        hidden = pool.pending - len(pool.order) - len(pool.errors)
        if hidden:
            lines.append(f"... and {hidden:,} more; `--top N` shows more, `--top 0` all of them")
        for job in pool.errors:
            why = "; ".join(sentence(reason) for reason in job.reasons)
            lines.append(painted(visible(f"not ranked: {job.job}: {why}"), "red", on=colour))
    return "\n".join(lines) + "\n"


def _order(pool: PoolRanking) -> list[str]:
    """Return the table of a pool, with a line where the class changes: the virtual times begin anew there."""
    if not pool.order:
        return []
    lines = table(_HEADER, [_row(job) for job in pool.order], right=frozenset({0, 3, 6}))
    funded = sum(job.klass == "funded" for job in pool.order)
    if 0 < funded < len(pool.order):
        lines.insert(1 + funded, _SPARE)
    return lines


def _count(pool: PoolRanking) -> str:
    return f"{counted(pool.pending, 'job')} {'waits' if pool.pending == 1 else 'wait'}"


def _row(job: RankedJob) -> tuple[str, ...]:
    protected, virtual = "-", "-"
    why: list[str] = []
    for reason in job.reasons:
        match reason.code:
            case "funded":
                protected = format_duration(reason.facts["protected_seconds"])
                if reason.facts.get("capped_by"):
                    why.append(f"capped by `{reason.facts['capped_by']}` of `{reason.facts['account']}`")
            case "fair_share":
                first = reason.facts["path"][0]["virtual_time_gpu_hours"]
                virtual = "share 0" if first is None else hours(first)
            case code:
                why.append(code.replace("_", " "))
    return (str(job.rank), job.job, job.klass, protected, job.account, job.user, virtual, "; ".join(why))
