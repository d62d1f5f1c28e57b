"""The policy tests of a folder: its documents, the state files they name, and the cases that a pattern chooses."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import click

from policyctl.adapters.policy_test_change import PolicyText, policy_text
from policyctl.adapters.policy_test_read import read_cases
from policyctl.adapters.policy_test_text import asks_of_a_change, read_policy_tests, state_files
from policyctl.cli import options
from policyctl.cli.asking import read_cluster
from policyctl.cli.sources import policy_files
from policyctl.diagnostics import Finding, Report
from policyctl.errors import Exit, NothingVerified
from policyctl.load.documents import Document
from policyctl.model.jobs import ClusterState
from policyctl.model.policy import Policy
from policyctl.render.findings_text import render
from policyctl.render.names_text import counted
from policyctl.testing.case import Case
from policyctl.workspace.shipped import schemas
from policyctl.workspace.tree import read_tree

__all__ = ["chosen", "load_cases"]


def load_cases(folder: Path, policy: Policy, documents: Path | None) -> list[Case]:
    """Return all cases below a folder, in the order of files and text.

    `documents` is the folder of the policy under test, which cases about a change of it need; a bundle has none.
    Findings go to standard error, and with an error the command ends with exit code 1: a suite of which a part cannot be
    read has verified nothing that can be relied on. Raises NoAnswer for a folder or state file that cannot be read.
    """
    files = {(folder / name).as_posix(): data for name, data in read_tree(folder).items()}
    tests = read_policy_tests(files, schemas()["PolicyTest"])
    _stop_on(tests.findings, tests.sources)
    cases: list[Case] = []
    findings: list[Finding] = []
    changed = any(asks_of_a_change(one) for one in tests.documents)
    text = _text(documents) if documents is not None and changed else None
    pools = [pool.name for pool in policy.pools]
    for document in tests.documents:
        read = read_cases(document, pools=pools, states=_states(document, policy), text=text)
        cases += read.cases
        findings += read.findings
    _stop_on(findings, tests.sources)
    return cases


def _text(folder: Path) -> PolicyText | None:
    return policy_text(policy_files(folder), schemas(), folder.as_posix())


def _states(document: Document, policy: Policy) -> dict[str, ClusterState]:
    beside = Path(document.file).parent
    return {name: read_cluster((beside / name).as_posix(), policy) for name in state_files(document)}


def chosen(cases: Sequence[Case], pattern: str | None, folder: Path) -> list[Case]:
    """Return the cases whose `test/name` has the pattern in it, `*` and `?` as in file names; NothingVerified for none."""
    if not cases:
        raise NothingVerified(
            f"there is no policy test in `{folder}`", help="write one: a document with `kind: PolicyTest`"
        )
    if pattern is None:
        return list(cases)
    found = [one for one in cases if fnmatchcase(one.title, f"*{pattern}*")]
    if not found:
        raise NothingVerified(
            f"`--run {pattern}` matches none of {counted(len(cases), 'case')}",
            help=f"a case is called as `{cases[0].title}`",
        )
    return found


def _stop_on(findings: Sequence[Finding], sources: dict[str, str]) -> None:
    report = Report(findings=tuple(findings), files=len(sources), sources=sources)
    if findings:
        click.echo(render(report, colour=options.coloured(sys.stderr)), err=True, nl=False)
    if report.failed:
        raise click.exceptions.Exit(Exit.FINDINGS)
