"""A scenario by name or by file, with its policy and its workload file: everything that a rehearsal needs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from policyctl.adapters.scenario_read import read_scenario
from policyctl.adapters.scenario_text import ScenarioText, overlaid, read_scenario_text
from policyctl.adapters.workload_json import read_workload
from policyctl.bundle.decode import decode
from policyctl.bundle.encode import encode
from policyctl.bundle.provenance import Provenance
from policyctl.cli import options
from policyctl.cli.sources import LoadedPolicy
from policyctl.compile import compile_texts
from policyctl.diagnostics import Finding, Report, nearest
from policyctl.errors import Exit, UsageProblem
from policyctl.model.workload import Stream, Task, Workload
from policyctl.render.findings_text import render
from policyctl.sim.scenarios.scenario import Scenario
from policyctl.units import format_instant
from policyctl.workspace.files import read_bytes
from policyctl.workspace.shipped import schemas, shipped
from policyctl.workspace.tree import read_tree

__all__ = ["LoadedScenario", "built_in", "load_scenario"]

_FILE = "scenario.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedScenario:
    """A scenario, the policy that it is rehearsed under, and the digest of that policy's meaning."""

    scenario: Scenario
    policy: LoadedPolicy


def built_in() -> tuple[str, ...]:
    """Return the names of the scenarios that policyctl brings along."""
    return tuple(sorted(path.parent.name for path in shipped("scenarios").glob(f"*/{_FILE}")))


def load_scenario(source: str, *, policy: LoadedPolicy | None = None) -> LoadedScenario:
    """Load a built-in scenario by name, or one from a file or a folder; `policy` takes the place of its own.

    Findings go to standard error, and with an error the command ends with exit code 1. Raises UsageProblem for a name that
    is neither.
    """
    path = _path(source)
    text = read_scenario_text(read_bytes(str(path)), file=str(path), schema=schemas()["Scenario"])
    _stop_on(text.findings, text, path)
    loaded = policy or _own_policy(text, path)
    assert text.document is not None, "without errors there is a document"
    read = read_scenario(text.document, loaded.policy)
    _stop_on(read.findings, text, path)
    assert read.scenario is not None, "without errors there is a scenario"
    return LoadedScenario(scenario=_with_file(read.scenario, text, path, loaded), policy=loaded)


def _path(source: str) -> Path:
    known = shipped("scenarios") / source / _FILE
    if source in built_in():
        return known
    path = Path(source)
    path = path / _FILE if path.is_dir() else path
    if path.is_file():
        return path
    close = nearest(source, built_in())
    names = ", ".join(f"`{name}`" for name in built_in())
    way_out = f"did you mean `{close}`?" if close else f"name a file, or one of {names}"
    raise UsageProblem(f"there is no scenario `{source}`", help=way_out)


def _own_policy(text: ScenarioText, path: Path) -> LoadedPolicy:
    base = {} if text.base is None else read_tree(path.parent / text.base)
    files = overlaid(base, text.policy, file=path.name)
    compiled = compile_texts(files, schemas(), now=None)
    if compiled.policy is None:
        click.echo(render(compiled.report, colour=options.coloured(sys.stderr)), err=True, nl=False)
        raise click.exceptions.Exit(Exit.FINDINGS)
    verified = decode(encode(compiled.policy, Provenance()))
    return LoadedPolicy(policy=verified.policy, digest=verified.meaning)


def _stop_on(findings: Sequence[Finding], text: ScenarioText, path: Path) -> None:
    report = Report(findings=tuple(findings), files=1, sources={str(path): text.text})
    if findings:
        click.echo(render(report, colour=options.coloured(sys.stderr)), err=True, nl=False)
    if report.failed:
        raise click.exceptions.Exit(Exit.FINDINGS)


def _with_file(scenario: Scenario, text: ScenarioText, path: Path, policy: LoadedPolicy) -> Scenario:
    if text.workload_file is None:
        return scenario
    source = str(path.parent / text.workload_file)
    data = read_bytes(source)
    read = read_workload(data, file=source, pools={pool.name: pool.nodes for pool in policy.policy.pools})
    if read.findings:
        report = Report(findings=read.findings, files=1, sources={source: data.decode(errors="replace")})
        click.echo(render(report, colour=options.coloured(sys.stderr)), err=True, nl=False)
    if read.workload is None:
        raise click.exceptions.Exit(Exit.FINDINGS)
    return _added(scenario, read.workload, source)


def _added(scenario: Scenario, workload: Workload, source: str) -> Scenario:
    """Put a workload file into a scenario; UsageProblem where the two do not go together."""
    if workload.start < scenario.start:
        begins = format_instant(workload.start)
        raise UsageProblem(
            f"`{source}` begins before the scenario", help=f"let the scenario begin at `{begins}`"
        )
    known = {task.job.id for task in _every(scenario.tasks, scenario.streams)}
    both = sorted(known & {task.job.id for task in _every(workload.tasks, workload.streams)})
    if both:
        raise UsageProblem(
            f"`{both[0]}` is a task of the scenario and of `{source}`", help="rename one of them"
        )
    incidents = {f"file-{number + 1}": one for number, one in enumerate(workload.incidents)}
    return replace(
        scenario,
        tasks=(*scenario.tasks, *workload.tasks),
        streams=(*scenario.streams, *workload.streams),
        incidents={**scenario.incidents, **incidents},
    )


def _every(tasks: Sequence[Task], streams: Sequence[Stream]) -> Iterator[Task]:
    yield from tasks
    yield from (task for stream in streams for task in stream.tasks)
