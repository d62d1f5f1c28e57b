"""How long each job would be protected: the smallest cap of its ancestors, raised only by an exception in force.

`p = min(declared, max(min over ancestors of cap, granted))`. Within a ProtectionCap the first rule that holds
applies, else its default. A rule that faults on a job, before an earlier one held, leaves that job without an answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from policyctl.decide.table import JobTable, rule_columns
from policyctl.diagnostics import Place
from policyctl.expr.evaluate import evaluate
from policyctl.model.policy import CapRule, Period, Policy, ProtectionCap, ProtectionGrant
from policyctl.model.tree import ancestors

__all__ = ["CapFault", "Protection", "binding_of", "most_of", "protect"]

Ints = npt.NDArray[np.int64]
_NO_CAP = np.iinfo(np.int64).max
_UNCAPPED = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class CapFault:
    """Why a cap could not be decided for a job: the rule that faulted, and how."""

    rule: CapRule
    cap: ProtectionCap
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What decided a protection: a rule of a cap, a cap's default (`rule` None), or an exception."""

    name: str
    account: str
    seconds: int
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """Per row, in seconds: what is protected, what the caps alone allow, and which rule (by number) binds.

    `bound` is the number of the binding cap line, or -1 where no cap binds; `faults` names rows without an answer.
    """

    seconds: Ints
    cap: Ints
    bound: Ints
    granted_by: Ints
    faults: dict[int, CapFault]


def protect(policy: Policy, table: JobTable, rows: Ints, at: Ints) -> Protection:
    """Return the protection of the jobs in some rows, as the policy stands at `at` (an instant for each row)."""
    size = len(rows)
    cap = np.full(size, _NO_CAP)
    bound = np.full(size, _UNCAPPED)
    faults: dict[int, CapFault] = {}
    number = 0
    for document in policy.caps:
        concerned = np.flatnonzero(_below(table, rows, document.account))
        if len(concerned):
            here, line, failed = _document(document, number, table, rows[concerned], at[concerned])
            faults = {int(concerned[row]): fault for row, fault in failed.items()} | faults
            tighter = here < cap[concerned]
            cap[concerned[tighter]] = here[tighter]
            bound[concerned[tighter]] = line[tighter]
        number += len(document.rules) + 1
    granted, granted_by = _grants(policy, table, rows, at)
    declared = table.min_runtime[rows]
    return Protection(
        seconds=np.minimum(declared, np.maximum(cap, granted)),
        cap=cap,
        bound=bound,
        granted_by=granted_by,
        faults=faults,
    )


def _below(table: JobTable, rows: Ints, account: str) -> npt.NDArray[np.bool_]:
    matches = np.array([account in ancestors(path) for path in table.account.table], bool)
    return matches[table.account.codes[rows]]


def _document(
    document: ProtectionCap, number: int, table: JobTable, rows: Ints, at: Ints
) -> tuple[Ints, Ints, dict[int, CapFault]]:
    value = np.full(len(rows), _NO_CAP if document.default is None else document.default)
    line = np.full(len(rows), number + len(document.rules))
    faults: dict[int, CapFault] = {}
    undecided = np.arange(len(rows))
    for offset, rule in enumerate(document.rules):
        if not len(undecided):
            break
        truth = evaluate(rule.when.tree, rule_columns(table, rows[undecided], at[undecided]))
        for faulted in np.flatnonzero(truth.faults).tolist():
            fault = truth.fault(faulted)
            faults[int(undecided[faulted])] = CapFault(
                rule=rule, cap=document, code=fault.code, message=fault.message
            )
        held = undecided[truth.values & ~truth.faults]
        value[held] = rule.max_protected
        line[held] = number + offset
        undecided = undecided[~truth.values & ~truth.faults]
    return value, line, faults


def _grants(policy: Policy, table: JobTable, rows: Ints, at: Ints) -> tuple[Ints, Ints]:
    granted = np.full(len(rows), -1)
    granted_by = np.full(len(rows), -1)
    for number, exception in enumerate(policy.exceptions):
        grant = exception.grant
        if isinstance(grant, ProtectionGrant):
            chosen = (
                _selected(grant, table, rows)
                & _in_force(exception.period, at)
                & (grant.max_protected > granted)
            )
            granted[chosen] = grant.max_protected
            granted_by[chosen] = number
    return granted, granted_by


def _selected(grant: ProtectionGrant, table: JobTable, rows: Ints) -> npt.NDArray[np.bool_]:
    if grant.account is not None:
        return _below(table, rows, grant.account)
    return np.fromiter((table.ids[row] == grant.job for row in rows.tolist()), np.bool_, len(rows))


def _in_force(period: Period, at: Ints) -> npt.NDArray[np.bool_]:
    # All that waits is asked about one instant, and what runs about few, so that a loop over different ones is short.
    instants, place = np.unique(at, return_inverse=True)
    return np.array([period.in_force(one) for one in instants.tolist()], bool)[place]


def most_of(policy: Policy, protection: Protection, row: int) -> int | None:
    """Return the longest protection that caps and exceptions leave a row, None where nothing limits it."""
    number = int(protection.granted_by[row])
    grant = policy.exceptions[number].grant if number >= 0 else None
    granted = grant.max_protected if isinstance(grant, ProtectionGrant) else 0
    most = max(int(protection.cap[row]), granted)
    return None if most == _NO_CAP else most


def binding_of(policy: Policy, protection: Protection, row: int) -> Binding | None:
    """Return what limits the protection of a row below what it declared, or raises it above its cap; None if nothing."""
    number = int(protection.bound[row])
    if number < 0:
        return None
    for document in policy.caps:
        if number <= len(document.rules):
            if number < len(document.rules):
                rule = document.rules[number]
                return Binding(
                    name=rule.name, account=document.account, seconds=rule.max_protected, place=rule.place
                )
            seconds = document.default
            assert seconds is not None
            return Binding(
                name="default", account=document.account, seconds=seconds, place=document.default_place
            )
        number -= len(document.rules) + 1
    raise AssertionError("the number came from these documents")
