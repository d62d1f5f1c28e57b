"""`policyctl ci`: everything that must hold before a change of the policy is merged, in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from policyctl.cli import ci_host, ci_stages, options
from policyctl.cli.sides import sides
from policyctl.cli.sources import policy_files
from policyctl.cli.stages import Stage, attempt, worst
from policyctl.cli.workload_options import WorkloadOptions, replayed
from policyctl.compile import compile_texts
from policyctl.errors import Exit
from policyctl.model.policy import Policy
from policyctl.render.workflow_command import unheeded
from policyctl.units import Instant
from policyctl.workspace.shipped import schemas

__all__ = ["ci"]


@options.command(
    "ci",
    examples=(
        "policyctl ci",
        "policyctl ci --base origin/main --reports reports",
        "policyctl ci --workload workload.json --seed 1 --seed 2",
        "policyctl ci --approvals approvals.json --members members.json",
    ),
)
@click.option(
    "--policy",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    default=options.DEFAULT_POLICY,
    show_default=True,
    help="The folder of the policy, here and in the base.",
)
@click.option(
    "--tests",
    type=click.Path(path_type=Path),
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
@click.option(
    "--reports",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write SARIF, JUnit, the comment and the summary there.  [default: on a runner, its folder]",
)
@replayed
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
    reports: Path | None,
    now: Instant,
    replay: WorkloadOptions | None,
) -> None:
    """Validate, test, compare, and judge by the gates of the base: the change as it lies in the working tree.

    Every stage that can take place does, and the worst exit code wins: 70, 4, 3, 2, 1, 5, 0. Where GitHub Actions
    runs it, there are annotations, a step summary and outputs as well; nothing else differs.
    """
    checked = _Check(folder=folder, base=base, fail_on=fail_on, now=now, replay=replay)
    stages = [attempt("validate", checked.validate)]
    _show(stages[0])
    later: list[tuple[str, Callable[[], Stage]]] = [
        ("test", partial(checked.test, tests)),
        ("diff", checked.diff),
        ("gates", checked.gates),
    ]
    if approvals is not None:
        reviewing = partial(ci_stages.reviewed, context, base=base, approvals=approvals, members=members)
        later.append(("review", partial(reviewing, folder=folder, now=now)))
    for stage in _carried_out(later, checked, stages[0]):
        _show(stage)
        stages.append(stage)
    code = worst(one.exit for one in stages)
    where = ci_host.report_folder(reports)
    written = {} if where is None else ci_host.write_reports(where, stages)
    if ci_host.on_a_runner():
        ci_host.tell_runner(stages, code, written)
    click.echo(f"{'ok' if code is Exit.OK else 'failed'}: {_ends(stages)}")
    context.exit(code)


class _Check:
    """What the stages have from each other: the policy once it is compiled, both sides once they are compared."""

    def __init__(
        self, *, folder: Path, base: str | None, fail_on: str, now: Instant, replay: WorkloadOptions | None
    ) -> None:
        self._folder, self._base, self._fail_on, self._now = folder, base, fail_on, now
        self._replay = replay
        self.policy: Policy | None = None
        self._both: ci_stages.Both | None = None

    def validate(self) -> Stage:
        compiled = compile_texts(policy_files(self._folder), schemas(), now=self._now)
        self.policy = compiled.policy
        return ci_stages.validated(compiled.report, self._folder, fail_on=self._fail_on)

    def test(self, tests: Path) -> Stage:
        assert self.policy is not None, "later stages need a policy"
        return ci_stages.tested(self.policy, self._folder, tests)

    def diff(self) -> Stage:
        assert self.policy is not None, "later stages need a policy"
        before, after = sides(self._base, None, self._folder, staged=False)
        self._both = ci_stages.both(before, after, self.policy, self._now, self._replay)
        return ci_stages.compared(self._both)

    def gates(self) -> Stage:
        if self._both is None:
            return Stage(name="gates", exit=Exit.NOTHING_VERIFIED, text="not judged: nothing was compared\n")
        return ci_stages.gated(self._both)


def _carried_out(
    later: list[tuple[str, Callable[[], Stage]]], checked: _Check, first: Stage
) -> Iterator[Stage]:
    """Carry out the stages that need a policy; without one, each ends as its own command would, or has verified nothing."""
    for name, work in later:
        if checked.policy is not None:
            yield attempt(name, work)
            continue
        code = Exit.FINDINGS if first.exit is Exit.FINDINGS else Exit.NOTHING_VERIFIED
        yield Stage(name=name, exit=code, text="not carried out: there is no valid policy\n", annotations="")


def _show(one: Stage) -> None:
    click.echo(f"--- {one.name}")
    if not ci_host.on_a_runner():
        click.echo(one.text, nl=False)
        return
    click.echo(unheeded(one.text), nl=False)
    click.echo(ci_host.annotated(one), nl=False)


def _ends(stages: list[Stage]) -> str:
    return ", ".join(
        f"{one.name} {'ok' if one.exit is Exit.OK else f'exit code {int(one.exit)}'}" for one in stages
    )
