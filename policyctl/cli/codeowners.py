"""`policyctl codeowners`: the owners of the policy's files, for the code host."""

from __future__ import annotations

from pathlib import Path

import click

from policyctl.cli import options
from policyctl.cli.sources import compiled_policy, policy_files
from policyctl.errors import Exit, NoAnswer
from policyctl.govern.codeowners import OwnedFiles, owned_files, write_codeowners
from policyctl.govern.owner_lines import Mismatch, mismatches, owner_lines
from policyctl.render.terminal import visible
from policyctl.workspace.files import read_bytes
from policyctl.workspace.revisions import repository

__all__ = ["codeowners"]

_MOST = 3 * 1024**2


@options.command(
    "codeowners",
    examples=(
        "policyctl codeowners > .github/CODEOWNERS",
        "policyctl codeowners --check .github/CODEOWNERS",
    ),
)
@options.policy_folder
@click.option("--check", metavar="FILE", help="Compare with a CODEOWNERS that exists instead of writing one.")
@click.pass_context
def codeowners(context: click.Context, folder: Path, check: str | None) -> None:
    """Write the CODEOWNERS that gives each policy file to the owner of its account.

    With --check, the last line that matches a file counts, as on GitHub; exit code 1 names every file with others.
    """
    owned = owned_files(compiled_policy(folder), policy_files(folder), _prefix(folder))
    if check is None:
        click.echo(write_codeowners(owned), nl=False)
        return
    context.exit(_checked(owned, check))


def _prefix(folder: Path) -> str:
    """Return the folder from the top of its repository; outside of one, as it was named, if that can be meant."""
    try:
        return repository(
            folder, otherwise="name the folder from here: `policyctl codeowners policies`"
        ).prefix
    except NoAnswer:
        if folder.is_absolute() or ".." in folder.parts:
            raise
        return f"{folder.as_posix()}/".removeprefix("./")


def _checked(owned: OwnedFiles, check: str) -> Exit:
    try:
        text = read_bytes(check, most=_MOST).decode()
    except UnicodeDecodeError:
        raise NoAnswer(f"`{check}` is not UTF-8 text") from None
    found = mismatches(owned, owner_lines(text))
    for one in found:
        click.echo(visible(_told(one, check)))
    click.echo("the owners of all files are those of the policy" if not found else "", nl=not found)
    return Exit.FINDINGS if found else Exit.OK


def _told(one: Mismatch, check: str) -> str:
    where = check if one.line is None else f"{check}:{one.line}"
    has = "no line gives it to anybody" if not one.owners else f"it goes to {', '.join(one.owners)}"
    return f"{where}: `{one.path}`: {has}, expected {', '.join(one.expected)}"
