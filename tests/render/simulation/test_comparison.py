"""Contestants side by side: figures, differences, and whether a difference is good news."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from policyctl.model.measures import Group, Measures, WaitLine
from policyctl.render.quantity_text import brief, ratio, span
from policyctl.render.simulation_comparison import Cell, comparison
from policyctl.render.simulation_tables import TABLES, TableKind
from tests.render.simulation.samples import contestant, report

FIRST = contestant("policy")
GROUP = FIRST.overall


def overall(group: Group) -> Measures:
    return replace(FIRST, overall=group)


def waiting(**changes: int) -> Measures:
    def changed(line: WaitLine) -> WaitLine:
        return replace(line, waits=replace(line.waits, **changes))

    return replace(FIRST, waits=tuple(changed(line) for line in FIRST.waits))


def second(label: str, first: Measures, other: Measures) -> Cell:
    (line,) = [line for line in comparison((first, other)) if line.label == label]
    assert line.cells[0].difference == ""
    return line.cells[1]


@pytest.mark.parametrize(
    ("label", "first", "other", "cell"),
    [
        (
            "delivered of owed",
            overall(replace(GROUP, met=50.0, owed=100.0)),
            overall(replace(GROUP, met=75.0, owed=100.0)),
            Cell(text="75.0%", difference="+25.0 points", verdict="better"),
        ),
        (
            "delivered of owed",
            overall(replace(GROUP, met=50.0, owed=100.0)),
            overall(replace(GROUP, met=50.01, owed=100.0)),
            Cell(text="50.0%"),
        ),
        ("delivered of owed", overall(replace(GROUP, owed=0.0)), FIRST, Cell(text="98.5%")),
        ("delivered of owed", FIRST, overall(replace(GROUP, owed=0.0)), Cell(text="–")),
        (
            "preemptions",
            overall(replace(GROUP, preemptions=4)),
            overall(replace(GROUP, preemptions=1_500)),
            Cell(text="1,500", difference="+1,496", verdict="worse"),
        ),
        (
            "GPU-hours of work lost",
            overall(replace(GROUP, lost=200.0)),
            overall(replace(GROUP, lost=150.0)),
            Cell(text="150", difference="−25.0%", verdict="better"),
        ),
        (
            "GPU-hours of work lost",
            overall(replace(GROUP, lost=0.0)),
            overall(replace(GROUP, lost=150.0)),
            Cell(text="150", difference="+150", verdict="worse"),
        ),
        (
            "opportunistic part of them",
            overall(replace(GROUP, opportunistic=10.0, delivered=100.0)),
            overall(replace(GROUP, opportunistic=20.0, delivered=100.0)),
            Cell(text="20.0%", difference="+10.0 points", verdict="neither"),
        ),
        (
            "median wait",
            waiting(median=24),
            waiting(median=300),
            Cell(text="5 min", difference="12 ×", verdict="worse"),
        ),
        (
            "median wait",
            waiting(median=300),
            waiting(median=24),
            Cell(text="24 s", difference="1/12 ×", verdict="better"),
        ),
        (
            "median wait",
            waiting(median=0),
            waiting(median=90),
            Cell(text="1.5 min", difference="+1.5 min", verdict="worse"),
        ),
        (
            "median wait",
            waiting(median=90),
            waiting(median=0),
            Cell(text="0 s", difference="−1.5 min", verdict="better"),
        ),
    ],
    ids=[
        "a larger part is better",
        "what reads the same is the same",
        "nothing owed to compare with",
        "nothing owed to compare",
        "a count",
        "a percentage of the first",
        "no percentage of nothing",
        "neither good nor bad",
        "a multiple",
        "a fraction, as one over a number",
        "no multiple of no wait",
        "no wait is no fraction",
    ],
)
def test_differences(label: str, first: Measures, other: Measures, cell: Cell) -> None:
    assert second(label, first, other) == cell


def test_the_lowest_program_is_named_by_no_average() -> None:
    groups: list[Group] = [replace(group, met=1.0, owed=2.0) for group in FIRST.programs]
    groups[2] = replace(groups[2], met=0.2)
    groups[3] = replace(groups[3], met=0.0, owed=0.0)
    one = replace(FIRST, programs=tuple(groups))
    assert second("lowest of any program", FIRST, one).text == "10.0%"


def test_every_line_has_a_cell_for_every_contestant() -> None:
    for line in comparison(report().contestants):
        assert len(line.cells) == 3


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.name)
def test_rows_are_as_wide_as_their_header(kind: TableKind) -> None:
    rows = kind.rows(FIRST)
    assert rows
    assert {len(row) for row in rows} == {len(kind.header)}
    assert max(kind.texts, default=0) < len(kind.header)


def test_a_long_list_of_impossible_jobs_says_how_many_are_hidden() -> None:
    jobs = FIRST.impossible * 33
    (table,) = [one for one in TABLES if one.name == "impossible"]
    rows = table.rows(replace(FIRST, impossible=jobs))
    assert (len(rows), rows[-1][0]) == (21, "... and 13 more")


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (span, 0, "0 s"),
        (span, 59, "59 s"),
        (span, 60, "1 min"),
        (span, 5_400, "1.5 h"),
        (span, 86_400 * 3.25, "3.2 d"),
        (brief, 0, "0"),
        (brief, 0.25, "0.25"),
        (brief, 950, "950"),
        (brief, 1_500, "1.5k"),
        (brief, 2_000_000, "2M"),
        (ratio, None, "–"),
        (ratio, 0.985, "98.5%"),
    ],
)
def test_quantities(write: Callable[[float | None], str], value: float | None, text: str) -> None:
    assert write(value) == text
