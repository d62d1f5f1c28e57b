"""The files of a new policy repository, made from the templates that policyctl brings along."""

from __future__ import annotations

from pathlib import Path

__all__ = ["starter_files"]

_TEMPLATES = Path(__file__).parent.parent / "starter"
# Where a file goes, and the template that it is made of; a name of its own keeps tools from taking a template for theirs.
_PLACES = {
    ".github/CODEOWNERS": "CODEOWNERS",
    ".github/actions/policyctl/action.yml": "action.yml",
    ".github/policy-members.json": "policy-members.json",
    ".github/workflows/policy-comment.yml": "policy-comment.yml",
    ".github/workflows/policy-rerun.yml": "policy-rerun.yml",
    ".github/workflows/policy-review.yml": "policy-review.yml",
    ".github/workflows/policy.yml": "policy.yml",
    ".pre-commit-config.yaml": "pre-commit-config.yaml",
    "policies/README.md": "README.md",
    "policies/accounting.yaml": "policies/accounting.yaml",
    "policies/budgets/organization.yaml": "policies/budgets/organization.yaml",
    "policies/budgets/research.yaml": "policies/budgets/research.yaml",
    "policies/caps/organization.yaml": "policies/caps/organization.yaml",
    "policies/cluster.yaml": "policies/cluster.yaml",
    "policies/governance.yaml": "policies/governance.yaml",
    "policies/preemption.yaml": "policies/preemption.yaml",
    "policy-tests/agreements.yaml": "policy-tests/agreements.yaml",
    "policy-tests/exceptions.yaml": "policy-tests/exceptions.yaml",
}


def starter_files(*, org: str, install: str) -> dict[str, bytes]:
    """Return the content of each file by its path from the top of the repository, in the order of the paths.

    `org` is the name that handles of teams begin with, `install` what pip installs policyctl from; both are put between
    double quotes of YAML, so they must not have a quote, a backslash or a control character in them.
    """
    return {place: _filled(_TEMPLATES / template, org, install) for place, template in _PLACES.items()}


def _filled(template: Path, org: str, install: str) -> bytes:
    # Not Jinja: its braces are the code host's own.
    text = template.read_text("utf-8")
    return text.replace("{{org}}", org).replace("{{install}}", install).encode()
