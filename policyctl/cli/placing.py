"""A policy whose places are named as the caller would open them: `policies/caps/lab.yaml`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from policyctl.diagnostics import Place
from policyctl.model.policy import Policy

__all__ = ["placed_in"]

Value = TypeVar("Value")


def placed_in(folder: Path, policy: Policy) -> Policy:
    """Return the policy with every place that is relative to its root named from where the caller stands."""
    return policy if folder == Path() else _moved(policy, folder)


def _moved(value: Value, folder: Path) -> Value:
    moved: object = value
    match value:
        case Place():
            moved = dataclasses.replace(value, file=(folder / value.file).as_posix())
        case tuple():
            moved = tuple(_moved(one, folder) for one in value)
        case Mapping():
            moved = {key: _moved(one, folder) for key, one in value.items()}
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            held = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
            fresh = {name: _moved(one, folder) for name, one in held.items()}
            changed = {name: one for name, one in fresh.items() if one is not held[name]}
            moved = dataclasses.replace(value, **changed) if changed else value
        case _:
            pass
    return moved  # type: ignore[return-value]  # the same shape, with other places
