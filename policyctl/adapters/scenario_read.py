"""The document of a scenario and its policy to `Scenario`, or to everything that does not go together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from policyctl.adapters.scenario_checks import check_scenario
from policyctl.adapters.scenario_expect import expectation_of
from policyctl.adapters.scenario_lab import mix_of
from policyctl.adapters.scenario_tasks import streams_of, tasks_of
from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Severity, ordered
from policyctl.load.documents import Document
from policyctl.load.reading import Reader
from policyctl.load.wording import quoted
from policyctl.model.policy import Policy
from policyctl.model.workload import Incident, IncidentKind
from policyctl.sim.scenarios.scenario import Scenario
from policyctl.units import Instant, parse_duration, parse_instant

__all__ = ["ScenarioRead", "read_scenario"]

_ANY = Instant(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRead:
    """What a scenario says: the scenario, or None while a finding is an error."""

    scenario: Scenario | None
    findings: tuple[Finding, ...]


def read_scenario(document: Document, policy: Policy) -> ScenarioRead:
    """Read a Scenario document that its schema accepted; a workload file that it names is for the caller to add."""
    findings = ordered((*check_scenario(document, policy), *_ids_once(document)))
    if any(one.severity is Severity.ERROR for one in findings):
        return ScenarioRead(scenario=None, findings=findings)
    spec = Reader(document=document, path=("spec",))
    start, horizon = parse_instant(spec.text("start")), parse_duration(spec.text("horizon"))
    work = spec.inside("workload")
    rows = list(work.rows("tasks"))
    scenario = Scenario(
        name=document.name,
        about=spec.text("about"),
        start=start,
        horizon=horizon,
        seeds=tuple(int(seed) for seed in spec.texts("seeds")) or (1,),
        tasks=tuple(task for row in rows for task in tasks_of(row, start)),
        streams=tuple(stream for row in rows for stream in streams_of(row, start)),
        incidents={row.text("name"): _incident(row, start) for row in spec.rows("incidents")},
        lab=mix_of(work.inside("lab"), start=start, horizon=horizon) if work.has("lab") else None,
        expectations=tuple(expectation_of(row) for row in spec.rows("expect")),
    )
    return ScenarioRead(scenario=scenario, findings=findings)


def _ids_once(document: Document) -> Iterator[Finding]:
    """Yield entries whose numbered ids meet those of another: `a` five times has an `a-0001`, as somebody may call a job."""
    spec = Reader(document=document, path=("spec",))
    first: dict[str, str] = {}
    for row in spec.inside("workload").rows("tasks"):
        name = row.text("name")
        for identity in _ids(row):
            if first.setdefault(identity, name) != name:
                message = f"{quoted(identity)} is also a job of {quoted(first[identity])}"
                way_out = "give the tasks another name"
                yield finding("S017", message, row.place("name"), help=way_out, subject=document.subject)
                break


def _ids(row: Reader) -> Iterator[str]:
    yield from (task.job.id for task in tasks_of(row, _ANY))
    yield from (task.job.id for stream in streams_of(row, _ANY) for task in stream.tasks)


def _incident(row: Reader, start: Instant) -> Incident:
    nodes = row.inside("nodes")
    first = int(nodes.text("first"))
    at = Instant(start + parse_duration(row.text("at")))
    return Incident(
        kind=IncidentKind(row.text("kind")),
        pool=row.text("pool"),
        nodes=tuple(range(first, nodes.maybe("last", int, first) + 1)),
        at=at,
        until=Instant(at + parse_duration(row.text("for"))),
    )
