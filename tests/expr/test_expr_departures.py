"""Each known departure of cel-python and of the C++ implementation is still real, and policyctl follows the specification."""

from __future__ import annotations

from pathlib import Path

import pytest

from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.evaluate import evaluate
from policyctl.expr.scope import JOB_SCOPE
from tests.expr.departures import DEPARTURES, departs
from tests.expr.oracles import Answer, by_cel_python, by_cpp
from tests.expr.rows import NOW, columns, job

PAGE = Path(__file__).parent.parent.parent / "docs" / "cel.md"

MET: dict[str, tuple[str, Answer, Answer]] = {
    # departure: (condition, the answer, cel-python's answer)
    "an int and a double do not compare": ("1 < 1.5", True, None),
    "durations may exceed 64 bits of nanoseconds": (
        "duration('9223372036s') + duration('1s') > duration('1s')",
        None,
        True,
    ),
    "the smallest int modulo -1 is 0": ("-9223372036854775808 % -1 == 0", None, True),
}
READ_OTHERWISE: dict[str, tuple[str, Answer, Answer]] = {
    # a spelling: (condition, the answer, cel-python's answer)
    "the escapes `\\?` and `` \\` `` are kept": (r"'\?\`'.size() == 2", True, False),
}
REFUSED: dict[str, tuple[str, Answer]] = {
    # what policyctl refuses to compile: (condition, cel-python's answer)
    "`true` counts as 1": ("true + 1 == 2", True),
    "a duration may be a multiple of a number": ("duration('1h') * 2 > duration('1h')", True),
    "`1d` is a duration": ("duration('1d') > duration('1h')", True),
    "a date is a timestamp": ("timestamp('2026-01-01') < now", True),
    "a timestamp needs no offset": ("timestamp('2026-01-01T00:00:00') < now", True),
    "an unknown name has no fields": ("has(jobb.gpus)", False),
    "a missing field has no fields": ("has(job.missing.gpus)", False),
    "a list has an element before its first": ("[1, 2][-1] == 2", True),
    "`1.` is a double": ("1. == 1.0", True),
    "an unknown escape is kept": (r"'\q'.size() == 2", True),
    "`intrue` is `in true`": ("true intrue || true", True),
}


def answer(source: str) -> Answer:
    lowered = compile_expression(source, JOB_SCOPE)
    assert isinstance(lowered, Lowered), lowered
    truth = evaluate(lowered.tree, columns([job()]))
    return None if truth.faults[0] else bool(truth.values[0])


@pytest.mark.parametrize(
    ("source", "ours", "theirs"), [*MET.values(), *READ_OTHERWISE.values()], ids=[*MET, *READ_OTHERWISE]
)
def test_departures_that_conditions_can_meet(source: str, ours: Answer, theirs: Answer) -> None:
    assert answer(source) == ours
    assert by_cpp(source, job(), NOW) == ours
    assert by_cel_python(source, job(), NOW) == theirs


@pytest.mark.parametrize("name", DEPARTURES)
def test_the_predicate_of_a_departure_finds_its_example(name: str) -> None:
    lowered = compile_expression(MET[name][0], JOB_SCOPE)
    assert isinstance(lowered, Lowered)
    places = evaluate(lowered.tree, columns([job()])).places
    assert [other for other, meets in DEPARTURES.items() if meets(lowered.tree, places)] == [name]
    assert departs(lowered.tree, places)


@pytest.mark.parametrize(("source", "theirs"), REFUSED.values(), ids=REFUSED)
def test_what_cel_python_takes_and_policyctl_refuses(source: str, theirs: Answer) -> None:
    assert not isinstance(compile_expression(source, JOB_SCOPE), Lowered)
    assert by_cel_python(source, job(), NOW) == theirs


def test_int_and_double_compare_depends_on_the_order_in_cel_python() -> None:
    assert by_cel_python("1.5 > 1", job(), NOW) is True
    assert by_cel_python("1 < 1.5", job(), NOW) is None


def test_the_cpp_implementation_rounds_large_ints_when_comparing() -> None:
    source = "9007199254740993 == 9007199254740992.0"
    assert answer(source) is False
    assert by_cpp(source, job(), NOW) is True


def test_infinity_is_a_fault_here_and_a_value_in_cel() -> None:
    source = "1.0 / 0.0 > 1.0"
    assert answer(source) is None
    assert by_cpp(source, job(), NOW) is True
    assert by_cel_python(source, job(), NOW) is True


@pytest.mark.parametrize("name", [*MET, *READ_OTHERWISE, *REFUSED])
def test_the_page_lists_every_departure(name: str) -> None:
    assert name in PAGE.read_text(encoding="utf-8")
