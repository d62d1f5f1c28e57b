"""Whether a job can start: nodes, parts of nodes, blocks, nodes that are down."""

from __future__ import annotations

import pytest

from policyctl.decide.place import Demand, Trial, capacity_of
from policyctl.model.jobs import Job, Node
from policyctl.model.policy import Pool
from policyctl.units import MilliGpu
from tests.decide.small import job, policy

POOL = policy(nodes=4, gpus_per_node=8, block_nodes=2).pools[0]


def fits(asks: Job, *running: Job, pool: Pool = POOL, nodes: tuple[Node, ...] | None = None) -> bool:
    return Trial(capacity_of(pool, nodes, running), Demand.of(asks)).fits()


def full(*numbers: int, gpus: float = 8) -> list[Job]:
    return [job(f"r{number}", gpus=gpus, start=-9, on={f"p-{number}": gpus}) for number in numbers]


@pytest.mark.parametrize(
    ("asks", "busy", "answer"),
    [
        pytest.param(job("j", gpus=8), full(1, 2, 3), True, id="one node is enough"),
        pytest.param(
            job("j", gpus=8), full(1, 2, 3, 4, gpus=1), False, id="seven free on each are not eight"
        ),
        pytest.param(job("j", gpus=8, nodes=2), full(1, 2, 3, 4, gpus=4), True, id="four on each of two"),
        pytest.param(job("j", gpus=8, nodes=2), full(1, 2, 3, gpus=5), True, id="or all on one"),
        pytest.param(
            job("j", gpus=10, nodes=3), full(1, 2, gpus=5), False, id="a third of ten is more than three"
        ),
        pytest.param(job("j", gpus=9, nodes=3), full(1, 2, gpus=5), True, id="a third of nine is three"),
        pytest.param(
            job("j", gpus=16, nodes=2, block=True), full(2, 3), False, id="two free nodes in two blocks"
        ),
        pytest.param(
            job("j", gpus=16, nodes=2, block=True), full(1, 2), True, id="two free nodes in one block"
        ),
        pytest.param(job("j", gpus=8, block=True), full(1, 2, 3), True, id="one node is one block"),
        pytest.param(job("j", gpus=0.125), full(1, 2, 3, 4, gpus=7.9), False, id="a sliver too much"),
        pytest.param(job("j", gpus=0.1), full(1, 2, 3, 4, gpus=7.9), True, id="a sliver that is there"),
        pytest.param(job("j", gpus=33), [], False, id="more than there is"),
    ],
)
def test_a_job_fits_on_whole_or_equal_parts_of_nodes(asks: Job, busy: list[Job], answer: bool) -> None:  # noqa: FBT001 - the answer of a table
    assert fits(asks, *busy) is answer


def nodes(**available: bool) -> tuple[Node, ...]:
    return tuple(
        Node(name=name, pool="p", gpus=MilliGpu(8000), available=up, block=name[0])
        for name, up in available.items()
    )


def test_nodes_that_are_down_hold_nothing() -> None:
    assert not fits(job("j", gpus=8), nodes=nodes(a1=False))
    assert fits(job("j", gpus=8), nodes=nodes(a1=False, a2=True))


def test_nodes_of_another_pool_are_not_counted() -> None:
    elsewhere = Node(name="x", pool="q", gpus=MilliGpu(8000))
    assert not fits(job("j", gpus=8), nodes=(elsewhere,))


def test_the_blocks_that_the_scheduler_names_count() -> None:
    pair = job("j", gpus=16, nodes=2, block=True)
    assert not fits(pair, nodes=nodes(a1=True, b1=True))
    assert fits(pair, nodes=nodes(a1=True, b1=True, b2=True))


def test_one_unknown_placement_makes_only_sums_count() -> None:
    unknown = job("r", gpus=8, start=-9)
    assert fits(job("j", gpus=20), unknown, *full(1, gpus=4))
    assert not fits(job("j", gpus=21), unknown, *full(1, gpus=4))


def test_a_job_without_gpus_hides_no_placement() -> None:
    assert not fits(job("j", gpus=9), job("r", gpus=0, start=-9))
