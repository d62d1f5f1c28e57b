"""Scanner events to values with positions, one event at a time: no recursion, and no surprise kept.

What a governed file must not contain (aliases, merge keys, tags, keys that are not text, a key twice) is refused
here, each at its place; the rest of the document is still read.
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
from policyctl.load.values import Entry, Hole, ListNode, MapNode, Node, Scalar, Span, Style, path_text
from policyctl.load.wording import quoted

__all__ = ["Composer", "Stop"]

_STYLES: dict[str | None, Style] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}


class Stop(Exception):
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


class Composer:
    """The documents and findings of one file so far.

    Lines count from 0 within the stretch of text that the scanner sees, which begins at line `offset` of the file;
    they count from 1 in everything that leaves.
    """

    def __init__(self, file: str, lines: list[str], room: int) -> None:
        self.file = file
        self.lines = lines
        self.room = room
        self.full = False
        self.offset = 0
        self.documents: list[Node] = []
        self.findings: list[Finding] = []
        self.stack: list[_Frame] = []
        self._since = 0
        self._last: Any = None

    def begin(self, offset: int) -> None:
        """Start over with the events of a stretch of text; what was read before stays."""
        self.offset, self.stack, self._last = offset, [], None

    def open_bracket(self) -> tuple[int, int] | None:
        """Return where the innermost flow container opens, in lines of the stretch."""
        marks = [frame.event.start_mark for frame in self.stack if frame.event.flow_style]
        return (marks[-1].line, marks[-1].column) if marks else None

    def long_quote(self, line: int) -> tuple[int, int] | None:
        """Return where the last scalar opens, if it is quoted, began on an earlier line and ends on this one."""
        last = self._last
        if (
            last is None
            or last.style not in ("'", '"')
            or not last.start_mark.line < last.end_mark.line == line
        ):
            return None
        return last.start_mark.line, last.start_mark.column

    def take(self, event: Any) -> None:
        """Add what an event says; raises Stop where the rest of the document is not to be read."""
        match event:
            case yaml.ScalarEvent():
                self._count(event)
                self._last = event
                self._add(self._scalar(event), event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._count(event)
                self._open(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close(event)
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.DocumentStartEvent():
                self._since = len(self.findings)
                self._directives(event)
            case yaml.DocumentEndEvent():
                self._end_document()
            case _:
                return

    def _count(self, event: Any) -> None:
        self.room -= 1
        if self.room < 0:
            self.full = True
            message = f"the policy has more than {limits.NODES:,} values"
            self.say("Y010", message, self._of(event), help="split the policy, or drop what is generated")
            raise Stop(self.offset + event.start_mark.line)
        if event.anchor is not None:
            self.say("Y006", f"anchor {quoted('&' + event.anchor)}", self._of(event), help=_NO_ANCHORS)
        if event.tag is not None:
            self.say("Y008", f"tag {quoted(_tag(event.tag))}", self._of(event), help=_NO_TAGS)
        mark = event.start_mark
        line = self.lines[self.offset + mark.line] if self.offset + mark.line < len(self.lines) else ""
        if mark.column and line[mark.column - 1 : mark.column] == "\t":
            place = self.spot(mark.line, mark.column - 1)
            self.say(
                "Y015", "a tab where YAML needs spaces", place, help="use spaces to indent and to separate"
            )

    def _scalar(self, event: Any) -> Node:
        text, span = event.value, self._span(event)
        if len(text) > limits.SCALAR_CHARACTERS:
            message = f"a value of {len(text):,} characters; at most {limits.SCALAR_CHARACTERS:,} are read"
            self.say(
                "Y010",
                message,
                self._of(event),
                help="keep long text outside of the policy, and name it here",
            )
            return Hole(span)
        if event.style == '"' and not text.isascii() and not is_composed(text):
            self.say(
                "Y005",
                "the escapes make several code points that look like one",
                self._of(event),
                help=_COMPOSE,
            )
        if event.style == '"' and (char := hidden(text)) is not None:
            message = f"the escapes make the invisible character U+{ord(char):04X}"
            self.say("Y004", message, self._of(event), help="delete it")
        return Scalar(text, _STYLES.get(event.style, "plain"), span)

    def _open(self, event: Any) -> None:
        if len(self.stack) == limits.DEPTH:
            message = f"nested more than {limits.DEPTH} levels deep"
            self.say("Y010", message, self._of(event), help="a policy is never deeper than a few levels")
            raise Stop(self.offset + event.start_mark.line)
        self.stack.append(_Frame(event))

    def _close(self, event: Any) -> None:
        frame = self.stack.pop()
        span = self._span(frame.event, event)
        if isinstance(frame.event, yaml.SequenceStartEvent):
            self._add(ListNode(tuple(frame.items), span), frame.event)
        else:
            self._add(MapNode(frame.entries, span, frame.incomplete), frame.event)

    def _alias(self, event: Any) -> None:
        if not (self.stack and self.stack[-1].drops_value):
            self.say("Y006", f"alias {quoted('*' + event.anchor)}", self._of(event), help=_NO_ANCHORS)
        self._add(Hole(self._span(event)), event)

    def _directives(self, event: Any) -> None:
        if event.version or event.tags:
            self.say(
                "Y008", "a directive before the document", self._of(event), help="leave the line with `%` out"
            )

    def _end_document(self) -> None:
        """Say in the findings of a document which it is, now that all of it is read."""
        subject = subject_of(self.documents[-1])
        self.findings[self._since :] = [replace(one, subject=subject) for one in self.findings[self._since :]]

    def _add(self, node: Node, event: Any) -> None:
        if not self.stack:
            self.documents.append(node)
            return
        frame = self.stack[-1]
        if isinstance(frame.event, yaml.SequenceStartEvent):
            frame.items.append(node)
        elif not frame.awaits_value:
            frame.key, frame.awaits_value = self._key(node, event), True
            frame.incomplete |= frame.key is None
        else:
            frame.awaits_value = False
            if frame.key is not None:
                self._entry(frame.entries, frame.key, node)

    def _key(self, node: Node, event: Any) -> Scalar | None:
        """Return the key, or None where it cannot be one; what is said of it is written down."""
        if not isinstance(node, Scalar):
            self.say("Y009", "a key that is not text", self._of(event), help="write `name: value`")
            return None
        if node.plain and node.text == "<<":
            way_out = "write the fields out where they are needed"
            self.say("Y007", "merge key `<<`", self._of(event), help=way_out, key="<<")
            return None
        if node.plain and node.text == "":
            self.say("Y009", "no key before the `:`", self._of(event), help="write `name: value`")
            return None
        if node.plain and (seen := _not_text(node.text)) is not None:
            message = f"the key {quoted(node.text)} is {seen} for other YAML readers"
            self.say("Y009", message, self._of(event), help=_in_quotes(node.text), key=node.text)
        return node

    def _entry(self, entries: dict[str, Entry], key: Scalar, value: Node) -> None:
        first = entries.get(key.text)
        if first is None:
            entries[key.text] = Entry(key, value)
            return
        place, before = self._located(key.span), self._located(first.key.span)
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
        """Write down a finding, with the path to what is being read."""
        steps = (*(frame.step for frame in self.stack), key)
        path = path_text(tuple(step for step in steps if step is not None))
        self.findings.append(finding(code, message, replace(place, path=path), help=help, related=related))

    def _span(self, event: Any, end: Any = None) -> Span:
        start, stop = event.start_mark, (end or event).end_mark
        line, last = self.offset + start.line + 1, self.offset + stop.line + 1
        return Span(line, start.column + 1, last, stop.column + 1)

    def _of(self, event: Any) -> Place:
        return self._located(self._span(event))

    def _located(self, span: Span) -> Place:
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
        """Return the place of one character, in lines of the stretch and columns from 0."""
        row = self.offset + line + 1
        return Place(file=self.file, line=row, column=column + 1, end_line=row, end_column=column + 2)


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
