"""`policyctl validate`: every problem of a policy, at its line, with the fix."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from policyctl.cli import options
from policyctl.cli.findings import FORMATS, rendered
from policyctl.cli.sources import policy_files
from policyctl.compile import compile_texts
from policyctl.diagnostics import Report, Severity
from policyctl.errors import Exit, NothingVerified
from policyctl.units import Instant
from policyctl.workspace.shipped import schemas

__all__ = ["validate"]

FailOn = Literal["error", "warning", "never"]


@options.command(
    "validate",
    examples=(
        "policyctl validate",
        "policyctl validate budgets/ --fail-on warning",
        "policyctl validate --staged",
        "policyctl validate --format sarif > policyctl.sarif",
        "policyctl validate --now 2026-12-24T00:00:00Z",
    ),
)
@options.policy_folder
@options.formats(*FORMATS)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "never"]),
    default="error",
    show_default=True,
    help="The least severe finding that makes the exit code 1.",
)
@click.option("--staged", is_flag=True, help="Read what is staged in git instead of the files.")
@options.now
@click.pass_context
def validate(
    context: click.Context,
    /,
    *,
    folder: Path,
    output: str,
    fail_on: FailOn,
    staged: bool,
    now: Instant,
) -> None:
    """Say every problem of the policy in DIR, at its line, with the fix.

    Reads each *.yaml and *.yml below DIR (default: policies) and never changes one. Exit code 1 if there are
    findings, 3 if DIR cannot be read, 5 if there is no policy file in it.
    """
    files = _staged(folder) if staged else policy_files(folder)
    report = compile_texts(files, schemas(), now=now).report
    click.echo(rendered(report, folder, output), nl=False)
    context.exit(Exit.FINDINGS if _failed(report, fail_on) else Exit.OK)


def _staged(folder: Path) -> dict[str, bytes]:
    # Only this way of reading needs git.
    from policyctl.workspace.revisions import repository  # noqa: PLC0415

    files = repository(folder, otherwise="validate the folder: leave out `--staged`").staged()
    if not files:
        raise NothingVerified(f"no policy file in `{folder}` is staged", help="stage it: `git add`")
    return files


def _failed(report: Report, fail_on: FailOn) -> bool:
    match fail_on:
        case "error":
            return report.failed
        case "warning":
            return report.failed or report.count(Severity.WARNING) > 0
        case "never":
            return False
