"""Names of accounts, users and jobs as people write them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["counted", "listed", "owner", "owner_quoted"]


def owner(label: str) -> str:
    """Write the label of an account or user: `/language`, or `r025 of /language/posttrain`."""
    account, tilde, user = label.partition("/~")
    return f"{user} of {account or '/'}" if tilde else label


def owner_quoted(label: str) -> str:
    """Write a label with its names in backticks."""
    account, tilde, user = label.partition("/~")
    return f"`{user}` of `{account or '/'}`" if tilde else f"`{label}`"


def listed(jobs: Sequence[str], most: int = 5) -> str:
    """Write the first few names in backticks, and how many more there are."""
    shown = ", ".join(f"`{job}`" for job in jobs[:most])
    return shown if len(jobs) <= most else f"{shown} and {len(jobs) - most} more"


def counted(number: int, noun: str) -> str:
    """Write a number of things: `1 job`, `2,000 jobs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
