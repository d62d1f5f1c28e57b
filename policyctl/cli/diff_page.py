"""What the page of a comparison says beside it: the approvals that are needed, one seed's runs, and the digests."""

from __future__ import annotations

import hashlib

from policyctl.bundle.meaning import meaning
from policyctl.cli.comparing import Comparison
from policyctl.govern.facts import change_digest
from policyctl.govern.judge import Outcome
from policyctl.govern.requirements import Requirement, first_requirement, requirements
from policyctl.model.measures import Measures
from policyctl.render.diff_html import DiffReport, render
from policyctl.render.diff_html_approvals import Approvals
from policyctl.version import __version__
from policyctl.workspace.files import read_bytes

__all__ = ["page_of"]


def page_of(
    found: Comparison,
    command: str,
    *,
    state: str | None = None,
    charts: bool = True,
    author: str | None = None,
    outcome: Outcome | None = None,
) -> str:
    """Return the page, with or without charts of a replay; `state` is the file that jobs were read from.

    `author` is who made the change, where that is known, and `outcome` which approvals are there, where that was judged.

    Raises NoAnswer where there are charts to draw and matplotlib is not installed.
    """
    return render(
        DiffReport(
            compared=found.compared,
            approvals=Approvals(needed=_needed(found, author), author=author, outcome=outcome),
            runs=_runs(found) if charts else (),
            command=command,
            version=__version__,
            digests=_digests(found, state),
        )
    )


def _needed(found: Comparison, author: str | None) -> tuple[Requirement, ...] | None:
    if found.compared.same_files:
        return ()
    old, change = found.base.policy, found.compared.change
    if change is None and not found.compared.base_errors:
        return (first_requirement(),)
    if old is None or change is None or found.head is None or found.base.left_out:
        return None
    return requirements(old, found.head, change, author)


def _runs(found: Comparison) -> tuple[Measures, ...]:
    """Return both sides of the first seed: further ones would only make the page long."""
    if found.replayed is None or not found.replayed.impact.visible:
        return ()
    return found.replayed.base[0], found.replayed.head[0]


def _digests(found: Comparison, state: str | None) -> dict[str, str]:
    digests: dict[str, str] = {}
    if state is not None and state != "-":  # what was read from standard input cannot be read again
        digests["state"] = f"sha256:{hashlib.sha256(read_bytes(state)).hexdigest()}"
    if found.replayed is not None:
        digests |= found.replayed.digests
    if found.base.policy is not None:
        digests["base"] = meaning(found.base.policy)
    if found.head is not None:
        digests["head"] = meaning(found.head)
    if found.base.policy is not None and found.head is not None and found.compared.change is not None:
        digests["change"] = change_digest(found.base.policy, found.head, found.compared.change)
    return digests
