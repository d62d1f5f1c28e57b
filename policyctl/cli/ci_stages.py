"""The stages of `policyctl ci` that look at the head alone, each of which says and ends as the command of its name does."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from policyctl.bundle.decode import decode
from policyctl.bundle.encode import encode
from policyctl.bundle.provenance import Provenance
from policyctl.check.lapses import warns_besides
from policyctl.cli import options
from policyctl.cli.findings import rendered
from policyctl.cli.placing import placed_in
from policyctl.cli.policy_tests import chosen, load_cases
from policyctl.cli.stages import Stage
from policyctl.diagnostics import Report
from policyctl.errors import Exit, NothingVerified
from policyctl.govern.judge import Outcome
from policyctl.model.policy import Policy
from policyctl.render import (
    ci_github,
    review_json,
    review_markdown,
    review_text,
    tests_json,
    tests_junit,
    tests_text,
)
from policyctl.testing.run import run_case

__all__ = ["SARIF", "judged", "need_tests", "tested", "validated"]

SARIF: Final = "policyctl.sarif"


def validated(report: Report, folder: Path, *, fail_on: str) -> Stage:
    """Say every finding, in each form that somebody reads; a lapse that is no error never fails."""
    failed = report.failed or (fail_on == "warning" and warns_besides(report))
    return Stage(
        name="validate",
        exit=Exit.FINDINGS if failed else Exit.OK,
        text=rendered(report, folder, "text"),
        annotations=rendered(report, folder, "github"),
        reports={
            SARIF: rendered(report, folder, "sarif"),
            "validate.junit.xml": rendered(report, folder, "junit"),
        },
        answer=rendered(report, folder, "json"),
    )


def need_tests(tests: Path) -> None:
    """Raise NothingVerified where there is no folder of tests."""
    if not tests.exists():
        raise NothingVerified(
            f"there is no folder `{tests}`, so the policy is not tested",
            help="say where its tests are: `--tests DIR`",
        )


def tested(policy: Policy, folder: Path, tests: Path) -> Stage:
    """Run all cases below `tests`; raises NothingVerified where there are none."""
    bundle = decode(encode(policy, Provenance()))
    placed = placed_in(folder, bundle.policy)
    results = [run_case(placed, case) for case in chosen(load_cases(tests, placed, folder), None, tests)]
    return Stage(
        name="test",
        exit=Exit.OK if all(one.passed for one in results) else Exit.FINDINGS,
        text=tests_text.render(results, None, policy=bundle.meaning, colour=options.coloured()),
        annotations=ci_github.tests(results),
        reports={"test.junit.xml": tests_junit.render(results)},
        answer=tests_json.render(results, None, policy=bundle.meaning),
    )


def judged(outcome: Outcome) -> Stage:
    """Say which approvals are missing."""
    return Stage(
        name="review",
        exit=Exit.OK if outcome.satisfied else Exit.FINDINGS,
        text=review_text.render(outcome, columns=options.columns()),
        markdown=review_markdown.render(outcome),
        answer=review_json.render(outcome),
    )
