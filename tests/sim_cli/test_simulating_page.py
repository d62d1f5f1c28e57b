"""The page on simulating: its commands are understood, and what it lists is what there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from policyctl.cli.main import policyctl
from policyctl.sim.baselines import BASELINES
from policyctl.sim.choosing import ENOUGH

PAGE = (Path(__file__).parents[2] / "docs" / "simulating.md").read_text(encoding="utf-8")
CALLS = re.findall(r"^\$ policyctl (.+)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("call", CALLS)
def test_every_command_is_understood(call: str) -> None:
    name, *arguments = shlex.split(call)
    command = policyctl.get_command(click.Context(policyctl), name)
    assert command is not None
    command.make_context(name, arguments)


def test_it_has_commands() -> None:
    assert {call.partition(" ")[0] for call in CALLS} == {"simulate", "sweep"}


def test_every_option_of_its_own_is_on_the_page() -> None:
    shared = {"--debug", "--format", "--workload", "--policy", "--bundle", "--help", "--log-format", "--map"}
    for name in ("simulate", "sweep"):
        command = policyctl.get_command(click.Context(policyctl), name)
        assert command is not None
        for option in command.params:
            for spelling in set(option.opts) - shared:
                assert f"{spelling}" in PAGE, spelling


def test_every_baseline_is_on_the_page() -> None:
    assert all(f"`{name}`" in PAGE for name in BASELINES)


def test_what_is_enough_is_as_the_page_says() -> None:
    assert ENOUGH == {"volatility": 0.01, "recovery": 3600, "wait_p90": 600, "lost_part": 0.01}
    assert "(1 % of the GPUs, 1 h, 10 min, 1 % of the time)" in PAGE
