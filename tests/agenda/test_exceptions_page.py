"""The page about exceptions and time: its commands run on the policy of the lab, and its schemas exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from policyctl.cli.main import policyctl

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/exceptions.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    policyctl ((?:.|\n        )+)$", PAGE, flags=re.MULTILINE)
NOW = ["--now", "2026-11-30T09:00:00Z"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.splitlines()[0][:40])
def test_each_command_runs(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    words = shlex.split(command.replace("\\\n", " ").replace("state.json", "examples/lab-queue/state.json"))
    result = CliRunner().invoke(policyctl, [*words, *NOW, *(["-o", "-"] if "new" in words else [])])
    assert result.exit_code == 0, result.output
    assert result.stdout


def test_the_page_has_commands_and_names_schemas_that_exist() -> None:
    assert {command.split()[0] for command in COMMANDS} == {"exception", "exceptions", "timeline"}
    named = re.findall(r"`(schemas/[a-z]+\.json)`", PAGE)
    assert len(named) == 2
    assert all((ROOT / name).is_file() for name in named)
