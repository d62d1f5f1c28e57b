"""What a lab is like: how many people, how much they want, when, how large, for how long, and how honest they are about it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from policyctl.units import Instant, Seconds

__all__ = ["SIZES", "LabMix", "Size"]

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Submissions of this many GPUs: how frequent they are beside others, and the median of what one job computes."""

    gpus: int
    weight: int
    median: Seconds


SIZES: tuple[Size, ...] = (
    Size(gpus=1, weight=38, median=Seconds(75 * _MINUTE)),
    Size(gpus=2, weight=12, median=Seconds(2 * _HOUR)),
    Size(gpus=4, weight=14, median=Seconds(150 * _MINUTE)),
    Size(gpus=8, weight=20, median=Seconds(3 * _HOUR)),
    Size(gpus=16, weight=7, median=Seconds(4 * _HOUR)),
    Size(gpus=32, weight=5, median=Seconds(5 * _HOUR)),
    Size(gpus=64, weight=3, median=Seconds(7 * _HOUR)),
    Size(gpus=128, weight=1, median=Seconds(8 * _HOUR)),
)
"""Many small jobs, few large ones: half of all jobs have at most two GPUs, half of the GPU time goes to those of 32 and more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabMix:
    """The parameters of a generated workload; the defaults are a busy lab that tells the truth more often than not.

    `load` is demand over capacity, in each pool. With `queue_depth` batch work is a closed loop: each researcher keeps that
    many jobs submitted and submits the next one `pause` after one is done, out of a stock of `load` times the capacity. With `at_most`
    it keeps its hours, but nobody has more than that many batch jobs submitted: what would be more comes when there is room. Parts are of 1.
    """

    seed: int
    start: Instant
    days: int = 30
    researchers: int = 150
    load: Fraction = Fraction(5, 2)
    queue_depth: int | None = None
    at_most: int | None = None
    pause: Seconds = Seconds(5 * _MINUTE)

    timezone: str = "UTC"
    """Whose office hours the day follows."""
    night: Fraction = Fraction(1, 5)
    """What is submitted in an hour of the night, as a part of the busiest hour."""
    weekend: Fraction = Fraction(1, 3)
    """What is submitted on a day of the weekend, as a part of a weekday."""
    skew: Fraction = Fraction(1, 4)
    """How unequally accounts ask, measured by their shares: the deviation of the logarithm; 0 asks in proportion."""

    unequal: Fraction = Fraction(3, 5)
    """How unequally the researchers of one account ask: the deviation of the logarithm; 0 asks alike."""

    sizes: tuple[Size, ...] = SIZES
    spread: Fraction = Fraction(1)
    """The deviation of the logarithm of what jobs of one size compute."""
    longest: Seconds = Seconds(5 * _DAY)
    sweep: int = 4
    """How many jobs of up to one node are submitted together, on average."""
    block: Fraction = Fraction(1, 2)
    """Jobs over several nodes that ask for one topology block, where the pool has blocks."""

    zero_declared: Fraction = Fraction(1, 5)
    """Submissions that declare no minimum runtime."""
    inflated: Fraction = Fraction(3, 10)
    """Researchers who declare a multiple of what their jobs need, up to `most_declared`."""
    most_declared: Seconds = Seconds(_DAY)
    urgent: Fraction = Fraction(1, 10)
    """Submissions that their owner calls urgent (priority 10)."""

    interactive: Fraction = Fraction(1, 10)
    """Submissions that are sessions somebody works in."""
    resumable: Fraction = Fraction(9, 10)
    """Batch jobs that can go on after they were stopped."""
    checkpoint_every: Seconds | None = Seconds(30 * _MINUTE)
    save_time: Seconds | None = Seconds(_MINUTE)
    restart_overhead: Seconds = Seconds(5 * _MINUTE)
    restart_failure: Fraction = Fraction(1, 50)
