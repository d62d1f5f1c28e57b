"""`policyctl ci`: everything that must hold before a change of the policy is merged, in one call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from policyctl.cli import ci_host, options
from policyctl.cli.ci_check import Check, Told
from policyctl.cli.ci_page import PAGE
from policyctl.cli.command_line import reproducing
from policyctl.cli.named_path import NAMED_PATH
from policyctl.cli.stages import Stage, attempt, worst
from policyctl.cli.workload_options import WorkloadOptions, replayed
from policyctl.errors import Exit
from policyctl.render import ci_json
from policyctl.render.workflow_command import unheeded
from policyctl.units import Instant
from policyctl.workspace.files import write_beside

__all__ = ["ci"]


@options.command(
    "ci",
    examples=(
        "policyctl ci",
        "policyctl ci --base origin/main --reports reports",
        "policyctl ci --workload workload.json --seed 1 --seed 2",
        "policyctl ci --approvals approvals.json --members members.json",
        "policyctl ci --format json > check.json",
    ),
)
@click.option(
    "--policy",
    "folder",
    type=NAMED_PATH,
    metavar="DIR",
    default=options.DEFAULT_POLICY,
    show_default=True,
    help="The folder of the policy, here and in the base.",
)
@click.option(
    "--tests",
    type=NAMED_PATH,
    metavar="DIR",
    default=options.DEFAULT_TESTS,
    show_default=True,
    help="The folder of the policy's tests.",
)
@click.option(
    "--base", metavar="BASE", help="What to compare with.  [default: where HEAD left the default branch]"
)
@click.option("--approvals", metavar="FILE", help="Also say which approvals are missing, as `review` does.")
@click.option("--members", metavar="FILE", help="Who is in which team, as for `review`.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning"]),
    default="error",
    show_default=True,
    help="The least severe finding of `validate` that fails.",
)
@click.option("--strict", is_flag=True, help="What has lapsed fails too, wherever it is written.")
@click.option(
    "--reports",
    type=NAMED_PATH,
    metavar="DIR",
    help="Write SARIF, JUnit, the comment, the page of the change and the summary there.  [default: on a runner, its folder]",
)
@replayed
@options.formats("text", "json")
@options.now
@click.pass_context
def ci(
    context: click.Context,
    /,
    *,
    folder: Path,
    tests: Path,
    base: str | None,
    approvals: str | None,
    members: str | None,
    fail_on: str,
    strict: bool,
    reports: Path | None,
    output: str,
    now: Instant,
    replay: WorkloadOptions | None,
) -> None:
    """Validate, test, compare, and judge by the gates of the base: the change as it lies in the working tree.

    Every stage that can take place does, and the worst exit code wins: 70, 4, 3, 2, 1, 5, 0. Where GitHub Actions
    runs it, there are annotations, a step summary and outputs as well; nothing else differs. What has lapsed by
    itself fails only in a file that the change touches, or with --strict.
    """
    told = Told(
        folder=folder,
        tests=tests,
        base=base,
        approvals=approvals,
        members=members,
        fail_on=fail_on,
        strict=strict,
        now=now,
        replay=replay,
    )
    check = Check(told)
    stages: list[Stage] = []
    for name, work in check.stages():
        stages.append(attempt(name, work))
        _show(stages[-1], output)
    for unwritten in _reported(check, stages, reports, now):
        stages.append(unwritten)
        _show(unwritten, output)
    code = worst(one.exit for one in stages)
    if output == "json":
        click.echo(_answer(check, stages, code, now), nl=False)
    else:
        click.echo(f"{'ok' if code is Exit.OK else 'failed'}: {_ends(stages)}")
    context.exit(code)


def _show(one: Stage, output: str) -> None:
    """Say what a stage said; beside JSON only annotations, which the runner reads from standard error as well."""
    text = output == "text"
    if text:
        click.echo(f"--- {one.name}")
    if not ci_host.on_a_runner():
        click.echo(one.text if text else "", nl=False)
        return
    click.echo(unheeded(one.text) if text else "", nl=False)
    click.echo(ci_host.annotated(one), nl=False, err=not text)


def _reported(check: Check, stages: list[Stage], reports: Path | None, now: Instant) -> Iterator[Stage]:
    """Write all reports, and yield what could not be written as a stage that failed."""
    written: dict[str, Path] = {}
    where = ci_host.report_folder(reports)

    def write() -> Stage:
        if where is not None:
            written.update(ci_host.write_reports(where, stages))
            if (page := check.page(reproducing(now=now))) is not None:
                write_beside(where / PAGE, page.encode())
        return Stage(name="reports", exit=Exit.OK, text="")

    def tell() -> Stage:
        if ci_host.on_a_runner():
            ci_host.tell_runner(stages, worst(one.exit for one in stages), written)
        return Stage(name="outputs", exit=Exit.OK, text="")

    for name, work in (("reports", write), ("outputs", tell)):
        done = attempt(name, work)
        if done.exit is not Exit.OK:
            yield done


def _answer(check: Check, stages: list[Stage], code: Exit, now: Instant) -> str:
    both = check.compared
    return ci_json.render(
        [ci_json.StageTold(name=one.name, exit=one.exit, answer=one.answer, why=one.why) for one in stages],
        code,
        sides=None if both is None else (both.compared.base, both.compared.head),
        digests=check.digests(),
        now=now,
    )


def _ends(stages: list[Stage]) -> str:
    return ", ".join(
        f"{one.name} {'ok' if one.exit is Exit.OK else f'exit code {int(one.exit)}'}" for one in stages
    )
