"""Accounts that a map chooses, against those that the budgets know."""

from __future__ import annotations

import pytest

from policyctl.adapters.log_accounts import stray_accounts
from tests.decide.small import job, past, policy, state

POLICY = policy({"/": {"language": "1/2", "vision": "1/2"}, "/language": {"pretrain": "1"}})


def told(*accounts: str, ended: tuple[str, ...] = ()) -> list[tuple[str, str | None]]:
    waiting = [job(f"j{number}", account) for number, account in enumerate(accounts)]
    runs = [past(job(f"r{number}", account, start=-50), -10) for number, account in enumerate(ended)]
    there = state(*waiting, usage=runs)
    found = stray_accounts(there, POLICY, default_account="/unmapped", file="MAP.yaml")
    assert {(one.code, str(one.severity), one.place.file) for one in found} <= {
        ("L029", "warning", "MAP.yaml")
    }
    return [(one.message, one.help) for one in found]


DID_YOU_MEAN = "did you mean `/language/pretrain` for `/language/pretrian`?"
OPPORTUNISTIC = "mend `accounts` in the map, or give them a share: as it stands their jobs are opportunistic"
CHILDREN = "jobs belong to one of its children: only there they can buy protection"


@pytest.mark.parametrize(
    ("accounts", "message", "help_"),
    [
        pytest.param(
            ["/language/pretrian"],
            "1 record goes to 1 account that no budget names: `/language/pretrian` (1)",
            DID_YOU_MEAN,
            id="a slip of the fingers",
        ),
        pytest.param(
            ["/zz", "/vision", "/zz", "/yy"],
            "3 records go to 2 accounts that no budget names: `/zz` (2), `/yy` (1)",
            OPPORTUNISTIC,
            id="the most frequent first",
        ),
        pytest.param(
            [f"/zz{number}" for number in range(7)],
            "7 records go to 7 accounts that no budget names: `/zz0` (1), `/zz1` (1), `/zz2` (1), `/zz3` (1), "
            "`/zz4` (1) and 2 more",
            OPPORTUNISTIC,
            id="many are cut short",
        ),
        pytest.param(
            ["/language"],
            "1 record goes to 1 account that is divided further: `/language` (1)",
            CHILDREN,
            id="an inner account",
        ),
    ],
)
def test_what_is_told(accounts: list[str], message: str, help_: str) -> None:
    assert told(*accounts) == [(message, help_)]


def test_known_accounts_and_the_default_are_as_they_should_be() -> None:
    assert told("/vision", "/language/pretrain", "/unmapped") == []


def test_usage_counts_as_the_queue_does() -> None:
    assert told("/zz", ended=("/zz",)) == [
        ("2 records go to 1 account that no budget names: `/zz` (2)", OPPORTUNISTIC)
    ]
