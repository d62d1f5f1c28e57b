"""Rules over a change: names are checked, all of CEL works, and work is bounded."""

from __future__ import annotations

import pytest

from policyctl.expr.change_rule import NoTruth, check_change_rule, holds
from policyctl.govern.facts import CHANGE_SHAPE

SEEN = {
    "change": {
        "author": "dev1",
        "loosens": True,
        "tightens": False,
        "moved": 0.25,
        "kinds": ["Budget"],
        "accounts": ["/language"],
        "rights": [{"account": "/language", "kind": "share", "direction": "loosens", "loosens": True}],
        "shares": [],
        "settings": [],
        "exceptions": [{"name": "one", "what": "added", "grant": "", "days": 14.0}],
    }
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("change.moved > 0.2", True),
        ("change.kinds == ['Exception']", False),
        ("change.rights.exists(right, right.loosens && right.account.startsWith('/lang'))", True),
        ("change.exceptions.filter(one, one.days > 30.0).size() > 0", False),
        ("change.settings.all(one, one.subject != 'Governance')", True),
        ("change.rights.map(one, one.kind) == ['share']", True),
        ("has(change.author) && change.author == 'dev1'", True),
        ("change.rights[0].direction == 'loosens' ? true : false", True),
        ("change['moved'] > 0.2 && {'most': 1}.most == 1", True),
    ],
)
def test_all_of_cel_may_be_used(source: str, *, expected: bool) -> None:
    assert check_change_rule(source, CHANGE_SHAPE) == ()
    assert holds(source, SEEN, CHANGE_SHAPE) is expected


@pytest.mark.parametrize(
    ("source", "code", "text", "hint"),
    [
        ("changes.moved > 0.2", "C004", "changes", "`change`"),
        ("has(change.movd)", "C005", "movd", "`moved`"),
        ("change.rights.exists(one, one.acount == '/')", "C005", "acount", "`account`"),
        ("change.rights.filter(one, true)[0].knd == ''", "C005", "knd", "`kind`"),
        ("change.rights.exists(one, two.account == '/')", "C004", "two", "known"),
        ("change.rights.direction == 'loosens'", "C005", "change.rights.direction", "`….exists(one, "),
        ("change.moved.most > 0.2", "C005", "change.moved.most", "itself"),
        ("change['movd'] > 0.2", "C005", "'movd'", "`moved`"),
        ("change.moved >", "C001", ">", None),
        ("change.accounts.reduce(all, one, '', all + one) == ''", "C009", "reduce", "`exists`"),
        ("[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))", "C003", "[1].all(d, true)", "several"),
    ],
)
def test_what_is_wrong_is_underlined(source: str, code: str, text: str, hint: str | None) -> None:
    (found,) = check_change_rule(source, CHANGE_SHAPE)
    assert (found.code, text in source[found.start : found.end]) == (code, True)
    assert hint is None or hint in str(found.help)
    with pytest.raises(NoTruth):
        holds(source, SEEN, CHANGE_SHAPE)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("change.moved", "neither"),
        ("change.moved / 0 > 1", "`"),
        ("change.settings[3].field == ''", "`"),
        (f"{list(range(60))}.all(a, {list(range(60))}.all(b, {list(range(60))}.all(c, a < 99)))", "steps"),
    ],
    ids=["not a condition", "mixed division", "beyond the end", "too much work"],
)
def test_no_answer_is_told_in_a_line(source: str, why: str) -> None:
    with pytest.raises(NoTruth, match=why) as caught:
        holds(source, SEEN, CHANGE_SHAPE)
    assert "\n" not in str(caught.value)
