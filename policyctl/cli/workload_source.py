"""What a simulation runs: a workload file, a job log with its map, or a scenario, and the policy that goes with it."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import click

from policyctl.adapters.log_formats import read_log
from policyctl.adapters.log_workload import build_workload
from policyctl.adapters.workload_json import read_workload, write_workload
from policyctl.cli import options
from policyctl.cli.log_input import read_map_file
from policyctl.cli.scenarios import load_scenario
from policyctl.cli.sources import LoadedPolicy, load_policy
from policyctl.cli.workload_options import OPTIONS, WorkloadOptions
from policyctl.diagnostics import Finding, Report, ordered
from policyctl.errors import Exit, NothingVerified, UsageProblem
from policyctl.model.workload import Workload
from policyctl.render.findings_text import render
from policyctl.sim.scenarios.scenario import workload_of
from policyctl.units import format_instant
from policyctl.workspace.files import read_bytes

__all__ = ["Asked", "asked", "asked_under"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked to be simulated: a policy, the workload of each seed, and until when.

    `named` is what the policy was called on the command line, `digests` what was read, by its SHA-256.
    """

    title: str
    named: str
    policy: LoadedPolicy
    seeds: tuple[int, ...]
    workloads: tuple[Workload, ...]
    until: int
    digests: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """What an option led to, before the end is cut: the workload of each seed."""

    title: str
    policy: LoadedPolicy
    seeds: tuple[int, ...]
    workloads: tuple[Workload, ...]
    digests: Mapping[str, str] = field(default_factory=dict)


def asked(*, seeds: Sequence[int]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Take a policy, a workload and seeds (these where none are said), and pass the `Asked` they make as `what`."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def asking(*arguments: Any, **given: Any) -> None:
            mine = {name: given.pop(name) for name in WorkloadOptions.__slots__}
            function(*arguments, what=_ask(WorkloadOptions(**mine), tuple(seeds)), **given)

        made: Callable[..., None] = asking
        for option in reversed(OPTIONS):
            made = option(made)
        return options.policy_source(made)

    return decorate


def asked_under(policy: LoadedPolicy, given: WorkloadOptions) -> Asked:
    """Return what is simulated under a policy that is loaded already; raises what reading it raises."""
    return _ask(given, (1,), policy)


def _ask(given: WorkloadOptions, seeds: tuple[int, ...], known: LoadedPolicy | None = None) -> Asked:
    """Read everything; findings end the command with exit code 1.

    Raises UsageProblem for options that do not go together, NothingVerified where nothing is submitted.
    """
    found = _source(replace(given, seeds=tuple(dict.fromkeys(given.seeds))), seeds, known)
    first = found.workloads[0]
    if given.until is not None and given.until <= first.start:
        raise UsageProblem("`--until` is not after the beginning", help="the workload begins later")
    until = int(first.end) if given.until is None else int(given.until)
    if until > first.end:
        raise UsageProblem(
            f"`--until` is after the workload's end, {format_instant(first.end)}",
            help=f"a later {'`horizon` of the scenario' if given.scenario else '`end` in the workload'} "
            "gives what still waits then the time to run",
        )
    if not any(_submitted(one, until) for one in found.workloads):
        raise NothingVerified("nothing is submitted, so there is nothing to simulate")
    named = str(given.bundle or given.policy or given.scenario or options.DEFAULT_POLICY)
    digests = {"policy": found.policy.digest, **found.digests}
    return Asked(
        title=found.title,
        named=named,
        policy=found.policy,
        seeds=found.seeds,
        workloads=found.workloads,
        until=until,
        digests=digests,
    )


def _submitted(workload: Workload, until: int) -> bool:
    return any(task.job.submit < until for task in workload.tasks) or any(
        stream.tasks and stream.first < until for stream in workload.streams
    )


def _source(given: WorkloadOptions, seeds: tuple[int, ...], known: LoadedPolicy | None) -> _Source:
    said = [name for name in ("workload", "log", "scenario") if getattr(given, name) is not None]
    if len(said) != 1:
        raise UsageProblem(
            "one of `--workload`, `--log` and `--scenario` says what is simulated",
            help="give one of them" if said else "`policyctl workload generate` makes a workload",
        )
    _only_of_logs(given)
    if [given.bundle, given.workload, given.log, given.map_file].count("-") > 1:
        raise UsageProblem("standard input holds one thing", help="give the others as files")
    if given.scenario is not None:
        return _of_scenario(given, given.scenario)
    loaded = known or load_policy(given.policy, given.bundle)
    if given.workload is not None:
        return _of_file(given.workload, loaded, given.seeds or seeds)
    assert given.log is not None, "it is the last of the three"
    return _of_log(given, given.log, loaded, given.seeds or seeds)


def _only_of_logs(given: WorkloadOptions) -> None:
    of_logs = {
        "--log-format": given.log_format,
        "--map": given.map_file,
        "--from": given.since,
        "--gpu-only": given.gpu_only or None,
    }
    for name, value in of_logs.items():
        if given.log is None and value is not None:
            raise UsageProblem(f"`{name}` goes with `--log`", help="leave it out, or give a log")
        if given.log is not None and value is None and name in {"--log-format", "--map"}:
            raise UsageProblem(f"`--log` needs `{name}`", help="docs/importing.md says what both are")


def _of_file(source: str, loaded: LoadedPolicy, seeds: tuple[int, ...]) -> _Source:
    name = "(standard input)" if source == "-" else source
    data = read_bytes(source)
    read = read_workload(data, file=name, pools={pool.name: pool.nodes for pool in loaded.policy.pools})
    _show(read.findings, {name: data.decode(errors="replace")})
    if read.workload is None:
        raise click.exceptions.Exit(Exit.FINDINGS)
    return _Source(
        title=f"{name} under the policy",
        policy=loaded,
        seeds=seeds,
        workloads=(read.workload,) * len(seeds),
        digests={"workload": _digest(data)},
    )


def _of_log(given: WorkloadOptions, source: str, loaded: LoadedPolicy, seeds: tuple[int, ...]) -> _Source:
    assert given.log_format is not None, "was asked for"
    assert given.map_file is not None, "was asked for"
    pools = {pool.name: pool.gpus for pool in loaded.policy.pools}
    log_map = read_map_file(given.map_file, pools)
    name = "(standard input)" if source == "-" else source
    data = read_bytes(source)
    read = read_log(data, log_format=given.log_format, file=name, log_map=log_map)
    if not read.rows:
        raise NothingVerified(f"`{name}` holds no record", help="is it the export that was meant?")
    built = build_workload(
        read.records,
        log_map,
        since=given.since,
        until=given.until,
        gpu_jobs_only=given.gpu_only,
        pools=pools,
        file=name,
    )
    _show((*read.findings, *built.findings), {})
    return _Source(
        title=f"{name} under the policy",
        policy=loaded,
        seeds=seeds,
        workloads=(built.workload,) * len(seeds),
        digests={"log": _digest(data), "map": _digest(repr(log_map).encode())},
    )


def _of_scenario(given: WorkloadOptions, source: str) -> _Source:
    own = None
    if given.policy is not None or given.bundle is not None:
        own = load_policy(given.policy, given.bundle)
    loaded = load_scenario(source, policy=own)
    scenario, policy = loaded.scenario, loaded.policy
    seeds = given.seeds or scenario.seeds
    workloads = tuple(workload_of(scenario, policy.policy, seed) for seed in seeds)
    if scenario.lab is None:
        workloads = workloads[:1] * len(seeds)
    return _Source(
        title=scenario.name,
        policy=policy,
        seeds=seeds,
        workloads=workloads,
        digests=dict(_numbered(workloads)),
    )


def _numbered(workloads: Sequence[Workload]) -> Iterator[tuple[str, str]]:
    """Yield the digest of each workload that is not the same as the one before it."""
    for number, one in enumerate(workloads):
        if number == 0 or one is not workloads[number - 1]:
            yield ("workload" if number == 0 else f"workload {number + 1}", _digest(write_workload(one)))


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _show(findings: Sequence[Finding], sources: dict[str, str]) -> None:
    if findings:
        report = Report(findings=ordered(findings), files=1, sources=sources)
        click.echo(render(report, colour=options.coloured(sys.stderr)), err=True, nl=False)
