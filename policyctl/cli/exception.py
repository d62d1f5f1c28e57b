"""`policyctl exception`: the group of commands about one exception."""

from __future__ import annotations

from typing import Final

import click

from policyctl.cli.lazy import Entry, LazyGroup

__all__ = ["TABLE", "exception"]

TABLE: Final = {"new": Entry("policyctl.cli.exception_new:new", "Write a valid exception to a new file.")}


@click.group("exception", cls=LazyGroup, table=TABLE)
def exception() -> None:
    """Write exceptions that the policy accepts."""
