"""`policyctl init`: a policy repository that works, or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from shlex import quote

import click

from policyctl.cli import options
from policyctl.cli.named_path import NAMED_PATH
from policyctl.cli.policy_tests import chosen, load_cases
from policyctl.cli.sources import compiled_policy
from policyctl.errors import NoAnswer, PolicyctlError, UsageProblem
from policyctl.render.names_text import counted
from policyctl.testing.run import run_case
from policyctl.workspace.installed import requirement
from policyctl.workspace.new_files import new_files
from policyctl.workspace.starter import starter_files

__all__ = ["init"]

_ORG = re.compile(r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}")
_REQUIREMENT = re.compile(r"[A-Za-z0-9./~][A-Za-z0-9 ._~/:@=<>!,+\[\]#&?%-]{0,500}")


def _shaped(
    shape: re.Pattern[str], example: str
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    def read(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
        if text is not None and not shape.fullmatch(text):
            raise click.BadParameter(f"`{text}` has not the shape of `{example}`", context, option)
        return text

    return read


@options.command(
    "init",
    examples=(
        "policyctl init gpu-policy --org example",
        "policyctl init --install 'policyctl @ git+https://git.example.org/tools/policyctl@v1'",
    ),
)
@click.argument("folder", metavar="[DIR]", default=".", type=NAMED_PATH)
@click.option(
    "--org",
    default="lab",
    show_default=True,
    metavar="NAME",
    callback=_shaped(_ORG, "lab"),
    help="What handles of teams begin with: @NAME/leadership.",
)
@click.option(
    "--install",
    metavar="REQUIREMENT",
    callback=_shaped(_REQUIREMENT, "policyctl==1.0"),
    help="What pip installs policyctl from on the code host.  [default: this policyctl]",
)
def init(folder: Path, org: str, install: str | None) -> None:
    """Write a policy, its tests, code owners, the check of pull requests and a pre-commit hook into DIR.

    DIR is a new folder, or the top of a repository (default: the current folder). Nothing that exists is replaced:
    exit code 2 where something is in the way. What is written is validated and tested; where that fails, or anything
    else does, nothing stays.
    """
    _refuse_below_a_repository(folder)
    _refuse_beside_a_policy(folder)
    source = install or requirement()
    files = starter_files(org=org, install=source)
    with new_files(folder, files):
        cases = _verified(folder)
    click.echo(
        f"wrote {counted(len(files), 'file')}; the policy is valid, and {counted(cases, 'test')} passed"
    )
    click.echo(f"handles begin with @{org}/, and the code host installs `{source}`")
    click.echo("say who is in which team in `.github/policy-members.json`: only they can approve")
    click.echo("next:")
    for command in _next(folder):
        click.echo(f"  {command}")


def _refuse_below_a_repository(folder: Path) -> None:
    here = folder.resolve()
    for top in here.parents:
        if (top / ".git").exists() and not (here / ".git").exists():
            raise UsageProblem(
                f"`{folder}` lies inside of the repository `{top}`, where its checks would not be found",
                help="choose the top of a repository, or a folder outside of one",
            )


def _refuse_beside_a_policy(folder: Path) -> None:
    for name in ("policies", "policy-tests"):
        if (folder / name).exists():
            raise UsageProblem(f"`{folder}` has `{name}` already", help="choose a new folder")


def _verified(folder: Path) -> int:
    """Return how many tests of the new policy passed; raises PolicyctlError where one does not."""
    policy = compiled_policy(folder / "policies")
    tests = folder / "policy-tests"
    cases = chosen(load_cases(tests, policy, folder / "policies"), None, tests)
    failed = [one.title for one in cases if not run_case(policy, one).passed]
    if failed:
        raise PolicyctlError(f"the new policy fails its test `{failed[0]}`", help="install policyctl again")
    return len(cases)


def _next(folder: Path) -> list[str]:
    """Return three commands: a commit of its own repository, or on a branch of one that has commits, and its check."""
    at = "" if folder == Path() else f"-C {quote(str(folder))} "
    commands = [f"git {at}add --all", f"git {at}commit --message 'The policy of our cluster'"]
    if not (folder / ".git").exists():
        return [f"git {at}init --initial-branch=main", *commands]
    if _has_commits(folder):
        return [f"git {at}switch --create policy", *commands]
    return [*commands, f"{f'cd {quote(str(folder))} && ' if at else ''}policyctl ci"]


def _has_commits(folder: Path) -> bool:
    # Only this question needs git.
    from policyctl.workspace.revisions import repository  # noqa: PLC0415

    try:
        return repository(folder).commit("HEAD") is not None
    except NoAnswer:
        return True
