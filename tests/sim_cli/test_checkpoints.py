"""Simulations that are written down and read back: they go on as if nothing had happened, and run nothing they should not."""

from __future__ import annotations

import os
import pickle
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.errors import NoAnswer
from policyctl.sim.baselines import BASELINES
from policyctl.sim.kernel import Simulation
from policyctl.sim.replay import policy_lane, prepare
from policyctl.workspace.checkpoints import freeze, read_checkpoint, thaw, write_checkpoint
from tests.sim.workloads import HORIZON, START, SimWorld, sim_worlds

LANES = {"policy": policy_lane, **BASELINES}
INPUTS = {"workload": "sha256:1", "seeds": [1, 2]}


def ready(world: SimWorld, lane: str = "policy") -> Simulation:
    return prepare(world.policy, world.workload, seed=world.seed, lane=LANES[lane])


def records(simulation: Simulation) -> dict[str, object]:
    return {name: pool.record_at(simulation.now) for name, pool in simulation.pools.items()}


@settings(max_examples=25, deadline=None)
@given(
    world=sim_worlds() | sim_worlds(decay=True),
    lane=st.sampled_from(sorted(LANES)),
    stops=st.lists(st.integers(0, HORIZON), max_size=3),
)
def test_stopping_writing_reading_and_going_on_changes_nothing(
    world: SimWorld, lane: str, stops: list[int]
) -> None:
    through = ready(world, lane)
    through.run()
    halting = ready(world, lane)
    for stop in sorted(stops):
        halting.run(until=START + stop)
        halting = thaw(freeze(halting))
    halting.run()
    assert records(halting) == records(through)


class _Runs:
    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.mkdir, ("owned",)


class _Imports:
    def __reduce__(self) -> str:
        return "run"


def foreign(module: str, name: str) -> bytes:
    """Return a pickle that calls something of a module without arguments."""
    return b"c" + f"{module}\n{name}\n".encode() + b"(tR."


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(pickle.dumps(_Runs()), id="a call of the system"),
        pytest.param(foreign("builtins", "eval"), id="a built-in that runs text"),
        pytest.param(foreign("builtins", "getattr"), id="a way to reach everything else"),
        pytest.param(foreign("functools", "partial"), id="a wrapper of calls"),
        pytest.param(foreign("policyctl.workspace.files", "write_beside"), id="our own function, outside"),
        pytest.param(foreign("policyctl.sim.replay", "prepare"), id="our own function, inside"),
        pytest.param(foreign("policyctl.sim.nodes", "heapq"), id="a module that a room imports"),
        pytest.param(foreign("policyctl.sim.kernel", "Callable"), id="a name that a room imports"),
        pytest.param(
            b"\x80\x04\x8c\x14policyctl.sim.kernel\x8c\x12Simulation.__init__\x93.", id="a dotted name"
        ),
        pytest.param(foreign("policyctl.sim.nothing", "Nothing"), id="a module that does not exist"),
        pytest.param(pickle.dumps({"a": 1}), id="no simulation"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x80\x05garbage", id="no pickle"),
        pytest.param(b"(" * 1000, id="an unfinished pickle"),
    ],
)
def test_a_state_holds_a_simulation_and_nothing_else(
    state: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoAnswer, match="the checkpoint cannot be read"):
        thaw(zlib.compress(state))
    assert not list(tmp_path.iterdir())


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_damaged_state_is_no_answer_or_a_simulation(data: st.DataObject) -> None:
    world = data.draw(sim_worlds(most=3))
    packed = bytearray(pickle.dumps(ready(world), protocol=5))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    with suppress(NoAnswer):
        assert isinstance(thaw(zlib.compress(bytes(packed))), Simulation)


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    assert read_checkpoint(path, inputs=INPUTS, runs=3) == [None, None, None]
    write_checkpoint(path, inputs=INPUTS, states=[b"one\n", None, b""])
    assert read_checkpoint(path, inputs=INPUTS, runs=3) == [b"one\n", None, b""]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda data: b"", "is not a checkpoint", id="empty"),
        pytest.param(lambda data: b"{}", "is not a checkpoint", id="another file"),
        pytest.param(lambda data: data[:-1], "is a damaged checkpoint", id="cut off"),
        pytest.param(lambda data: data + b"x", "is a damaged checkpoint", id="longer"),
        pytest.param(lambda data: data.replace(b"one", b"two"), "is a damaged checkpoint", id="changed"),
    ],
)
def test_damaged_files(tmp_path: Path, change: Callable[[bytes], bytes], message: str) -> None:
    path = tmp_path / "checkpoint"
    write_checkpoint(path, inputs=INPUTS, states=[b"one"])
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(NoAnswer, match=message):
        read_checkpoint(path, inputs=INPUTS, runs=1)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        pytest.param({**INPUTS, "workload": "sha256:2"}, "other inputs: workload differs", id="other bytes"),
        pytest.param({**INPUTS, "seeds": [1]}, "other inputs: seeds differs", id="other seeds"),
        pytest.param({**INPUTS, "more": 1}, "other inputs: more differs", id="something more"),
        pytest.param({**INPUTS, "engine": "0"}, None, id="the engine is never said by a caller"),
    ],
)
def test_states_of_other_inputs(tmp_path: Path, inputs: dict[str, object], message: str | None) -> None:
    path = tmp_path / "checkpoint"
    write_checkpoint(path, inputs=INPUTS, states=[b"one"])
    if message is None:
        assert read_checkpoint(path, inputs=inputs, runs=1) == [b"one"]
        return
    with pytest.raises(NoAnswer, match=message):
        read_checkpoint(path, inputs=inputs, runs=1)


def test_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "checkpoint"
    write_checkpoint(path, inputs=INPUTS, states=[b"one"])
    monkeypatch.setattr("policyctl.workspace.checkpoints.__version__", "99.0")
    with pytest.raises(NoAnswer, match="of another version of policyctl"):
        read_checkpoint(path, inputs=INPUTS, runs=1)
