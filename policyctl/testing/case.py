"""The nouns of policy tests: a situation, a question about it, and what the answer has to say."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from policyctl.diagnostics import Finding, Place
from policyctl.model.impact import Impact
from policyctl.model.jobs import ClusterState, Job
from policyctl.model.policy import Policy
from policyctl.units import Instant

__all__ = [
    "AboutState",
    "Among",
    "Authorize",
    "Begins",
    "Case",
    "Exactly",
    "Expected",
    "Explain",
    "Figure",
    "Plan",
    "QuestionAsked",
    "QuoteKnown",
    "QuoteNew",
    "Rank",
    "Review",
    "Seen",
    "Text",
    "Unreadable",
    "Usage",
    "Wanted",
]

Seen = str | Fraction | tuple[str, ...]
"""One fact of an answer, ready to be compared: a word, an exact number, or a list of words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """Who runs next in a pool."""

    pool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What each account of a pool is entitled to and used."""

    pool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteKnown:
    """What a waiting job of the state would buy."""

    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteNew:
    """What a submission that does not exist yet would buy."""

    job: Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain:
    """Why a job of the state stands where it does."""

    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorize:
    """May exactly these victims be preempted for that job."""

    job: str
    victims: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which victims, if any, would let that job start."""

    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a change of the policy under test needs: `head` is the policy with it, `author` in lower case.

    `base` is what stands before the change, None for the policy under test itself. `wrong` is what is wrong with the policy
    with the change, which then is no policy: `head` is None there, and where the policy's documents are not at hand. `author` and `impact` are None where the case says neither.
    """

    head: Policy | None
    author: str | None
    impact: Impact | None
    base: Policy | None = None
    wrong: tuple[Finding, ...] = ()

    @property
    def refused(self) -> tuple[str, ...]:
        """The codes of what is wrong, each once, in their order."""
        return tuple(sorted({one.code for one in self.wrong}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """No question, as something in the case is wrong by itself; the cases beside it are asked all the same."""

    findings: tuple[Finding, ...]


AboutState = Rank | Usage | QuoteKnown | QuoteNew | Explain | Authorize | Plan
QuestionAsked = AboutState | Review | Unreadable


@dataclass(frozen=True, slots=True)
class Text:
    """The fact is this word; `none` where the answer has no such thing."""

    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """The fact is this number, to as many decimals as were written; `digits` None compares exactly."""

    value: Fraction
    digits: int | None


@dataclass(frozen=True, slots=True)
class Begins:
    """The list begins with these, in this order."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exactly:
    """The list has these and no others, in any order."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Among:
    """The list has at least these; `guard` also stands for `guard:some-rule`."""

    items: tuple[str, ...]


Wanted = Text | Figure | Begins | Exactly | Among


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What one fact of the answer has to be; `field` is its path below `expect`."""

    field: str
    wanted: Wanted
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case of a PolicyTest document called `test`."""

    test: str
    name: str
    place: Place
    state: ClusterState
    now: Instant
    question: QuestionAsked
    expected: tuple[Expected, ...]

    @property
    def title(self) -> str:
        """What the case is called in reports, and what `--run` looks at."""
        return f"{self.test}/{self.name}"
