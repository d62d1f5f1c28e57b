"""Where a command gets its policy from: a folder, compiled on the spot, or a bundle."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from policyctl.bundle.canonical import MOST_BYTES
from policyctl.bundle.decode import Bundle, decode
from policyctl.bundle.encode import encode
from policyctl.bundle.provenance import Provenance
from policyctl.cli.options import DEFAULT_POLICY, coloured
from policyctl.cli.placing import placed_in
from policyctl.diagnostics import Report
from policyctl.errors import BundleRejected, Exit, NothingVerified, UsageProblem
from policyctl.model.policy import Policy
from policyctl.workspace.files import TooLarge, read_bytes

__all__ = ["LoadedPolicy", "compiled_policy", "load_policy", "policy_files", "read_bundle", "show_findings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPolicy:
    """A policy that can be asked; `digest` is that of its meaning, so that both ways to it name the same."""

    policy: Policy
    digest: str


def load_policy(policy: Path | None, bundle: str | None) -> LoadedPolicy:
    """Return the policy of a bundle or of a folder (`policies` where neither is given).

    `digest` is the `meaning` digest on both routes: a folder has no bundle of its own, and the same policy must be
    named alike. For the same reason the policy of a folder is passed through a bundle in memory, so that answers
    never depend on the route, except for where things are written: files of a folder are named as the caller would
    open them, as `validate` names them, and those of a bundle from the root of its policy. A folder with errors shows
    its findings on standard error and ends the command with exit code 1.
    Raises UsageProblem for both at once, BundleRejected, NothingVerified, NoAnswer.
    """
    if policy is not None and bundle is not None:
        raise UsageProblem("`--policy` and `--bundle` exclude each other", help="give one of them")
    if bundle is not None:
        verified = read_bundle(bundle)
        return LoadedPolicy(policy=verified.policy, digest=verified.meaning)
    folder = policy or Path(DEFAULT_POLICY)
    verified = decode(encode(compiled_policy(folder), Provenance()))
    return LoadedPolicy(policy=placed_in(folder, verified.policy), digest=verified.meaning)


def policy_files(folder: Path) -> dict[str, bytes]:
    """Return the policy files of a folder; raises NothingVerified where there are none."""
    # Reading YAML is not needed to read a bundle, and takes longer to import than most commands run.
    from policyctl.workspace.tree import read_tree  # noqa: PLC0415

    files = read_tree(folder)
    if not files:
        raise NothingVerified(
            f"there is no policy file in `{folder}`", help="a policy is written in `*.yaml` or `*.yml` files"
        )
    return files


def compiled_policy(folder: Path) -> Policy:
    """Return the policy of a folder; with errors, show all findings and end the command with exit code 1."""
    from policyctl.compile import compile_texts  # noqa: PLC0415
    from policyctl.workspace.shipped import schemas  # noqa: PLC0415

    compiled = compile_texts(policy_files(folder), schemas(), now=None)
    if compiled.policy is None:
        show_findings(compiled.report, folder)
        raise click.exceptions.Exit(Exit.FINDINGS)
    return compiled.policy


def show_findings(report: Report, folder: Path) -> None:
    """Write findings for people to standard error."""
    from policyctl.cli.findings import beside_caller  # noqa: PLC0415
    from policyctl.render.findings_text import render  # noqa: PLC0415

    text = render(beside_caller(report, folder), colour=coloured(sys.stderr))
    click.echo(text, err=True, nl=False)


def read_bundle(source: str) -> Bundle:
    """Return a verified bundle from a file or, for `-`, standard input; raises BundleRejected."""
    try:
        data = read_bytes(source, most=MOST_BYTES)
    except TooLarge:
        raise BundleRejected(
            f"the bundle is rejected: it is larger than {MOST_BYTES // 1024**2} MiB"
        ) from None
    return decode(data)
