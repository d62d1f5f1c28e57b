"""Drawings: readable inks, what is drawn of which figures, and SVG that stays inside of its place in a page."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.model.measures import PoolSeries
from policyctl.render.charts.bins import coarse
from policyctl.render.charts.chart import Chart
from policyctl.render.charts.drawing import WIDTH, shortened
from policyctl.render.charts.gallery import charts
from policyctl.render.charts.ink import INKS, SERIES, placeholder, series, with_variables
from policyctl.render.charts.scene import labels, scene_of
from policyctl.render.charts.tidy import tidy
from tests.render.simulation.samples import LAB, START, contestant, report

MANY = tuple(f"/p{number:02d}" for number in range(SERIES + 4))


@pytest.fixture(scope="module")
def drawn() -> dict[str, Chart]:
    return {chart.name: chart for chart in charts(report())}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_inks_can_be_read(scheme: str) -> None:
    value = {ink.name: str(getattr(ink, scheme)) for ink in INKS}
    for name in ("text", "soft", "link", "good", "bad", "warn"):
        assert contrast(value[name], value["page"]) >= 4.5, name
        assert contrast(value[name], value["panel"]) >= 4.5, name
    assert contrast(value["text"], value["warn-panel"]) >= 4.5
    assert contrast(value["warn"], value["warn-panel"]) >= 4.5
    for number in range(SERIES + 1):
        assert contrast(value[series(number)], value["page"]) >= 3, number


def test_inks_are_told_apart() -> None:
    assert (
        len({ink.name for ink in INKS}) == len({ink.light for ink in INKS}) == len({ink.dark for ink in INKS})
    )
    assert with_variables(f"fill: {placeholder('s3')}; stroke: {placeholder('page')}") == (
        "fill: var(--s3); stroke: var(--page)"
    )


def test_every_chart_is_drawn_for_every_contestant(drawn: dict[str, Chart]) -> None:
    assert list(drawn) == ["delivery", "occupancy", "usage", "waits", "preemptions"]
    for chart in drawn.values():
        assert [panel.contestant for panel in chart.panels] == ["policy", "fifo", "labels"]
        for panel in chart.panels:
            preempts = chart.name != "preemptions" or panel.contestant == "policy"
            assert bool(panel.svg) is preempts, panel.name
            assert panel.table.rows
            assert {len(row) for row in panel.table.rows} == {len(panel.table.header)}
            assert panel.description


@pytest.mark.parametrize(
    ("chart", "told"),
    [
        (
            "occupancy",
            [f"{path}: .* GPUs of {pool} on average" for path in LAB for pool in ("a100", "h100", "l40s")],
        ),
        ("usage", [f"{path} in h100: .*% used of a share of .*% at the end" for path in LAB]),
        ("delivery", [f"{path} from 2026-11-15T00:00:00Z: .* GPU-hours of .* owed" for path in LAB]),
        ("waits", ["<=1 GPUs, funded: median 0 s", ">128 GPUs, opportunistic: median .* jobs"]),
        (
            "preemptions",
            ["l40s: .* preemptions", "h100, day 3: 40 preemptions|h100, day 3: .* GPU-hours lost"],
        ),
    ],
)
def test_each_series_has_a_mark_that_says_what_it_is(
    drawn: dict[str, Chart], chart: str, told: list[str]
) -> None:
    root = ET.fromstring(f"<svg>{drawn[chart].panels[0].svg}</svg>")
    marks = {group.findtext("title"): group for group in root.iter("g") if group.find("title") is not None}
    for pattern in told:
        (title,) = [title for title in marks if title and re.match(pattern, title)][:1]
        shapes = [*marks[title].iter("path"), *marks[title].iter("use")]
        assert shapes, title
        assert any("var(--s" in shape.attrib.get("style", "") for shape in shapes), title


def test_drawings_speak_no_colour_of_their_own_and_no_style(drawn: dict[str, Chart]) -> None:
    for chart in drawn.values():
        for panel in chart.panels:
            assert not re.findall(r"#[0-9a-f]{6}\b", re.sub(r'"(url\()?#[^"]*"', "", panel.svg)), panel.name
            assert "<style" not in panel.svg
            assert "DejaVu" not in panel.svg
            assert "fe00" not in panel.svg


def test_one_program_has_one_ink_under_every_contestant() -> None:
    less = contestant("other", programs=("/vision", "/zoology"))
    scene = scene_of(report(contestant("policy"), less))
    assert scene.programs == (*LAB, "/zoology")


def test_programs_beyond_the_inks_are_drawn_together_and_listed_apart() -> None:
    made = {chart.name: chart for chart in charts(report(contestant("policy", programs=MANY)))}
    occupancy = made["occupancy"]
    assert [key.text for key in occupancy.legend][-2:] == ["4 others", "on offer"]
    assert "4 others: " in occupancy.panels[0].svg
    assert set(MANY) <= set(occupancy.panels[0].table.header)
    assert {row[0] for row in made["delivery"].panels[0].table.rows} == set(MANY)


def test_tables_name_the_largest_programs_and_add_up_the_others() -> None:
    crowd = tuple(f"/p{number:03d}" for number in range(60))
    one = contestant("policy", programs=crowd)
    made = {chart.name: chart.panels[0].table for chart in charts(report(one))}
    for name in ("occupancy", "usage"):
        named = [cell for cell in made[name].header if cell.startswith("/")]
        assert named == [*crowd[-SERIES:], *crowd[-SERIES - 16 : -SERIES]]
        assert "36 further" in made[name].header
    rows = [row for row in made["delivery"].rows if row[0] == "36 further"]
    owed = sum(row.owed for row in one.windows if row.account in crowd[:36])
    assert sum(float(row[3].replace(",", "")) for row in rows) == pytest.approx(owed, rel=1e-4)
    first = made["occupancy"].rows[0]
    assert float(first[-1]) >= sum(float(cell) for cell in first[2:-1]) > 0


def test_contestants_are_named_apart() -> None:
    twice = [contestant("policy", seed=seed) for seed in (1, 2, 2)]
    assert labels(report(*twice)) == ("policy, seed 1", "policy, seed 2 (1)", "policy, seed 2 (2)")


@pytest.mark.parametrize("days", [1, 3, 30, 400], ids=["hours", "three days", "a month", "over a year"])
def test_any_length_of_time_is_drawn(days: int) -> None:
    made = charts(report(contestant("policy", days=days, bins=24 * min(days, 100))))
    words = "hours since" if days <= 3 else "days since"
    assert words in made[0].panels[0].svg


def test_a_simulation_in_which_nothing_happened_is_drawn() -> None:
    empty = contestant("policy", programs=("/none",), preempts=False)
    quiet = replace(empty, windows=(), waits=(), preemption_days=(), series=(), programs=())
    for chart in charts(report(quiet)):
        assert [panel.svg for panel in chart.panels] == [""], chart.name
        assert chart.nothing


@given(
    values=st.lists(st.integers(0, 100), min_size=1, max_size=300),
    most=st.integers(1, 160),
    width=st.integers(1, 5_000),
    cut=st.integers(0, 4_999),
)
@settings(max_examples=150, deadline=None)
def test_bins_taken_together_keep_what_is_in_them(values: list[int], most: int, width: int, cut: int) -> None:
    end = START + len(values) * width - min(cut, width - 1)
    pool = PoolSeries(
        pool="p",
        start=START,
        width=width,
        bins=len(values),
        offered=(),
        programs=(),
        preemptions=tuple(values),
    )
    bins = coarse(pool, most, end)
    count = len(bins.edges) - 1
    assert count <= most
    assert (bins.edges[0], bins.edges[-1]) == (START, end)
    assert all(left < right for left, right in pairwise(bins.edges))
    assert len(bins.mean(values)) == len(bins.last(values)) == len(bins.total(values)) == count
    assert sum(bins.total(values)) == sum(values)
    assert bins.last(values)[-1] == values[-1]
    assert min(values) <= min(bins.mean(values)) <= max(bins.mean(values)) <= max(values)


def test_tidying_renames_ids_shortens_numbers_and_drops_what_leaks() -> None:
    written = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9pt" viewBox="0 0 9 9">'
        '<metadata>when</metadata><defs><style type="text/css">*{color: red}</style><path id="m1" d="M 0 0.123456 \nL 1.5 -0"/></defs>'
        '<g id="mark-0"><use xlink:href="#m1" x="1.987654" style="fill: #fe000a"/></g>'
        '<g id="unused" clip-path="url(#p9)"><text style="font: 11px \'DejaVu Sans\', sans-serif; text-anchor: end">a &lt; b</text></g>'
        '<clipPath id="p9"/></svg>'
    )
    assert tidy(written, "x", {"mark-0": "told & true"}) == (
        '<defs><path id="x-m1" d="M 0 0.1 L 1.5 -0" /></defs>'
        '<g><title>told &amp; true</title><use href="#x-m1" x="2" style="fill: var(--s0)" /></g>'
        '<g clip-path="url(#x-p9)"><text style="font-size: 11px; text-anchor: end">a &lt; b</text></g>'
        '<clipPath id="x-p9" />'
    )


def test_names_are_shortened_where_they_would_not_fit() -> None:
    assert shortened("/language") == "/language"
    assert shortened("/" + "x" * 60) == "/" + "x" * 20 + "…"
    assert shortened("/a\u202eb") == "/a\\u202eb"
    assert WIDTH == 400
