"""A preemption decision for people: the outcome, each victim with its reason, and when it can change."""

from __future__ import annotations

from policyctl.model.decisions import Authorization
from policyctl.render.reasons_text import sentence
from policyctl.render.terminal import painted, visible
from policyctl.units import Instant, format_duration, format_instant

__all__ = ["render"]

_COLOURS = {"granted": "green", "refused": "yellow", "error": "red"}


def render(answer: Authorization, *, bundle: str, now: Instant, colour: bool) -> str:
    """Write the outcome in the first line, in words that can be searched for."""
    lines = [painted(visible(_verdict(answer)), _COLOURS[answer.outcome], on=colour, bold=True)]
    for victim in answer.victims:
        word = painted(victim.outcome, _COLOURS[victim.outcome], on=colour)
        lines.append(f"  {word} {visible(victim.job)} ({victim.code})")
        lines += [f"    {visible(sentence(reason))}" for reason in victim.reasons]
    lines += [f"  {visible(sentence(reason))}" for reason in answer.reasons]
    if answer.retry_at is not None:
        lines.append(f"  the answer can change at {format_instant(answer.retry_at)}")
    lines.append(f"  as of {format_instant(now)}, policy {bundle[:19]}")
    return "\n".join(lines) + "\n"


def _verdict(answer: Authorization) -> str:
    count = len(answer.victims)
    victims = "1 job" if count == 1 else f"{count} jobs"
    match answer.outcome:
        case "granted" if not count:
            return f"granted: `{answer.job}` needs no preemption in pool `{answer.pool}`"
        case "granted":
            notice = f", with {format_duration(answer.notice)} of notice" if answer.notice else ""
            return f"granted: {victims} may be preempted for `{answer.job}` in pool `{answer.pool}`{notice}"
        case "refused":
            return f"refused: nothing may be preempted for `{answer.job}` in pool `{answer.pool}`"
        case "error":
            return f"error: no answer for `{answer.job}` in pool `{answer.pool}`, so nothing may be preempted"
