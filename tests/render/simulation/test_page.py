"""The page of a simulation: it needs nothing else, escapes every text, links to what exists, and is always the same."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from policyctl.errors import Exit, NoAnswer
from policyctl.model.measures import SimulationReport
from policyctl.render import simulation_html
from policyctl.render.charts.gallery import KINDS
from tests.render.reader import Reader
from tests.render.simulation.played import real_report
from tests.render.simulation.samples import AWKWARD, LAB, contestant, report

ROOT = Path(__file__).parents[3]
PRINT_DIGEST = """
import hashlib
from policyctl.render.simulation_html import render
from tests.render.simulation.samples import report
print(hashlib.sha256(render(report()).encode()).hexdigest())
"""
LOADED = """
import sys
import {module}
print(sorted(name for name in ("jinja2", "matplotlib", "numpy", "rich") if name in sys.modules))
"""


REPORTS = {
    "three contestants": report(),
    "one contestant": report(contestant("policy")),
    "names made to break out": report(
        contestant("<b>policy</b>", 0.9, programs=AWKWARD),
        contestant("$x$", 0.7, programs=AWKWARD, preempts=False),
    ),
    "no programs": report(contestant("policy", programs=("/only",), preempts=False)),
    "really run": real_report(),
}


@pytest.fixture(scope="module", params=REPORTS)
def made(request: pytest.FixtureRequest) -> tuple[SimulationReport, str]:
    one = REPORTS[request.param]
    return one, simulation_html.render(one)


def test_the_page_needs_nothing_else(made: tuple[SimulationReport, str]) -> None:
    page = Reader(made[1])
    assert not {"script", "iframe", "object", "embed", "img", "base", "form"} & set(page.tags)
    assert (
        page.tags.count("link") == 1
    )  # the icon, which is empty: without it a browser asks the server for one
    assert all(address.startswith("#") or address == "data:," for address in page.addresses)
    assert not re.search(r"@import|url\((?!#)|https?:", made[1])
    assert page.open == []


def test_ids_are_unique_and_references_lead_somewhere(made: tuple[SimulationReport, str]) -> None:
    page = Reader(made[1])
    assert len(page.ids) == len(set(page.ids))
    assert page.dangling(made[1]) == set()


def test_every_chart_of_every_contestant_is_there(made: tuple[SimulationReport, str]) -> None:
    one, text = made
    for kind in KINDS:
        for number in range(len(one.contestants)):
            empty = kind.name == "preemptions" and not any(
                day.preemptions for day in one.contestants[number].preemption_days
            )
            assert (f'aria-labelledby="{kind.name}-{number}-name"' in text) is not empty


def test_warnings_come_first_and_the_command_last() -> None:
    text = simulation_html.render(REPORTS["three contestants"])
    order = [
        text.index(f'<section id="{name}"') for name in ("warnings", "comparison", "details", "reproduce")
    ]
    assert order == sorted(order)
    assert "policyctl simulate --workload workload.json --against fifo" in text[order[-1] :]
    assert f"sha256:{'0a' * 32}" in text[order[-1] :]


def test_texts_of_users_stay_texts() -> None:
    text = simulation_html.render(REPORTS["names made to break out"])
    shown = "\n".join(Reader(text).texts)
    for name in AWKWARD:
        assert name.replace("\u202e", "\\u202e") in shown
    assert "/{{ 7 * 7 }}" in shown
    assert "\u202e" not in text
    assert "<script" not in text
    assert "<b>" not in text


def test_the_page_is_small_even_for_a_large_report() -> None:
    programs = tuple(f"/program-{number:02d}" for number in range(14))
    large = [contestant(f"c{number}", programs=programs, days=90, bins=1_500) for number in range(5)]
    assert len(simulation_html.render(report(*large)).encode()) < 3 * 1024 * 1024


def test_the_same_report_gives_the_same_bytes_on_any_machine(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nsvg.fonttype: path\naxes.facecolor: red\n")
    digests = {
        subprocess.run(
            [sys.executable, "-W", "error", "-c", PRINT_DIGEST],
            cwd=ROOT,
            env={**os.environ, **changed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.strip()
        for changed in (
            {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"},
            {"PYTHONHASHSEED": "2", "MATPLOTLIBRC": str(tmp_path / "matplotlibrc"), "SOURCE_DATE_EPOCH": "5"},
        )
    }
    assert digests == {hashlib.sha256(simulation_html.render(report()).encode()).hexdigest()}


def test_without_the_drawing_library_there_is_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(NoAnswer, match="matplotlib is not installed") as caught:
        simulation_html.render(report(contestant("policy")))
    assert caught.value.exit is Exit.NO_ANSWER
    assert caught.value.help == "pip install 'policyctl[report]'"


@pytest.mark.parametrize(
    ("module", "loaded"),
    [
        ("policyctl.render.simulation_text", "[]"),
        ("policyctl.render.simulation_json", "[]"),
        ("policyctl.render.simulation_html", "['jinja2']"),
    ],
)
def test_only_the_page_loads_what_draws_it(module: str, loaded: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(module=module)],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == loaded


def test_contestants_share_their_scales() -> None:
    large = contestant("policy", programs=LAB)
    text = simulation_html.render(report(large, contestant("fifo", 0.4, programs=LAB)))
    titles = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    marks = [re.findall(r"<text[^>]*>([^<]*)</text>", svg) for svg in titles]
    for first, other in zip(marks[::2], marks[1::2], strict=True):
        assert first == other
