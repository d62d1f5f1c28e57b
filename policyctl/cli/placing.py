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
    return policy if folder == Path() else _moved(policy, _Names(folder))


class _Names(dict[str, str]):
    """Each file of the policy by its name from the root, made once."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __missing__(self, file: str) -> str:
        self[file] = (self._folder / file).as_posix()
        return self[file]


def _moved(value: Value, names: _Names) -> Value:
    moved: object = value
    match value:
        case str() | int() | None:
            pass
        case Place():
            moved = dataclasses.replace(value, file=names[value.file])
        case tuple():
            moved = tuple(_moved(one, names) for one in value)
        case Mapping():
            moved = {key: _moved(one, names) for key, one in value.items()}
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            held = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
            moved = dataclasses.replace(value, **{name: _moved(one, names) for name, one in held.items()})
        case _:
            pass
    return moved  # type: ignore[return-value]  # the same shape, with other places
