"""The rules on single victims: protection, class, who is behind, guards, freezes and limits.

Every running job gets a set of marks, each a reason to refuse (or an error); a victim without marks is granted. All
victims of one question are judged together, so that guards run once over columns and limits see the whole set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from policyctl.decide.claim import Behind, Branches, Claim, branches
from policyctl.decide.guards import guard_marks
from policyctl.decide.marks import Mark, lapse_of
from policyctl.decide.reasons import fault_reason, written
from policyctl.decide.situation import PoolSituation
from policyctl.decide.table import NEVER
from policyctl.decide.too_often import lapse, recent_preemptions
from policyctl.model.decisions import Reason
from policyctl.model.jobs import Job
from policyctl.model.policy import Freeze, place_of
from policyctl.units import Instant, format_instant

__all__ = ["HOUR", "Judgement", "freeze_of", "judge", "lost_in_last_hour", "work_at_risk"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The victims of one question, judged: columns for choosing among many, marks for explaining single ones.

    `clear` says that nothing stands against a victim; `retry` is when its refusal can lapse, NEVER where time alone
    does not help. `compared` has an answer for the branches of funded victims. `sparse` holds the marks of the few rows that guards or the limit per job concern.
    """

    claim: Claim
    asking: Job
    victims: Sequence[Job]
    rows: Ints
    protected: Bools
    until: Ints
    at_risk: Ints
    branch: Ints
    branches: tuple[Branches, ...]
    compared: tuple[Behind | None, ...]
    frozen: Mark | None
    sparse: dict[int, list[Mark]]

    @property
    def funded(self) -> Bools:
        """Which victims are funded."""
        return self.claim.situation.held.funded[self.rows]

    def clear(self) -> Bools:
        """Return which victims nothing stands against."""
        if self.frozen is not None:
            return np.zeros(len(self.rows), np.bool_)
        allowed = (~self.funded | self.behind()) & ~self.protected
        faulted = self.claim.situation.held.protection.faults
        for place in self.sparse:
            allowed[place] = False
        for place, row in enumerate(self.rows.tolist()) if faulted else ():
            allowed[place] &= row not in faulted
        return allowed

    def behind(self) -> Bools:
        """Return for which victims the asking branch would still be behind, or whose user ranks its own job higher."""
        holds = np.array([one is not None and one.holds for one in self.compared], np.bool_)[self.branch]
        own = np.array([one.same_user for one in self.branches], np.bool_)[self.branch]
        return holds | (own & (self.claim.situation.running.priority[self.rows] < self.asking.priority))

    def retry(self) -> Ints:
        """Return for each victim that is not clear when its refusal can lapse."""
        lapses = np.where(self.protected, self.until, NEVER)
        if self.frozen is not None:
            end = NEVER if self.frozen.retry_at is None else self.frozen.retry_at
            stuck = self.funded & ~self.protected & ~self.behind()
            stuck |= np.isin(self.rows, list(self.claim.situation.held.protection.faults))
            lapses = np.where(stuck | (end == NEVER), NEVER, np.maximum(lapses, end))
        for place in self.sparse:
            lapses[place] = lapse_of(self.marks(place)) or NEVER
        return lapses

    def marks(self, place: int) -> tuple[Mark, ...]:
        """Return everything that stands against a victim, in the order of the rules."""
        situation, row = self.claim.situation, int(self.rows[place])
        marks: list[Mark] = []
        failed = fault_reason(situation.held, row)
        if failed is not None:
            marks.append(Mark(reason=failed, fault=True))
        elif self.protected[place]:
            marks.append(_protected(situation, row, int(self.until[place])))
        elif situation.held.funded[row] and not self.behind()[place]:
            marks.append(Mark(reason=self._against(place, holds=False)))
        marks.extend(self.sparse.get(place, ()))
        if self.frozen is not None:
            marks.append(self.frozen)
        return tuple(marks)

    def grant(self, place: int) -> Reason:
        """Return why a victim without marks is granted."""
        held, row = self.claim.situation.held, int(self.rows[place])
        if not held.funded[row]:
            return Reason("victim_opportunistic", {"why": list(held.reasons(row))})
        return self._against(place, holds=True)

    def _against(self, place: int, *, holds: bool) -> Reason:
        found, outcome = self.branches[self.branch[place]], self.compared[self.branch[place]]
        situation = self.claim.situation
        if outcome is None or found.mine is None or found.other is None:
            facts: dict[str, object] = {
                "account": self.asking.account,
                "priority": self.asking.priority,
                "victim_priority": self.victims[place].priority,
            }
            if not found.same_user:
                return Reason("same_account_other_user", facts)
            return Reason("higher_priority_of_the_same_user" if holds else "priority_not_higher", facts)
        hours, nodes = situation.rates.exact_gpu_hours, situation.book.nodes
        facts = {
            "below": nodes[found.below].label,
            "account": nodes[found.mine].label,
            "victim_account": nodes[found.other].label,
            "virtual_time_after_gpu_hours": float(hours(outcome.after)),
            "victim_virtual_time_gpu_hours": None if outcome.other is None else float(hours(outcome.other)),
            "hysteresis": str(situation.policy.preemption.hysteresis),
        }
        if outcome.floor is not None:
            facts["credit_floor_gpu_hours"] = float(hours(outcome.floor))
        return Reason("still_behind" if holds else "not_behind", facts)


def work_at_risk(situation: PoolSituation, rows: Ints) -> Ints:
    """Return the GPU time (thousandths of a GPU times seconds) since the last checkpoint or the start."""
    table = situation.running
    since = np.maximum(table.start[rows], table.last_checkpoint[rows])
    at_risk: Ints = table.gpus[rows] * np.maximum(situation.now - since, 0)
    return at_risk


def lost_in_last_hour(situation: PoolSituation) -> list[tuple[int, int]]:
    """Return (end, GPU time lost) of every run of the pool that was preempted within the last hour."""
    past = situation.past
    recent = np.flatnonzero(past.preempted & (past.end > situation.now - HOUR) & (past.end <= situation.now))
    table = past.table
    since = np.maximum(table.start[recent], table.last_checkpoint[recent])
    lost = table.gpus[recent] * np.maximum(past.end[recent] - since, 0)
    return sorted(zip(past.end[recent].tolist(), lost.tolist(), strict=True))


def freeze_of(situation: PoolSituation) -> Mark | None:
    """Return the freeze in force on the pool, if there is one; of several, the one that ends last."""
    frozen = [
        one
        for one in situation.policy.exceptions
        if isinstance(one.grant, Freeze)
        and one.grant.pool == situation.pool.name
        and one.period.in_force(situation.now)
    ]
    if not frozen:
        return None
    last = max(frozen, key=lambda one: (one.period.end or 0, one.name))
    until = last.period.end
    facts = {
        "exception": last.name,
        "reason": last.reason,
        "ticket": last.ticket,
        "until": None if until is None else format_instant(until),
        "written": written(last.place),
    }
    return Mark(reason=Reason("frozen", facts), retry_at=until)


def judge(
    claim: Claim,
    asking: Job,
    asking_row: int,
    victims: Sequence[Job],
    rows: Ints,
    *,
    users: Ints | None = None,
) -> Judgement:
    """Judge running jobs as victims of a funded pending job, each by the rules that concern it alone.

    `rows` are those of the victims in the situation's running table, `users` the nodes of their users if known.
    """
    situation = claim.situation
    nodes = situation.user_nodes(situation.running)[rows] if users is None else users
    until = situation.running.start[rows] + situation.held.seconds[rows]
    funded = situation.held.funded[rows]
    protected = funded & (situation.now < until)
    at_risk = work_at_risk(situation, rows)
    branch, parted = _part(claim, nodes)
    concerned = set(branch[funded].tolist())
    sparse = guard_marks(claim, asking_row, rows, protected=protected, at_risk=at_risk)
    for place, victim in enumerate(victims) if situation.policy.preemption.per_job else ():
        often = _too_often(situation, victim)
        if often is not None:
            sparse.setdefault(place, []).append(often)
    return Judgement(
        claim=claim,
        asking=asking,
        victims=victims,
        rows=rows,
        protected=protected,
        until=until,
        at_risk=at_risk,
        branch=branch,
        branches=parted,
        compared=tuple(
            _compare(claim, one) if number in concerned else None for number, one in enumerate(parted)
        ),
        frozen=freeze_of(situation),
        sparse=sparse,
    )


def _part(claim: Claim, users: Ints) -> tuple[Ints, tuple[Branches, ...]]:
    """Return the number of each victim's branch, and the branches; users of one account share one."""
    book = claim.situation.book
    own = {0, *book.chain(claim.user)}
    distinct, inverse = np.unique(users, return_inverse=True)
    accounts = book.parent[distinct].tolist()
    # Users of an account off the asking job's own way down all part from it at the same place.
    tops = [
        user if account in own else account for user, account in zip(distinct.tolist(), accounts, strict=True)
    ]
    parted = {top: branches(book, claim.user, top) for top in dict.fromkeys(tops)}
    numbers = {found: number for number, found in enumerate(dict.fromkeys(parted.values()))}
    codes = np.array([numbers[parted[top]] for top in tops], dtype=np.int64)
    return codes[inverse], tuple(numbers)


def _compare(claim: Claim, found: Branches) -> Behind | None:
    return None if found.mine is None or found.other is None else claim.behind(found.mine, found.other)


def _protected(situation: PoolSituation, row: int, until: int) -> Mark:
    facts = {
        "start": format_instant(int(situation.running.start[row])),
        "protected_seconds": int(situation.held.seconds[row]),
        "until": format_instant(until),
    }
    return Mark(reason=Reason("victim_protected", facts), retry_at=Instant(until))


def _too_often(situation: PoolSituation, victim: Job) -> Mark | None:
    limit = situation.policy.preemption.per_job
    if limit is None:
        return None
    recent = recent_preemptions(limit, victim, situation.now)
    if len(recent) < limit.max:
        return None
    facts = {
        "preemptions": len(recent),
        "max": limit.max,
        "within_seconds": limit.within,
        "written": written(place_of(situation.policy.preemption, "perJob.max")),
    }
    return Mark(reason=Reason("per_job_limit", facts), retry_at=lapse(limit, recent))
