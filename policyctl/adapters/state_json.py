"""A state file to `ClusterState`: every problem at its record, and no state at all while there is one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from policyctl.adapters.json_text import Doubled, Spot, read_json, spots
from policyctl.adapters.printable import printable, shortened
from policyctl.adapters.state_checks import check_state
from policyctl.adapters.state_fields import JOB, NODE, RUN, TOP, BadValue, Table
from policyctl.adapters.state_write import write_state
from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, Severity, nearest, ordered
from policyctl.errors import NoAnswer
from policyctl.model.jobs import ClusterState, Job, Node, PastRun

__all__ = ["StateRead", "read_state", "write_state"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRead:
    """What a state file says: the state, or None while a finding is an error."""

    state: ClusterState | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A finding before it has a place: its code, the path it is about, and the paths that may stand in for it."""

    code: str
    path: str
    message: str
    help: str | None = None
    instead: str = ""


def read_state(data: bytes, *, file: str, pools: Collection[str] | None = None) -> StateRead:
    """Read a state file; `pools` are the pools that exist, or None to accept any.

    Records keep no order of the file: jobs come sorted by id, runs by job and start, nodes by name. Raises
    NoAnswer, with line and column, for text that is not one JSON object.
    """
    text, value = read_json(data, file=file)
    if not isinstance(value, dict):
        raise NoAnswer(f"{file}:1:1: a state is one JSON object", help='write `{"time": "…Z", "jobs": []}`')
    problems: list[Problem] = []
    top = _record(value, TOP, "", problems)
    jobs = _all(top.get("jobs"), JOB, "jobs", _job, problems)
    usage = _all(top.get("usage"), RUN, "usage", _run, problems)
    nodes = _all(top.get("nodes"), NODE, "nodes", _node, problems)
    for code, path, message, way_out in check_state(
        time=top.get("time"), jobs=jobs, usage=usage, nodes=nodes if "nodes" in top else None, pools=pools
    ):
        problems.append(Problem(code=code, path=path, message=message, help=way_out, instead=_parent(path)))
    findings = _placed(problems, text, file)
    if "time" not in top or any(one.severity is Severity.ERROR for one in findings):
        return StateRead(state=None, findings=findings)
    state = ClusterState(
        time=top["time"],
        jobs=tuple(sorted((job for _, job in jobs), key=lambda job: job.id)),
        usage=tuple(
            sorted((run for _, run in usage), key=lambda run: (run.job.id, run.job.start or 0, run.end))
        ),
        nodes=tuple(sorted((node for _, node in nodes), key=lambda node: node.name))
        if "nodes" in top
        else None,
    )
    return StateRead(state=state, findings=findings)


_T = TypeVar("_T")


def _all(
    values: object,
    fields: Table,
    name: str,
    make: Callable[[dict[str, Any]], _T],
    problems: list[Problem],
) -> list[tuple[str, _T]]:
    """Return path and noun of every record that could be read whole."""
    made: list[tuple[str, _T]] = []
    for number, value in enumerate(values if isinstance(values, list) else ()):
        path = f"{name}[{number}]"
        if not isinstance(value, dict):
            problems.append(Problem(code="J003", path=path, message=f"`{path}` is not an object"))
            continue
        before = len(problems)
        read = _record(value, fields, path, problems)
        if len(problems) == before:
            made.append((path, make(read)))
    return made


def _record(value: dict[str, object], fields: Table, path: str, problems: list[Problem]) -> dict[str, Any]:
    """Return the fields of one object that could be read, and add a problem for each that could not."""
    read: dict[str, Any] = {}
    prefix = f"{path}." if path else ""
    if isinstance(value, Doubled):
        problems.extend(
            Problem(
                code="J010",
                path=prefix + name,
                message=f"`{prefix}{name}` is written twice",
                help="keep one of the two",
            )
            for name in value.repeated
        )
    for name, one in value.items():
        field = fields.get(name)
        if field is None:
            problems.append(_unknown(prefix + name, name, fields))
            continue
        try:
            read[name] = field.read(one)
        except BadValue as problem:
            problems.append(_refused(prefix + name, problem))
    problems.extend(
        Problem(code="J002", path=prefix + name, message=f"`{prefix}{name}` is missing", instead=path)
        for name in fields.required
        if name not in value
    )
    return read


def _unknown(path: str, name: str, fields: Table) -> Problem:
    close = nearest(name[:60], fields)
    hint = (
        f"did you mean `{close}`?" if close else f"the fields are {', '.join(f'`{one}`' for one in fields)}"
    )
    return Problem(
        code="J001", path=path, message=f"`{shortened(path)}` is not a field of a state file", help=hint
    )


def _refused(path: str, problem: BadValue) -> Problem:
    close = nearest(problem.seen, problem.words) if problem.words else None
    way_out = f"did you mean `{close}`?" if close else problem.help
    return Problem(code=problem.code, path=path, message=f"`{path}`: {problem}", help=way_out)


def _job(fields: dict[str, Any]) -> Job:
    return Job(**fields)


def _run(fields: dict[str, Any]) -> PastRun:
    end, outcome = fields.pop("end"), fields.pop("outcome")
    fields["id"] = fields.pop("job")
    fields.setdefault("submit", fields["start"])
    return PastRun(job=Job(**fields), end=end, outcome=outcome)


def _node(fields: dict[str, Any]) -> Node:
    if "state" in fields:
        fields["available"] = fields.pop("state")
    return Node(**fields)


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _placed(problems: Iterable[Problem], text: str, file: str) -> tuple[Finding, ...]:
    """Give every problem its line, which needs one walk over the text, and only when there is a problem."""
    problems = list(problems)
    if not problems:
        return ()
    wanted = frozenset(path for one in problems for path in (one.path, one.instead) if path)
    where = spots(text, wanted)
    start = Spot(line=1, column=1, end_line=1, end_column=2)
    return ordered(
        finding(
            one.code,
            printable(one.message),
            _place(where.get(one.path) or where.get(one.instead) or start, one.path, file),
            help=None if one.help is None else printable(one.help),
        )
        for one in problems
    )


def _place(spot: Spot, path: str, file: str) -> Place:
    return Place(
        file=file,
        line=spot.line,
        column=spot.column,
        end_line=spot.end_line,
        end_column=spot.end_column,
        path=path,
    )
