"""A sweep as text, as JSON and as a page: whole, the same every time, and harmless whatever its names are."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from policyctl.model.sweep import Row, Why
from policyctl.render import sweep_html, sweep_json, sweep_text
from policyctl.render.sweep_plot import plot
from policyctl.render.sweep_words import letter
from tests.sweep.reports import report

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("decided.txt", sweep_text.render(report(), colour=False)),
        ("undecided.txt", sweep_text.render(report(days=20, loads=2), colour=True, columns=80)),
        ("decided.json", sweep_json.render(report())),
    ],
)
def test_as_it_was(name: str, text: str) -> None:
    assert text == (GOLDEN / name).read_text()


def test_json_has_every_score_of_every_seed() -> None:
    answer = json.loads(sweep_json.render(report(loads=2)))
    assert len(answer["points"]) == 6
    assert {tuple(score["seed"] for score in point["scores"]) for point in answer["points"]} == {(1, 2, 3)}
    assert answer["points"][0]["scores"][0]["volatility_per_day"] == pytest.approx(0.121)
    assert [option["cost"] for option in answer["options"]] == list(report(loads=2).choice.costs)


def test_the_page_stands_alone_and_is_drawn() -> None:
    page = sweep_html.render(report())
    assert page == sweep_html.render(report())
    assert not re.search(r"(src|href)=\"(?!#|data:)", page)
    assert "<script" not in page
    assert page.count("<svg") == 1
    drawn = page[page.index("<svg") : page.index("</svg>") + len("</svg>")]
    svg = ET.fromstring(drawn)
    told = [title.text or "" for title in svg.iter("title")]
    assert sum("moves per day" in text for text in told) == 3
    described = svg.find("desc")
    assert described is not None
    assert (described.text or "").count("recovery") == 3


def test_names_cannot_leave_their_place() -> None:
    nasty = report(title="<script>alert(1)</script>\x1b[31m\u202e")
    page = sweep_html.render(nasty)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    for text in (page, sweep_text.render(nasty, colour=False)):
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_without_returns_waits_stand_in() -> None:
    whole = report()
    rows = tuple(
        Row(
            point=row.point,
            scores=tuple(replace(score, returns=0, recovered=0, recovery=None) for score in row.scores),
        )
        for row in whole.rows
    )
    found = replace(whole, rows=rows)
    assert "against wait of 9 in 10" in sweep_text.render(found, colour=False)
    assert "Volatility against wait of 9 in 10" in sweep_html.render(found)


def test_two_days_too_few_draw_nothing() -> None:
    whole = report()
    rows = tuple(
        Row(point=row.point, scores=tuple(replace(score, volatility=None) for score in row.scores))
        for row in whole.rows
    )
    found = replace(whole, rows=rows)
    assert plot(found) == []
    assert "the runs are too short to compare two days" in sweep_html.render(found)


def test_options_have_letters_of_their_own() -> None:
    assert [letter(place) for place in (0, 1, 25, 26, 52)] == ["a", "b", "z", "a1", "a2"]
    assert len({letter(place) for place in range(500)}) == 500


def test_json_keeps_to_its_schema() -> None:
    schema = json.loads((Path(__file__).parents[2] / "schemas" / "sweep.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for one in (report(), report(days=20, loads=2)):
        validator.validate(json.loads(sweep_json.render(one)))
    codes = schema["properties"]["choice"]["properties"]["reasons"]["items"]["properties"]["code"]["enum"]
    assert codes == [why.value for why in Why]
