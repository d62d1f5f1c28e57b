"""`policyctl exception new`: a valid exception in a file of its own, or nothing."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from policyctl.cli import options
from policyctl.cli.granting import Grant, granting
from policyctl.cli.named_path import NAMED_PATH
from policyctl.cli.sources import policy_files, show_findings
from policyctl.compile import compile_texts
from policyctl.diagnostics import Severity
from policyctl.errors import Exit, UsageProblem
from policyctl.render.exception_yaml import Draft, render
from policyctl.units import Instant, Seconds, format_instant, parse_duration, parse_instant
from policyctl.workspace.files import write_new
from policyctl.workspace.shipped import schemas

__all__ = ["new"]

_EXAMPLE = """\
policyctl exception new deadline --for 14d --share 5% --from /vision --to /language \\
    --reason 'camera-ready deadline' --ticket OPS-123 --requested-by @lab/language-leads"""


@options.command(
    "new",
    examples=(_EXAMPLE,),
)
@click.argument("name")
@click.option("--reason", required=True, metavar="TEXT", help="Why, for whoever reviews it.")
@click.option("--ticket", required=True, metavar="TEXT", help="Where it was asked for.")
@click.option(
    "--requested-by", required=True, metavar="HANDLE", help="Who asks, such as @lab/robotics-leads."
)
@click.option(
    "--starts",
    callback=options.quantity(parse_instant),
    metavar="INSTANT",
    help="The first instant at which it holds.  [default: now]",
)
@click.option(
    "--expires",
    callback=options.quantity(parse_instant),
    metavar="INSTANT",
    help="The first instant at which it holds no longer.",
)
@click.option(
    "--for",
    "length",
    callback=options.quantity(parse_duration),
    metavar="DURATION",
    help="How long it holds, instead of --expires.",
)
@granting
@click.option(
    "--policy",
    type=NAMED_PATH,
    default=options.DEFAULT_POLICY,
    show_default=True,
    metavar="DIR",
    help="The folder of the policy.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write, in DIR; `-` is standard output.  [default: DIR/exceptions/NAME.yaml]",
)
@options.now
@click.pass_context
def new(
    context: click.Context,
    *,
    name: str,
    reason: str,
    ticket: str,
    requested_by: str,
    starts: Instant | None,
    expires: Instant | None,
    length: Seconds | None,
    grant: Grant,
    policy: Path,
    output: str | None,
    now: Instant,
) -> None:
    """Write the exception NAME to a file that does not exist yet, if the policy is valid with it.

    Exactly one grant: --share, --protect, --protect-job, --suspend or --freeze. With an error, which may be a limit of
    Governance, nothing is written and the exit code is 1.
    """
    start = now if starts is None else starts
    draft = Draft(
        name=name,
        reason=reason,
        ticket=ticket,
        requested_by=requested_by,
        starts=start,
        expires=_end(start, expires, length),
        grant=grant,
    )
    text = render(draft)
    path = policy / "exceptions" / f"{name}.yaml" if output in {None, "-"} else Path(str(output))
    if not _accepted(policy, _within(policy, path), text, now):
        context.exit(Exit.FINDINGS)
    if output == "-":
        click.echo(text, nl=False)
        return
    write_new(path, text.encode())
    until = format_instant(draft.expires)
    click.echo(f"wrote {path}: in force from {format_instant(start)} until {until}", err=True)


def _end(start: Instant, expires: Instant | None, length: Seconds | None) -> Instant:
    if expires is not None and length is None:
        return expires
    if length is not None and expires is None:
        return Instant(start + length)
    raise UsageProblem("an exception has one end", help="give either `--expires INSTANT` or `--for DURATION`")


def _within(policy: Path, path: Path) -> str:
    """Return the name of the file below the folder of the policy; raises UsageProblem where it would not be read."""
    full, root = path.resolve(), policy.resolve()
    parts = full.relative_to(root).parts if full.is_relative_to(root) else ()
    if not parts or any(part.startswith(".") for part in parts) or full.suffix not in {".yaml", ".yml"}:
        raise UsageProblem(
            f"`{path}` would not be part of the policy in `{policy}`",
            help=f"name a file such as `{policy / 'exceptions' / 'deadline.yaml'}`",
        )
    return "/".join(parts)


def _accepted(policy: Path, file: str, text: str, now: Instant) -> bool:
    """Check the policy with the new document; show every error, and what else is to be said of the new file."""
    files = policy_files(policy)
    if file in files:
        raise UsageProblem(f"there is something at `{policy / file}` already", help="choose another name")
    report = compile_texts({**files, file: text.encode(errors="surrogateescape")}, schemas(), now=now).report
    shown = tuple(one for one in report.findings if one.severity is Severity.ERROR or one.place.file == file)
    if shown:
        show_findings(dataclasses.replace(report, findings=shown), policy)
    return not report.failed
