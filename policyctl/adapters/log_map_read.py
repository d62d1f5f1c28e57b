"""The YAML of a map to `LogMap`, every problem at its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from policyctl.adapters.log_map import WORDS, AccountRule, Conditions, LogMap, PoolRule, RuntimeRule
from policyctl.adapters.state_fields import account_problem
from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, Severity, nearest, ordered
from policyctl.load.scan import scan
from policyctl.load.values import Hole, ListNode, MapNode, Node, Path, Scalar, path_text
from policyctl.units import BadQuantity, parse_duration, parse_share

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
    reading = _Reading(file=file, pools=pools)
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


@dataclass(slots=True)
class _Reading:
    """Collects findings while a map is read."""

    file: str
    pools: Collection[str] | None
    findings: list[Finding] = field(default_factory=list)

    def say(self, code: str, message: str, node: Node, path: Path, way_out: str | None = None) -> None:
        span = node.span
        place = Place(
            file=self.file,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            path=path_text(path),
        )
        self.findings.append(finding(code, message, place, help=way_out))


def _map(root: MapNode, reading: _Reading) -> LogMap:
    _known(root, _TOP, (), reading)
    top = _Fields(root, (), reading)
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


def _known(node: MapNode, names: Collection[str], path: Path, reading: _Reading) -> None:
    for name, entry in node.entries.items():
        if name not in names:
            close = nearest(name, names)
            way_out = (
                f"did you mean `{close}`?"
                if close
                else f"the fields are {', '.join(f'`{one}`' for one in names)}"
            )
            reading.say("L025", f"`{name}` is not a field of a map", entry.key, (*path, name), way_out)


class _Refused(ValueError):
    """A value of a map that is not accepted; `code` names the finding."""

    def __init__(self, message: str, way_out: str | None = None, code: str = "L026") -> None:
        super().__init__(message)
        self.way_out = way_out
        self.code = code


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of one mapping, read by the kind of value they have."""

    node: MapNode
    path: Path
    reading: _Reading

    def one(self, name: str, read: Callable[[str], _T], default: _T) -> _T:
        """Return a scalar read by `read`, which raises BadQuantity or _Refused; the default where it is absent."""
        entry = self.node.entries.get(name)
        if entry is None:
            return default
        value, path = entry.value, (*self.path, name)
        if not isinstance(value, Scalar):
            self._refuse(value, path, f"`{name}` is one value")
            return default
        try:
            return read(value.text)
        except BadQuantity as problem:
            self.reading.say("L026", f"`{name}`: {problem}", value, path, problem.help)
        except _Refused as problem:
            self.reading.say(problem.code, f"`{name}`: {problem}", value, path, problem.way_out)
        return default

    def rules(self, name: str, make: Callable[[_Fields], _T | None]) -> tuple[_T, ...]:
        """Return the rules of a list of mappings, without those that could not be read."""
        made: list[_T] = []
        for index, item in enumerate(self._items(name)):
            path = (*self.path, name, index)
            if not isinstance(item, MapNode):
                self._refuse(item, path, f"a rule of `{name}` is a mapping")
                continue
            rule = make(_Fields(item, path, self.reading))
            if rule is not None:
                made.append(rule)
        return tuple(made)

    def texts(self, name: str, allowed: Collection[str] | None = None) -> tuple[str, ...]:
        """Return a list of texts, of the allowed ones if any are named."""
        found: list[str] = []
        for index, item in enumerate(self._items(name)):
            path = (*self.path, name, index)
            if not isinstance(item, Scalar) or not item.text:
                self._refuse(item, path, f"`{name}` is a list of names")
            elif allowed is not None and item.text not in allowed:
                self.reading.say(
                    "L026",
                    f"`{item.text}` cannot be one of `{name}`",
                    item,
                    path,
                    _choice(item.text, allowed),
                )
            else:
                found.append(item.text)
        return tuple(found)

    def pairs(self, name: str) -> Mapping[str, str]:
        """Return a mapping of texts."""
        entry = self.node.entries.get(name)
        if entry is None:
            return {}
        path = (*self.path, name)
        if not isinstance(entry.value, MapNode):
            self._refuse(entry.value, path, f"`{name}` is a mapping")
            return {}
        found: dict[str, str] = {}
        for key, one in entry.value.entries.items():
            if isinstance(one.value, Scalar):
                found[key] = one.value.text
            else:
                self._refuse(one.value, (*path, key), f"`{key}` is one value")
        return found

    def _items(self, name: str) -> tuple[Node, ...]:
        entry = self.node.entries.get(name)
        if entry is None or isinstance(entry.value, Hole):
            return ()
        if isinstance(entry.value, ListNode):
            return entry.value.items
        self._refuse(entry.value, (*self.path, name), f"`{name}` is a list")
        return ()

    def _refuse(self, node: Node, path: Path, message: str) -> None:
        if not isinstance(node, Hole):
            self.reading.say("L026", message, node, path)


def _conditions(fields: _Fields) -> Conditions:
    found = [(word, fields.one(word, _pattern, None)) for word in WORDS]
    return Conditions(patterns=tuple((word, pattern) for word, pattern in found if pattern is not None))


def _pattern(text: str) -> re.Pattern[str]:
    """Read `re:EXPRESSION` as a regular expression, text with `*`, `?` or `[` as a glob, other text as itself."""
    if text.startswith("re:"):
        try:
            return re.compile(text.removeprefix("re:"))
        except re.error as problem:
            raise _Refused(
                f"`{text}` is not a regular expression: {problem}",
                "after `re:` comes what Python's `re` reads",
            ) from None
    if set(text) & set("*?["):
        return re.compile(translate(text))
    return re.compile(re.escape(text))


def _account_rule(fields: _Fields) -> AccountRule | None:
    _known(fields.node, (*WORDS, "to"), fields.path, fields.reading)
    when = _conditions(fields)
    captures = {str(number + 1) for number in range(sum(pattern.groups for _, pattern in when.patterns))}
    captures |= {name for _, pattern in when.patterns for name in pattern.groupindex}
    to = fields.one("to", lambda text: _template(text, captures), None)
    return _with_target(fields, to, lambda path: AccountRule(when=when, to=path))


def _pool_rule(fields: _Fields) -> PoolRule | None:
    _known(fields.node, (*WORDS, "to"), fields.path, fields.reading)
    when = _conditions(fields)
    to = fields.one("to", _pool(fields.reading), None)
    return _with_target(fields, to, lambda pool: PoolRule(when=when, to=pool))


def _with_target(fields: _Fields, to: str | None, make: Callable[[str], _T]) -> _T | None:
    if to is None:
        if "to" not in fields.node.entries:
            fields.reading.say(
                "L026", "the rule does not say where its records go", fields.node, fields.path, "add `to:`"
            )
        return None
    return make(to)


def _runtime_rule(fields: _Fields) -> RuntimeRule | None:
    _known(fields.node, (*WORDS, "account", "fixed", "ofTimeLimit"), fields.path, fields.reading)
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


def _interactive_rule(fields: _Fields) -> Conditions | None:
    _known(fields.node, WORDS, fields.path, fields.reading)
    return _conditions(fields)


def _template(text: str, captures: Collection[str]) -> str:
    known = {*WORDS, *captures}
    for name in re.findall(r"\{([^}]*)\}", text):
        if name not in known:
            raise _Refused(
                f"`{{{name}}}` is no word of a record, and no capture of this rule", _choice(name, known)
            )
    better = account_problem(re.sub(r"\{[^}]*\}", "x", text))
    if better is not None:
        raise _Refused(
            f"`{text}` is not an account path",
            "write `/program/project`, or `/{group}` for a word of the record",
        )
    return text


def _account(text: str) -> str:
    better = account_problem(text)
    if better is None:
        return text
    raise _Refused(f"`{text}` is not an account path", f"did you mean `{better}`?")


def _pool(reading: _Reading) -> Callable[[str], str | None]:
    def read(text: str) -> str | None:
        if reading.pools is None or text in reading.pools:
            return _word(text)
        raise _Refused(f"no Cluster document has a pool `{text}`", _choice(text, reading.pools), code="L027")

    return read


def _word(text: str) -> str:
    if text.strip():
        return text
    raise _Refused("the text is empty")


def _zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _Refused(
            f"`{text}` is not a time zone", "write a name such as `Europe/Stockholm`, or `UTC`"
        ) from None
    return text


def _gpus_from(text: str) -> Literal["gpus", "processors"]:
    if text == "gpus":
        return "gpus"
    if text == "processors":
        return "processors"
    raise _Refused(f"`{text}` is not `gpus` or `processors`")


def _per_node(text: str) -> int | None:
    if re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII):
        return int(text)
    raise _Refused(f"`{text}` is not a number of GPUs per node", "write a whole number such as `8`")


def _choice(word: str, known: Collection[str]) -> str:
    close = nearest(word, known)
    return (
        f"did you mean `{close}`?"
        if close
        else f"it is one of {', '.join(f'`{one}`' for one in sorted(known))}"
    )
