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
from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.cli.main import policyctl
from policyctl.units import format_instant, parse_instant
from tests.agenda.sample import POLICY

ZONES = ("UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Apia", "Europe/Berlin")
# Around the change to summer time in Berlin, where a wall clock would be wrong by an hour.
NEAR = parse_instant("2026-03-29T01:00:00Z")
EXCEPTION = """---
apiVersion: policyctl/v1
kind: Exception
metadata: {{name: stop}}
spec:
  reason: a deadline
  ticket: OPS-1
  requestedBy: "@lab/leads"
  starts: "{}"
  expires: "{}"
  suspend: {{account: /language}}
"""


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


def from_validate(folder: Path, now: str) -> set[str]:
    """Return what the answer leaves possible: only what is over is spoken of."""
    found = json.loads(told("validate", str(folder), "--now", now, "--format", "json"))
    over = "E007" in {one["code"] for one in found["findings"]}
    return {"expired"} if over else {"upcoming", "active"}


def from_rank(source: list[str], now: str) -> set[str]:
    job = {"id": "j", "account": "/language", "user": "u", "pool": "h100", "gpus": 1, "min_runtime": "1h"}
    state = {"time": now, "jobs": [{**job, "submit": "2026-01-01T00:00:00Z"}]}
    found = json.loads(told("rank", *source, "--state", "-", "--format", "json", stdin=json.dumps(state)))
    suspended = found["pools"]["h100"]["order"][0]["class"] == "opportunistic"
    return {"active"} if suspended else {"upcoming", "expired"}


def from_exceptions(source: list[str], now: str) -> set[str]:
    found = json.loads(told("exceptions", *source, "--now", now, "--format", "json"))
    return {found["exceptions"][0]["phase"]}


def from_timeline(source: list[str], now: str, until: str) -> set[str]:
    found: dict[str, Any] = json.loads(
        told("timeline", *source, "--now", now, "--until", until, "--format", "json")
    )
    ahead = {cause["kind"] for moment in found["moments"] for cause in moment["causes"]}
    if "exception_starts" in ahead:
        return {"upcoming"}
    return {"active"} if "exception_ends" in ahead else {"expired"}


def from_bundle_show(bundle: str, now: str) -> set[str]:
    section = told("bundle", "show", bundle).partition("\nexceptions\n")[2]
    start, end = re.findall(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", section)[:2]
    at = parse_instant(now)
    if at < parse_instant(start):
        return {"upcoming"}
    return {"active"} if at < parse_instant(end) else {"expired"}


offsets = st.integers(-14 * 4, 14 * 4).map(lambda quarters: quarters * 15)


@settings(max_examples=15, deadline=None)
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
    document = EXCEPTION.format(spelled(start, written[0]), spelled(end, written[1]))
    (folder / "policy.yaml").write_text(POLICY + document)
    with clock(zone):
        told("compile", str(folder), "-o", bundle)
        until = format_instant(end + 1)
        for at in sorted({start - 1, start, end - 1, end}):
            now = spelled(at, asked)
            truth = {"upcoming" if at < start else "active" if at < end else "expired"}
            for source in (["--policy", str(folder)], ["--bundle", bundle]):
                assert from_exceptions(source, now) == truth
                assert from_timeline(source, now, until) == truth
                assert truth <= from_rank(source, now)
            assert truth <= from_validate(folder, now)
            assert from_bundle_show(bundle, now) == truth
