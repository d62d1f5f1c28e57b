"""What a call imports: the version next to nothing, a command only itself, help no command at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from policyctl.cli.main import COMMANDS, policyctl
from tests.cli.program import policy, run

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
        "policyctl.cli.collector",
        "policyctl.cli.lazy",
        "policyctl.cli.main",
        "policyctl.cli.named_path",
        "policyctl.cli.options",
    }


@pytest.mark.parametrize("name", list(COMMANDS))
def test_help_of_a_command_loads_no_other(name: str) -> None:
    own = COMMANDS[name].target.partition(":")[0]
    others = {entry.target.partition(":")[0] for entry in COMMANDS.values()} - {own}
    assert not loaded(name, "--help") & others


def test_the_rules_need_no_yaml_and_no_git() -> None:
    assert not loaded("rules") & (HEAVY - {"numpy"})


def test_a_bundle_is_read_without_yaml_cel_and_git(tmp_path: Path) -> None:
    policy(tmp_path)
    assert run("compile", "-o", "bundle", cwd=tmp_path).code == 0
    assert not loaded("bundle", "show", str(tmp_path / "bundle")) & HEAVY


def commands() -> dict[str, click.Command]:
    """Return every command that does something, by how it is called."""
    context = click.Context(policyctl)
    found: dict[str, click.Command] = {}
    for name, entry in COMMANDS.items():
        command = policyctl.get_command(context, name)
        assert command is not None
        assert entry.summary.endswith(".")
        if isinstance(command, click.Group):
            inner = {below: command.get_command(context, below) for below in command.list_commands(context)}
            found |= {f"{name} {below}": one for below, one in inner.items() if one is not None}
        else:
            found[name] = command
    return found


@pytest.mark.parametrize(("name", "command"), commands().items(), ids=commands().keys())
def test_help_shows_examples_that_call_the_command(name: str, command: click.Command) -> None:
    examples = command.get_help(click.Context(command, info_name=name)).partition("Examples:\n")[2]
    first, *rest = [line.strip() for line in examples.splitlines()]
    assert f"policyctl {name}" in first
    assert rest, "one example is none to compare with"
