"""One answer to "is it in force": every command agrees with every other, to the second, on every clock."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from policyctl.cli.main import policyctl
from policyctl.units import format_instant, parse_instant
from tests.agenda.sample import POLICY

ZONES = ("UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Apia", "Europe/Berlin")
# Around the change to summer time in Berlin, where a wall clock would be wrong by an hour.
NEAR = parse_instant("2026-03-29T01:00:00Z")
GRANTS = {
    "stop": "suspend: {account: /robotics}",
    "longer": "protection: {account: /language, maxProtected: 6h}",
    "still": "freeze: {pool: h100}",
    "lent": "share: {to: /language, from: /robotics, add: 5%}",
}
EXCEPTION = """---
apiVersion: policyctl/v1
kind: Exception
metadata: {{name: {name}}}
spec:
  reason: a deadline
  ticket: OPS-1
  requestedBy: "@lab/leads"
  starts: "{starts}"
  expires: "{expires}"
  {grant}
"""
# Without its guard, so that nothing but the freeze stops a preemption.
UNGUARDED = POLICY.replace("now.getHours() < 6", "now.getHours() < 0")
RUNNING = {
    "id": "spare",
    "account": "/robotics",
    "user": "u",
    "pool": "h100",
    "gpus": 32,
    "nodes": 4,
    "submit": "2026-01-01T00:00:00Z",
    "start": "2026-01-01T00:00:00Z",
}
HELD, NOT_HELD = {"active"}, {"upcoming", "expired"}


@contextmanager
def clock(zone: str) -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


def spelled(at: int, minutes: int) -> str:
    return datetime.fromtimestamp(at, UTC).astimezone(timezone(timedelta(minutes=minutes))).isoformat()


def told(*arguments: str, stdin: str | bytes = "") -> str:
    result = CliRunner().invoke(policyctl, list(arguments), input=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def from_validate(folder: Path, now: str, code: str = "E007") -> set[str]:
    """Return what the answer leaves possible: only what is over is spoken of."""
    found = json.loads(told("validate", str(folder), "--now", now, "--format", "json"))
    over = code in {one["code"] for one in found["findings"]}
    return {"expired"} if over else {"upcoming", "active"}


def class_in_rank(source: list[str], now: str, account: str) -> str:
    job = {"id": "j", "account": account, "user": "u", "pool": "h100", "gpus": 1, "min_runtime": "1h"}
    state = {"time": now, "jobs": [{**job, "submit": "2026-01-01T00:00:00Z"}]}
    found = json.loads(told("rank", *source, "--state", "-", "--format", "json", stdin=json.dumps(state)))
    said: str = found["pools"]["h100"]["order"][0]["class"]
    return said


def from_rank(source: list[str], now: str) -> set[str]:
    """Tell it by the suspension: the account buys no protection meanwhile."""
    return HELD if class_in_rank(source, now, "/robotics") == "opportunistic" else NOT_HELD


def from_quote(source: list[str], now: str) -> set[str]:
    """Tell it by the raised cap: eight hours become six instead of four."""
    state = json.dumps({"time": now, "jobs": []})
    job = ["--account", "/language", "--user", "u", "--pool", "h100", "--gpus", "1", "--min-runtime", "8h"]
    found = json.loads(told("quote", *source, *job, "--state", "-", "--format", "json", stdin=state))
    hours = found["protected_seconds"] // 3_600
    return {6: HELD, 4: NOT_HELD}[hours]


def from_plan(source: list[str], now: str) -> set[str]:
    """Tell it by the freeze: a job on spare cycles is no victim meanwhile."""
    waits = {**RUNNING, "id": "waits", "account": "/language", "gpus": 8, "nodes": 1, "min_runtime": "1h"}
    del waits["start"]
    state = json.dumps({"time": now, "jobs": [RUNNING, waits]})
    arguments = ["preempt", "plan", "waits", *source, "--state", "-", "--format", "json"]
    result = CliRunner().invoke(policyctl, arguments, input=state)
    return {"refused": HELD, "granted": NOT_HELD}[json.loads(result.stdout)["outcome"]]


def from_usage(source: list[str], now: str) -> set[str]:
    """Tell it by the lent share."""
    state = json.dumps({"time": now, "jobs": []})
    found = json.loads(told("usage", *source, "--state", "-", "--format", "json", stdin=state))
    shares = {one["account"]: one["absolute_share_exact"] for one in found["pools"]["h100"]["accounts"]}
    return {"13/20": HELD, "3/5": NOT_HELD}[shares["/language"]]


def from_exceptions(source: list[str], now: str) -> set[str]:
    found = json.loads(told("exceptions", *source, "--now", now, "--format", "json"))
    return {one["phase"] for one in found["exceptions"]}


def from_timeline(source: list[str], now: str, until: str, what: str) -> set[str]:
    found: dict[str, Any] = json.loads(
        told("timeline", *source, "--now", now, "--until", until, "--format", "json")
    )
    kind, name = what.split()
    ahead = {
        cause["kind"] for moment in found["moments"] for cause in moment["causes"] if cause["name"] == name
    }
    if f"{kind}_starts" in ahead:
        return {"upcoming"}
    return {"active"} if f"{kind}_ends" in ahead else {"expired"}


def from_diff(folder: Path, without: Path, now: str) -> set[str]:
    """Return what the answer leaves possible of exceptions that a change removes: what was over is only cleared away."""
    found = json.loads(told("diff", str(folder), str(without), "--now", now, "--format", "json"))
    (what,) = {one["what"] for one in found["exceptions"]}
    return {"expired": {"expired"}, "removed": {"upcoming", "active"}}[what]


def from_bundle_show(bundle: str, now: str) -> set[str]:
    section = told("bundle", "show", bundle).partition("\nexceptions\n")[2]
    periods = set(re.findall(r"from (\S+Z) until (\S+Z)", section))
    assert len(periods) == 1
    start, end = periods.pop()
    at = parse_instant(now)
    if at < parse_instant(start):
        return {"upcoming"}
    return {"active"} if at < parse_instant(end) else {"expired"}


offsets = st.integers(-14 * 4, 14 * 4).map(lambda quarters: quarters * 15)


@settings(max_examples=8, deadline=None, phases=(Phase.generate,))
@given(
    start=st.integers(NEAR - 7_200, NEAR + 7_200),
    length=st.integers(1, 90_000),
    written=st.tuples(offsets, offsets),
    asked=offsets,
    zone=st.sampled_from(ZONES),
)
def test_every_command_agrees_to_the_second(
    tmp_path_factory: pytest.TempPathFactory,
    *,
    start: int,
    length: int,
    written: tuple[int, int],
    asked: int,
    zone: str,
) -> None:
    """Law: at the second before, at, and after each end, all commands say the same of one exception."""
    end = start + length
    top = tmp_path_factory.mktemp("agree")
    folder, bundle = top / "policies", str(top / "policy.bundle")
    folder.mkdir()
    starts, expires = spelled(start, written[0]), spelled(end, written[1])
    documents = [
        EXCEPTION.format(name=name, grant=grant, starts=starts, expires=expires)
        for name, grant in GRANTS.items()
    ]
    (folder / "policy.yaml").write_text(UNGUARDED + "".join(documents))
    without = top / "without"
    without.mkdir()
    (without / "policy.yaml").write_text(UNGUARDED)
    with clock(zone):
        told("compile", str(folder), "-o", bundle)
        until = format_instant(end + 1)
        for at in sorted({start - 1, start, end - 1, end}):
            now = spelled(at, asked)
            truth = {"upcoming" if at < start else "active" if at < end else "expired"}
            source = ["--bundle", bundle]
            for either in (["--policy", str(folder)], source):
                assert from_exceptions(either, now) == truth
                assert truth <= from_rank(either, now)
            for name in GRANTS:
                assert from_timeline(source, now, until, f"exception {name}") == truth
            for command in (from_quote, from_plan, from_usage):
                assert truth <= command(source, now)
            assert truth <= from_validate(folder, now)
            assert truth <= from_diff(folder, without, now)
            assert from_bundle_show(bundle, now) == truth


BUDGET = """---
apiVersion: policyctl/v1
kind: Budget
metadata: {{name: divided}}
spec:
  account: /language
  effective: {{from: "{}", until: "{}"}}
  shares: {{pretrain: 100%}}
"""


@settings(max_examples=8, deadline=None, phases=(Phase.generate,))
@given(
    start=st.integers(NEAR - 7_200, NEAR + 7_200),
    length=st.integers(1, 90_000),
    written=st.tuples(offsets, offsets),
    asked=offsets,
    zone=st.sampled_from(ZONES),
)
def test_budgets_begin_and_end_at_the_same_second_everywhere(
    tmp_path_factory: pytest.TempPathFactory,
    *,
    start: int,
    length: int,
    written: tuple[int, int],
    asked: int,
    zone: str,
) -> None:
    """Law: an account that a budget divides has its share exactly from the second it starts until the one it ends."""
    end = start + length
    folder = tmp_path_factory.mktemp("agree") / "policies"
    folder.mkdir()
    document = BUDGET.format(spelled(start, written[0]), spelled(end, written[1]))
    (folder / "policy.yaml").write_text(POLICY + document)
    source = ["--policy", str(folder)]
    with clock(zone):
        for at in sorted({start - 1, start, end - 1, end}):
            now = spelled(at, asked)
            truth = {"upcoming" if at < start else "active" if at < end else "expired"}
            assert from_timeline(source, now, format_instant(end + 1), "budget divided") == truth
            assert truth <= from_validate(folder, now, "A011")
            funded = class_in_rank(source, now, "/language/pretrain") == "funded"
            assert truth <= ({"active"} if funded else {"upcoming", "expired"})
            above = class_in_rank(source, now, "/language") == "funded"
            assert above is not funded, "jobs belong to leaves, and it is one while nothing divides it"
