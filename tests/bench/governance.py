"""What a comparison of two large policies costs beside validating each of them."""

from __future__ import annotations

import time

from policyctl.compile import compile_texts
from policyctl.diff.compare import compare
from policyctl.model.change import Compared
from policyctl.model.policy import Policy
from policyctl.render import diff_text
from policyctl.workspace.shipped import schemas
from tests.bench import workloads

__all__ = ["comparing"]


def _validated(files: dict[str, bytes]) -> Policy:
    compiled = compile_texts(files, schemas(), now=workloads.NOW)
    assert compiled.policy is not None, compiled.report.findings[:3]
    return compiled.policy


def _changed(files: dict[str, bytes]) -> dict[str, bytes]:
    # One program among a thousand divides itself anew: its first project gives what the second one gets.
    name = "budgets/p00500.yaml"
    return {**files, name: files[name].replace(b"1/10", b"1/20", 1).replace(b"1/10", b"3/20", 1)}


def comparing() -> list[tuple[str, str, str]]:
    """Measure `diff` of one changed file, from texts to text, against validating both sides."""
    before = workloads.policy_files(10_000, 1000)
    after = _changed(before)
    start = time.perf_counter()
    base, head = _validated(before), _validated(after)
    validated = time.perf_counter()
    change = compare(base, head, now=workloads.NOW)
    text = diff_text.render(Compared(base="before", head="after", change=change), colour=False, columns=100)
    ended = time.perf_counter()
    assert change.shares, text
    return [
        (
            "diff of one changed file in 10,000 accounts",
            f"{(ended - start) / (validated - start):.2f} x validating twice ({ended - start:.2f} s)",
            "<= 1.5 x",
        ),
    ]
