"""The steps of the action, run as the code host runs them: its shells, its environment, a repository, an event."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from policyctl.workspace.starter import starter_files
from tests.host.git import ENVIRONMENT, commit, git

__all__ = ["ACTION", "BUDGET", "FILES", "Checked", "change", "check", "outputs_of", "run_step"]

SHIPPED = starter_files(org="lab", install="policyctl")
AGREED = "policy-tests/agreements.yaml"
# Without the cases that weigh accounts against each other, which any other share would fail.
FILES = {**SHIPPED, AGREED: SHIPPED[AGREED][: SHIPPED[AGREED].index(b"    - name: what cannot resume")]}
ACTION = yaml.safe_load(FILES[".github/actions/policyctl/action.yml"])
BUDGET = "policies/budgets/organization.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """How a step ended, and what it left."""

    code: int
    said: str
    summary: str
    comment: str | None


def run_step(name: str, folder: Path, scratch: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action in a folder."""
    (step,) = (one for one in ACTION["runs"]["steps"] if one.get("name") == name)
    script = scratch / "step"
    script.write_text(step["run"])
    # These are the calls that the code host documents for the two shells.
    shell = {
        "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        "python": ["python", str(script)],
    }
    path = f"{Path(sys.executable).parent}:{ENVIRONMENT['PATH']}"
    return subprocess.run(
        shell[step["shell"]],
        cwd=folder,
        env={**ENVIRONMENT, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def check(
    folder: Path, scratch: Path, *, event: str = "pull_request", base: str = "", **inputs: str
) -> Checked:
    """Run the check; no approvals are asked unless `inputs` say where they are."""
    scratch.mkdir(exist_ok=True)
    defaults = {name: str(one["default"]) for name, one in ACTION["inputs"].items()}
    named = {"POLICY": "policy", "TESTS": "tests", "FAIL_ON": "fail-on", "STRICT": "strict"}
    given = {variable: defaults[name] for variable, name in named.items()}
    reviewed = {"WANTED": defaults["approvals"], "MEMBERS": defaults["members"], "APPROVALS": "none"}
    (scratch / "summary").touch()
    (scratch / "output").touch()
    done = run_step(
        "Check",
        folder,
        scratch,
        **{**given, **reviewed, **inputs},
        BASE=base,
        GITHUB_ACTIONS="true",
        GITHUB_EVENT_NAME=event,
        GITHUB_SHA=git(folder, "rev-parse", "HEAD"),
        GITHUB_STEP_SUMMARY=str(scratch / "summary"),
        GITHUB_OUTPUT=str(scratch / "output"),
        RUNNER_TEMP=str(scratch),
    )
    outputs = outputs_of(scratch)
    file = outputs.get("comment")
    return Checked(
        code=done.returncode,
        said=done.stdout + done.stderr,
        summary=(scratch / "summary").read_text(),
        comment=Path(file).read_text() if file else None,
    )


def outputs_of(scratch: Path) -> dict[str, str]:
    """Return what a step gave to those after it."""
    return dict(line.split("=", 1) for line in (scratch / "output").read_text().splitlines())


def change(lab: Path, old: str, new: str, file: str = BUDGET) -> str:
    """Replace a text in a file, commit, and return the commit."""
    text = (lab / file).read_text()
    assert old in text
    (lab / file).write_text(text.replace(old, new))
    return commit(lab, "change")
