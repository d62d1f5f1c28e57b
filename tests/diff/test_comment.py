"""The comment on a pull request: found again, short enough, and deaf to what users write."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from policyctl.model.change import Change, Compared, ExceptionChange, Setting, ShareChange
from policyctl.render.diff_markdown import MARKER, MOST_CHARACTERS, escaped, render
from tests.diff.policies import changed
from tests.diff.test_directions import exception

LEND = "share: {to: /language/data, from: /robotics, add: 5%}"


def comment(change: Change | None) -> str:
    return render(Compared(base="main", head="the folder policies", change=change))


def test_the_whole_comment() -> None:
    change = changed(("hysteresis: 5%", "hysteresis: 0%"), added=exception("once", LEND))
    assert (
        comment(change)
        == """\
<!-- policyctl diff -->
### Policy change: 3 rights loosen; 1 right tightens

From main to the folder policies.

#### Rights

| account | right | direction | for example |
| --- | --- | --- | --- |
| / | preemptability | loosens | hysteresis&#58; 5% → 0% |
| /language | share | loosens | of pool&#58; 60% → 65% in h100 at 2026-09-01T00&#58;00&#58;00Z |
| /language/data | share | loosens | of pool&#58; 30% → 35% in h100 at 2026-09-01T00&#58;00&#58;00Z |
| /robotics | share | tightens | of pool&#58; 20% → 15% in h100 at 2026-09-01T00&#58;00&#58;00Z |

#### Shares

| account | pool | of pool | GPU-hours per window | during |
| --- | --- | --- | --- | --- |
| /language | h100 | 60% → 65% | 600 → 650 (+50.0) | from 2026-09-01T00&#58;00&#58;00Z until 2026-09-15T00&#58;00&#58;00Z |
| /language/data | h100 | 30% → 35% | 300 → 350 (+50.0) | from 2026-09-01T00&#58;00&#58;00Z until 2026-09-15T00&#58;00&#58;00Z |
| /robotics | h100 | 20% → 15% | 200 → 150 (-50.0) | from 2026-09-01T00&#58;00&#58;00Z until 2026-09-15T00&#58;00&#58;00Z |

#### Who pays, in GPUs

| divided | pool | gains and losses | during |
| --- | --- | --- | --- |
| / | h100 | /language +5, /robotics -5 | from 2026-09-01T00&#58;00&#58;00Z until 2026-09-15T00&#58;00&#58;00Z |
| /language | h100 | /language/data +5 | from 2026-09-01T00&#58;00&#58;00Z until 2026-09-15T00&#58;00&#58;00Z |

#### Settings

| of | field | before | after |
| --- | --- | --- | --- |
| Preemption | hysteresis | 5% | 0% |

#### Exceptions

| name | is | grants | ends |
| --- | --- | --- | --- |
| once | added | 5% of the cluster from /robotics to /language/data | until 2026-09-15T00&#58;00&#58;00Z |
"""
    )


HOSTILE = [
    "@lab/leadership",
    "a | b",
    "<script>alert(1)</script>",
    "--> <b>",
    "[click](https://example.org)",
    "`code` **bold** _it_ ~no~",
    "line\nbreak | x |",
    "fixes #1, GH-2, lab/policies#3, www.example.org, a@example.org",
    "\\| &lt; \u202e",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_of_users_stays_text(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    assert not re.search(r"[<>|`*_\[\]~\\@]", shown)
    read = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), shown)
    assert not re.search(r"@\w|#\d|GH-\d|www\.|://", read)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_adds_no_line_and_no_column(text: str) -> None:
    def written(said: str) -> list[str]:
        return comment(
            Change(
                settings=(Setting(subject=said, field=said, before=said, after=None),),
                exceptions=(
                    ExceptionChange(name=said, what="added", grant=said, end_before=None, end_after=None),
                ),
            )
        ).splitlines()

    assert [line.count("|") for line in written(text)] == [line.count("|") for line in written("plain")]


def share(number: int) -> ShareChange:
    nothing, some = Fraction(0), Fraction(1, 3)
    return ShareChange(
        account=f"/team-{number:05d}",
        pool="h100",
        start=None,
        end=None,
        share_before=nothing,
        share_after=some,
        absolute_before=nothing,
        absolute_after=some,
        gpus_before=nothing,
        gpus_after=some,
        gpu_hours_before=0.0,
        gpu_hours_after=1.0,
        inherited=False,
    )


def test_shares_that_follow_come_last_and_their_rights_are_the_parents() -> None:
    text = comment(changed(("language: 60%", "language: 70%"), ("notice: 2m", "notice: 3m")))
    rights, _, rest = text.partition("#### Shares\n")
    assert "/language |" in rights
    assert "/language/data" not in rights
    first, _, last = rest.partition("#### Shares that follow the account above\n")
    assert "#### Settings" in first
    assert "/language/data" not in first
    assert "/language/data" in last


def test_what_does_not_fit_is_left_out_by_rows_and_counted() -> None:
    text = comment(Change(shares=tuple(share(number) for number in range(10_000))))
    kept = text.count("/team-")
    assert len(text) <= MOST_CHARACTERS
    assert kept > 500
    assert text.endswith(
        f"**{10_000 - kept:,} rows left out, because the comment would be too long**; `policyctl diff --format json` has all.\n"
    )


def test_a_cell_is_never_longer_than_a_person_reads() -> None:
    text = comment(Change(settings=(Setting(subject="x", field="y", before="@" * 70_000, after="z"),)))
    assert len(text) < 6_000


def test_an_unreadable_base_is_said() -> None:
    text = render(Compared(base="a", head="b", change=None, base_errors=2))
    assert text.startswith(f"{MARKER}\n### Policy change: nothing of the base could be read")
    assert "the base has 2 errors of its own" in text
