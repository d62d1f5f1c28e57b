"""The lab of this example: its pools, its forms of work, and its twenty projects with their habits."""

from __future__ import annotations

from dataclasses import dataclass

HOUR, DAY = 3_600, 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Nodes of one kind; `crowd` is how many times its GPUs may wait before people stop submitting.

    The nodes `out` (counted from 1) go down a day before the end, and stay down.
    """

    name: str
    nodes: int
    width: int
    block: int
    crowd: float
    out: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A kind of work: its sizes in GPUs (repeated ones are likelier), run time (median hours, spread), day work or not."""

    name: str
    sizes: tuple[float, ...]
    hours: float
    spread: float
    by_day: bool = False
    interactive: bool = False
    batch: tuple[int, int] = (1, 1)
    """Fewest and most jobs of one submission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """An account, how many researchers it has, its demand by pool (part of the pool), and its forms by GPU time.

    `honesty` is the chance that a declared minimum runtime is what the job needs; `inflated` the chance that it is far
    more; the rest declares nothing. `priority` is what its jobs write into the priority field.
    """

    account: str
    people: int
    demand: dict[str, float]
    forms: dict[str, float]
    honesty: float = 0.5
    inflated: float = 0.2
    priority: tuple[int, ...] = (0, 0, 0, 10)


POOLS = (
    Pool(name="h100", nodes=80, width=8, block=16, crowd=2.4, out=(37, 58)),
    Pool(name="a100", nodes=48, width=8, block=16, crowd=2.2, out=(11,)),
    Pool(name="l40s", nodes=44, width=4, block=44, crowd=2.2, out=(9,)),
)
FORMS = {
    form.name: form
    for form in (
        Form(name="large", sizes=(64, 64, 64, 96, 128, 128, 256), hours=16, spread=0.5),
        Form(name="train", sizes=(8, 16, 16, 32, 48), hours=9, spread=0.6),
        Form(name="tune", sizes=(2, 4, 8, 8, 8), hours=11, spread=0.7, batch=(1, 3)),
        Form(name="sweep", sizes=(1, 2, 2), hours=14, spread=0.4, batch=(6, 20)),
        Form(name="rollout", sizes=(2, 4, 4), hours=12, spread=0.5, batch=(3, 8)),
        Form(name="notebook", sizes=(0.5, 1, 1, 2), hours=4, spread=0.5, by_day=True, interactive=True),
        Form(name="debug", sizes=(1, 2, 4, 8), hours=0.3, spread=0.6, by_day=True),
    )
}
LARGE = {"large": 0.6, "train": 0.3, "tune": 0.1, "debug": 0.001}
MIXED = {"large": 0.2, "train": 0.4, "tune": 0.36, "sweep": 0.03, "notebook": 0.012, "debug": 0.001}
SMALL = {"train": 0.4, "tune": 0.52, "sweep": 0.06, "notebook": 0.012, "debug": 0.003}
PROJECTS = (
    Project(account="/language/pretrain", people=14, demand={"h100": 0.24, "a100": 0.1}, forms=LARGE),
    Project(
        account="/language/posttrain",
        people=12,
        demand={"h100": 0.13, "a100": 0.1, "l40s": 0.06},
        forms=MIXED,
    ),
    Project(account="/language/multilingual", people=8, demand={"h100": 0.04, "a100": 0.06}, forms=MIXED),
    Project(account="/language/retrieval", people=8, demand={"h100": 0.03, "a100": 0.04}, forms=SMALL),
    Project(
        account="/language/evaluation",
        people=6,
        demand={"h100": 0.02, "a100": 0.03, "l40s": 0.06},
        forms=SMALL,
    ),
    # Every job of this project is urgent, and has been for months.
    Project(
        account="/vision/video",
        people=12,
        demand={"h100": 0.19, "a100": 0.05},
        forms=MIXED,
        honesty=0.2,
        inflated=0.7,
        priority=(100, 500, 1000),
    ),
    Project(
        account="/vision/scenes", people=9, demand={"h100": 0.05, "a100": 0.04, "l40s": 0.16}, forms=MIXED
    ),
    Project(
        account="/vision/perception", people=7, demand={"h100": 0.03, "a100": 0.07, "l40s": 0.08}, forms=SMALL
    ),
    Project(
        account="/robotics/manipulation",
        people=9,
        demand={"h100": 0.06, "a100": 0.07, "l40s": 0.08},
        forms=SMALL,
    ),
    Project(
        account="/robotics/simulation",
        people=8,
        demand={"a100": 0.12, "l40s": 0.5},
        forms={"rollout": 0.7, "tune": 0.2, "sweep": 0.1, "debug": 0.003},
        honesty=0.1,
        inflated=0.1,
    ),
    Project(
        account="/robotics/locomotion",
        people=6,
        demand={"h100": 0.04, "a100": 0.03, "l40s": 0.1},
        forms=SMALL,
    ),
    # Few and long runs, and minimum runtimes that somebody measured.
    Project(
        account="/biology/proteins",
        people=8,
        demand={"h100": 0.03, "a100": 0.04},
        forms={"large": 0.5, "train": 0.5},
        honesty=0.9,
        inflated=0.1,
    ),
    Project(
        account="/biology/genomes", people=6, demand={"h100": 0.04, "a100": 0.06, "l40s": 0.04}, forms=MIXED
    ),
    Project(
        account="/biology/imaging", people=5, demand={"h100": 0.01, "a100": 0.03, "l40s": 0.05}, forms=SMALL
    ),
    Project(account="/safety/interpretability", people=8, demand={"h100": 0.05, "a100": 0.05}, forms=SMALL),
    Project(
        account="/safety/red-team", people=6, demand={"h100": 0.04, "a100": 0.04, "l40s": 0.03}, forms=SMALL
    ),
    Project(account="/safety/oversight", people=4, demand={"h100": 0.02, "l40s": 0.02}, forms=SMALL),
    Project(account="/safety/guest", people=2, demand={"a100": 0.02}, forms=SMALL, honesty=0.1),
    Project(account="/systems/kernels", people=7, demand={"h100": 0.05, "a100": 0.05}, forms=SMALL),
    Project(
        account="/systems/serving", people=5, demand={"h100": 0.02, "a100": 0.03, "l40s": 0.05}, forms=SMALL
    ),
)
# One script still submits to a project that was closed in summer.
CLOSED, LATECOMER = "/vision/medical", "r066"
# A request of hours that nobody measured: people round up to what looks safe.
ROUND_HOURS = (1, 2, 4, 6, 8, 12, 24, 48, 72)
