"""Documents about capacity to the nouns of the model: Cluster, Budget, Accounting."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from policyctl.load.documents import Document
from policyctl.load.formats import read_instant, read_overdraft
from policyctl.load.reading import Reader
from policyctl.model.policy import (
    Accounting,
    Budget,
    CalendarWindow,
    Charge,
    Period,
    Pool,
    Share,
    SlidingWindow,
    Window,
)
from policyctl.units import Instant, Seconds, parse_duration, parse_rate, parse_share

__all__ = ["accounting", "budget", "instant", "pools"]


def instant(text: str) -> Instant:
    """Read an instant that was checked before."""
    return Instant(read_instant(text))


def pools(document: Document) -> tuple[Pool, ...]:
    """Read the pools of a Cluster, by name."""
    table = Reader(document=document, path=("spec", "pools"))
    return tuple(_pool(name, table) for name in table.names())


def _pool(name: str, table: Reader) -> Pool:
    fields = table.inside(name)
    return Pool(
        name=name,
        nodes=int(fields.text("nodes")),
        gpus_per_node=int(fields.text("gpusPerNode")),
        block_nodes=fields.maybe("blockNodes", int, None),
        charge_rate=fields.maybe("chargeRate", parse_rate, Fraction(1)),
        place=table.document.key_place(*fields.path),
    )


def budget(document: Document) -> Budget:
    """Read a Budget; weights become shares of the whole account."""
    spec = Reader(document=document, path=("spec",))
    effective = spec.inside("effective")
    shares = spec.inside("shares")
    names = shares.names()
    weighted = shares.inside(names[0]).has("weight")
    parts = {name: _part(shares, name) for name in names}
    whole = sum(parts.values()) if weighted else Fraction(1)
    return Budget(
        name=document.name,
        account=spec.text("account"),
        pool=spec.maybe("pool", str, None),
        owner=spec.maybe("owner", str, None),
        period=Period(
            start=effective.maybe("from", instant, None), end=effective.maybe("until", instant, None)
        ),
        review_by=spec.maybe("reviewBy", instant, None),
        shares=tuple(
            Share(name=name, share=parts[name] / whole, place=shares.entry_place(name)) for name in names
        ),
        weighted=weighted,
        place=document.place("metadata", "name"),
        places=spec.places(without="shares"),
    )


def _part(shares: Reader, name: str) -> Fraction:
    entry = shares.inside(name)
    return parse_rate(entry.text("weight")) if entry.has("weight") else parse_share(shares.text(name))


def accounting(document: Document) -> Accounting:
    """Read the Accounting."""
    spec = Reader(document=document, path=("spec",))
    return Accounting(
        name=document.name,
        window=_window(spec.inside("window")),
        charge=_charge(spec.inside("charge")),
        credit_limit=spec.maybe("creditLimit", parse_duration, None),
        overdraft=spec.inside("funding").maybe("overdraft", read_overdraft, None),
        quantum=spec.maybe("quantum", parse_duration, Seconds(600)),
        place=document.place("metadata", "name"),
        places=spec.places(),
    )


def _window(fields: Reader) -> Window:
    if fields.has("calendar"):
        return CalendarWindow(
            unit=_unit(fields.text("calendar")), timezone=fields.maybe("timezone", str, "UTC")
        )
    return SlidingWindow(
        length=parse_duration(fields.text("length")), half_life=fields.maybe("halfLife", parse_duration, None)
    )


def _unit(text: str) -> Literal["day", "week", "month", "quarter", "year"]:
    match text:
        case "day" | "week" | "month" | "quarter" | "year":
            return text
        case _:
            raise AssertionError("a calendar period that the schema does not know")


def _charge(fields: Reader) -> Charge:
    usual = Charge()
    return Charge(
        protected=fields.maybe("protected", parse_rate, usual.protected),
        after_protection=fields.maybe("afterProtection", parse_rate, usual.after_protection),
        opportunistic=fields.maybe("opportunistic", parse_rate, usual.opportunistic),
        unused_protection=fields.maybe("unusedProtection", parse_share, usual.unused_protection),
    )
