"""The page of a comparison: it needs nothing else, escapes every text, has no empty frames, and counts what it leaves out."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from policyctl.errors import Exit, NoAnswer
from policyctl.model.change import Change
from policyctl.model.impact import FigureKind
from policyctl.render import diff_html
from policyctl.render.charts.gallery import KINDS
from policyctl.render.diff_html_cells import Cell, Row, listing, text
from policyctl.render.diff_html_impact import headline, verdict
from policyctl.render.terminal import visible
from tests.diff.pages import HOSTILE, REPORTS, figure, impact, large, report
from tests.render.reader import Reader
from tests.render.simulation.samples import LAB, contestant

ROOT = Path(__file__).parents[2]
MOST = 3_000_000


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {name: diff_html.render(one) for name, one in REPORTS.items()}


@pytest.fixture(params=REPORTS)
def made(request: pytest.FixtureRequest, pages: dict[str, str]) -> str:
    return pages[request.param]


def test_the_page_needs_nothing_else(made: str) -> None:
    page = Reader(made)
    assert not {"script", "iframe", "object", "embed", "img", "base", "form"} & set(page.tags)
    assert all(address.startswith("#") or address == "data:," for address in page.addresses)
    assert not re.search(r"@import|url\((?!#)|https?:", made)
    assert page.open == []


def test_ids_are_unique_and_references_lead_somewhere(made: str) -> None:
    page = Reader(made)
    assert len(page.ids) == len(set(page.ids))
    assert page.dangling(made) == set()


def test_the_page_is_small(made: str) -> None:
    assert len(made.encode()) < MOST


def test_a_large_change_of_many_programs_has_a_small_page() -> None:
    programs = tuple(f"/program-{number:03d}" for number in range(120))
    runs = tuple(contestant(name, programs=programs, days=90, bins=1_500) for name in ("base", "head"))
    made = large()
    much = replace(made, compared=replace(made.compared, impact=impact(*programs)), runs=runs)
    assert len(diff_html.render(much).encode()) < MOST


def test_a_change_is_told_with_who_pays_and_who_must_agree(pages: dict[str, str]) -> None:
    shown = "\n".join(Reader(pages["ordinary"]).texts)
    for said in (
        "Policy change: ",
        "60% → 50%",
        "600 → 500",
        "−100",
        "/robotics −5",
        "hysteresis: 5% → 0%",
        "until 2026-09-15T00:00:00Z",
        "`/` is divided anew".replace("`/`", "").strip(),
        "2 of leads",
        "policyctl diff --now 2026-09-01T00:00:00Z main",
        f"sha256:{'0a' * 32}",
    ):
        assert said in shown, said


def test_sections_stand_in_the_order_of_a_review(pages: dict[str, str]) -> None:
    names = (
        "short",
        "shares",
        "balance",
        "settings",
        "exceptions",
        "rights",
        "approvals",
        "jobs",
        "impact",
        "delivery",
        "reproduce",
    )
    found = re.findall(r'<section id="([^"]+)"', pages["impact"])
    assert [one for one in found if one in names] == list(names)


@pytest.mark.parametrize("name", [name for name in REPORTS if name != "impact"])
def test_without_charts_there_are_no_frames(pages: dict[str, str], name: str) -> None:
    page = Reader(pages[name])
    assert not {"figure", "svg"} & set(page.tags)
    assert not {kind.name for kind in KINDS} & set(page.ids)


def test_both_sides_of_every_chart_stand_beside_each_other(pages: dict[str, str]) -> None:
    for kind in KINDS:
        for number, side in enumerate(("base", "head")):
            assert f'id="{kind.name}-{number}-name">{kind.title}, {side}</title>' in pages["impact"]
    assert "The charts are of seed 1." in pages["impact"]


def test_a_chart_that_is_empty_on_both_sides_is_left_out() -> None:
    calm = tuple(contestant(name, programs=LAB, preempts=False) for name in ("base", "head"))
    page = diff_html.render(replace(REPORTS["impact"], runs=calm))
    assert "preemptions-0" not in page
    assert "no job was preempted" not in page
    half = (calm[0], contestant("head", programs=LAB))
    assert "no job was preempted" in diff_html.render(replace(REPORTS["impact"], runs=half))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no file differs", "no policy file differs"),
        ("no file differs", "Nothing changes its meaning, so there is nothing to approve."),
        ("no file differs", "None stands differently."),
        ("same meaning", "the files differ, but both policies mean the same"),
        ("unreadable base", "everything counts as new and as loosening"),
        ("unreadable base", "such a change is merged by whoever administers the repository"),
        ("first policy", "the base has no policy, so all of it is new"),
        ("first policy", "1 of anyone"),
        ("no visible effect", "No visible effect (1,234 jobs, 2 seeds, shares of the base)."),
        ("no answer about impact", "The impact on jobs could not be computed"),
        ("no answer about impact", " do not have the same nodes."),
    ],
)
def test_what_is_not_there_is_said(pages: dict[str, str], name: str, said: str) -> None:
    assert said in "".join(Reader(pages[name]).texts)


def test_texts_of_users_stay_texts(pages: dict[str, str]) -> None:
    page = pages["hostile"]
    shown = "\n".join(Reader(page).texts)
    for one in HOSTILE[:-1]:
        assert visible(one) in shown, one
    assert f"{'x' * 1_000}…" in shown
    for character in "\u202e\u200b\x00\x1b\t":
        assert character not in page
    assert "<script" not in page
    assert "<img" not in page
    assert page.count("<style>") == 1
    assert page.count("</style>") == 1


def test_the_digest_and_the_command_are_escaped(pages: dict[str, str]) -> None:
    end = pages["hostile"].partition('<section id="reproduce"')[2]
    assert "&lt;script&gt;" in end
    assert "&gt;&lt;img src=x" in end


@pytest.mark.parametrize("name", ["shares", "settings", "rights", "approvals", "jobs"])
def test_what_is_left_out_of_a_large_page_is_counted(pages: dict[str, str], name: str) -> None:
    section = pages["large"].partition(f'<section id="{name}"')[2].partition("</section>")[0]
    own = section.partition('-fold"')[0]
    shown = own.count('scope="row"')
    hidden = re.search(r"([\d,]+) further rows left out", own)
    assert hidden is not None
    assert 150 < shown <= 500
    assert shown + int(hidden[1].replace(",", "")) == 3_000


def test_what_stands_first_is_short_however_much_there_is(pages: dict[str, str]) -> None:
    short = pages["large"].partition('<section id="short"')[2].partition("</section>")[0]
    assert "and 2,992 more" in short
    assert len(short) < 2_000
    note = pages["hostile"].partition('<section id="note"')[2].partition("</section>")[0]
    assert len(note) < 2_500


def test_the_largest_of_many_changes_come_first(pages: dict[str, str]) -> None:
    rows = re.findall(r'role="rowheader"><span class="line">([^<]+)<', pages["large"])
    assert rows[0] == "/program-39/team-02999"
    assert rows.index("/program-38/team-02998") == 1
    assert "The largest changes come first." in pages["large"]
    assert "come first" not in pages["ordinary"]


def test_what_may_loosen_comes_before_what_tightens(pages: dict[str, str]) -> None:
    section = pages["ordinary"].partition('<section id="rights"')[2].partition("</section>")[0]
    ways = re.findall(r'<span class="line (\w+)">', section)
    assert set(ways) >= {"loosens", "tightens"}
    assert ways == sorted(ways, key=["incomparable", "loosens", "mixed", "tightens"].index)


def test_a_row_that_is_too_large_for_a_page_is_counted_and_all_after_it() -> None:
    rows: list[Row] = [(text("small"),), (Cell(lines=("<" * 90_000,)),), (text("small"),)]
    kept = listing(("name",), rows)
    assert (len(kept.rows), kept.hidden) == (1, 2)


def test_a_cell_shows_its_first_lines_and_counts_the_others() -> None:
    assert text(*(f"line {number}" for number in range(40))).lines[-2:] == ("line 11", "and 28 more")
    assert len(text("y" * 5_000).lines[0]) == 1_001


@pytest.mark.parametrize(
    ("kind", "least", "most", "expected"),
    [
        (FigureKind.DELIVERY, 0.01, 0.02, "better"),
        (FigureKind.DELIVERY, -0.02, -0.01, "worse"),
        (FigureKind.DELIVERY, -0.01, 0.02, "neither"),
        (FigureKind.WAIT, -60, -5, "better"),
        (FigureKind.WAIT, 0, 60, "worse"),
        (FigureKind.PREEMPTIONS, -3, 3, "neither"),
        (FigureKind.LOST, -3, 0, "better"),
        (FigureKind.PROTECTION, 5, 6, "neither"),
    ],
)
def test_a_verdict_needs_every_seed(kind: FigureKind, least: float, most: float, expected: str) -> None:
    assert verdict(figure(kind, 10, least, most)) == expected


def test_the_spread_over_seeds_stands_below_each_difference(pages: dict[str, str]) -> None:
    assert '<span class="difference">−1h6m40s to −1m5s</span>' in pages["impact"]
    alone = diff_html.render(
        replace(
            REPORTS["ordinary"],
            compared=replace(REPORTS["ordinary"].compared, impact=impact("/a", seeds=(1,))),
        )
    )
    assert "−1h6m40s to" not in alone
    assert "one seed" not in alone


def test_the_headline_names_who_loses_and_who_gains_most() -> None:
    said = headline(impact("/a", "/b-c"))
    assert (
        said
        == "delivered of what is owed 90.0% → 95.2%; `/b-c` loses most, −1.7 points; `/a` gains most, +1.7 points"
    )
    assert headline(impact("/a", moved=0)).startswith("no visible effect")


def test_without_a_replay_the_drawing_library_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "Approvals" in diff_html.render(REPORTS["ordinary"])
    with pytest.raises(NoAnswer, match="matplotlib is not installed") as caught:
        diff_html.render(REPORTS["impact"])
    assert caught.value.exit is Exit.NO_ANSWER


def test_only_the_page_loads_what_fills_it() -> None:
    script = "import sys, policyctl.cli.diff; print([one for one in ('jinja2', 'matplotlib') if one in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_a_change_of_nothing_has_a_page() -> None:
    assert "no right of any account changes" not in diff_html.render(report(Change()))
    assert len(diff_html.render(large(10)).encode()) < 60_000


def test_approvals_that_were_judged_say_who_gave_them(pages: dict[str, str]) -> None:
    page = pages["judged"]
    assert "not known here" not in page
    assert "What the rules of the base ask of <code>@dev1</code>: 1 of 3 requirements satisfied." in page
    assert '<dt><a href="#approvals">approvals</a></dt><dd>1 of 3 requirements satisfied</dd>' in page
    for said in ("@dev3", "@dev4", "@dev1 wrote a part of the change", "who is in @lab/ops is not known"):
        assert said in page
    assert '<span class="line stale">stale</span>' in page
    assert '<span class="line">satisfied</span>' in page


def test_an_author_who_is_known_is_named() -> None:
    made = REPORTS["ordinary"]
    page = diff_html.render(replace(made, approvals=replace(made.approvals, author="dev1")))
    assert "What the rules of the base ask of <code>@dev1</code>." in page
    assert "not known here" in diff_html.render(made)
