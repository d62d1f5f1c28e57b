"""The reasons of a class: what a job declared, what it gets, and the line of the policy that decided."""

from __future__ import annotations

from policyctl.decide.classify import Classes
from policyctl.decide.protection import binding_of
from policyctl.decide.situation import PoolSituation
from policyctl.decide.table import JobTable
from policyctl.diagnostics import Place
from policyctl.model.decisions import CappedBy, Reason
from policyctl.model.policy import place_of
from policyctl.model.tree import ancestors
from policyctl.units import format_instant

__all__ = ["capped_by", "class_reasons", "fault_reason", "written"]


_SHARELESS = {"zero_share", "unknown_account"}


def written(place: Place | None) -> str | None:
    """Return where something is written as `file:line`, or None where no document says it."""
    return None if place is None else place.file_line


def fault_reason(classes: Classes, row: int) -> Reason | None:
    """Return why a rule could not be evaluated on a row, or None where all could."""
    fault = classes.protection.faults.get(row)
    if fault is None:
        return None
    return Reason(
        "rule_failed",
        {
            "rule": fault.rule.name,
            "account": fault.cap.account,
            "fault": fault.code,
            "message": fault.message,
            "written": written(fault.rule.place),
        },
    )


def capped_by(situation: PoolSituation, classes: Classes, table: JobTable, row: int) -> CappedBy | None:
    """Return the cap that cuts a funded job's protection below what it declared, or None."""
    if not classes.funded[row] or classes.seconds[row] >= table.min_runtime[row]:
        return None
    binding = binding_of(situation.policy, classes.protection, row)
    if binding is None:
        return None
    place = binding.place
    return CappedBy(
        rule=binding.name,
        account=binding.account,
        file=place.file if place else None,
        line=place.line if place else None,
    )


def class_reasons(
    situation: PoolSituation, classes: Classes, table: JobTable, row: int
) -> tuple[Reason, ...]:
    """Return why a job is funded or opportunistic."""
    failed = fault_reason(classes, row)
    if failed is not None:
        return (failed,)
    if not classes.funded[row]:
        codes = classes.reasons(row)
        # Without a share nothing is entitled, and everything is beyond it: that says nothing more.
        told = [code for code in codes if code != "overdraft" or not _SHARELESS & set(codes)]
        return tuple(_against(situation, code, table.account[row]) for code in told)
    facts: dict[str, object] = {
        "declared_seconds": int(table.min_runtime[row]),
        "protected_seconds": int(classes.seconds[row]),
    }
    cap = capped_by(situation, classes, table, row)
    if cap is not None:
        facts["capped_by"] = cap.rule
        facts["account"] = cap.account
        facts["written"] = None if cap.file is None else f"{cap.file}:{cap.line}"
    reasons = [Reason("funded", facts)]
    if classes.protection.granted_by[row] >= 0 and classes.seconds[row] > classes.protection.cap[row]:
        exception = situation.policy.exceptions[int(classes.protection.granted_by[row])]
        until = exception.period.end
        reasons.append(
            Reason(
                "raised_by_exception",
                {
                    "exception": exception.name,
                    "reason": exception.reason,
                    "ticket": exception.ticket,
                    "cap_seconds": int(classes.protection.cap[row]),
                    "until": None if until is None else format_instant(until),
                    "written": written(exception.place),
                },
            )
        )
    if table.time_limit[row] >= 0 and table.min_runtime[row] > table.time_limit[row]:
        reasons.append(
            Reason(
                "min_runtime_exceeds_time_limit",
                {
                    "declared_seconds": int(table.min_runtime[row]),
                    "time_limit_seconds": int(table.time_limit[row]),
                },
            )
        )
    return tuple(reasons)


def _against(situation: PoolSituation, code: str, account: str) -> Reason:
    facts: dict[str, object] = {"account": account}
    match code:
        case "suspended":
            suspensions = situation.timeline.suspensions(situation.now)
            found = next((suspensions[path] for path in ancestors(account) if path in suspensions), None)
            if found is not None:
                facts |= {
                    "exception": found.name,
                    "reason": found.reason,
                    "ticket": found.ticket,
                    "until": None if found.period.end is None else format_instant(found.period.end),
                    "written": written(found.place),
                }
        case "unknown_account":
            facts["nearest"] = situation.timeline.meant(situation.now, account)
        case "inner_account":
            facts["children"] = [child.path for child in situation.tree.children(account)]
        case "zero_share":
            node = situation.tree.get(account)
            facts["written"] = written(node.place) if node else None
        case "overdraft":
            facts["overdraft"] = str(situation.policy.accounting.overdraft)
            facts["written"] = written(place_of(situation.policy.accounting, "funding.overdraft"))
        case _:
            pass
    return Reason(code, facts)
