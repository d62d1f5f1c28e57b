"""The lab that a scenario writes down: the fields of a mix, and its own defaults for what is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from policyctl.load.reading import Reader
from policyctl.sim.workloads.mix import LabMix, Size
from policyctl.units import Instant, Seconds, parse_duration, parse_rate, parse_share

__all__ = ["FIELDS", "mix_of"]

_DAY = 86_400

FIELDS: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "researchers": ("researchers", int),
    "load": ("load", parse_rate),
    "queueDepth": ("queue_depth", int),
    "atMost": ("at_most", int),
    "pause": ("pause", parse_duration),
    "timezone": ("timezone", str),
    "night": ("night", parse_share),
    "weekend": ("weekend", parse_share),
    "skew": ("skew", parse_rate),
    "unequal": ("unequal", parse_rate),
    "block": ("block", parse_share),
    "longest": ("longest", parse_duration),
    "sweep": ("sweep", int),
    "zeroDeclared": ("zero_declared", parse_share),
    "inflated": ("inflated", parse_share),
    "mostDeclared": ("most_declared", parse_duration),
    "urgent": ("urgent", parse_share),
    "interactive": ("interactive", parse_share),
    "resumable": ("resumable", parse_share),
    "checkpointEvery": ("checkpoint_every", parse_duration),
    "saveTime": ("save_time", parse_duration),
    "restartOverhead": ("restart_overhead", parse_duration),
    "restartFailure": ("restart_failure", parse_share),
}
"""By the field of the scenario: the mix's own field, and how its text is read; a test keeps these to the schema."""


def mix_of(lab: Reader, *, start: Instant, horizon: Seconds) -> LabMix:
    """Return the mix; it lasts for whole days, what comes after the horizon is left out by whoever runs it."""
    said: dict[str, Any] = {
        field: read(lab.text(name)) for name, (field, read) in FIELDS.items() if lab.has(name)
    }
    if lab.has("sizes"):
        said["sizes"] = tuple(_size(row) for row in lab.rows("sizes"))
    return LabMix(seed=0, start=start, days=-(-horizon // _DAY), **said)


def _size(row: Reader) -> Size:
    return Size(
        gpus=int(row.text("gpus")), weight=int(row.text("weight")), median=parse_duration(row.text("median"))
    )
