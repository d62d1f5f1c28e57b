"""A PolicyTest document to its cases, or to every problem of their states, questions and expectations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from policyctl.adapters.json_records import JsonRecords
from policyctl.adapters.policy_test_change import PolicyText
from policyctl.adapters.policy_test_expect import FIELDS, expected_of
from policyctl.adapters.policy_test_review import review_of
from policyctl.adapters.state_fields import JOB, Table
from policyctl.adapters.state_json import state_of
from policyctl.adapters.yaml_values import placed_in_document, plain_value
from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Severity, ordered
from policyctl.load.documents import Document
from policyctl.load.reading import Reader
from policyctl.load.values import Path
from policyctl.load.wording import one_of, quoted
from policyctl.model.jobs import ClusterState, Job
from policyctl.testing.case import (
    Authorize,
    Case,
    Explain,
    Plan,
    QuestionAsked,
    QuoteKnown,
    QuoteNew,
    Rank,
    Unreadable,
    Usage,
)
from policyctl.units import Instant, format_instant, parse_instant

__all__ = ["CasesRead", "read_cases"]

_NEW = "(new)"
_NOT_SUBMITTED = frozenset({"id", "submit", "start", "preemptions", "placement", "last_checkpoint"})
_SUBMISSION = Table({name: one for name, one in JOB.items() if name not in _NOT_SUBMITTED})

_KNOWN = Table({"job": JOB["id"]})


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesRead:
    """The cases of a document in their order, none while a finding is an error; what is wrong in one case stays with it."""

    cases: tuple[Case, ...]
    findings: tuple[Finding, ...]


@dataclass(slots=True, kw_only=True)
class _Reading:
    document: Document
    pools: Collection[str]
    states: Mapping[str, ClusterState]
    text: PolicyText | None
    findings: list[Finding] = field(default_factory=list)

    def say(self, code: str, row: Reader, key: str, message: str, way_out: str) -> None:
        self.findings.append(
            finding(code, message, row.place(key), help=way_out, subject=self.document.subject)
        )


def read_cases(
    document: Document,
    *,
    pools: Collection[str],
    states: Mapping[str, ClusterState],
    text: PolicyText | None = None,
) -> CasesRead:
    """Read a document that its schema accepted; `states` are the state files that it names, by their names there.

    `text` are the documents of the policy under test, which cases about a change need: without them they have no answer.
    """
    reading = _Reading(document=document, pools=pools, states=states, text=text)
    spec = Reader(document=document, path=("spec",))
    cases: list[Case] = []
    first: dict[str, Reader] = {}
    for row in spec.rows("cases"):
        name = row.text("name")
        if first.setdefault(name, row) is not row:
            reading.say("S017", row, "name", f"{quoted(name)} names two cases", "give each its own name")
        case = _case(reading, spec, row)
        cases += [] if case is None else [case]
    findings = ordered(reading.findings)
    failed = any(one.severity is Severity.ERROR for one in findings)
    return CasesRead(cases=() if failed else tuple(cases), findings=findings)


def _case(reading: _Reading, spec: Reader, row: Reader) -> Case | None:
    """Return the case, with all that is wrong with it; None where nothing says when it is asked."""
    told = next((one for one in (row, spec) if one.has("now")), None)
    now = None if told is None else parse_instant(told.text("now"))
    (kind,) = set(row.names()) & set(FIELDS)
    own = replace(reading, findings=[])
    expected = expected_of(row.inside("expect"), kind, own.findings)
    state = _state(own, spec, row, now)
    if now is None and state is None:
        reading.findings += own.findings
        return None
    now = state.time if now is None and state is not None else now
    assert now is not None, "the case says it, or its state"
    question = None if state is None else _question(own, row, kind, now)
    wrong = tuple(one for one in ordered(own.findings) if one.severity is Severity.ERROR)
    reading.findings += [one for one in own.findings if one.severity is not Severity.ERROR]
    return Case(
        test=reading.document.name,
        name=row.text("name"),
        place=row.place("name"),
        state=state or ClusterState(time=now),
        now=now,
        question=Unreadable(findings=wrong) if question is None or wrong else question,
        expected=expected,
    )


def _state(reading: _Reading, spec: Reader, row: Reader, now: Instant | None) -> ClusterState | None:
    """Return the state of the case, else that of the document, else an empty cluster; None if it cannot be read."""
    for one in (row, spec):
        if one.has("state") and one.has("stateFile"):
            message = "`state` and `stateFile` exclude each other"
            reading.say("S011", one, "stateFile", message, "keep one of them")
            return None
        if one.has("stateFile"):
            return reading.states[one.text("stateFile")]
        if one.has("state"):
            return _inline(reading, one, now)
    if now is None:
        reading.say("S004", row, "name", "nothing says when the question is asked", "add `now`")
        return None
    return ClusterState(time=now)


def _inline(reading: _Reading, row: Reader, now: Instant | None) -> ClusterState | None:
    path = (*row.path, "state")
    value = _object(reading, path)
    if "time" not in value and now is not None:
        value["time"] = format_instant(now)
    records = JsonRecords("a state")
    state = state_of(value, records, pools=reading.pools)
    reading.findings += placed_in_document(records, reading.document, path)
    return state


def _question(reading: _Reading, case: Reader, kind: str, now: Instant) -> QuestionAsked | None:
    row = case.inside(kind)
    if kind == "review":
        return review_of(row, case.inside("expect"), reading.text, reading.findings)
    if kind in ("rank", "usage"):
        pool = row.text("pool")
        if pool not in reading.pools:
            message = f"no Cluster document has a pool {quoted(pool)}"
            reading.say("A006", row, "pool", message, f"name one of {one_of(sorted(reading.pools))}")
            return None
        return Rank(pool=pool) if kind == "rank" else Usage(pool=pool)
    if kind == "authorize":
        return Authorize(job=row.text("job"), victims=row.texts("victims"))
    if kind == "quote":
        return _quote(reading, row, now)
    return Explain(job=row.text("job")) if kind == "explain" else Plan(job=row.text("job"))


def _quote(reading: _Reading, row: Reader, now: Instant) -> QuestionAsked | None:
    value = _object(reading, row.path)
    records = JsonRecords("a submission")
    known = "job" in value
    if known and len(value) > 1:
        message = "`job` excludes the fields of a new submission"
        reading.say("S011", row, "job", message, "keep the job of the state, or the fields of a new one")
        return None
    fields = records.record(value, _KNOWN if known else _SUBMISSION, "")
    reading.findings += placed_in_document(records, reading.document, row.path)
    if records.problems:
        return None
    return QuoteKnown(job=fields["job"]) if known else QuoteNew(job=Job(id=_NEW, submit=now, **fields))


def _object(reading: _Reading, path: Path) -> dict[str, object]:
    node = reading.document.node(*path)
    value = None if node is None else plain_value(node)
    assert isinstance(value, dict), "the schema wants a mapping"
    return value
