"""A preemption decision for people: the outcome, each victim with its reason, and when it can change."""

from __future__ import annotations

from policyctl.model.decisions import Authorization, VictimVerdict
from policyctl.render.basis import Basis
from policyctl.render.names_text import counted
from policyctl.render.reasons_text import sentence
from policyctl.render.terminal import painted, visible
from policyctl.units import format_duration, format_instant, gpus_text

__all__ = ["render"]

_COLOURS = {"granted": "green", "refused": "yellow", "error": "red"}
_COMPARING = {"still_behind", "not_behind"}


def render(answer: Authorization, basis: Basis, *, colour: bool) -> str:
    """Write the outcome in the first line, in words that can be searched for."""
    lines = [painted(visible(_verdict(answer)), _COLOURS[answer.outcome], on=colour, bold=True)]
    for victim in answer.victims:
        word = painted(victim.outcome, _COLOURS[victim.outcome], on=colour)
        lines.append(f"  {word} {visible(victim.job)} ({victim.code}){visible(_whose(victim))}")
        lines += [f"    {visible(sentence(reason))}" for reason in victim.reasons]
    lines += [f"  {visible(sentence(reason))}" for reason in answer.reasons]
    if answer.retry_at is not None:
        lines.append(
            f"  it can be granted at {format_instant(answer.retry_at)} at the earliest, if nothing else changes"
        )
    if any(reason.code in _COMPARING for victim in answer.victims for reason in victim.reasons):
        lines.append("  virtual time: usage divided by share, in GPU-hours")
    lines.append(f"  {basis}")
    return "\n".join(lines) + "\n"


def _whose(victim: VictimVerdict) -> str:
    if victim.gpus is None:
        return ""
    gpus = gpus_text(victim.gpus)
    return f": {gpus} {'GPU' if gpus == '1' else 'GPUs'} of {victim.user} in {victim.account}"


def _verdict(answer: Authorization) -> str:
    count = len(answer.victims)
    whom = f"for `{answer.job}` in pool `{answer.pool}`"
    match answer.outcome:
        case "granted" if not count:
            return f"granted: `{answer.job}` needs no preemption in pool `{answer.pool}`"
        case "granted":
            notice = f", with {format_duration(answer.notice)} of notice" if answer.notice else ""
            return f"granted: {counted(count, 'job')} may be preempted {whom}{notice}"
        case "refused" if not count:
            return f"refused: nothing may be preempted {whom}"
        case "refused":
            return f"refused: {'this job' if count == 1 else 'these jobs'} may not be preempted {whom}"
        case "error":
            return f"error: no answer {whom}, so nothing may be preempted"
