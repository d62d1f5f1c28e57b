"""`policyctl bundle verify`: whether a bundle is whole, and whether it means what a policy says."""

from __future__ import annotations

from pathlib import Path

import click

from policyctl.bundle.meaning import meaning
from policyctl.cli import options
from policyctl.cli.named_path import NAMED_PATH
from policyctl.cli.sources import compiled_policy, read_bundle
from policyctl.errors import Exit

__all__ = ["verify"]


@options.command(
    "verify",
    examples=(
        "policyctl bundle verify policy.bundle",
        "policyctl bundle verify policy.bundle --policy policies",
    ),
)
@click.argument("bundle", metavar="BUNDLE")
@click.option(
    "--policy",
    type=NAMED_PATH,
    metavar="DIR",
    help="Also compare with the policy in this folder: exit code 1 if it means something else.",
)
@click.pass_context
def verify(context: click.Context, bundle: str, policy: Path | None) -> None:
    """Say whether BUNDLE is whole (exit code 0) or not (4); `-` is standard input."""
    verified = read_bundle(bundle)
    there = None if policy is None else meaning(compiled_policy(policy))
    click.echo(f"ok: {bundle} is whole\nmeaning {verified.meaning}\ndigest  {verified.digest}")
    if there == verified.meaning:
        click.echo(f"ok: it means what {policy} says")
    elif there is not None:
        click.echo(f"differs: {policy} means {there}")
        context.exit(Exit.FINDINGS)
