"""Documents about decisions to the nouns of the model: ProtectionCap, Preemption, Exception, Governance."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from policyctl.diagnostics import Place
from policyctl.load.budgets import instant
from policyctl.load.documents import Document
from policyctl.load.reading import Reader
from policyctl.load.values import Path
from policyctl.model.policy import (
    CapRule,
    Expression,
    Freeze,
    Governance,
    Grant,
    Guard,
    Period,
    PerJobLimit,
    PolicyException,
    Preemption,
    ProtectionCap,
    ProtectionGrant,
    ShareGrant,
    Suspension,
)
from policyctl.units import Seconds, parse_duration, parse_rate, parse_share

__all__ = ["NO_GOVERNANCE", "NO_PREEMPTION", "exception", "governance", "preemption", "protection_cap"]

NO_PREEMPTION = Preemption(name="(default)", place=Place(file="(default)"))
"""What holds without a Preemption document: no hysteresis, no limits, no guards."""
NO_GOVERNANCE = Governance(name="(default)", place=Place(file="(default)"))
"""What holds without a Governance document: no groups and no limits."""

Rules = Mapping[Path, Expression]


def protection_cap(document: Document, rules: Rules) -> ProtectionCap:
    """Read a ProtectionCap; its rules keep their order."""
    spec = Reader(document=document, path=("spec",))
    return ProtectionCap(
        name=document.name,
        account=spec.text("account"),
        rules=tuple(
            CapRule(
                name=row.text("name"),
                when=rules[*row.path, "when"],
                max_protected=parse_duration(row.text("maxProtected")),
                place=row.place("name"),
            )
            for row in spec.rows("rules")
        ),
        default=spec.maybe("default", parse_duration, None),
        default_place=spec.place("default") if spec.has("default") else None,
        place=document.place("metadata", "name"),
        places=spec.places(),
    )


def preemption(document: Document, rules: Rules) -> Preemption:
    """Read the Preemption document."""
    spec = Reader(document=document, path=("spec",))
    per_job = spec.inside("perJob")
    return Preemption(
        name=document.name,
        hysteresis=spec.maybe("hysteresis", parse_share, Fraction(0)),
        notice=spec.maybe("notice", parse_duration, Seconds(0)),
        per_job=PerJobLimit(max=int(per_job.text("max")), within=parse_duration(per_job.text("within")))
        if spec.has("perJob")
        else None,
        max_gpu_hours_per_hour=spec.inside("perPool").maybe("maxGpuHoursPerHour", parse_rate, None),
        guards=tuple(
            Guard(
                name=row.text("name"),
                when=rules[*row.path, "when"],
                reason=row.text("reason"),
                place=row.place("name"),
            )
            for row in spec.rows("guards")
        ),
        place=document.place("metadata", "name"),
        places=spec.places(),
    )


def exception(document: Document) -> PolicyException:
    """Read an Exception."""
    spec = Reader(document=document, path=("spec",))
    granted = next(key for key in ("share", "protection", "suspend", "freeze") if spec.has(key))
    return PolicyException(
        name=document.name,
        reason=spec.text("reason"),
        ticket=spec.text("ticket"),
        requested_by=spec.text("requestedBy"),
        period=Period(start=instant(spec.text("starts")), end=instant(spec.text("expires"))),
        grant=_grant(granted, spec.inside(granted)),
        place=document.place("metadata", "name"),
        grant_place=document.key_place("spec", granted),
        places=spec.places(),
    )


def _grant(kind: str, fields: Reader) -> Grant:
    if kind == "share":
        return ShareGrant(
            to=fields.text("to"), source=fields.text("from"), add=parse_share(fields.text("add"))
        )
    if kind == "protection":
        return ProtectionGrant(
            account=fields.maybe("account", str, None),
            job=fields.maybe("job", str, None),
            max_protected=parse_duration(fields.text("maxProtected")),
        )
    if kind == "suspend":
        return Suspension(account=fields.text("account"))
    return Freeze(pool=fields.text("pool"))


def governance(document: Document) -> Governance:
    """Read the Governance document; the members of a group have no order."""
    spec = Reader(document=document, path=("spec",))
    groups = spec.inside("groups")
    limits = spec.inside("exceptions")
    return Governance(
        name=document.name,
        groups={name: tuple(sorted(groups.texts(name))) for name in groups.names()},
        max_duration=limits.maybe("maxDuration", parse_duration, None),
        max_active=limits.maybe("maxActive", int, None),
        max_renewals=limits.maybe("maxRenewals", int, None),
        review_every=spec.maybe("reviewEvery", parse_duration, None),
        approvals=spec.data("approvals"),
        gates=spec.data("gates"),
        place=document.place("metadata", "name"),
        places=spec.places(lists=("approvals", "gates")),
    )
