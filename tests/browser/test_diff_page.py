"""The page of a comparison in a real browser: silent, no wider than the screen, readable in both colours, with names."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from policyctl.render import diff_html
from policyctl.render.charts.gallery import KINDS
from tests.browser.chrome import Page, missing
from tests.browser.questions import CUT_OFF, FAINT, OPEN_ALL, OVERFLOW, OVERLAPPING, SMALLEST
from tests.diff.pages import REPORTS

lacking = missing()
pytestmark = [
    pytest.mark.skipif(lacking is not None, reason=f"{lacking} is not installed"),
    pytest.mark.xdist_group("browser"),
]
SHOWN = ("ordinary", "impact", "hostile", "large", "unreadable base")
COVERED = """
const found = [];
for (const cell of document.querySelectorAll('.prose td')) {
  const label = getComputedStyle(cell, '::before').content, text = cell.querySelector('.line').getBoundingClientRect();
  if (label === 'none' ? text.left < cell.getBoundingClientRect().left : text.left < cell.getBoundingClientRect().left + 90)
    found.push(cell.textContent);
}
return found;
"""
BARS = "return [...document.querySelectorAll('.bars > span')].slice(0, 2).map(one => one.getBoundingClientRect().width)"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {name: folder / f"{name}.html" for name in SHOWN}
    for name, file in made.items():
        file.write_text(diff_html.render(REPORTS[name]), encoding="utf-8")
    return made


@pytest.fixture(params=SHOWN)
def page(request: pytest.FixtureRequest, chrome: Page, files: dict[str, Path]) -> Page:
    chrome.look(1400)
    chrome.open(files[request.param])
    return chrome


@pytest.fixture
def replayed(chrome: Page, files: dict[str, Path]) -> Page:
    chrome.look(1400)
    chrome.open(files["impact"])
    return chrome


def test_the_console_stays_silent(page: Page) -> None:
    page.ask(OPEN_ALL)
    assert page.complaints() == []


@pytest.mark.parametrize("width", [320, 400, 700, 1400])
def test_nothing_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.look(width)
    page.ask(OPEN_ALL)
    assert page.ask(OVERFLOW) == [0, []]


def test_on_a_phone_a_table_is_read_without_scrolling_sideways(page: Page) -> None:
    page.look(400)
    wide = "return [...document.querySelectorAll('.scroll:has(.cards)')].filter(one => one.scrollWidth > one.clientWidth + 1).length"
    assert page.ask(wide) == 0


@pytest.mark.parametrize("width", [400, 1400])
def test_no_label_covers_what_it_names(page: Page, width: int) -> None:
    page.look(width)
    assert page.ask(COVERED) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.look(1400, scheme)
    seen, faint = page.ask(FAINT)
    assert seen > 15
    assert faint == []


@pytest.mark.parametrize("width", [400, 1400])
def test_words_in_charts_are_whole_apart_and_large_enough(replayed: Page, width: int) -> None:
    replayed.look(width)
    assert replayed.ask(CUT_OFF) == []
    assert replayed.ask(OVERLAPPING) == []
    assert replayed.ask(SMALLEST) > 8.5


def test_base_and_head_stand_side_by_side_where_there_is_room(replayed: Page) -> None:
    tops = "return [...document.querySelectorAll('#delivery figure')].map(one => one.getBoundingClientRect().top)"
    wide = replayed.ask(tops)
    assert len(wide) == 2
    assert wide[0] == wide[1]
    replayed.look(400)
    narrow = replayed.ask(tops)
    assert narrow[1] > narrow[0] + 100


def test_bars_are_as_long_as_the_shares(chrome: Page, files: dict[str, Path]) -> None:
    for width in (400, 1400):
        chrome.look(width)
        chrome.open(files["ordinary"])
        before, after = chrome.ask(BARS)
        assert after / before == pytest.approx(50 / 60, abs=0.02)


@pytest.mark.parametrize("width", [400, 1400])
def test_tables_keep_their_roles_and_names(replayed: Page, width: int) -> None:
    replayed.look(width)
    nodes = replayed.names()
    tables = [node["name"] for node in nodes if node["role"] == "table"]
    assert tables[:2] == ["Shares", "Who pays"]
    assert "Impact on jobs" in tables
    assert all(tables)
    assert {"rowheader", "columnheader", "cell"} <= {node["role"] for node in nodes}
    assert "/language" in [node["name"] for node in nodes if node["role"] == "rowheader"]


def test_charts_have_names_and_descriptions(replayed: Page) -> None:
    pictures = [node for node in replayed.names() if node["role"] in {"image", "img"}]
    assert {node["name"] for node in pictures} == {
        f"{kind.title}, {side}" for kind in KINDS for side in ("base", "head")
    }
    assert all(len(node["description"]) > 40 for node in pictures)


def test_the_keyboard_reaches_sections_tables_and_charts(replayed: Page) -> None:
    visited = []
    for _ in range(70):
        replayed.press_tab()
        visited.append(
            replayed.ask(
                "const at = document.activeElement; return at.getAttribute('aria-labelledby') || at.id || at.getAttribute('href')"
            )
        )
    assert visited[0] == "#short"
    for name in (
        "shares-title",
        "rights-title",
        "approvals-title",
        "impact-title",
        "delivery-0-name",
        "delivery-1-name",
    ):
        assert name in visited
    assert visited.index("shares-title") < visited.index("impact-title") < visited.index("waits-1-name")
    assert replayed.ask("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
