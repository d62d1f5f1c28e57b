"""Whether a period holds is decided in one place: where its rule is another, every room follows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import policyctl
from policyctl.agenda.exceptions import Phase, phase_of
from policyctl.check.policy_checks import run_checks
from policyctl.decide.protection import protect
from policyctl.decide.standing import Timeline
from policyctl.decide.table import table_of
from policyctl.diff.compare import compare
from policyctl.model.policy import Period, Policy, ProtectionGrant
from policyctl.units import Instant, Seconds
from tests.decide.small import HALVES, NOW, budget, cap, exception, hours, job, policy

END = Instant(NOW + hours(1))


@pytest.fixture
def one_second_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every period hold from the second after its start up to and including its end."""

    def in_force(period: Period, at: int) -> bool:
        return (period.start is None or period.start < at) and (period.end is None or at <= period.end)

    monkeypatch.setattr(Period, "in_force", in_force)


def raised() -> Policy:
    grant = ProtectionGrant(account="/a", max_protected=Seconds(hours(6)))
    return policy(caps=(cap("/", "4h"),), exceptions=(exception(grant, since=0, until=hours(1)),))


@pytest.mark.usefixtures("one_second_later")
def test_protection_follows() -> None:
    table = table_of([job("j", wants=hours(8))])
    at = np.array([NOW, NOW + 1, END, END + 1])
    found = protect(raised(), table, np.zeros(4, np.int64), at)
    assert found.seconds.tolist() == [hours(4), hours(6), hours(6), hours(4)]


@pytest.mark.usefixtures("one_second_later")
def test_the_stretches_of_a_timeline_follow() -> None:
    timeline = Timeline(raised(), "p")
    at = [NOW, NOW + 1, END, END + 1]
    assert [timeline.stretch(one) for one in at] == [0, 1, 1, 2]
    assert timeline.stretches(np.array(at)).tolist() == [0, 1, 1, 2]


@pytest.mark.usefixtures("one_second_later")
def test_what_is_over_follows() -> None:
    some, gone = raised(), replace(raised(), exceptions=())
    for at, over in ((END, False), (Instant(END + 1), True)):
        assert (phase_of(some.exceptions[0].period, at) is Phase.EXPIRED) is over
        assert ("E007" in {one.code for one in run_checks(some, now=at)}) is over
        assert (compare(some, gone, now=at).exceptions[0].what == "expired") is over


@pytest.mark.usefixtures("one_second_later")
def test_budgets_follow() -> None:
    shares = HALVES["/"]
    ending = policy([replace(budget("/", shares, until=hours(1)), review_by=Instant(NOW))])
    for at, codes in ((NOW, set()), (NOW + 1, {"A010"}), (END, {"A010"}), (END + 1, {"A011"})):
        found = {one.code for one in run_checks(ending, now=Instant(at))}
        assert found & {"A010", "A011"} == codes


def test_nobody_else_compares_an_instant_with_an_end_of_a_period() -> None:
    decides = re.compile(r"[<>]=? \w*\.?period\.(start|end)|period\.(start|end) [<>]")
    named = re.compile(r"= \w+\.period\.start, \w+\.period\.end")
    root = Path(policyctl.__file__).parent
    found = [
        f"{file.relative_to(root)}: {line.strip()}"
        for file in sorted(root.rglob("*.py"))
        for line in file.read_text().splitlines()
        if decides.search(line) or named.search(line)
    ]
    # Two ends of one period against each other, and how long it lasts: neither asks about an instant.
    assert [one.partition(":")[0] for one in found] == ["bundle/soundness.py", "govern/facts.py"], found
