"""Who runs next, by the greedy loop: from the root, the child with the smallest virtual time, again and again."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from policyctl.model.jobs import Job
from tests.oracle.books import Books, Key
from tests.oracle.shares import lineage

__all__ = ["ranking"]

Turn = tuple[int, Fraction, Fraction, Fraction, str, str]


def ranking(books: Books) -> list[str]:
    """Return the ids of the waiting jobs, best first; jobs on which a rule faults have no place."""
    ranked: list[str] = []
    projected: dict[Key, Fraction] = defaultdict(Fraction)
    for funded in (True, False):
        queues: dict[Key, list[Job]] = defaultdict(list)
        for job in books.waiting:
            verdict = books.verdict[job.id]
            if verdict.fault is None and verdict.funded is funded:
                queues[job.account, job.user].append(job)
        while any(queues.values()):
            job = _next(books, queues, projected, ("/", None))
            queues[job.account, job.user].remove(job)
            ranked.append(job.id)
            seconds = books.verdict[job.id].protected if funded else books.policy.accounting.quantum
            for key in _branch(job):
                projected[key] += job.gpus * books.rate * seconds
    return ranked


def _branch(job: Job) -> list[Key]:
    return [(job.account, job.user), *((path, None) for path in lineage(job.account))]


def _next(books: Books, queues: dict[Key, list[Job]], projected: dict[Key, Fraction], at: Key) -> Job:
    if queues.get(at):
        return min(queues[at], key=lambda job: (-job.priority, job.submit, job.id))
    waiting = [key for key in books.children[at] if _has_work(books, queues, key)]
    best = min(waiting, key=lambda key: _turn(books, projected, at, key))
    return _next(books, queues, projected, best)


def _has_work(books: Books, queues: dict[Key, list[Job]], at: Key) -> bool:
    return bool(queues.get(at)) or any(_has_work(books, queues, key) for key in books.children[at])


def _turn(books: Books, projected: dict[Key, Fraction], parent: Key, key: Key) -> Turn:
    path, user = key[0], key[1] or ""
    used, share = books.usage(key) + projected[key], books.share[key]
    if share == 0:
        return (1, used, Fraction(0), Fraction(0), path, user)
    own = used / share
    floor = books.floor(parent)
    return (0, own if floor is None else max(own, floor), own, -share, path, user)
