"""The options that say what an exception grants: exactly one grant, with all that it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from policyctl.errors import UsageProblem

__all__ = ["Grant", "granting"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Grant = tuple[str, dict[str, str]]
"""The key of a grant in its document, and the fields below it."""

_OPTIONS = (
    click.option("--share", metavar="POINTS", help="Move this part of the whole cluster, such as 5%."),
    click.option("--from", "source", metavar="ACCOUNT", help="With --share: the account that lends."),
    click.option("--to", metavar="ACCOUNT", help="With --share: the account that gets it."),
    click.option("--protect", metavar="ACCOUNT", help="Longer protection for an account and all below it."),
    click.option("--protect-job", metavar="JOB", help="Longer protection for one job."),
    click.option("--max-protected", metavar="DURATION", help="With --protect or --protect-job: how long."),
    click.option("--suspend", metavar="ACCOUNT", help="No new protection for an account and all below it."),
    click.option("--freeze", metavar="POOL", help="No preemption in a pool."),
)
_FIELDS = {
    "share": {"to": "to", "source": "from", "share": "add"},
    "protect": {"protect": "account", "max_protected": "maxProtected"},
    "protect_job": {"protect_job": "job", "max_protected": "maxProtected"},
    "suspend": {"suspend": "account"},
    "freeze": {"freeze": "pool"},
}
"""For each option that names a grant: the options that it needs, and the fields that they become."""
_KEYS = {"protect": "protection", "protect_job": "protection"}
_FLAGS = {"source": "--from"}


def granting(function: Callable[..., None]) -> Callable[..., None]:
    """Take the options of a grant and pass what they say as `grant`; raises UsageProblem for none, several or a part."""

    @wraps(function)
    def reading(*arguments: Any, **rest: Any) -> None:
        names = sorted({name for fields in _FIELDS.values() for name in fields})
        said = {name: rest.pop(name) for name in names}
        function(
            *arguments, grant=_grant({name: text for name, text in said.items() if text is not None}), **rest
        )

    for option in reversed(_OPTIONS):
        reading = option(reading)
    return reading


def _grant(said: dict[str, str]) -> Grant:
    chosen = [name for name in _FIELDS if name in said]
    if len(chosen) != 1:
        seen = "no grant is named" if not chosen else f"{_listed(chosen)} exclude each other"
        raise UsageProblem(seen, help=f"an exception grants one thing: give one of {_listed(list(_FIELDS))}")
    fields = _FIELDS[chosen[0]]
    if missing := [name for name in fields if name not in said]:
        raise UsageProblem(f"{_flag(chosen[0])} needs {_listed(missing)} too", help=None)
    if strange := sorted(said.keys() - fields.keys()):
        raise UsageProblem(f"{_listed(strange)} does not go with {_flag(chosen[0])}", help="leave it out")
    return _KEYS.get(chosen[0], chosen[0]), {field: said[name] for name, field in fields.items()}


def _listed(names: list[str]) -> str:
    return ", ".join(map(_flag, names))


def _flag(name: str) -> str:
    return f"`{_FLAGS.get(name, '--' + name.replace('_', '-'))}`"
