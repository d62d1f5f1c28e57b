"""A program that gets no more memory has no answer, and says so; it is no bug."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.program import POLICY, policy

WITH_LITTLE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (200 * 1024**2, 200 * 1024**2))
from policyctl.__main__ import main
sys.argv = ["policyctl", "validate"]
sys.exit(main())
"""


def test_no_more_memory_is_no_answer(tmp_path: Path) -> None:
    """Read a policy of many documents with little more memory than it takes to begin."""
    many = "".join(
        f"---\napiVersion: policyctl/v1\nkind: Budget\nmetadata: {{name: b{number}}}\nspec:\n"
        f"  account: /a{number}\n  shares: {{a: 1%}}\n"
        for number in range(40_000)
    )
    policy(tmp_path, POLICY + many)
    done = subprocess.run(
        [sys.executable, "-c", WITH_LITTLE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert "error: there is not enough memory\n" in done.stderr


def test_garbage_is_looked_for_seldom_and_still_found() -> None:
    code = """
import gc, weakref
from policyctl.cli.main import run
run(["rules", "P001"])
class Loop:
    pass
loop = Loop()
loop.itself, seen = loop, weakref.ref(loop)
del loop
kept = [[] for _ in range(gc.get_threshold()[0] - gc.get_count()[0] - 100)]
early = seen() is not None
kept += [[] for _ in range(1000)]
print(early, seen() is None)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "True True"
