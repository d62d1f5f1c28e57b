"""A quote in sentences: predictability or spare cycles, what it costs, and what another minimum runtime would change."""

from __future__ import annotations

from policyctl.model.decisions import Quote, QuoteAlternative, Reason
from policyctl.render.basis import Basis
from policyctl.render.reasons_text import sentence
from policyctl.render.table_text import hours
from policyctl.render.terminal import painted, visible
from policyctl.units import format_duration, gpus_text

__all__ = ["render"]

_FIRST = {"never_fits", "unknown_account"}
"""Reasons that make the rest of a quote worthless."""


def render(answer: Quote, basis: Basis, *, colour: bool) -> str:
    """Write what makes the quote worthless first, then the verdict, its reasons, and the alternatives."""
    first = [reason for reason in answer.reasons if reason.code in _FIRST]
    lines = [painted(visible(_warning(reason)), "yellow", on=colour, bold=True) for reason in first]
    verdict = ("otherwise: " if _hopeless(answer) else "as written: " if first else "") + _verdict(answer)
    tone = "red" if answer.klass is None else "green" if not first else "cyan"
    lines.append(painted(visible(verdict), tone, on=colour, bold=True))
    lines += [f"  {visible(sentence(reason))}" for reason in answer.reasons if reason not in first]
    if answer.klass == "funded":
        lines.append(
            f"  if it ends early, {hours(answer.unused_cost_gpu_hours)} GPU-hours at most are charged for the rest"
        )
    if not any(reason.code == "unknown_account" for reason in answer.reasons):
        lines.append(
            f"  `{visible(answer.account)}` has used {hours(answer.used_gpu_hours)} of the {hours(answer.entitled_gpu_hours)} "
            "GPU-hours it is entitled to in the window"
        )
    lines += [f"  {_alternative(other)}" for other in answer.alternatives]
    lines.append(f"  {basis}; a quote, not a reservation")
    return "\n".join(lines) + "\n"


def _hopeless(answer: Quote) -> bool:
    return any(reason.code == "never_fits" for reason in answer.reasons)


def _warning(reason: Reason) -> str:
    return sentence(reason).removeprefix("opportunistic: ")


def _verdict(answer: Quote) -> str:
    place = (
        "" if answer.rank is None else f"; it would be {answer.rank} of {answer.of} in pool `{answer.pool}`"
    )
    match answer.klass:
        case "funded":
            return (
                f"buys predictability: nobody may preempt it for {format_duration(answer.protected)} after it starts, "
                f"for {_cost(answer)} of `{answer.account}`{place}"
            )
        case "opportunistic":
            price = (
                "it costs no share"
                if answer.spare_rate == "0"
                else f"each GPU-hour is charged at {answer.spare_rate}"
            )
            return f"harvests spare cycles: {price}, and it may be preempted at any moment{place}"
        case None:
            return "no quote: a rule of the policy could not be evaluated on this job"


def _cost(answer: Quote) -> str:
    """Return the charge, and how it comes about where it is not the GPU-hours that are protected."""
    charged = f"{hours(answer.cost_gpu_hours)} GPU-hours"
    if answer.charge_rate == "1":
        return charged
    real = f"{gpus_text(answer.gpus)} GPUs for {format_duration(answer.protected)}"
    return f"{charged} ({real}, charged at {answer.charge_rate} per GPU-hour)"


def _alternative(other: QuoteAlternative) -> str:
    asking = (
        f"a minimum runtime of {format_duration(other.declared)}" if other.declared else "no minimum runtime"
    )
    if other.klass == "funded":
        return (
            f"with {asking}: {hours(other.cost_gpu_hours)} GPU-hours, "
            f"protected for {format_duration(other.protected)}, rank {other.rank}"
        )
    return f"with {asking}: spare cycles, no protection, rank {other.rank}"
