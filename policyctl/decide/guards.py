"""Guards: the policy's own conditions over a victim and the job that asks for it, each of which can only refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from policyctl.decide.claim import Claim, entitled_hours
from policyctl.decide.marks import Mark
from policyctl.decide.reasons import written
from policyctl.decide.table import JobFields, coded
from policyctl.expr.columns import Column, Columns, Flags, Numbers, Spans, Texts, Times
from policyctl.expr.evaluate import evaluate
from policyctl.model.decisions import Reason
from policyctl.model.policy import Guard

__all__ = ["guard_marks"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_GPU_HOUR = 3_600_000


def guard_marks(
    claim: Claim, asking_row: int, rows: Ints, *, protected: Bools, at_risk: Ints
) -> dict[int, list[Mark]]:
    """Return by place what guards say against the victims in some rows, a rule that fails among it."""
    marks: dict[int, list[Mark]] = {}
    guards = claim.situation.policy.preemption.guards
    if not guards or not len(rows):
        return marks
    columns = _guard_columns(claim, asking_row, rows, protected=protected, at_risk=at_risk)
    for guard in guards:
        truth = evaluate(guard.when.tree, columns)
        for place in np.flatnonzero(truth.faults).tolist():
            fault = truth.fault(place)
            facts = _guard_facts(guard) | {"fault": fault.code, "message": fault.message}
            marks.setdefault(place, []).append(Mark(reason=Reason("rule_failed", facts), fault=True))
        for place in np.flatnonzero(truth.values & ~truth.faults).tolist():
            marks.setdefault(place, []).append(Mark(reason=Reason("guard", _guard_facts(guard))))
    return marks


def _guard_facts(guard: Guard) -> dict[str, object]:
    return {"rule": guard.name, "reason": guard.reason, "written": written(guard.place)}


class _Lazy(Mapping[str, Column]):
    """Columns that are made when a rule first reads them, beside the fields of jobs if there are any."""

    def __init__(self, makers: Mapping[str, Callable[[], Column]], fields: JobFields | None = None) -> None:
        self._makers = makers
        self._fields: Mapping[str, Column] = {} if fields is None else fields
        self._made: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        if name not in self._makers:
            return self._fields[name]
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._makers
        yield from self._fields

    def __len__(self) -> int:
        return len(self._makers) + len(self._fields)


def _guard_columns(claim: Claim, asking_row: int, rows: Ints, *, protected: Bools, at_risk: Ints) -> Columns:
    situation = claim.situation
    asking = JobFields(situation.pending, np.array([asking_row]))
    running = situation.running
    return Columns(
        size=len(rows),
        roots={
            "now": Times(values=np.array([situation.now])),
            "job": asking,
            "preemptor": asking,
            "victim": _Lazy(
                {
                    "running_for": lambda: Spans(values=np.maximum(situation.now - running.start[rows], 0)),
                    "protected": lambda: Flags(values=protected),
                    "class": lambda: _classes(situation.held.funded[rows]),
                    "work_at_risk": lambda: Numbers(values=at_risk / _GPU_HOUR),
                },
                JobFields(running, rows),
            ),
            "account": _account(claim),
        },
    )


def _classes(funded: Bools) -> Texts:
    classes = coded(["funded" if one else "opportunistic" for one in funded.tolist()])
    return Texts(codes=classes.codes, table=classes.table)


def _account(claim: Claim) -> Mapping[str, Column]:
    """Return what rules may read of the account of the asking job."""
    situation, book = claim.situation, claim.situation.book
    account = book.nodes[book.nodes[claim.user].parent]

    def used() -> float:
        return situation.rates.gpu_hours(book.used(book.of_account[account.path]))

    return _Lazy(
        {
            "path": lambda: Texts(codes=np.zeros(1, np.int32), table=(account.path,)),
            "share": lambda: Numbers(values=np.array([float(account.absolute)])),
            "usage": lambda: Numbers(values=np.array([used()])),
            "entitled": lambda: Numbers(values=np.array([entitled_hours(situation, account.absolute)])),
        }
    )
