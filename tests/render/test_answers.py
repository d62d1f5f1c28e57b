"""Answers for people, whole: each form compared with what was read and approved once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from policyctl.render import explain_text, preempt_text, quote_text, rank_text, usage_text
from policyctl.render.terminal import width
from tests.render.answers import BASIS, EXPLAINED, PREEMPTED, QUOTED, RANKED, USED

GOLDEN = Path(__file__).parent / "golden" / "answers"
WIDTHS = (None, 100, 80, 60)


def texts() -> dict[str, str]:
    """Return every golden file by its name."""
    several = {
        "quote": {name: quote_text.render(one, BASIS, colour=False) for name, one in QUOTED.items()},
        "preempt": {name: preempt_text.render(one, BASIS, colour=False) for name, one in PREEMPTED.items()},
        "rank": {name: rank_text.render([one], BASIS, colour=False) for name, one in RANKED.items()},
        "explain": {name: explain_text.render(one, BASIS, colour=False) for name, one in EXPLAINED.items()},
        "usage by width": {
            str(columns): usage_text.render([USED], BASIS, colour=False, columns=columns)
            for columns in WIDTHS
        },
        "explain by width": {
            str(columns): explain_text.render(EXPLAINED["it waits"], BASIS, colour=False, columns=columns)
            for columns in WIDTHS
        },
    }
    return {
        f"{kind.replace(' ', '-')}.txt": "\n".join(f"## {name}\n\n{text}" for name, text in forms.items())
        for kind, forms in several.items()
    }


@pytest.mark.parametrize("name", texts())
def test_whole_answers(name: str) -> None:
    assert texts()[name] == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("columns", [120, 100, 80, 70])
def test_tables_keep_within_the_width(columns: int) -> None:
    for text in (
        usage_text.render([USED], BASIS, colour=False, columns=columns),
        explain_text.render(EXPLAINED["it waits"], BASIS, colour=False, columns=columns).partition("\n\n")[2],
    ):
        assert max(map(width, text.splitlines())) <= columns


def test_the_narrowest_usage_still_says_what_was_used_of_what() -> None:
    text = usage_text.render([USED], BASIS, colour=False, columns=20)
    for needed in ("entitled", "charged", "committed", "34,902", "22,614", "0.7", "65%", "*: in no"):
        assert needed in text


def test_colours_are_extra() -> None:
    """Without the escapes, coloured text is the text."""
    for one in QUOTED.values():
        coloured = quote_text.render(one, BASIS, colour=True)
        assert "\x1b[" in coloured
        for code in ("\x1b[0m", *(f"\x1b[1;{number}m" for number in range(31, 37))):
            coloured = coloured.replace(code, "")
        assert coloured == quote_text.render(one, BASIS, colour=False)


def test_nothing_in_a_name_steers_the_terminal() -> None:

    evil = replace(QUOTED["spare cycles"], account="/a\x1b[31m", pool="p\n")
    text = quote_text.render(evil, BASIS, colour=False)
    assert "\x1b" not in text
    assert "p\n`" not in text
