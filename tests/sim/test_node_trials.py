"""A try-out over nodes: what it says of many absences at once is what taking them away one by one says."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given, settings

from policyctl.decide.live_queue import Shape
from policyctl.diagnostics import Place
from policyctl.model.policy import Pool
from policyctl.sim.nodes import Placement, SimNodes

SHAPES = st.sampled_from(
    [(500, 1, "any"), (1_000, 1, "any"), (2_000, 1, "any"), (4_000, 2, "any"), (6_000, 3, "block")]
)


def filled(shapes: list[Shape], blocks: int | None) -> tuple[SimNodes, dict[int, Placement]]:
    """Return four nodes of two GPUs with as many of the shapes on them as fit."""
    pool = Pool(name="gpu", nodes=4, gpus_per_node=2, block_nodes=blocks, place=Place(file="pool.yaml"))
    nodes, held = SimNodes(pool), {}
    for number, shape in enumerate(shapes):
        placement = nodes.place(shape)
        if placement is not None:
            nodes.take(placement)
            held[number] = placement
    return nodes, held


@settings(max_examples=200)
@given(st.lists(SHAPES, max_size=12), SHAPES, st.sampled_from([None, 2, 3]), st.data())
def test_many_absences_at_once_are_the_same_one_by_one(
    shapes: list[Shape], asked: Shape, blocks: int | None, data: st.DataObject
) -> None:
    nodes, held = filled(shapes, blocks)
    gone = data.draw(st.lists(st.sampled_from(sorted(held)), unique=True)) if held else []
    at_once = nodes.trial(asked, held).fits_without(gone)
    trial = nodes.trial(asked, held)
    for job in gone:
        trial.remove(job)
    assert at_once == trial.fits() == (nodes.place_after(asked, [held[job] for job in gone]) is not None)
    for job in gone:
        trial.restore(job)
    assert trial.fits() == (nodes.place(asked) is not None)
    assert trial.fits_without(gone) == at_once


@settings(max_examples=200)
@given(
    st.lists(SHAPES, max_size=12),
    st.lists(SHAPES, max_size=6),
    SHAPES,
    st.sampled_from([None, 2, 3]),
    st.data(),
)
def test_a_try_out_follows_what_starts_meanwhile(
    shapes: list[Shape], later: list[Shape], asked: Shape, blocks: int | None, data: st.DataObject
) -> None:
    """Those that go before it matters are as good as never started; the others hold what they hold."""
    nodes, held = filled(shapes, blocks)
    gone = data.draw(st.lists(st.sampled_from(sorted(held)), unique=True)) if held else []
    trial = nodes.trial(asked, held)
    for job in gone:
        trial.remove(job)
    for number, shape in enumerate(later, start=100):
        placement = nodes.place(shape)
        assert trial.fits_beside(shape) == (
            placement is not None and _fits(nodes, asked, held, gone, placement)
        )
        if placement is not None:
            nodes.take(placement)
            held[number] = placement
            stays = data.draw(st.booleans())
            trial.started(number, stays=stays)
            if not stays:
                gone.append(number)
        assert trial.fits() == _fits(nodes, asked, held, gone)


def _fits(
    nodes: SimNodes, asked: Shape, held: dict[int, Placement], gone: list[int], beside: Placement = ()
) -> bool:
    nodes.take(beside)
    found = nodes.place_after(asked, [held[job] for job in gone]) is not None
    nodes.give_back(beside)
    return found
