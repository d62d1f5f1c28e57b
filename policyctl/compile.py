"""Policy texts to a policy, or to what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from policyctl.check.policy_checks import run_checks
from policyctl.diagnostics import Report, ordered
from policyctl.load.policy_text import read_policy
from policyctl.model.policy import Policy
from policyctl.units import Instant

__all__ = ["Compiled", "compile_texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """The answer of `compile_texts`: `policy` is None exactly where the report has an error."""

    policy: Policy | None
    report: Report


def compile_texts(files: Mapping[str, bytes], schemas: Mapping[str, Any], *, now: Instant | None) -> Compiled:
    """Read the files and check the policy that they say.

    `files` maps paths below the policy root, with `/`, to contents; `schemas` maps kinds to JSON Schemas. Without
    `now`, nothing is said about what is over or due, and the answer depends on the files alone. Checks of the whole
    policy run only when every document was read, or a child would be blamed for its broken parent.
    """
    loaded = read_policy(files, schemas)
    checked = run_checks(loaded.policy, now=now) if loaded.policy is not None else ()
    report = Report(
        findings=ordered((*loaded.findings, *checked)),
        files=len(files),
        sources=loaded.sources,
    )
    return Compiled(policy=None if report.failed else loaded.policy, report=report)
