"""A quote in sentences: predictability or spare cycles, what it costs, and what another minimum runtime would change."""

from __future__ import annotations

from policyctl.model.decisions import Quote
from policyctl.render.reasons_text import sentence
from policyctl.render.table_text import hours
from policyctl.render.terminal import painted, visible
from policyctl.units import Instant, format_duration, format_instant

__all__ = ["render"]


def render(answer: Quote, *, bundle: str, now: Instant, colour: bool) -> str:
    """Write the verdict first, then its reasons, then the alternatives."""
    lines = [painted(visible(_verdict(answer)), "green" if answer.klass else "red", on=colour, bold=True)]
    lines += [f"  {visible(sentence(reason))}" for reason in answer.reasons]
    if answer.klass == "funded":
        lines.append(
            f"  if it ends early, {hours(answer.unused_cost_gpu_hours)} GPU-hours at most are charged for the rest"
        )
    lines.append(
        f"  `{answer.account}` has used {hours(answer.used_gpu_hours)} of the {hours(answer.entitled_gpu_hours)} "
        "GPU-hours it is entitled to in the window"
    )
    lines += [f"  {line}" for line in _alternatives(answer)]
    lines.append(f"  as of {format_instant(now)}, policy {bundle[:19]}; a quote, not a reservation")
    return "\n".join(lines) + "\n"


def _verdict(answer: Quote) -> str:
    place = (
        "" if answer.rank is None else f"; it would be {answer.rank} of {answer.of} in pool `{answer.pool}`"
    )
    match answer.klass:
        case "funded":
            return (
                f"buys predictability: nobody may preempt it for {format_duration(answer.protected)} after it starts, "
                f"for {hours(answer.cost_gpu_hours)} GPU-hours of `{answer.account}`{place}"
            )
        case "opportunistic":
            return f"harvests spare cycles: it costs no share and may be preempted at any moment{place}"
        case None:
            return "no quote: a rule of the policy could not be evaluated on this job"


def _alternatives(answer: Quote) -> list[str]:
    lines = []
    for other in answer.alternatives:
        if other.klass == "funded":
            lines.append(
                f"with a minimum runtime of {format_duration(other.declared)}: {hours(other.cost_gpu_hours)} GPU-hours, "
                f"protected for {format_duration(other.protected)}, rank {other.rank}"
            )
        else:
            lines.append(
                f"with a minimum runtime of {format_duration(other.declared)}: spare cycles, no protection, rank {other.rank}"
            )
    return lines
