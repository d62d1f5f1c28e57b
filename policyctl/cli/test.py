"""`policyctl test`: does the policy answer as its tests say."""

from __future__ import annotations

from pathlib import Path

import click

from policyctl.cli import options
from policyctl.cli.named_path import NAMED_PATH
from policyctl.cli.policy_tests import chosen, load_cases
from policyctl.cli.sources import load_policy
from policyctl.errors import Exit, UsageProblem
from policyctl.render import tests_json, tests_junit, tests_text
from policyctl.testing.coverage import coverage
from policyctl.testing.run import run_case

__all__ = ["test"]


@options.command(
    "test",
    examples=(
        "policyctl test",
        "policyctl test --coverage",
        "policyctl test --run 'guards/*' --policy policies",
        "policyctl test --format junit > policy-tests.xml",
    ),
)
@click.argument("folder", metavar="[DIR]", default=options.DEFAULT_TESTS, type=NAMED_PATH)
@options.policy_source
@click.option("--run", "pattern", metavar="PATTERN", help="Only cases whose TEST/NAME has this in it.")
@click.option(
    "--coverage",
    "covering",
    is_flag=True,
    help="Which rules, limits, exceptions, approvals and gates were seen both to hold and not to hold.",
)
@options.formats("text", "json", "junit")
@click.pass_context
def test(
    context: click.Context,
    /,
    *,
    folder: Path,
    policy: Path | None,
    bundle: str | None,
    pattern: str | None,
    covering: bool,
    output: str,
) -> None:
    """Ask what the PolicyTest documents in DIR (default: policy-tests) ask, and compare the answers with theirs.

    Exit code 1 if a case fails or cannot be read, 5 if there is no case at all.
    """
    if covering and output == "junit":
        raise UsageProblem("junit has no place for `--coverage`", help="ask for it as text or json")
    asked = load_policy(policy, bundle)
    documents = None if bundle is not None else policy or Path(options.DEFAULT_POLICY)
    cases = chosen(load_cases(folder, asked.policy, documents), pattern, folder)
    results = [run_case(asked.policy, case) for case in cases]
    seen = [one.answered for one in results if one.answered is not None]
    covered = coverage(asked.policy, seen) if covering else None
    if output == "json":
        text = tests_json.render(results, covered, policy=asked.digest)
    elif output == "junit":
        text = tests_junit.render(results)
    else:
        text = tests_text.render(results, covered, policy=asked.digest, colour=options.coloured())
    click.echo(text, nl=False)
    context.exit(Exit.OK if all(one.passed for one in results) else Exit.FINDINGS)
