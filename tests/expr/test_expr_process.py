"""What loading and compiling do to the process: nothing that others would notice."""

from __future__ import annotations

import subprocess
import sys

import pytest

from policyctl.expr.parse import environment


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_evaluator_loads_neither_parser_nor_yaml() -> None:
    done = run(
        "import sys; import policyctl.expr.evaluate, policyctl.expr.columns, policyctl.expr.trees\n"
        "print(sorted({'celpy', 'lark', 're2', 'yaml', 'jinja2', 'git'} & set(sys.modules)))"
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_compiling_leaves_the_recursion_limit_alone() -> None:
    done = run(
        "import sys; limit = sys.getrecursionlimit()\n"
        "from policyctl.expr.compiler import compile_expression; from policyctl.expr.scope import JOB_SCOPE\n"
        "compile_expression('true', JOB_SCOPE); print(sys.getrecursionlimit() == limit)"
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.parametrize("pattern", ["(", "a**", "[z-a]", r"\y"])
def test_a_bad_pattern_writes_nothing(pattern: str) -> None:
    done = run(
        "from policyctl.expr.compiler import compile_expression; from policyctl.expr.scope import JOB_SCOPE\n"
        f"print(compile_expression(r'''job.user.matches(r\"{pattern}\")''', JOB_SCOPE)[0].code)"
    )
    assert (done.stdout, done.stderr) == ("C014\n", "")


def test_there_is_one_environment() -> None:
    assert environment() is environment()


def test_the_answer_does_not_depend_on_the_hash_seed_or_the_time_zone() -> None:
    code = (
        "from policyctl.expr.compiler import compile_expression; from policyctl.expr.scope import GUARD_SCOPE\n"
        "print(compile_expression('jobb.x > 1 && job.gpu > 2 && now.getHours(\"Berlin\") > 1 && vctim.id == usr', GUARD_SCOPE))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "TZ": zone},
        ).stdout
        for seed, zone in (("0", "UTC"), ("1", "Asia/Tokyo"), ("77", "America/Los_Angeles"))
    }
    assert len(answers) == 1
