"""What the stages of `policyctl ci` have from each other: the policy, both sides, the impact, the approvals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from policyctl.bundle.decode import decode
from policyctl.bundle.encode import encode
from policyctl.bundle.provenance import Provenance
from policyctl.check.lapses import lapses_judged
from policyctl.cli import ci_change, ci_page, ci_stages
from policyctl.cli.ci_author import author_of_event
from policyctl.cli.ci_renewals import renewals_judged
from policyctl.cli.comparing import Replayed
from policyctl.cli.reviewing import Approvals, approvals_of, judged_by, outcome
from policyctl.cli.sides import Side, sides
from policyctl.cli.sources import policy_files
from policyctl.cli.stages import NotCarriedOut, Stage
from policyctl.cli.workload_options import WorkloadOptions
from policyctl.compile import compile_texts
from policyctl.errors import Exit, PolicyctlError
from policyctl.govern.facts import change_digest
from policyctl.govern.gates import Unmeasured
from policyctl.govern.judge import Outcome
from policyctl.model.policy import Policy
from policyctl.render import diff_markdown
from policyctl.units import Instant
from policyctl.workspace.shipped import schemas

__all__ = ["Check", "Told"]

Value = TypeVar("Value")

_NAME_BASE = "name what to compare with: `policyctl ci --base BASE`, a revision, a folder or a bundle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What was told on the command line."""

    folder: Path
    tests: Path
    base: str | None
    approvals: str | None
    members: str | None
    fail_on: str
    strict: bool
    now: Instant
    replay: WorkloadOptions | None


class _Once(Generic[Value]):
    """The answer to a question that is asked once, or the problem that it ended in, for everybody who asks."""

    def __init__(self, ask: Callable[[], Value]) -> None:
        self._ask = ask

    @cached_property
    def _answer(self) -> Value | PolicyctlError:
        try:
            return self._ask()
        except PolicyctlError as problem:
            return problem

    def get(self) -> Value:
        if isinstance(self._answer, PolicyctlError):
            raise self._answer
        return self._answer

    def known(self) -> Value | None:
        return None if isinstance(self._answer, PolicyctlError) else self._answer


class Check:
    """The stages in their order; each says what it can, whatever became of those before it."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._sides: _Once[tuple[Side, Side]] = _Once(
            lambda: sides(told.base, None, told.folder, staged=False, otherwise=_NAME_BASE)
        )
        self._approvals: _Once[Approvals | None] = _Once(
            lambda: None if told.approvals is None else approvals_of(told.approvals, told.members)
        )
        self._policy: Policy | None = None
        self._first: Exit = Exit.NOTHING_VERIFIED
        self._both: ci_change.Both | None = None
        self._measured: Replayed | Unmeasured | None = None
        self._outcome: Outcome | None = None

    def stages(self) -> list[tuple[str, Callable[[], Stage]]]:
        """Return the stages that were asked for, by their names."""
        found = [("validate", self._validate), ("test", self._test), ("diff", self._diff)]
        found += [("impact", self._measure)] if self._told.replay is not None else []
        found += [("gates", self._judge_gates)]
        found += [("review", self._review)] if self._told.approvals is not None else []
        return found

    @property
    def compared(self) -> ci_change.Both | None:
        """Both sides, where they could be compared."""
        return self._both

    def page(self, command: str) -> str | None:
        """Return the comparison as a page; None where nothing was compared."""
        if self._both is None:
            return None
        return ci_page.page(self._both, self._measured, command, author=self._author(), outcome=self._outcome)

    def digests(self) -> dict[str, str | None]:
        """Return what `meaning` says of both sides, and the digest of the change, null where there is none."""
        base = change = None
        if self._both is not None:
            base, head, found = self._both.base.policy, self._policy, self._both.compared.change
            if base is not None and head is not None and found is not None:
                change = change_digest(base, head, found)
        return {"base": _meaning(base), "head": _meaning(self._policy), "change": change}

    def _head(self) -> Policy:
        if self._policy is None:
            code = Exit.FINDINGS if self._first is Exit.FINDINGS else Exit.NOTHING_VERIFIED
            raise NotCarriedOut("there is no valid policy", code)
        return self._policy

    def _validate(self) -> Stage:
        told = self._told
        compiled = compile_texts(policy_files(told.folder), schemas(), now=told.now)
        self._policy = compiled.policy
        touched = self._touched()
        report = renewals_judged(
            lapses_judged(compiled.report, touched=touched, strict=told.strict),
            compiled.policy,
            told.folder,
            touched=touched,
            strict=told.strict,
            now=told.now,
        )
        done = ci_stages.validated(report, told.folder, fail_on=told.fail_on)
        self._first = done.exit
        return done

    def _touched(self) -> frozenset[str]:
        """Return the policy files of the head that the base does not have like this; none where that is not known."""
        two = self._sides.known()
        if two is None or two[0].files is None or two[1].files is None:
            return frozenset()
        base = two[0].files
        return frozenset(name for name, text in two[1].files.items() if base.get(name) != text)

    def _test(self) -> Stage:
        ci_stages.need_tests(self._told.tests)
        return ci_stages.tested(self._head(), self._told.folder, self._told.tests)

    def _diff(self) -> Stage:
        before, after = self._sides.get()
        self._both = ci_change.both(before, after, self._head(), self._told.folder, self._told.now)
        return ci_change.compared(self._both)

    def _measure(self) -> Stage:
        self._head()
        replay = self._told.replay
        if self._both is None or replay is None:
            self._measured = Unmeasured(why="nothing was compared")
            return _nothing_compared("impact", "not measured")
        done, self._measured = ci_change.measured(self._both, replay)
        return done

    def _judge_gates(self) -> Stage:
        self._head()
        if self._both is None:
            return _nothing_compared("gates", "not judged")
        impact = self._measured.impact if isinstance(self._measured, Replayed) else self._measured
        return ci_change.gated(self._both, impact, self._author())

    def _author(self) -> str | None:
        known = self._approvals.known()
        return author_of_event() if known is None else known[0].author

    def _review(self) -> Stage:
        told, known = self._told, self._approvals.get()
        assert known is not None, "the stage takes place only with approvals"
        two = self._sides.get()
        policies = judged_by(two[0]), self._head()
        self._outcome = outcome(two, policies, known, base=told.base, folder=told.folder, now=told.now)
        stage = ci_stages.judged(self._outcome)
        if self._both is None:
            return stage
        compared = ci_change.with_impact(self._both, self._measured)
        comment = diff_markdown.render(compared, approvals=stage.markdown)
        return replace(stage, reports={ci_change.COMMENT: comment})


def _nothing_compared(name: str, what: str) -> Stage:
    why = "nothing was compared"
    return Stage(name=name, exit=Exit.NOTHING_VERIFIED, text=f"{what}: {why}\n", why=why)


def _meaning(policy: Policy | None) -> str | None:
    return None if policy is None else decode(encode(policy, Provenance())).meaning
