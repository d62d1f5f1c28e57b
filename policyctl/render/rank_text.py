"""Rankings for people: who is next in each pool, in which class, at what protection, and why."""

from __future__ import annotations

from collections.abc import Iterable

from policyctl.model.decisions import PoolRanking, RankedJob
from policyctl.render.reasons_text import sentence
from policyctl.render.table_text import hours, table
from policyctl.render.terminal import painted, visible
from policyctl.units import Instant, format_duration, format_instant

__all__ = ["render"]

_HEADER = ("rank", "job", "class", "protected", "account", "user", "virtual time", "why")


def render(pools: Iterable[PoolRanking], *, bundle: str, now: Instant, colour: bool) -> str:
    """Write one table for each pool; the virtual time is that of the program, in GPU-hours per share."""
    lines = [f"as of {format_instant(now)}, policy {bundle[:19]}"]
    for pool in pools:
        lines += ["", painted(f"pool {pool.pool}: {_count(pool)}", "cyan", on=colour, bold=True)]
        if pool.order:
            lines += table(_HEADER, [_row(job) for job in pool.order], right=frozenset({0, 3, 6}))
        hidden = pool.pending - len(pool.order) - len(pool.errors)
        if hidden:
            lines.append(f"... and {hidden:,} more; `--top N` shows more, `--top 0` all of them")
        for job in pool.errors:
            why = "; ".join(sentence(reason) for reason in job.reasons)
            lines.append(painted(visible(f"not ranked: {job.job}: {why}"), "red", on=colour))
    return "\n".join(lines) + "\n"


def _count(pool: PoolRanking) -> str:
    return f"{pool.pending:,} {'job waits' if pool.pending == 1 else 'jobs wait'}"


def _row(job: RankedJob) -> tuple[str, ...]:
    protected, virtual, why = "-", "-", ""
    for reason in job.reasons:
        match reason.code:
            case "funded":
                protected = format_duration(reason.facts["protected_seconds"])
                cap = reason.facts.get("capped_by")
                why = f"capped by `{cap}`" if cap else ""
            case "fair_share":
                first = reason.facts["path"][0]["virtual_time_gpu_hours"]
                virtual = "share 0" if first is None else hours(first)
            case code:
                why = "; ".join(part for part in (why, code.replace("_", " ")) if part)
    return (str(job.rank), job.job, job.klass, protected, job.account, job.user, virtual, why)
