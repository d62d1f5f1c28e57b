"""Which decisions an exception changes in a state of the cluster: every answer with it beside every answer without it.

Compared are, in this order, the class and the protection of every job, the order of every queue, and for every waiting
funded job which running jobs could be preempted for it. The first of the three that differs is the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from policyctl.decide.preempt import Preemptor
from policyctl.decide.rank import order_pool
from policyctl.decide.situation import PoolSituation, Situation
from policyctl.model.policy import Policy

__all__ = ["Effect", "EffectKind", "Effects"]

EffectKind = Literal["class", "rank", "preemption"]
Answers = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The kind of decision that differs, and the jobs on which it does, by id; no kind where none differs."""

    kind: EffectKind | None = None
    jobs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effects:
    """The answers of a situation, kept to be compared with those of the same policy without one exception."""

    situation: Situation
    _kept: dict[EffectKind, Answers] = field(init=False, repr=False, compare=False, default_factory=dict)

    def of(self, name: str) -> Effect:
        """Return what the exception of that name changes."""
        other = Situation(without(self.situation.policy, name), self.situation.state, self.situation.now)
        for kind, answers in _ANSWERS:
            if kind not in self._kept:
                self._kept[kind] = answers(self.situation)
            these, those = self._kept[kind], answers(other)
            differing = sorted(job for job in these.keys() | those.keys() if these.get(job) != those.get(job))
            if differing:
                return Effect(kind=kind, jobs=tuple(differing))
        return Effect()


def without(policy: Policy, name: str) -> Policy:
    """Return the policy as it would be without one of its exceptions."""
    return replace(policy, exceptions=tuple(one for one in policy.exceptions if one.name != name))


def _pools(situation: Situation) -> list[PoolSituation]:
    return [situation.pool(name) for name in situation.pools()]


def _classes(situation: Situation) -> Answers:
    return {
        identity: (bool(classes.funded[row]), int(classes.seconds[row]))
        for pool in _pools(situation)
        for table, classes in ((pool.pending, pool.waiting), (pool.running, pool.held))
        for row, identity in enumerate(table.ids)
    }


def _ranks(situation: Situation) -> Answers:
    return {
        pool.pending.ids[row]: rank
        for pool in _pools(situation)
        for rank, row in enumerate(order_pool(pool).rows.tolist(), start=1)
    }


def _victims(situation: Situation) -> Answers:
    preemptor = Preemptor(situation)
    found: Answers = {}
    for pool in _pools(situation):
        running = list(pool.running.ids)
        for row, identity in enumerate(pool.pending.ids):
            if running and pool.waiting.funded[row]:
                planned = preemptor.plan(identity)
                judged = preemptor.authorize(identity, running)
                found[identity] = (
                    planned.outcome,
                    tuple(one.job for one in planned.victims if one.outcome == "granted"),
                    tuple((one.job, one.outcome) for one in judged.victims),
                )
    return found


_ANSWERS: tuple[tuple[EffectKind, Callable[[Situation], Answers]], ...] = (
    ("class", _classes),
    ("rank", _ranks),
    ("preemption", _victims),
)
