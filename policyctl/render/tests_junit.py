"""How policy tests went, as JUnit XML: a suite for each PolicyTest document, a test case for each of its cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from policyctl.render.terminal import visible
from policyctl.render.tests_words import expected, got
from policyctl.testing.run import CaseResult

__all__ = ["render"]


def render(results: Sequence[CaseResult]) -> str:
    """Write the suites in the order of the results; no times, so equal input gives equal text."""
    suites = [(name, list(found)) for name, found in groupby(results, key=lambda one: one.case.test)]
    return "".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>\n',
            f'<testsuites name="policyctl test" {_counts(results)}>\n',
            *(_suite(name, found) for name, found in suites),
            "</testsuites>\n",
        ]
    )


def _counts(results: Sequence[CaseResult]) -> str:
    failures = sum(bool(one.differences) for one in results)
    errors = sum(one.problem is not None for one in results)
    return f'tests="{len(results)}" failures="{failures}" errors="{errors}" skipped="0"'


def _suite(name: str, results: Sequence[CaseResult]) -> str:
    head = f"  <testsuite name={_attribute(name)} {_counts(results)}>\n"
    return "".join([head, *(_case(one) for one in results), "  </testsuite>\n"])


def _case(result: CaseResult) -> str:
    case = result.case
    where = f'file={_attribute(case.place.file)} line="{case.place.line}"'
    head = f"    <testcase name={_attribute(case.name)} classname={_attribute(case.test)} {where}"
    if result.passed:
        return f"{head}/>\n"
    if result.problem is not None:
        told = f'      <error type="no answer" message={_attribute(result.problem)}/>\n'
    else:
        first = ", ".join(one.field for one in result.differences)
        told = (
            f'      <failure type="difference" message={_attribute(f"not as expected: {first}")}>'
            f"{_text(result)}</failure>\n"
        )
    return f"{head}>\n{told}    </testcase>\n"


def _text(result: CaseResult) -> str:
    # XML 1.0 cannot write most control characters at all, not even as a reference: they are shown as escapes.
    lines = [
        f"{one.place}: {one.field}: expected {expected(one.wanted)}, got {got(one)}"
        for one in result.differences
    ]
    return escape("\n".join(visible(line) for line in lines))


def _attribute(text: str) -> str:
    return quoteattr(visible(text))
