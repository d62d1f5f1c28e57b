"""`policyctl bundle`: the group of commands over bundles."""

from __future__ import annotations

from typing import Final

import click

from policyctl.cli.lazy import Entry, LazyGroup

__all__ = ["TABLE", "bundle"]

TABLE: Final = {
    "show": Entry("policyctl.cli.bundle_show:show", "What a bundle says."),
    "verify": Entry(
        "policyctl.cli.bundle_verify:verify", "Whether a bundle is whole, and what a policy means."
    ),
}


@click.group("bundle", cls=LazyGroup, table=TABLE)
def bundle() -> None:
    """Say what a bundle says, and whether it is whole."""
