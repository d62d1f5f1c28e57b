"""Whether what a reviewer saw, at some commit, means the same change as what is to be merged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from policyctl.bundle.meaning import meaning
from policyctl.cli.sides import Side, base_policy
from policyctl.compile import compile_texts
from policyctl.diff.compare import compare
from policyctl.errors import NoAnswer
from policyctl.govern.facts import change_digest
from policyctl.model.policy import Policy
from policyctl.units import Instant
from policyctl.workspace.ancestry import common_ancestor
from policyctl.workspace.revisions import Repository, repository
from policyctl.workspace.shipped import schemas

__all__ = ["Seen"]

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The change to be merged by its digest, its base, and the revision that the base is, None for the default one.

    Where the base is a folder or a bundle there is no revision, and commits are compared with `policy` itself. Where
    that is None there was no policy, and what counts is what the policy of a commit means.
    """

    digest: str
    policy: Policy | None
    base: str | None
    folder: Path
    now: Instant

    def same(self, commits: Iterable[str]) -> dict[str, bool]:
        """Say of each commit whether it meant this change, seen from where it left the base; unreadable ones did not."""
        return {one: self._means_this(one) for one in sorted(set(commits))}

    def _means_this(self, name: str) -> bool:
        try:
            found = repository(self.folder)
            base = found.fork_point() if self.base is None else found.commit(self.base)
            seen = found.commit(name) if _COMMIT.fullmatch(name) else None
            if seen is None:
                return False
            return self._digest(found, base, seen) == self.digest
        except NoAnswer:
            return False

    def _digest(self, found: Repository, base: str | None, seen: str) -> str | None:
        head = compile_texts(found.files(seen), schemas(), now=None).policy
        if self.policy is None:
            return None if head is None else meaning(head)
        before = self.policy if base is None else self._fork(found, base, seen)
        if before is None or head is None:
            return None
        return change_digest(before, head, compare(before, head, now=self.now))

    @staticmethod
    def _fork(found: Repository, base: str, seen: str) -> Policy | None:
        fork = common_ancestor(found, base, seen)
        return None if fork is None else base_policy(Side(label=fork, files=found.files(fork))).policy
