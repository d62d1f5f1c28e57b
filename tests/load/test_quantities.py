"""Quantities in their fields: what is read, what is refused, and the spelling that would have worked."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policyctl.load.formats import CODES, checker
from policyctl.model.policy import CalendarWindow
from tests.load.sample import DOCUMENTS, SMALLEST, found, load, underlined

BUDGET = """\
apiVersion: policyctl/v1
kind: Budget
metadata: {{name: organization}}
spec:
  account: /
  {field}
  shares: {{language: {share}}}
"""


def budget(field: str = "pool: h100", share: str = "60%") -> str:
    return BUDGET.format(field=field, share=share)


def accounting(field: str) -> str:
    return f"apiVersion: policyctl/v1\nkind: Accounting\nmetadata: {{name: x}}\nspec:\n  window: {{length: 14d}}\n  {field}\n"


WITHOUT_ACCOUNTING = SMALLEST.split("---\n")[0]

REFUSED = [
    pytest.param(budget(share="60"), "60", "S008", "more than the whole", "`60%`", id="percent sign forgotten"),
    pytest.param(budget(share="'60'"), "'60'", "S008", "more than the whole", "`60%`", id="the same in quotes"),
    pytest.param(budget(share="-1%"), "-1%", "S008", "is not a share", "`60%`", id="negative share"),
    pytest.param(budget(share="1e3"), "1e3", "S008", "is not a share", "`1000`", id="exponent"),
    pytest.param(budget(share="08%"), "08%", "S008", "is not a share", "did you mean `8%`?", id="leading zero"),
    pytest.param(budget(share=".5"), ".5", "S008", "is not a share", "did you mean `0.5`?", id="bare point"),
    pytest.param(budget(share=".nan"), ".nan", "S008", "is not a share", "not finite", id="not a number"),
    pytest.param(budget(share=".inf"), ".inf", "S008", "is not a share", "not finite", id="infinity"),
    pytest.param(budget(share="0x10"), "0x10", "S008", "is not a share", "`16%`", id="hexadecimal"),
    pytest.param(budget(share="1/0"), "1/0", "S008", "is not a share", "`1/4`", id="division by zero"),
    pytest.param(budget(share="1:30"), "1:30", "S008", "is not a share", "the number `90`", id="sixties"),
    pytest.param(budget(share="yes"), "yes", "S008", "is not a share", "the truth value `true`", id="yes as a share"),
    pytest.param(budget(share="~"), "~", "S005", "has no value", "for example `60%`", id="null as a share"),
    pytest.param(budget(share="{weight: 0}"), "0", "S008", "not above zero", "leave the child out", id="weight zero"),
    pytest.param(budget(share="{weight: 1_000}"), "1_000", "S008", "number of the kind", "`1000`", id="digit separators"),
    pytest.param(budget(share="[1]"), "language", "S005", "is a list", "for example `60%`", id="a list as a share"),
    pytest.param(budget("reviewBy: 2026-02-30"), "2026-02-30", "S008", "day 30 does not exist in 2026-02", "`2026-09-01T12:00:00Z`", id="no such day"),
    pytest.param(budget("reviewBy: 2026-12-01"), "2026-12-01", "S008", "is not an instant", "`2026-12-01T00:00:00Z`", id="bare date"),
    pytest.param(budget("reviewBy: 2026-12-01T00:00:00"), "2026-12-01T00:00:00", "S008", "has no offset", "`2026-12-01T00:00:00Z`", id="no offset"),
    pytest.param(budget("reviewBy: 2026-02-29T00:00:00Z"), "2026-02-29T00:00:00Z", "S008", "day 29 does not exist", "offset", id="no leap year"),
    pytest.param(budget("reviewBy: 1796083200"), "1796083200", "S008", "is not an instant", "`2026-12-01T00:00:00Z`", id="epoch seconds"),
    pytest.param(budget("reviewBy: ' 2026-12-01T00:00:00Z'"), "' 2026-12-01T00:00:00Z'", "S008", "not written as", "2026", id="blanks around"),
    pytest.param(budget("owner: on"), "on", "Y012", "the truth value `true`", '`"on"`', id="on as text"),
    pytest.param(budget("owner: 010"), "010", "Y012", "the octal number `8`", '`"010"`', id="octal as text"),
    pytest.param(budget("owner: 2026-01-01"), "2026-01-01", "Y012", "a date", '`"2026-01-01"`', id="date as text"),
    pytest.param(budget("owner: Leadership Team"), "Leadership Team", "S009", "is not a name", "`leadership-team`", id="capitals and blanks"),
    pytest.param(budget('owner: "a\\n"'), '"a\\n"', "S009", "`a\\n` is not a name", "`a`", id="line break at the end"),
    pytest.param(budget("owner: größe"), "größe", "S009", "is not a name", "lower-case letters", id="letters beyond ASCII"),
    pytest.param(budget(f"owner: {'a' * 64}"), "a" * 64, "S009", "longer than 63", "shorten", id="long name"),
]  # fmt: skip

REFUSED_ACCOUNTING = [
    pytest.param("quantum: 90", "90", "is not a duration", "`90s`, `90m`, `90h` or `90d`", id="no unit"),
    pytest.param("quantum: 1:30", "1:30", "is not a duration", "`1h30m`, or `1m30s`? YAML 1.1 reads `1:30` as the number `90`", id="sixties"),
    pytest.param("quantum: '1:30'", "'1:30'", "is not a duration", "`1h30m`, or `1m30s`?", id="sixties in quotes"),
    pytest.param("quantum: 1.5h", "1.5h", "is not a duration", "`1h30m`", id="fraction of an hour"),
    pytest.param("quantum: 0s", "0s", "no time at all", "above zero", id="zero where time must pass"),
    pytest.param("quantum: 30m1h", "30m1h", "is not a duration", "largest first", id="units out of order"),
    pytest.param("creditLimit: ٣d", "٣d", "is not a duration", "whole numbers", id="digits of another script"),
    pytest.param("charge: {protected: -1}", "-1", "number of the kind", "`0.5`", id="negative rate"),
    pytest.param("charge: {unusedProtection: 2}", "2", "more than the whole", "`2%`", id="part above one"),
    pytest.param("funding: {overdraft: 50}", "50", "needs a percent sign", "`50%`", id="overdraft without a sign"),
    pytest.param("funding: {overdraft: unlimitted}", "unlimitted", "is not an overdraft", "`unlimited`", id="word misspelt"),
    pytest.param("funding: {overdraft: no}", "no", "is not an overdraft", "YAML 1.1 reads `no` as the truth value `false`", id="no as an overdraft"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at", "code", "message", "way_out"), REFUSED)
def test_refused_with_the_spelling_that_works(
    text: str, at: str, code: str, message: str, way_out: str
) -> None:
    (one,) = found(text)
    assert (one.code, underlined(text, one)) == (code, at)
    assert message in one.message
    assert way_out in (one.help or "")


@pytest.mark.parametrize(("field", "at", "message", "way_out"), REFUSED_ACCOUNTING)
def test_refused_in_accounting(field: str, at: str, message: str, way_out: str) -> None:
    text = accounting(field)
    (one,) = found(text, beside=WITHOUT_ACCOUNTING)
    assert (one.code, underlined(text, one)) == ("S008", at)
    assert message in one.message
    assert way_out in (one.help or "")


@pytest.mark.parametrize(
    ("written", "share"),
    [
        ("60%", Fraction(3, 5)),
        ("'60%'", Fraction(3, 5)),
        ("1/4", Fraction(1, 4)),
        ("0.10", Fraction(1, 10)),
        ("0.07", Fraction(7, 100)),
        ("0.29", Fraction(29, 100)),
        ("0.57", Fraction(57, 100)),
        ("0.58", Fraction(58, 100)),
        ("33.3 %", Fraction(333, 1000)),
        ("0", Fraction(0)),
        ("1", Fraction(1)),
    ],
)
def test_shares_are_exact(written: str, share: Fraction) -> None:
    policy = load(SMALLEST + "---\n" + budget(share=written)).policy
    assert policy is not None
    assert policy.budgets[0].shares[0].share == share


@given(st.integers(-12 * 60, 14 * 60), st.sampled_from([0, 15, 30, 45]))
def test_instants_keep_their_offset_to_the_second(hours_minutes: int, minutes: int) -> None:
    """Law: local time minus its offset is one instant, quoted or not."""
    offset = hours_minutes // 60 * 60 + (minutes if hours_minutes >= 0 else 0)
    sign = "-" if offset < 0 else "+"
    written = f"2026-07-01T12:00:00{sign}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"
    policies = [
        load(SMALLEST + "---\n" + budget(f"reviewBy: {quote}{written}{quote}")).policy for quote in ("", '"')
    ]
    for policy in policies:
        assert policy is not None
        assert policy.budgets[0].review_by == 1_782_907_200 - offset * 60


@pytest.mark.parametrize(
    ("field", "at", "message", "way_out"),
    [
        (
            "nodes: 010",
            "010",
            "is not a whole number",
            "write `10`; YAML 1.1 reads `010` as the octal number `8`",
        ),
        ("nodes: 0x10", "0x10", "is not a whole number", "write `16`"),
        ("nodes: 1_000", "1_000", "is not a whole number", "write `1000`"),
        ("nodes: 1e3", "1e3", "is not a whole number", "write `1000`"),
        ("nodes: 08", "08", "is not a whole number", "write `8`"),
        ("nodes: 4.0", "4.0", "is not a whole number", "write `4`"),
        ("nodes: 4.5", "4.5", "is not a whole number", "for example `88`"),
        (
            "nodes: 1:30",
            "1:30",
            "is not a whole number",
            "in plain digits; YAML 1.1 reads `1:30` as the number `90`",
        ),
        ("nodes: .inf", ".inf", "is not a whole number", "not finite"),
        ("nodes: on", "on", "is not a whole number", "the truth value `true`"),
        ("nodes: '4'", "'4'", "in quotes is text, not a whole number", "without quotes"),
        ("nodes: four", "four", "is not a whole number", "for example `88`"),
    ],
)
def test_whole_numbers_are_written_in_plain_digits(field: str, at: str, message: str, way_out: str) -> None:
    text = f"apiVersion: policyctl/v1\nkind: Cluster\nmetadata: {{name: x}}\nspec: {{pools: {{a: {{{field}, gpusPerNode: 8}}}}}}\n"
    (one,) = found(text, beside=SMALLEST.split("---\n")[1])
    assert (one.code, underlined(text, one)) == ("S005", at)
    assert message in one.message
    assert way_out in (one.help or "")


@pytest.mark.parametrize("number", ["0", "-1", "1000001", "9" * 300])
def test_numbers_out_of_range_say_the_range(number: str) -> None:
    text = f"apiVersion: policyctl/v1\nkind: Cluster\nmetadata: {{name: x}}\nspec: {{pools: {{a: {{nodes: {number}, gpusPerNode: 8}}}}}}\n"
    (one,) = found(text, beside=SMALLEST.split("---\n")[1])
    assert (one.code, one.help) == ("S007", "write a whole number from 1 to 1000000")
    assert underlined(text, one) == number
    assert len(one.message) < 120


def test_names_that_look_like_truth_values_work_in_quotes() -> None:
    text = budget(share="50%, 'on': 1/4, \"no\": 1/4").replace("language", "y")
    policy = load(SMALLEST + "---\n" + text).policy
    assert policy is not None
    assert [share.name for share in policy.budgets[0].shares] == ["no", "on", "y"]


def test_calendar_windows_know_their_time_zone() -> None:
    text = accounting("quantum: 10m").replace("length: 14d", "calendar: month, timezone: America/Los_Angeles")
    policy = load(WITHOUT_ACCOUNTING + "---\n" + text).policy
    assert policy is not None
    assert policy.accounting.window == CalendarWindow(unit="month", timezone="America/Los_Angeles")


@pytest.mark.parametrize(
    ("zone", "way_out"),
    [
        ("America/Los_Angelos", "did you mean `America/Los_Angeles`?"),
        ("america/los_angeles", "did you mean `America/Los_Angeles`?"),
        ("../../etc/passwd", "write an IANA name"),
        ("Nowhere/Land", "write an IANA name"),
    ],
)
def test_an_unknown_time_zone_has_its_nearest(zone: str, way_out: str) -> None:
    text = accounting("quantum: 10m").replace("length: 14d", f"calendar: month, timezone: {zone}")
    (one,) = found(text, beside=WITHOUT_ACCOUNTING)
    assert (one.code, underlined(text, one)) == ("S019", zone)
    assert way_out in (one.help or "")


@pytest.mark.parametrize("name", sorted(CODES))
def test_every_format_refuses_something(name: str) -> None:
    """A format without a checker would accept everything in silence."""
    assert not checker().conforms("?? ", name)


@pytest.mark.parametrize(
    ("path", "way_out"),
    [
        ("language", "did you mean `/language`?"),
        ("/language/", "did you mean `/language`?"),
        ("//language", "did you mean `/language`?"),
        ("/Language/Pre Train", "did you mean `/language/pre-train`?"),
        ("'/a\t'", "did you mean `/a`?"),
        ("/-a", "did you mean `/a`?"),
        ("/größe", "an account is a path"),
        ("'//'", "an account is a path"),
        ("/" + "a" * 64, "did you mean `/aaa"),
    ],
)
def test_account_paths(path: str, way_out: str) -> None:
    text = DOCUMENTS["ProtectionCap"].replace("account: /", f"account: {path}")
    (one,) = found(text)
    assert one.code == "S009"
    assert "is not an account path" in one.message
    assert way_out in (one.help or "")
