"""The same question has the same answer under every hash seed and in every time zone."""

from __future__ import annotations

import os
import subprocess
import sys

QUESTIONS = """
from tests.decide.small import ask, budget, cap, exception, job, past, policy, state, FREEZE
from policyctl.decide.explain import explain
from policyctl.decide.preempt import Preemptor
from policyctl.decide.quote import quote
from policyctl.decide.rank import rank_pool
from policyctl.decide.usage import pool_usage
from policyctl.model.policy import CalendarWindow, ShareGrant
from fractions import Fraction

some = policy(
    {"/": {name: "1/7" for name in "abcdefg"}, "/a": {"x": "1/3", "y": "1/3", "z": "1/3"}},
    window=CalendarWindow(unit="day", timezone="America/Los_Angeles"),
    caps=[cap("/", "4h", large=("now.getHours() < 13 && job.gpus >= 2", "1h"))],
    exceptions=[exception(ShareGrant(to="/a/x", source="/b", add=Fraction(1, 21)), since=-9, until=9)],
)
users = ["u%d" % number for number in range(9)]
jobs = [job("w-" + account + user, account, user, wants=60) for account in ("/a/x", "/b", "/typo") for user in users]
jobs += [job("r-" + user, "/c", user, start=-900, wants=60) for user in users[:8]]
there = state(*jobs, usage=[past(job("e" + user, "/a/y", user, start=-99, wants=60), -50) for user in users])
situation = ask(some, there)
pool = situation.pool("p")
print(rank_pool(pool), pool_usage(pool), explain(situation, "w-/bu3"), quote(situation, jobs[0]))
print(Preemptor(situation).plan("w-/a/xu0"))
"""


def answer(seed: str, zone: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", QUESTIONS],
        env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_neither_hash_seed_nor_time_zone_reach_an_answer() -> None:
    first = answer("1", "UTC")
    assert "victim_" in first or "still_behind" in first
    assert answer("2", "Pacific/Auckland") == first
