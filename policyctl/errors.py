"""The exceptions of policyctl: each means "no answer", and carries the exit code it ends in.

    PolicyctlError                 70  a bug, if nothing more precise is known
    ├── UsageProblem                2  the call itself is wrong: an unknown job, options that exclude each other
    ├── NoAnswer                    3  could not evaluate: unreadable input, no merge base
    ├── BundleRejected              4  the bundle is not what it claims to be
    └── NothingVerified             5  no file, no test, no job matched

A user's mistake in a policy or a state file is a value (`policyctl.diagnostics.Finding`), not an exception.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = ["BundleRejected", "Exit", "NoAnswer", "NothingVerified", "PolicyctlError", "UsageProblem"]


class Exit(IntEnum):
    """How a command ends; where several apply the worst wins: 70 > 4 > 3 > 2 > 1 > 5 > 0."""

    OK = 0
    FINDINGS = 1
    """Findings at or above the threshold, or a refusal."""
    USAGE = 2
    NO_ANSWER = 3
    BUNDLE = 4
    NOTHING_VERIFIED = 5
    BUG = 70


class PolicyctlError(Exception):
    """No answer could be given; `str(error)` is one line for a person, `help` the way out."""

    exit = Exit.BUG

    def __init__(self, message: str, *, help: str | None = None) -> None:  # noqa: A002 - the word of every finding
        super().__init__(message)
        self.help = help


class UsageProblem(PolicyctlError):
    """The call asks for something that does not exist or does not go together."""

    exit = Exit.USAGE


class NoAnswer(PolicyctlError):
    """The input could not be read or evaluated at all."""

    exit = Exit.NO_ANSWER


class BundleRejected(PolicyctlError):
    """The bundle's bytes, digest, format or content are not those of a bundle this version accepts."""

    exit = Exit.BUNDLE


class NothingVerified(PolicyctlError):
    """There was nothing to look at, and silence would read as success."""

    exit = Exit.NOTHING_VERIFIED
