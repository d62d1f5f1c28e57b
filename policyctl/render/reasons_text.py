"""Each reason as one sentence for people, made from its facts and from nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from policyctl.model.decisions import Reason
from policyctl.render.names_text import counted, listed, owner, owner_quoted
from policyctl.render.table_text import hours
from policyctl.units import format_duration, format_percent

__all__ = ["SENTENCES", "sentence"]

Facts = Mapping[str, Any]


def sentence(reason: Reason) -> str:
    """Return the sentence of a reason."""
    return SENTENCES[reason.code](reason.facts)


def _at(facts: Facts) -> str:
    return f" ({facts['written']})" if facts.get("written") else ""


def _until(facts: Facts) -> str:
    return f" until {facts['until']}" if facts.get("until") else ""


def _funded(facts: Facts) -> str:
    declared, protected = facts["declared_seconds"], facts["protected_seconds"]
    told = f"protected for {format_duration(protected)} from its start"
    if protected == declared:
        return f"funded: {told}, as declared"
    rule = facts.get("capped_by")
    cap = f"; rule `{rule}` of the cap on `{facts['account']}` allows no more{_at(facts)}" if rule else ""
    return f"funded: {told} of {format_duration(declared)} declared{cap}"


def _raised(facts: Facts) -> str:
    return (
        f"exception `{facts['exception']}` ({facts['ticket']}: {facts['reason']}) lifts the cap of "
        f"{format_duration(facts['cap_seconds'])}{_until(facts)}{_at(facts)}"
    )


def _fair_share(facts: Facts) -> str:
    steps = [
        f"{owner(step['account'])} {'share 0' if step['virtual_time_gpu_hours'] is None else hours(step['virtual_time_gpu_hours'])}"
        for step in facts["path"]
    ]
    return "virtual time when taken, in GPU-hours: " + " > ".join(steps)


def _suspended(facts: Facts) -> str:
    return (
        f"exception `{facts['exception']}` ({facts['ticket']}: {facts['reason']}) gives `{facts['account']}` no new "
        f"protection{_until(facts)}{_at(facts)}"
    )


def _compared(facts: Facts) -> str:
    other = facts["victim_virtual_time_gpu_hours"]
    against = "has share 0" if other is None else f"stands at {hours(other)}"
    hysteresis = Fraction(facts["hysteresis"])
    margin = f", plus {format_percent(hysteresis)} hysteresis" if hysteresis else ""
    return (
        f"below `{facts['below']}`, {owner_quoted(facts['account'])} would stand at a virtual time of "
        f"{hours(facts['virtual_time_after_gpu_hours'])} after paying{margin}; "
        f"{owner_quoted(facts['victim_account'])} {against}"
    )


def _wanted(facts: Facts) -> str:
    nodes = facts["nodes"]
    spread = f" on {nodes} nodes" if nodes > 1 else " on one node"
    return f"{facts['gpus']} GPUs{spread}{' of one block' if facts['block'] else ''}"


def _would_not_start(facts: Facts) -> str:
    return f"it needs {_wanted(facts)}; {facts['free_gpus']} would be free, and it would not start"


def _never_fits(facts: Facts) -> str:
    pool, enough = f"pool `{facts['pool']}`", facts["nodes_large_enough"]
    if Fraction(facts["gpus"]) > Fraction(facts["pool_gpus"]):
        there = f"{pool} has {facts['pool_gpus']} in all"
    elif not enough:
        there = f"the largest of the {facts['pool_nodes']} nodes of {pool} has {facts['largest_node_gpus']}"
    elif enough < facts["nodes"]:
        there = f"{enough} of the {facts['pool_nodes']} nodes of {pool} are large enough"
    else:
        there = f"no block of {pool} has as many"
    return f"never starts: it asks for {_wanted(facts)}, and {there}, even when nothing runs"


def _unknown_account(facts: Facts) -> str:
    meant = f"; did you mean `{facts['nearest']}`?" if facts["nearest"] else ""
    return f"opportunistic: no budget names the account `{facts['account']}`{meant}"


def _codes(codes: list[str]) -> str:
    return ", ".join(code.replace("_", " ") for code in codes)


def _available(facts: Facts) -> str:
    what = _WHY.get(facts["why"], facts["why"].replace("_", " "))
    soonest = f"; the first of these can lapse at {facts['retry_at']}" if facts["retry_at"] else ""
    return f"{counted(facts['jobs'], 'running job')}: {what}{soonest}"


_WHY = {
    "victim_protected": "still protected",
    "not_behind": "its branch is not further ahead than the asking one would be",
    "same_account_other_user": "another user of the same account",
    "priority_not_higher": "the same user's, and of no lower priority",
    "guard": "kept by a guard",
    "per_job_limit": "preempted as often as a job may be",
    "rule_failed": "a rule could not be evaluated on it",
}

SENTENCES: dict[str, Callable[[Facts], str]] = {
    "funded": _funded,
    "raised_by_exception": _raised,
    "fair_share": _fair_share,
    "min_runtime_exceeds_time_limit": lambda facts: (
        f"it declares {format_duration(facts['declared_seconds'])} but its time limit is "
        f"{format_duration(facts['time_limit_seconds'])}: the rest would be paid as unused protection"
    ),
    "declared_zero": lambda _: "opportunistic: it declares no minimum runtime",
    "unknown_account": _unknown_account,
    "inner_account": lambda facts: (
        f"opportunistic: `{facts['account']}` is divided among {listed(facts['children'])}; jobs belong to one of these"
    ),
    "zero_share": lambda facts: f"opportunistic: `{facts['account']}` has no share now{_at(facts)}",
    "suspended": lambda facts: "opportunistic: " + _suspended(facts),
    "overdraft": lambda facts: (
        f"opportunistic: `{facts['account']}` has committed more than "
        f"{format_percent(Fraction(facts['overdraft']))} beyond its entitlement{_at(facts)}"
    ),
    "rule_failed": lambda facts: (
        f"rule `{facts['rule']}` could not be evaluated: {facts['message']}{_at(facts)}; an error never authorizes"
    ),
    "running": lambda facts: (
        f"runs since {facts['start']}"
        + (
            f", protected until {facts['protected_until']}"
            if facts["protected"]
            else f", no longer protected since {facts['protected_until']}"
            if facts["protected_until"]
            else ", never protected"
        )
    ),
    "own_order": lambda facts: (
        f"`{facts['user']}` has {facts['own_jobs_before']} of its own jobs before it "
        f"(priority {facts['priority']}, submitted {facts['submit']})"
    ),
    "preemptor_not_pending": lambda facts: f"it runs already, since {facts['start']}",
    "preemptor_opportunistic": lambda facts: f"an opportunistic job never preempts ({_codes(facts['why'])})",
    "victim_protected": lambda facts: (
        f"protected for {format_duration(facts['protected_seconds'])} from {facts['start']}, until {facts['until']}"
    ),
    "victim_opportunistic": lambda facts: (
        f"opportunistic ({_codes(facts['why'])}): it never bought protection"
    ),
    "still_behind": _compared,
    "not_behind": lambda facts: _compared(facts) + ": not behind enough",
    "same_account_other_user": lambda facts: (
        f"another user of `{facts['account']}`: within an account only a user's own jobs give way to each other"
    ),
    "higher_priority_of_the_same_user": lambda facts: (
        f"the same user's job of lower priority ({facts['victim_priority']} against {facts['priority']})"
    ),
    "priority_not_higher": lambda facts: (
        f"the same user's job, priority {facts['victim_priority']} against {facts['priority']}: not lower"
    ),
    "guard": lambda facts: f"guard `{facts['rule']}`: {facts['reason']}{_at(facts)}",
    "frozen": lambda facts: (
        f"exception `{facts['exception']}` ({facts['ticket']}: {facts['reason']}) freezes the pool"
        f"{_until(facts)}{_at(facts)}"
    ),
    "per_job_limit": lambda facts: (
        f"preempted {facts['preemptions']} times within {format_duration(facts['within_seconds'])}, at most "
        f"{facts['max']} are allowed{_at(facts)}"
    ),
    "pool_hourly_limit": lambda facts: (
        f"the pool may lose {hours(facts['max_gpu_hours_per_hour'])} GPU-hours an hour; {hours(facts['lost_gpu_hours'])} "
        f"are lost already and these victims risk {hours(facts['at_risk_gpu_hours'])}{_at(facts)}"
    ),
    "unknown_victim": lambda facts: (
        f"the state has no job `{facts['job']}`"
        + (f"; did you mean `{facts['nearest']}`?" if facts["nearest"] else "")
    ),
    "victim_not_running": lambda _: "it does not run",
    "other_pool": lambda facts: (
        f"it runs in pool `{facts['pool']}`; room is needed in `{facts['needed_in']}`"
    ),
    "victims_refused": lambda facts: f"refused for {listed(facts['jobs'])}, and a set is granted only whole",
    "victims_failed": lambda facts: f"no answer for {listed(facts['jobs'])}; an error never authorizes",
    "can_start": lambda facts: (
        f"with these gone it can start ({facts['free_gpus']} GPUs free for {facts['gpus']})"
    ),
    "would_not_start": _would_not_start,
    "never_fits": _never_fits,
    "not_needed": lambda facts: f"not needed: it could start with {listed(facts['jobs'])} left alone",
    "fits_without_preemption": lambda facts: (
        f"it fits without preempting anybody ({facts['free_gpus']} GPUs are free)"
    ),
    "not_available": _available,
    "placement_unknown": lambda facts: (
        f"{facts['jobs']} running {'job does' if facts['jobs'] == 1 else 'jobs do'} not say where "
        f"(`{facts['first']}` is one): capacity is counted for the pool as a whole, not by node"
    ),
}
