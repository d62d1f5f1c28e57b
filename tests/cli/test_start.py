"""What a call imports: the version next to nothing, a command only itself, help no command at all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from policyctl.cli.bundle import TABLE
from policyctl.cli.lazy import Entry
from policyctl.cli.main import COMMANDS

LOADED = """
import sys
sys.argv[1:] = {arguments}
before = set(sys.modules)
from policyctl.__main__ import main
code = main()
print("LOADED", code, *sorted(set(sys.modules) - before))
"""


def loaded(*arguments: str) -> set[str]:
    """Return the modules that a call imports."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(arguments=list(arguments))],
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("LOADED")]
    return set(line.split()[2:])


def test_the_version_loads_nothing_else() -> None:
    assert loaded("--version") == {"policyctl", "policyctl.__main__", "policyctl.version"}


HEAVY = {"yaml", "jsonschema", "celpy", "git", "numpy", "jinja2", "rich"}


def test_help_loads_no_command() -> None:
    modules = loaded("--help")
    assert not modules & HEAVY
    assert {name for name in modules if name.startswith("policyctl.cli.")} == {
        "policyctl.cli.lazy",
        "policyctl.cli.main",
        "policyctl.cli.options",
    }


@pytest.mark.parametrize("name", list(COMMANDS))
def test_help_of_a_command_loads_no_other(name: str) -> None:
    own = COMMANDS[name].target.partition(":")[0]
    others = {entry.target.partition(":")[0] for entry in COMMANDS.values()} - {own}
    assert not loaded(name, "--help") & others


def test_the_rules_need_no_yaml_and_no_git() -> None:
    assert not loaded("rules") & (HEAVY - {"numpy"})


ALL = {**COMMANDS, **{f"bundle {name}": entry for name, entry in TABLE.items()}}


@pytest.mark.parametrize(("name", "entry"), ALL.items(), ids=ALL.keys())
def test_help_shows_examples_that_call_the_command(name: str, entry: Entry) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "policyctl", *name.split(), "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert entry.summary.endswith(".")
    if name == "bundle":
        return
    _, examples = done.stdout.split("Examples:\n")
    lines = examples.split("\n")
    assert all(f"policyctl {name}" in line for line in lines if line.strip())
    assert "\x1b" not in done.stdout
