"""`policyctl bundle show`: what a bundle says, for people or programs."""

from __future__ import annotations

import click

from policyctl.cli import options
from policyctl.cli.sources import read_bundle
from policyctl.render import bundle_json, bundle_text

__all__ = ["show"]

_RENDER = {"text": bundle_text.render, "json": bundle_json.render}


@options.command(
    "show",
    examples=(
        "policyctl bundle show policy.bundle",
        "policyctl bundle show policy.bundle --format json | jq .provenance",
    ),
)
@click.argument("bundle", metavar="BUNDLE")
@options.formats(*_RENDER)
def show(bundle: str, output: str) -> None:
    """Say what BUNDLE says: pools, shares, caps, exceptions, and where it comes from; `-` is standard input.

    A bundle that is not what it claims to be is refused with exit code 4.
    """
    click.echo(_RENDER[output](read_bundle(bundle)), nl=False)
