"""What an import made of a log: numbers and words agree."""

from __future__ import annotations

import pytest

from policyctl.render.build_text import render

ROWS = ("rows", "expanded", "rejected", "aside", "repeated", "merged")
COUNTS = (
    "records",
    "queue",
    "running",
    "usage",
    "before_window",
    "not_yet_submitted",
    "never_ran",
    "superseded",
    "without_pool",
    "default_account",
    "default_pool",
    "default_user",
    "without_gpus",
    "provisional",
)
ONE = """\
1 row
  1 more job than rows: arrays were expanded
  1 row could not be read: rejected
  1 row is a step or the like: set aside
  1 row repeats another: counted once
  1 row is part of another's job: merged
1 job or attempt
  1 waits in the queue
  1 runs
"""
MANY = """\
1,200 rows
  1,200 more jobs than rows: arrays were expanded
  1,200 rows could not be read: rejected
  1,200 rows are steps or the like: set aside
  1,200 rows repeat another: counted once
  1,200 rows are parts of another's job: merged
1,200 jobs and attempts
  1,200 wait in the queue
  1,200 run
"""


@pytest.mark.parametrize(("number", "told"), [(1, ONE), (1200, MANY)], ids=["one of each", "many of each"])
def test_numbers_and_words_agree(number: int, told: str) -> None:
    text = render(dict.fromkeys(ROWS, number), dict.fromkeys(COUNTS, number), output="state.json")
    assert text.startswith(told)
    assert text.endswith("wrote state.json\n")


def test_what_did_not_happen_is_not_told() -> None:
    text = render(dict.fromkeys(ROWS, 0) | {"rows": 2}, dict.fromkeys(COUNTS, 0), output=None)
    assert text == "2 rows\n0 jobs and attempts\nnothing was written\n"
