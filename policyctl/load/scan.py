"""YAML text to values with positions, straight from the scanner's events: no recursion, and no surprise kept.

Nothing is ever constructed: the events say where each scalar stands and how it is quoted, and that is all that is
taken from them. What a governed file must not contain (aliases, merge keys, tags, keys that are not text, a key
twice) is refused here, each at its place; the rest of the document is still read.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding, Place, Related
from policyctl.load import limits
from policyctl.load.characters import hidden, is_composed
from policyctl.load.documents import subject_of
from policyctl.load.surprises import is_plain_number, surprise
from policyctl.load.syntax import complaint
from policyctl.load.values import Entry, Hole, ListNode, MapNode, Node, Scalar, Span, Style, path_text
from policyctl.load.wording import quoted

__all__ = ["FAST", "Scanned", "scan"]

FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C scanner where PyYAML was built with it, else the Python one; both give the same values and findings."""

_STYLES: dict[str | None, Style] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """The documents of one file that could be read to their end; `unread` counts the others."""

    documents: tuple[Node, ...]
    findings: tuple[Finding, ...]
    nodes: int
    unread: int


def scan(file: str, text: str, *, room: int = limits.NODES, loader: Any = FAST) -> Scanned:
    """Read all documents of a text, at most `room` nodes of them; a broken one does not hide the others."""
    reading = _Reading(file, text.split("\n"), room)
    start: int | None = 0
    while start is not None and not reading.full:
        start = reading.stretch(start, loader)
    return Scanned(
        documents=tuple(reading.documents),
        findings=tuple(reading.findings),
        nodes=room - max(reading.room, 0),
        unread=reading.unread,
    )


class _Stop(Exception):
    """The rest of this document is not read; the finding is already written down."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


@dataclass(slots=True)
class _Frame:
    """A container that is still open."""

    event: Any
    items: list[Node] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    key: Scalar | None = None
    awaits_value: bool = False
    incomplete: bool = False

    @property
    def drops_value(self) -> bool:
        """Say whether the next value belongs to a key that was refused."""
        return self.awaits_value and self.key is None

    @property
    def step(self) -> str | int | None:
        """The key or the index of what is being read in here."""
        if isinstance(self.event, yaml.SequenceStartEvent):
            return len(self.items)
        return self.key.text if self.key is not None and self.awaits_value else None


class _Reading:
    """The state of reading one file; lines count from 0 here, and from 1 in everything that leaves."""

    def __init__(self, file: str, lines: list[str], room: int) -> None:
        self.file = file
        self.lines = lines
        self.room = room
        self.full = False
        self.unread = 0
        self.offset = 0
        self.documents: list[Node] = []
        self.findings: list[Finding] = []
        self.stack: list[_Frame] = []
        self.since = 0

    def stretch(self, start: int, loader: Any) -> int | None:
        """Read from a line until the end or the first broken document; return where to go on, or None."""
        self.offset = start
        self.stack = []
        text = "\n".join(self.lines[start:]) if start else "\n".join(self.lines)
        try:
            for event in yaml.parse(text, Loader=loader):
                self.take(event)
        except _Stop as stop:
            line = stop.line
        except yaml.YAMLError as error:
            self.stack = []
            seen = complaint(error, self.lines[start:])
            line = start + getattr(getattr(error, "problem_mark", None), "line", 0)
            self.say(seen.code, seen.message, self.spot(start + seen.line, seen.column), help=seen.help)
        else:
            return None
        self.unread += 1
        return self.next_document(max(line, start + 1))

    def next_document(self, line: int) -> int | None:
        if self.full or self.unread >= limits.FINDINGS_PER_FILE:
            return None
        for number in range(line, len(self.lines)):
            if self.lines[number].startswith("---") and self.lines[number][3:4] in ("", " ", "\t"):
                return number
        return None

    def take(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                self.count(event)
                self.add(self.scalar(event), event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self.count(event)
                self.open(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.close(event)
            case yaml.AliasEvent():
                self.alias(event)
            case yaml.DocumentStartEvent():
                self.since = len(self.findings)
                self.directives(event)
            case yaml.DocumentEndEvent():
                self.name_document()
            case _:
                return

    def count(self, event: Any) -> None:
        self.room -= 1
        if self.room < 0:
            self.full = True
            message = f"the policy has more than {limits.NODES:,} values"
            self.say("Y012", message, self.of(event), help="split the policy, or drop what is generated")
            raise _Stop(self.offset + event.start_mark.line)
        if event.anchor is not None:
            self.say("Y006", f"anchor {quoted('&' + event.anchor)}", self.of(event), help=_NO_ANCHORS)
        if event.tag is not None:
            self.say("Y008", f"tag {quoted(_tag(event.tag))}", self.of(event), help=_NO_TAGS)
        mark = event.start_mark
        line = self.lines[self.offset + mark.line] if self.offset + mark.line < len(self.lines) else ""
        if mark.column and line[mark.column - 1 : mark.column] == "\t":
            place = self.spot(self.offset + mark.line, mark.column - 1)
            self.say(
                "Y015", "a tab where YAML needs spaces", place, help="use spaces to indent and to separate"
            )

    def scalar(self, event: Any) -> Node:
        text, span = event.value, self.span(event)
        if len(text) > limits.SCALAR_CHARACTERS:
            message = f"a value of {len(text):,} characters; at most {limits.SCALAR_CHARACTERS:,} are read"
            self.say(
                "Y013", message, self.of(event), help="keep long text outside of the policy, and name it here"
            )
            return Hole(span)
        if event.style == '"' and not text.isascii() and not is_composed(text):
            self.say(
                "Y005",
                "the escapes make several code points that look like one",
                self.of(event),
                help=_COMPOSE,
            )
        if event.style == '"' and (char := hidden(text)) is not None:
            message = f"the escapes make the invisible character U+{ord(char):04X}"
            self.say("Y004", message, self.of(event), help="delete it")
        return Scalar(text, _STYLES.get(event.style, "plain"), span)

    def open(self, event: Any) -> None:
        if len(self.stack) == limits.DEPTH:
            message = f"nested more than {limits.DEPTH} levels deep"
            self.say("Y011", message, self.of(event), help="a policy is never deeper than a few levels")
            raise _Stop(self.offset + event.start_mark.line)
        self.stack.append(_Frame(event))

    def close(self, event: Any) -> None:
        frame = self.stack.pop()
        span = self.span(frame.event, event)
        if isinstance(frame.event, yaml.SequenceStartEvent):
            self.add(ListNode(tuple(frame.items), span), frame.event)
        else:
            self.add(MapNode(frame.entries, span, frame.incomplete), frame.event)

    def alias(self, event: Any) -> None:
        if not (self.stack and self.stack[-1].drops_value):
            self.say("Y006", f"alias {quoted('*' + event.anchor)}", self.of(event), help=_NO_ANCHORS)
        self.add(Hole(self.span(event)), event)

    def directives(self, event: Any) -> None:
        if event.version or event.tags:
            self.say(
                "Y008", "a directive before the document", self.of(event), help="leave the line with `%` out"
            )

    def name_document(self) -> None:
        """Say in the findings of a document which it is, now that all of it is read."""
        subject = subject_of(self.documents[-1])
        self.findings[self.since :] = [replace(one, subject=subject) for one in self.findings[self.since :]]

    def add(self, node: Node, event: Any) -> None:
        if not self.stack:
            self.documents.append(node)
            return
        frame = self.stack[-1]
        if isinstance(frame.event, yaml.SequenceStartEvent):
            frame.items.append(node)
        elif not frame.awaits_value:
            frame.key, frame.awaits_value = self.key(node, event), True
            frame.incomplete |= frame.key is None
        else:
            frame.awaits_value = False
            if frame.key is not None:
                self.entry(frame.entries, frame.key, node)

    def key(self, node: Node, event: Any) -> Scalar | None:
        """Return the key, or None where it cannot be one; what is said of it is written down."""
        if not isinstance(node, Scalar):
            self.say("Y009", "a key that is not text", self.of(event), help="write `name: value`")
            return None
        if node.plain and node.text == "<<":
            way_out = "write the fields out where they are needed"
            self.say("Y007", "merge key `<<`", self.of(event), help=way_out, key="<<")
            return None
        if node.plain and node.text == "":
            self.say("Y009", "no key before the `:`", self.of(event), help="write `name: value`")
            return None
        if node.plain and (seen := _not_text(node.text)) is not None:
            message = f"the key {quoted(node.text)} is {seen} for other YAML readers"
            self.say("Y009", message, self.of(event), help=_in_quotes(node.text), key=node.text)
        return node

    def entry(self, entries: dict[str, Entry], key: Scalar, value: Node) -> None:
        first = entries.get(key.text)
        if first is None:
            entries[key.text] = Entry(key, value)
            return
        place, before = self.located(key.span), self.located(first.key.span)
        self.say(
            "Y001",
            f"duplicate key {quoted(key.text)} (first at {before.line}:{before.column})",
            place,
            help="keep one of the two: YAML readers would silently take the last",
            key=key.text,
            related=(Related(place=before, message="the first one"),),
        )

    def say(
        self,
        code: str,
        message: str,
        place: Place,
        *,
        help: str,  # noqa: A002 - the word of every finding
        key: str | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        steps = (*(frame.step for frame in self.stack), key)
        path = path_text(tuple(step for step in steps if step is not None))
        self.findings.append(finding(code, message, replace(place, path=path), help=help, related=related))

    def span(self, event: Any, end: Any = None) -> Span:
        start, stop = event.start_mark, (end or event).end_mark
        line, last = self.offset + start.line + 1, self.offset + stop.line + 1
        return Span(line, start.column + 1, last, stop.column + 1)

    def of(self, event: Any) -> Place:
        return self.located(self.span(event))

    def located(self, span: Span) -> Place:
        one_line = span.end_line == span.line
        length = len(self.lines[span.line - 1]) if span.line <= len(self.lines) else 0
        end = span.end_column if one_line else max(length + 1, span.column)
        return Place(
            file=self.file,
            line=span.line,
            column=span.column,
            end_line=span.line,
            end_column=max(end, span.column + 1),
        )

    def spot(self, line: int, column: int) -> Place:
        return Place(
            file=self.file, line=line + 1, column=column + 1, end_line=line + 1, end_column=column + 2
        )


_NO_ANCHORS = (
    "write the value out: a value that is shared by reference changes in places a reviewer does not see"
)
_NO_TAGS = "leave it out: the schema says which type a field has"
_COMPOSE = "write the one character that it looks like"


def _in_quotes(text: str) -> str:
    return f'put it into quotes: `"{text}"`'


def _not_text(key: str) -> str | None:
    if is_plain_number(key):
        return "a number"
    odd = surprise(key)
    return odd.seen if odd else None


def _tag(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")
