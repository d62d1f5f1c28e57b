"""The fields of a state file, one by one: a JSON value in, an exact value out, or the words that say what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from policyctl.adapters.clock_text import read_instant
from policyctl.adapters.json_text import Doubled, NumberText
from policyctl.adapters.printable import shortened
from policyctl.model.jobs import Outcome
from policyctl.units import BadQuantity, Instant, MilliGpu, Seconds, parse_duration, parse_gpus

__all__ = ["JOB", "NODE", "RUN", "TOP", "BadValue", "Field", "Table", "account_problem"]

_T = TypeVar("_T")
_ACCOUNT = re.compile(r"/|(?:/[^/\s]+)+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_QUANTITY = 60
_AVAILABLE = frozenset({"up", "idle", "mixed", "allocated", "alloc"})
_UNAVAILABLE = frozenset({"down", "drained", "draining", "drain", "fail", "maint", "unknown"})


class BadValue(ValueError):
    """A value that its field refuses: the code of the finding, what was seen, and what would work."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        help: str | None = None,  # noqa: A002 - the word of every finding
        words: tuple[str, ...] = (),
        seen: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.help = help
        self.words = words
        self.seen = seen[:60]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """How one field is read, and whether a record can do without it."""

    read: Callable[[object], object]
    required: bool = False


class Table(dict[str, Field]):
    """The fields of one kind of record, in the order in which they are explained."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        super().__init__(fields)
        self.required = tuple(name for name, field in self.items() if field.required)


def shown(value: object) -> str:
    """Name a JSON value in a message, shortened: `` `8` ``, `a list`."""
    match value:
        case None:
            return "null"
        case bool():
            return "`true`" if value else "`false`"
        case NumberText() | int() | str():
            return f"`{shortened(str(value))}`"
        case dict():
            return "an object"
        case list():
            return "a list"
        case _:
            return "a value"


def _plain_text(value: object) -> str:
    if isinstance(value, str) and not isinstance(value, NumberText):
        return value
    hint = (
        f'write it in quotes: "{shortened(str(value))}"'
        if isinstance(value, (int, NumberText)) and not isinstance(value, bool)
        else None
    )
    raise BadValue("J003", f"{shown(value)} is not text", help=hint)


def text(value: object) -> str:
    """Read text that is not empty and has no control characters."""
    plain = _plain_text(value)
    if not plain.strip():
        raise BadValue("J003", "the text is empty", help="write a name, or leave an optional field out")
    if _CONTROL.search(plain):
        raise BadValue("J003", "the text has control characters", help="write a name on one line")
    return plain


def account_problem(path: str) -> str | None:
    """Return the spelling that would be an account path, or None if `path` is one."""
    if _ACCOUNT.fullmatch(path):
        return None
    words = [re.sub(r"\s+", "-", word.strip()) for word in path.split("/")]
    return "/" + "/".join(word for word in words if word)


def account(value: object) -> str:
    """Read an account path; that the account exists is not asked here."""
    path = _plain_text(value)
    better = account_problem(path)
    if better is None:
        return path
    raise BadValue(
        "J007", f"{shown(path)} is not an account path", help=f"did you mean `{shortened(better)}`?"
    )


def gpus(value: object) -> MilliGpu:
    """Read a number of GPUs, at most three decimals, exactly."""
    number = _number(value)
    if isinstance(number, int) and 0 <= number < 10**9:
        return MilliGpu(number * 1000)
    return _quantity(parse_gpus, str(number))


def _number(value: object) -> int | NumberText:
    if isinstance(value, bool) or not isinstance(value, (int, NumberText)):
        unquoted = isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value)
        raise BadValue(
            "J003", f"{shown(value)} is not a number", help="write it without quotes" if unquoted else None
        )
    return value


def _integer(value: object) -> int:
    number = _number(value)
    if isinstance(number, int):
        return number
    raise BadValue("J004", f"{shown(value)} is not a whole number of at most 18 digits")


def nodes(value: object) -> int:
    """Read a number of nodes, at least one."""
    number = _integer(value)
    if number < 1:
        raise BadValue("J004", f"`{number}` is not a number of nodes", help="a job needs at least `1` node")
    return number


def flag(value: object) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    raise BadValue(
        "J003", f"{shown(value)} is not true or false", help="write `true` or `false` without quotes"
    )


def instant(value: object) -> Instant:
    """Read an instant with an offset."""
    return _quantity(read_instant, _written(value))


def duration(value: object) -> Seconds:
    """Read a duration with its units."""
    return _quantity(_duration, _written(value))


_duration = lru_cache(maxsize=4_096)(parse_duration)


def _written(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise BadValue(
            "J003",
            f"{shown(value)} is not text",
            help='write it in quotes, as in `"4h"` or `"2026-09-01T12:00:00Z"`',
        )
    return str(value)


def _quantity(parse: Callable[[str], _T], written: str) -> _T:
    if len(written) > _LONGEST_QUANTITY:
        raise BadValue("J004", f"{shown(written)} is too long a text for a quantity")
    try:
        return parse(written)
    except BadQuantity as problem:
        raise BadValue("J004", str(problem), help=problem.help) from None


def one_of(*words: str) -> Callable[[object], str]:
    """Make a reader of one word out of a few."""

    def read(value: object) -> str:
        word = _plain_text(value)
        if word in words:
            return word
        raise BadValue(
            "J011",
            f"{shown(word)} is not one of {', '.join(f'`{one}`' for one in words)}",
            words=words,
            seen=word,
        )

    return read


_OUTCOMES = {one.value: one for one in Outcome}
_outcome_word = one_of(*_OUTCOMES)


def outcome(value: object) -> Outcome:
    """Read how a run ended."""
    return _OUTCOMES[_outcome_word(value)]


def available(value: object) -> bool:
    """Read a node's state, in any case, as whether jobs can run on it."""
    word = _plain_text(value)
    if word.lower() in _AVAILABLE:
        return True
    if word.lower() in _UNAVAILABLE:
        return False
    words = tuple(sorted(_AVAILABLE | _UNAVAILABLE))
    raise BadValue(
        "J011",
        f"{shown(word)} is not a state of a node",
        words=words,
        seen=word,
        help=f"write one of {', '.join(f'`{one}`' for one in words)}",
    )


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise BadValue("J003", f"{shown(value)} is not an object")
    if isinstance(value, Doubled):
        raise BadValue("J010", f"key `{value.repeated[0]}` is written twice", help="keep one of the two")
    return value


def labels(value: object) -> Mapping[str, str]:
    """Read names and texts, sorted by name."""
    pairs = _object(value)
    return {name: _plain_text(pairs[name]) for name in sorted(pairs)}


def placement(value: object) -> Mapping[str, MilliGpu]:
    """Read how many GPUs on which node, sorted by node."""
    pairs = _object(value)
    return {text(name): gpus(pairs[name]) for name in sorted(pairs)}


def instants(value: object) -> tuple[Instant, ...]:
    """Read a list of instants, earliest first."""
    if not isinstance(value, list):
        raise BadValue("J003", f"{shown(value)} is not a list of instants")
    return tuple(sorted(instant(one) for one in value))


def records(value: object) -> list[object]:
    """Read a list of records, not yet looked into."""
    if isinstance(value, list):
        return value
    raise BadValue("J003", f"{shown(value)} is not a list")


_SHARED = {
    "account": Field(read=account, required=True),
    "user": Field(read=text, required=True),
    "pool": Field(read=text, required=True),
    "gpus": Field(read=gpus, required=True),
    "nodes": Field(read=nodes),
    "min_runtime": Field(read=duration),
    "time_limit": Field(read=duration),
    "priority": Field(read=_integer),
    "kind": Field(read=one_of("batch", "interactive")),
    "resumable": Field(read=flag),
    "last_checkpoint": Field(read=instant),
    "labels": Field(read=labels),
}

JOB = Table(
    {
        "id": Field(read=text, required=True),
        **_SHARED,
        "submit": Field(read=instant, required=True),
        "start": Field(read=instant),
        "preemptions": Field(read=instants),
        "placement": Field(read=placement),
        "topology": Field(read=one_of("any", "block")),
    }
)
RUN = Table(
    {
        "job": Field(read=text, required=True),
        **_SHARED,
        "submit": Field(read=instant),
        "start": Field(read=instant, required=True),
        "end": Field(read=instant, required=True),
        "outcome": Field(read=outcome, required=True),
    }
)
NODE = Table(
    {
        "name": Field(read=text, required=True),
        "pool": Field(read=text, required=True),
        "gpus": Field(read=gpus, required=True),
        "state": Field(read=available),
        "block": Field(read=text),
    }
)
TOP = Table(
    {
        "time": Field(read=instant, required=True),
        "jobs": Field(read=records),
        "usage": Field(read=records),
        "nodes": Field(read=records),
    }
)
