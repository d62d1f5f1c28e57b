"""Why no set of victims makes room for a job, and from when on one could."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import numpy as np

from policyctl.decide.case import Bench, Case
from policyctl.decide.hourly import hourly_limit
from policyctl.decide.judge import HOUR, Judgement
from policyctl.decide.place import Trial
from policyctl.decide.table import NEVER
from policyctl.model.decisions import Reason
from policyctl.units import Instant, format_instant, gpus_text

__all__ = ["asked", "earliest", "free", "standing_against"]


def free(trial: Trial) -> dict[str, object]:
    """Return what is free, as facts of a reason."""
    return {"free_gpus": gpus_text(trial.free_gpus)}


def asked(case: Case) -> dict[str, object]:
    """Return what the job asks for, as facts of a reason."""
    return {"gpus": gpus_text(case.job.gpus), "nodes": case.job.nodes, "block": case.demand.block}


def standing_against(case: Case, bench: Bench, judged: Judgement) -> list[Reason]:
    """Say why there is no set: a freeze before all else, then how much is missing, then who is kept by what."""
    trial = _without_clear(case, bench, judged)
    reasons = [] if judged.frozen is None else [judged.frozen.reason]
    reasons.append(Reason("would_not_start", free(trial) | asked(case)))
    reasons.extend(_kept(judged))
    if judged.frozen is None and trial.fits():
        busy = hourly_limit(case, bench, int(judged.at_risk[judged.clear()].sum()))
        reasons += [] if busy is None else [busy.reason]
    return reasons


def _without_clear(case: Case, bench: Bench, judged: Judgement) -> Trial:
    """Return the pool without all running jobs that nothing stands against."""
    trial = Trial(bench.capacity, case.demand)
    for place in np.flatnonzero(judged.clear()).tolist():
        trial.remove(bench.jobs[place].id)
    return trial


def _kept(judged: Judgement) -> list[Reason]:
    """Count by its first reason every running job that something of its own stands against."""
    blocked = np.flatnonzero(~judged.clear()).tolist()
    lapses = judged.retry().tolist()
    counts: Counter[str] = Counter()
    soonest: dict[str, int] = {}
    for place in blocked:
        code = judged.marks(place)[0].reason.code
        if code == "frozen":
            continue
        counts[code] += 1
        if lapses[place] != NEVER:
            soonest[code] = min(lapses[place], soonest.get(code, lapses[place]))
    return [
        Reason(
            "not_available",
            {
                "why": code,
                "jobs": counts[code],
                "retry_at": format_instant(soonest[code]) if code in soonest else None,
            },
        )
        for code in sorted(counts)
    ]


def earliest(case: Case, bench: Bench, judged: Judgement) -> Instant | None:
    """Return the first instant at which enough refusals can have lapsed for the job to fit; None if never by time.

    Before it the answer stays a refusal as long as nothing happens on the cluster, the guards answer alike and usage
    puts nobody further ahead. Where only the hourly limit is in the way it is the first instant at which the hour
    forgets a loss, or another refusal can lapse.
    """
    trial = _without_clear(case, bench, judged)
    blocked = np.flatnonzero(~judged.clear())
    lapses = judged.retry()
    coming = sorted((int(lapses[place]), place) for place in blocked.tolist() if lapses[place] != NEVER)
    if trial.fits():
        forgotten = [end + HOUR for end, lost in bench.lost if lost]
        return Instant(min(forgotten + [at for at, _ in coming])) if forgotten or coming else None
    for at, group in groupby(coming, key=lambda one: one[0]):
        for _, place in group:
            trial.remove(bench.jobs[place].id)
        if trial.fits():
            return Instant(at)
    return None
