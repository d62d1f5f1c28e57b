"""The whole pool at one instant as plain dictionaries: who waits, who runs, shares, usage, classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from policyctl.model.jobs import ClusterState, Job
from policyctl.model.policy import Policy, Pool
from tests.oracle.charges import Bill, bill_ended, bill_running
from tests.oracle.classes import Verdict, judge
from tests.oracle.shares import lineage, shares_at
from tests.oracle.windows import Span, span_of

__all__ = ["Books", "Key", "open_books"]

Key = tuple[str, str | None]
"""An account (path, None), or one user of it (path, user)."""
_NOTHING = Bill(charged=Fraction(0), committed=Fraction(0), opportunistic=Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """`verdict` by job id for jobs that wait or run; `bill` by account or user, each for its whole subtree."""

    policy: Policy
    pool: Pool
    now: int
    span: Span
    waiting: tuple[Job, ...]
    running: tuple[Job, ...]
    verdict: dict[str, Verdict]
    children: dict[Key, list[Key]]
    share: dict[Key, Fraction]
    absolute: dict[Key, Fraction]
    bill: dict[Key, Bill]

    def usage(self, key: Key) -> Fraction:
        """Return U: charged in the window plus outstanding commitments."""
        return self.bill[key].charged + self.bill[key].committed

    def entitled(self, absolute: Fraction) -> Fraction:
        """Return what an absolute share may be charged over the whole window."""
        return absolute * self.rate * self.pool.gpus * 1000 * Fraction(self.span.whole)

    @property
    def rate(self) -> Fraction:
        """The price of a protected GPU-second."""
        return self.pool.charge_rate * self.policy.accounting.charge.protected

    def floor(self, parent: Key) -> Fraction | None:
        """Return the least virtual time below `parent`, or None where credit has no bound."""
        limit = self.policy.accounting.credit_limit
        if limit is None:
            return None
        return self.usage(parent) - limit * self.rate * self.pool.gpus * 1000 * self.absolute[parent]


def open_books(policy: Policy, state: ClusterState, now: int, name: str) -> Books:
    """Judge and bill everything in one pool."""
    pool = next(one for one in policy.pools if one.name == name)
    jobs = [job for job in state.jobs if job.pool == name]
    waiting = [job for job in jobs if job.start is None]
    running = [job for job in jobs if job.start is not None]
    span = span_of(policy.accounting.window, now)
    charge = policy.accounting.charge
    nobody: frozenset[str] = frozenset()
    own: dict[tuple[str, str], Bill] = defaultdict(lambda: _NOTHING)
    verdict = {job.id: judge(policy, name, job, now, overdrawn=nobody) for job in running}
    for job in running:
        found = verdict[job.id]
        own[job.account, job.user] += bill_running(
            job, pool, charge, span, funded=found.funded, protected=found.protected
        )
    for run in state.usage:
        if run.job.pool == name:
            was = judge(policy, name, run.job, now, overdrawn=nobody)
            own[run.job.account, run.job.user] += bill_ended(
                run, pool, charge, span, funded=was.funded, protected=was.protected
            )
    present = {(job.account, job.user) for job in jobs} | {
        key for key, bill in own.items() if bill != _NOTHING
    }
    children, share, absolute = _nodes(policy, name, now, present)
    bill = dict.fromkeys(children, _NOTHING)
    for path, user in present:
        bill[path, user] = own.get((path, user), _NOTHING)
        for above in lineage(path):
            bill[above, None] += bill[path, user]
    books = Books(
        policy=policy,
        pool=pool,
        now=now,
        span=span,
        waiting=tuple(waiting),
        running=tuple(running),
        verdict=verdict,
        children=children,
        share=share,
        absolute=absolute,
        bill=bill,
    )
    broke = _overdrawn(books)
    verdict.update({job.id: judge(policy, name, job, now, overdrawn=broke) for job in waiting})
    return books


def _nodes(
    policy: Policy, pool: str, now: int, present: Iterable[tuple[str, str]]
) -> tuple[dict[Key, list[Key]], dict[Key, Fraction], dict[Key, Fraction]]:
    standings = shares_at(policy, pool, now)
    share: dict[Key, Fraction] = {(path, None): one.share for path, one in standings.items()}
    absolute: dict[Key, Fraction] = {(path, None): one.absolute for path, one in standings.items()}
    users: dict[str, set[str]] = defaultdict(set)
    for path, user in present:
        users[path].add(user)
        for above in lineage(path):
            share.setdefault((above, None), Fraction(0))
            absolute.setdefault((above, None), Fraction(0))
    for path, names in users.items():
        divided = path in standings and not standings[path].leaf
        for user in names:
            share[path, user] = Fraction(0) if divided else Fraction(1, len(names))
            absolute[path, user] = share[path, user] * absolute[path, None]
    children: dict[Key, list[Key]] = {key: [] for key in share}
    for key in share:
        if key[1] is not None:
            children[key[0], None].append(key)
        elif key[0] != "/":
            children[lineage(key[0])[1], None].append(key)
    return children, share, absolute


def _overdrawn(books: Books) -> frozenset[str]:
    allowed = books.policy.accounting.overdraft
    if allowed is None:
        return frozenset()
    return frozenset(
        path
        for path, user in books.share
        if user is None
        and books.usage((path, None)) > books.entitled(books.absolute[path, None]) * (1 + allowed)
    )
