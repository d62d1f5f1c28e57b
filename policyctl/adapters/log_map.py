"""How a log's groups, users and partitions become accounts and pools: ordered rules, and a default for the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from policyctl.adapters.log_record import LogRecord
from policyctl.units import Seconds

__all__ = ["WORDS", "AccountRule", "Conditions", "LogMap", "PoolRule", "RuntimeRule", "segment"]

WORDS = ("group", "user", "partition", "qos", "name")
"""The texts of a record that a rule can look at."""

_PLACEHOLDER = re.compile(r"\{([a-z_][a-z_0-9]*|\d+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Patterns that must all match, by the word they look at; none matches everything."""

    patterns: tuple[tuple[str, re.Pattern[str]], ...] = ()

    def match(self, record: LogRecord) -> Mapping[str, str] | None:
        """Return what the patterns captured, numbered over all of them and by name, or None where one fails."""
        captured: dict[str, str] = {}
        number = 0
        for word, pattern in self.patterns:
            found = pattern.fullmatch(getattr(record, word))
            if found is None:
                return None
            for text in found.groups(default=""):
                number += 1
                captured[str(number)] = text
            captured |= found.groupdict(default="")
        return captured


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRule:
    """Records that match belong to `to`, in which `{group}` and `{1}` stand for words of the record and captures."""

    when: Conditions
    to: str

    def account(self, record: LogRecord) -> str | None:
        """Return the account, or None where the rule does not match or needs a word that the record lacks."""
        captured = self.when.match(record)
        if captured is None:
            return None
        words = {word: getattr(record, word) for word in WORDS} | dict(captured)
        parts = {name: segment(words.get(name, "")) for name in _PLACEHOLDER.findall(self.to)}
        if not all(parts.values()):
            return None
        return _PLACEHOLDER.sub(lambda found: parts[found[1]], self.to)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRule:
    """Records that match run in pool `to`."""

    when: Conditions
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeRule:
    """The minimum runtime to assume: a duration, or a part of the time limit; `account` is a pattern on the path."""

    when: Conditions
    account: re.Pattern[str] | None = None
    fixed: Seconds | None = None
    of_time_limit: Fraction | None = None

    def runtime(self, record: LogRecord, account: str) -> Seconds | None:
        """Return the minimum runtime, or None where the rule does not apply: a part of an unknown limit is nothing."""
        if self.account is not None and self.account.fullmatch(account) is None:
            return None
        if self.when.match(record) is None:
            return None
        if self.of_time_limit is None:
            return self.fixed
        return None if record.time_limit is None else Seconds(int(record.time_limit * self.of_time_limit))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogMap:
    """A map; the first rule that applies decides, and what no rule takes goes to the default."""

    accounts: tuple[AccountRule, ...] = ()
    default_account: str = "/unmapped"
    pools: tuple[PoolRule, ...] = ()
    default_pool: str | None = None
    runtimes: tuple[RuntimeRule, ...] = ()
    default_runtime: Seconds = Seconds(0)
    interactive: tuple[Conditions, ...] = ()
    default_user: str = "unknown"
    timezone: str = "UTC"
    gpus_from: Literal["gpus", "processors"] = "gpus"
    gpus_per_node: int | None = None
    tres: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    delimiter: str = ""
    labels: tuple[str, ...] = ()

    def account(self, record: LogRecord) -> str | None:
        """Return the account of the first rule that applies."""
        return next((path for rule in self.accounts if (path := rule.account(record)) is not None), None)

    def pool(self, record: LogRecord) -> str | None:
        """Return the pool of the first rule that applies."""
        return next((rule.to for rule in self.pools if rule.when.match(record) is not None), None)

    def runtime(self, record: LogRecord, account: str) -> Seconds:
        """Return the minimum runtime: what the job declared, else what a rule assumes; never above the time limit."""
        assumed = record.declared
        if assumed is None:
            rules = (rule.runtime(record, account) for rule in self.runtimes)
            assumed = next((one for one in rules if one is not None), self.default_runtime)
        return assumed if record.time_limit is None else min(assumed, record.time_limit)

    def is_interactive(self, record: LogRecord) -> bool:
        """Say whether a pattern calls the job interactive."""
        return any(one.match(record) is not None for one in self.interactive)


def segment(word: str) -> str:
    """Return a word as one name of an account path: lower case, other characters as `-`; empty if nothing is left."""
    return re.sub(r"[^a-z0-9._-]+", "-", word.lower()).strip("-._")
