"""The page of a simulation in a real browser: silent, drawn, wide enough, readable in both colours, with names."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from policyctl.render import simulation_html
from policyctl.render.charts.gallery import KINDS
from policyctl.render.charts.ink import INKS
from tests.browser.chrome import Page, missing
from tests.browser.questions import CUT_OFF, FAINT, MARKS, OPEN_ALL, OVERFLOW, OVERLAPPING, SMALLEST
from tests.render.simulation.played import real_report
from tests.render.simulation.samples import AWKWARD, LAB, contestant, report

lacking = missing()
pytestmark = [
    pytest.mark.skipif(lacking is not None, reason=f"{lacking} is not installed"),
    pytest.mark.xdist_group("browser"),
]

REPORTS = {
    "lab": report(),
    "alone": report(contestant("policy")),
    "awkward": report(
        contestant("policy-" + "x" * 80, 0.9, programs=AWKWARD),
        contestant("fifo", 0.7, programs=AWKWARD, preempts=False),
    ),
    "real": real_report(),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {name: folder / f"{name}.html" for name in REPORTS}
    for name, file in made.items():
        file.write_text(simulation_html.render(REPORTS[name]), encoding="utf-8")
    return made


@pytest.fixture(params=REPORTS)
def page(request: pytest.FixtureRequest, chrome: Page, files: dict[str, Path]) -> Page:
    chrome.look(1400)
    chrome.open(files[request.param])
    return chrome


@pytest.fixture
def lab(chrome: Page, files: dict[str, Path]) -> Page:
    chrome.look(1400)
    chrome.open(files["lab"])
    return chrome


def test_the_console_stays_silent(page: Page) -> None:
    page.ask(OPEN_ALL)
    assert page.complaints() == []
    page.ask("console.error('heard');")
    assert len(page.complaints()) == 1


@pytest.mark.parametrize("width", [320, 400, 700, 1400])
def test_nothing_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.look(width)
    page.ask(OPEN_ALL)
    assert page.ask(OVERFLOW) == [0, []]


@pytest.mark.parametrize("width", [400, 1400])
def test_words_in_charts_are_whole_apart_and_large_enough(page: Page, width: int) -> None:
    page.look(width)
    assert page.ask(CUT_OFF) == []
    assert page.ask(OVERLAPPING) == []
    assert page.ask(SMALLEST) > 8.5


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_series_is_drawn_in_its_ink(lab: Page, scheme: Literal["light", "dark"]) -> None:
    lab.look(1400, scheme)
    inks = {ink.name: rgb(getattr(ink, scheme)) for ink in INKS}
    charts: dict[str, tuple[float, list[Any]]] = {
        name: (width, marks) for name, width, marks in lab.ask(MARKS)
    }
    assert len(charts) == 4 * 3 + 1
    for name, (width, marks) in charts.items():
        assert width > 300, name
        assert marks, name
        for told, wide, high, _, _ in marks:
            assert wide + high > 0, f"{name}: {told}"
    for number, path in enumerate(LAB):
        (mark,) = [
            mark
            for mark in charts["occupancy-0-name"][1]
            if mark[0].startswith(f"{path}: ") and "h100" in mark[0]
        ]
        assert mark[1] > 300
        assert mark[3] == inks[f"s{number}"]
        (line,) = [mark for mark in charts["usage-1-name"][1] if mark[0].startswith(f"{path} in h100")]
        assert line[4] == inks[f"s{number}"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.look(1400, scheme)
    seen, faint = page.ask(FAINT)
    assert seen > 200
    assert faint == []


def test_the_page_is_dark_for_those_who_want_it(lab: Page) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    assert lab.ask(ground) == "rgb(255, 255, 255)"
    lab.look(1400, "dark")
    assert lab.ask(ground) == rgb(next(ink.dark for ink in INKS if ink.name == "page"))


def test_charts_and_tables_have_names(lab: Page) -> None:
    nodes = lab.names()
    pictures = [node for node in nodes if node["role"] in {"image", "img"}]
    names = [node["name"] for node in pictures]
    wanted = {
        f"{kind.title}, {who}"
        for kind in KINDS
        for who in ("policy", "fifo", "labels")
        if kind.name != "preemptions" or who == "policy"
    }
    assert set(names) == wanted
    assert len(names) == len(wanted)
    assert all(len(node["description"]) > 40 for node in pictures)
    regions = [node["name"] for node in nodes if node["role"] == "region"]
    assert all(regions)
    assert "Comparison" in regions
    said = [node["name"] for node in nodes if node["role"] == "DisclosureTriangle"]
    assert (
        len([name for name in said if name.startswith("The figures as a table of ")])
        == len(set(said)) - 3
        == 13
    )


def test_the_keyboard_reaches_charts_and_tables(chrome: Page, files: dict[str, Path]) -> None:
    chrome.look(1400)
    chrome.open(files["alone"])
    visited = []
    for _ in range(40):
        chrome.press_tab()
        visited.append(
            chrome.ask(
                "const at = document.activeElement; return at.getAttribute('aria-labelledby') || at.id || at.getAttribute('href')"
            )
        )
    assert visited[0] == "#comparison"
    for kind in KINDS:
        assert f"{kind.name}-0-name" in visited
        assert f"{kind.name}-0-table" in visited
    assert (
        visited.index("comparison-title") < visited.index("delivery-0-name") < visited.index("waits-0-name")
    )
    outline = chrome.ask("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_a_table_opens_and_says_what_the_chart_shows(lab: Page) -> None:
    lab.ask("document.querySelector('#delivery details summary').click();")
    text = lab.ask("return document.querySelector('#delivery details table').innerText")
    assert "2026-11-15T00:00:00Z" in text
    assert "/vision" in text
