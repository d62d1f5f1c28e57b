"""What a simulation measured: plain numbers about one contestant, and the report that sets several side by side.

Times are seconds, GPU time is GPU-hours, shares and ratios are parts of one. Every formula is in `docs/simulator.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
    "ALL",
    "CLASSES",
    "SIZES",
    "Drain",
    "Group",
    "ImpossibleJob",
    "Interactive",
    "LongestWait",
    "Measures",
    "PoolMeasures",
    "PoolSeries",
    "PreemptionDay",
    "ProgramSeries",
    "Recovery",
    "SimulationReport",
    "UserProtection",
    "WaitLine",
    "WaitStatistics",
    "Warned",
    "WindowRow",
]

ALL = "all"
"""In a line of statistics: not split by pool, size or class; `/` is the account of everybody."""
SIZES = ("<=1", "2-8", "9-32", "33-128", ">128")
"""Job sizes by whole GPUs, smallest first (a fraction counts as the next whole GPU)."""
CLASSES = ("funded", "opportunistic")


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One account and all below it (`/`: everybody), over all pools, in GPU-hours where nothing else is said.

    `delivered` is GPU time held, split into `funded` and `opportunistic`; `lost` is the part of it that had to be done
    again, restart overhead included. `owed`, `met` and `met_useful` are sums over accounting windows and pools:
    min(demand, entitlement), min(delivered, owed), min(delivered - lost, owed). For `/` they are sums over programs.
    """

    path: str
    jobs: int
    completed: int
    delivered: float
    funded: float
    opportunistic: float
    lost: float
    demand: float
    entitlement: float
    owed: float
    met: float
    met_useful: float
    preemptions: int
    preempted_jobs: int
    most_preemptions: int
    restarts: int
    restarts_ok: int
    restarts_failed: int
    protection_bought: float
    protection_unused: float

    @property
    def delivery_ratio(self) -> float | None:
        """What was delivered of what was owed; None where nothing was."""
        return _ratio(self.met, self.owed)

    @property
    def useful_delivery_ratio(self) -> float | None:
        """The same without work that had to be done again."""
        return _ratio(self.met_useful, self.owed)

    @property
    def opportunistic_share(self) -> float | None:
        """The part of delivered time that nobody's budget paid for."""
        return _ratio(self.opportunistic, self.delivered)

    @property
    def restart_success(self) -> float | None:
        """The part of restarts that got to compute again."""
        return _ratio(self.restarts_ok, self.restarts_ok + self.restarts_failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRow:
    """One account in one accounting window of one pool, in GPU-hours; `[start, end)` are instants."""

    pool: str
    account: str
    start: int
    end: int
    entitlement: float
    demand: float
    owed: float
    delivered: float
    lost: float

    @property
    def delivery_ratio(self) -> float | None:
        """What was delivered of what was owed; None where nothing was."""
        return _ratio(min(self.delivered, self.owed), self.owed)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitStatistics:
    """Seconds from a job's submission to its first start; one that never started counts with its wait so far."""

    jobs: int
    never_started: int
    median: int
    p90: int
    p99: int
    longest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitLine:
    """Waits of one cut through the jobs: pool, program (`/`: all), size and class (`ALL`: not split)."""

    pool: str
    account: str
    size: str
    klass: str
    waits: WaitStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class LongestWait:
    """The longest single wait of any job of a size, first or after a preemption, from `since` on."""

    size: str
    job: str
    pool: str
    account: str
    since: int
    seconds: int
    still_waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """A maintenance: how long its nodes took to be empty, None where they never were before its end."""

    pool: str
    nodes: int
    at: int
    until: int
    seconds: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolMeasures:
    """One pool in GPU-hours: `capacity` all its nodes, `offered` without those out of service, `occupied` by jobs.

    `fragmentation` is time of idle GPUs while a job waited that would have fitted if all idle GPUs were one node;
    `claimed` is time of GPUs that stood empty for a job whose victims had not all left.
    """

    pool: str
    gpus: int
    capacity: float
    offered: float
    occupied: float
    claimed: float
    fragmentation: float
    drains: tuple[Drain, ...]

    @property
    def occupancy(self) -> float | None:
        """The part of what was offered that jobs held."""
        return _ratio(self.occupied, self.offered)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserProtection:
    """Protection that one user bought, in GPU-hours: what runs used of it, and what they ended without using."""

    account: str
    user: str
    runs: int
    bought: float
    used: float
    unused: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Interactive:
    """What became of interactive sessions; warnings are the seconds between the notice and a session's cut."""

    sessions: int
    started: int
    completed: int
    cut: int
    cut_protected: int
    waits: WaitStatistics | None
    shortest_warning: int | None
    median_warning: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """A program that came back at `returned` after `idle` seconds: the seconds until it had its share, None if never."""

    pool: str
    account: str
    idle: int
    returned: int
    seconds: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionDay:
    """Preemptions of one day of the simulation (from 0) in one pool, and the GPU-hours they lost."""

    pool: str
    day: int
    preemptions: int
    lost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSeries:
    """One program over the bins of a series: mean GPUs held, and at each bin's end its weighted use and its share.

    `usage` is its GPU time over the pool's, both weighted as the accounting window weighs them, as a part of one.
    """

    account: str
    occupied: tuple[float, ...]
    usage: tuple[float, ...]
    share: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSeries:
    """One pool over time, in bins of `width` seconds from `start`; the last bin may be shorter."""

    pool: str
    start: int
    width: int
    bins: int
    offered: tuple[float, ...]
    programs: tuple[ProgramSeries, ...]
    preemptions: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpossibleJob:
    """A job that its pool could not hold even if empty."""

    job: str
    pool: str
    account: str
    gpus: float
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """Something that the totals hide: a stable code, whom it concerns, and a sentence in lower case."""

    code: str
    subject: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Everything measured of one contestant on one workload with one seed.

    `policy` names whose shares and windows owed time is measured by; `[start, end)` is the simulated time and `window`
    the accounting window in words. `programs` are the accounts below `/`, `projects` those below them.
    """

    name: str
    policy: str
    seed: int
    start: int
    end: int
    window: str
    overall: Group
    programs: tuple[Group, ...]
    projects: tuple[Group, ...]
    pools: tuple[PoolMeasures, ...]
    windows: tuple[WindowRow, ...]
    waits: tuple[WaitLine, ...]
    longest_waits: tuple[LongestWait, ...]
    preemption_days: tuple[PreemptionDay, ...]
    users: tuple[UserProtection, ...]
    interactive: Interactive
    recoveries: tuple[Recovery, ...]
    series: tuple[PoolSeries, ...]
    warnings: tuple[Warned, ...]
    impossible: tuple[ImpossibleJob, ...]

    @property
    def occupancy(self) -> float | None:
        """The part of all GPU time on offer that jobs held."""
        return _ratio(sum(pool.occupied for pool in self.pools), sum(pool.offered for pool in self.pools))

    def wait(
        self, *, pool: str = ALL, account: str = "/", size: str = ALL, klass: str = ALL
    ) -> WaitStatistics | None:
        """Return the waits of one cut; None where it has no job."""
        wanted = (pool, account, size, klass)
        return next(
            (line.waits for line in self.waits if (line.pool, line.account, line.size, line.klass) == wanted),
            None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationReport:
    """Contestants side by side on the same workload and luck, with all that reproduces them.

    `command` is the line that was typed; `digests` name what was read (`bundle`, `workload`, ...) by its SHA-256.
    """

    title: str
    command: str
    version: str
    digests: Mapping[str, str] = field(default_factory=dict)
    contestants: tuple[Measures, ...]
