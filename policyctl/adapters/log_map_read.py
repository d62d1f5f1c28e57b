"""The YAML of a map to `LogMap`, every problem at its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fnmatch import translate
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from policyctl.adapters.log_map import WORDS, AccountRule, Conditions, LogMap, PoolRule, RuntimeRule
from policyctl.adapters.map_fields import MapFields, MapReading, Refused, choice, known_fields
from policyctl.adapters.state_fields import account_problem
from policyctl.diagnostics import Finding, Severity, ordered
from policyctl.load.scan import scan
from policyctl.load.values import Hole, MapNode, Node, Scalar
from policyctl.units import parse_duration, parse_share

__all__ = ["MapRead", "read_map"]

_T = TypeVar("_T")
_LABELS = ("array", "cluster", "group", "name", "partition", "qos")
_TOP = (
    "accounts",
    "columns",
    "defaultAccount",
    "defaultMinRuntime",
    "defaultPool",
    "defaultUser",
    "delimiter",
    "gpusFrom",
    "gpusPerNode",
    "interactive",
    "labels",
    "minRuntime",
    "pools",
    "timezone",
    "tres",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapRead:
    """What a map says: the map, or None while a finding is an error."""

    map: LogMap | None
    findings: tuple[Finding, ...]


def read_map(text: str, *, file: str, pools: Collection[str] | None = None) -> MapRead:
    """Read a map; `pools` are the pools that exist, or None to accept any."""
    scanned = scan(file, text)
    reading = MapReading(file=file, pools=pools)
    documents = scanned.documents
    root: Node | None = documents[0] if documents else None
    if len(documents) > 1:
        reading.say("L026", "a map is one document", documents[1], (), "write one mapping, without `---`")
    result = LogMap()
    if isinstance(root, MapNode):
        result = _map(root, reading)
    elif root is not None and not isinstance(root, Hole) and not _empty(root):
        reading.say("L026", "a map is a mapping of fields", root, (), "begin with `accounts:`")
    findings = ordered((*scanned.findings, *reading.findings))
    failed = any(one.severity is Severity.ERROR for one in findings)
    return MapRead(map=None if failed else result, findings=findings)


def _empty(node: Node) -> bool:
    return isinstance(node, Scalar) and node.plain and not node.text


def _map(root: MapNode, reading: MapReading) -> LogMap:
    known_fields(root, _TOP, (), reading)
    top = MapFields(root, (), reading)
    default = LogMap()
    return LogMap(
        accounts=top.rules("accounts", _account_rule),
        default_account=top.one("defaultAccount", _account, default.default_account),
        pools=top.rules("pools", _pool_rule),
        default_pool=top.one("defaultPool", _pool(reading), None),
        runtimes=top.rules("minRuntime", _runtime_rule),
        default_runtime=top.one("defaultMinRuntime", parse_duration, default.default_runtime),
        interactive=top.rules("interactive", _interactive_rule),
        default_user=top.one("defaultUser", _word, default.default_user),
        timezone=top.one("timezone", _zone, default.timezone),
        gpus_from=top.one("gpusFrom", _gpus_from, default.gpus_from),
        gpus_per_node=top.one("gpusPerNode", _per_node, None),
        tres=top.pairs("tres"),
        columns=top.texts("columns"),
        delimiter=top.one("delimiter", str, default.delimiter),
        labels=top.texts("labels", _LABELS),
    )


def _conditions(fields: MapFields) -> Conditions:
    found = [(word, fields.one(word, _pattern, None)) for word in WORDS]
    return Conditions(patterns=tuple((word, pattern) for word, pattern in found if pattern is not None))


def _pattern(text: str) -> re.Pattern[str]:
    """Read `re:EXPRESSION` as a regular expression, text with `*`, `?` or `[` as a glob, other text as itself."""
    if text.startswith("re:"):
        try:
            return re.compile(text.removeprefix("re:"))
        except re.error as problem:
            raise Refused(
                f"`{text}` is not a regular expression: {problem}",
                "after `re:` comes what Python's `re` reads",
            ) from None
    if set(text) & set("*?["):
        return re.compile(translate(text))
    return re.compile(re.escape(text))


def _account_rule(fields: MapFields) -> AccountRule | None:
    known_fields(fields.node, (*WORDS, "to"), fields.path, fields.reading)
    when = _conditions(fields)
    captures = {str(number + 1) for number in range(sum(pattern.groups for _, pattern in when.patterns))}
    captures |= {name for _, pattern in when.patterns for name in pattern.groupindex}
    to = fields.one("to", lambda text: _template(text, captures), None)
    return _with_target(fields, to, lambda path: AccountRule(when=when, to=path))


def _pool_rule(fields: MapFields) -> PoolRule | None:
    known_fields(fields.node, (*WORDS, "to"), fields.path, fields.reading)
    when = _conditions(fields)
    to = fields.one("to", _pool(fields.reading), None)
    return _with_target(fields, to, lambda pool: PoolRule(when=when, to=pool))


def _with_target(fields: MapFields, to: str | None, make: Callable[[str], _T]) -> _T | None:
    if to is None:
        if "to" not in fields.node.entries:
            fields.reading.say(
                "L026", "the rule does not say where its records go", fields.node, fields.path, "add `to:`"
            )
        return None
    return make(to)


def _runtime_rule(fields: MapFields) -> RuntimeRule | None:
    known_fields(fields.node, (*WORDS, "account", "fixed", "ofTimeLimit"), fields.path, fields.reading)
    rule = RuntimeRule(
        when=_conditions(fields),
        account=fields.one("account", _pattern, None),
        fixed=fields.one("fixed", parse_duration, None),
        of_time_limit=fields.one("ofTimeLimit", parse_share, None),
    )
    if ("fixed" in fields.node.entries) == ("ofTimeLimit" in fields.node.entries):
        message = "a rule of `minRuntime` has either `fixed` or `ofTimeLimit`"
        fields.reading.say(
            "L026", message, fields.node, fields.path, "write `fixed: 4h` or `ofTimeLimit: 50%`"
        )
        return None
    return rule


def _interactive_rule(fields: MapFields) -> Conditions | None:
    known_fields(fields.node, WORDS, fields.path, fields.reading)
    return _conditions(fields)


def _template(text: str, captures: Collection[str]) -> str:
    known = {*WORDS, *captures}
    for name in re.findall(r"\{([^}]*)\}", text):
        if name not in known:
            raise Refused(
                f"`{{{name}}}` is no word of a record, and no capture of this rule", choice(name, known)
            )
    better = account_problem(re.sub(r"\{[^}]*\}", "x", text))
    if better is not None:
        raise Refused(
            f"`{text}` is not an account path",
            "write `/program/project`, or `/{group}` for a word of the record",
        )
    return text


def _account(text: str) -> str:
    better = account_problem(text)
    if better is None:
        return text
    raise Refused(f"`{text}` is not an account path", f"did you mean `{better}`?")


def _pool(reading: MapReading) -> Callable[[str], str | None]:
    def read(text: str) -> str | None:
        if reading.pools is None or text in reading.pools:
            return _word(text)
        raise Refused(f"no Cluster document has a pool `{text}`", choice(text, reading.pools), code="L027")

    return read


def _word(text: str) -> str:
    if text.strip():
        return text
    raise Refused("the text is empty")


def _zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Refused(
            f"`{text}` is not a time zone", "write a name such as `Europe/Stockholm`, or `UTC`"
        ) from None
    return text


def _gpus_from(text: str) -> Literal["gpus", "processors"]:
    if text == "gpus":
        return "gpus"
    if text == "processors":
        return "processors"
    raise Refused(f"`{text}` is not `gpus` or `processors`")


def _per_node(text: str) -> int | None:
    if re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII):
        return int(text)
    raise Refused(f"`{text}` is not a number of GPUs per node", "write a whole number such as `8`")
