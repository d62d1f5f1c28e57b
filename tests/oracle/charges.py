"""What one run costs, summed second by second; amounts count thousandths of a GPU times seconds times rate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from policyctl.model.jobs import Job, Outcome, PastRun
from policyctl.model.policy import Charge, Pool
from tests.oracle.windows import Span

__all__ = ["Bill", "bill_ended", "bill_running"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What is charged in the window, what is still committed, and what the second ledger records (plain GPU time)."""

    charged: Fraction
    committed: Fraction
    opportunistic: Fraction

    def __add__(self, other: Bill) -> Bill:
        return Bill(
            charged=self.charged + other.charged,
            committed=self.committed + other.committed,
            opportunistic=self.opportunistic + other.opportunistic,
        )


def _exact(weights: list[float]) -> Fraction:
    return sum((Fraction(weight) for weight in weights), Fraction(0))


def bill_running(
    job: Job,
    pool: Pool,
    charge: Charge,
    span: Span,
    *,
    funded: bool,
    protected: int,
    until: int | None = None,
) -> Bill:
    """Bill a run up to `until` (or `now`), with what its protection still commits at `now`."""
    assert job.start is not None
    end = span.now if until is None else min(until, span.now)
    armed = [span.second(at) for at in range(job.start, end) if at < job.start + protected]
    later = [span.second(at) for at in range(job.start, end) if at >= job.start + protected]
    if not funded:
        occupied = job.gpus * _exact(armed + later)
        return Bill(
            charged=occupied * pool.charge_rate * charge.opportunistic,
            committed=Fraction(0),
            opportunistic=occupied,
        )
    charged = _exact(armed) * charge.protected + _exact(later) * charge.after_protection
    left = max(0, job.start + protected - max(span.now, job.start)) if until is None else 0
    return Bill(
        charged=job.gpus * pool.charge_rate * charged,
        committed=job.gpus * pool.charge_rate * charge.protected * left,
        opportunistic=Fraction(0),
    )


def bill_ended(run: PastRun, pool: Pool, charge: Charge, span: Span, *, funded: bool, protected: int) -> Bill:
    """Bill a run that ended, with the price of the protection that it bought and left unused."""
    job, end = run.job, run.end
    assert job.start is not None
    if end > span.now:
        return bill_running(job, pool, charge, span, funded=funded, protected=protected)
    bill = bill_running(job, pool, charge, span, funded=funded, protected=protected, until=end)
    taken = run.outcome in {Outcome.PREEMPTED, Outcome.REQUEUED, Outcome.NODE_FAIL, Outcome.BOOT_FAIL}
    left = job.start + protected - end
    if not funded or taken or left <= 0:
        return bill
    price = job.gpus * pool.charge_rate * charge.protected * charge.unused_protection * left
    return bill + Bill(
        charged=price * Fraction(span.instant(end)), committed=Fraction(0), opportunistic=Fraction(0)
    )
