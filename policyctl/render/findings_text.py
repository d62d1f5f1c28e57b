"""Findings for people: each with its line, a caret under the exact span, what was seen, and the way out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from policyctl.diagnostics import Finding, Place, Report, Severity
from policyctl.render.excerpt import excerpt, source_lines
from policyctl.render.terminal import painted, visible

__all__ = ["render", "tally"]

Sources = Mapping[str, Sequence[str]]

_COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def render(report: Report, *, colour: bool) -> str:
    """Write every finding as a block, in the report's order, then one line with the counts."""
    named = {
        place.file
        for one in report.findings
        for place in (one.place, *(other.place for other in one.related))
    }
    sources = {file: source_lines(report.sources[file]) for file in named if file in report.sources}
    blocks = ["\n".join(_block(one, sources, colour=colour)) for one in report.findings]
    return "\n\n".join([*blocks, tally(report)]) + "\n"


def tally(report: Report) -> str:
    """Count the findings in one line: `2 errors, 1 warning in 12 files`."""
    counts = [
        _counted(report.count(severity), severity.value) for severity in Severity if report.count(severity)
    ]
    return f"{', '.join(counts) or 'no findings'} in {_counted(report.files, 'file')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _block(found: Finding, sources: Sources, *, colour: bool) -> list[str]:
    places = [found.place, *(other.place for other in found.related)]
    # Without any line of source there is no number to make room for.
    gutter = max((len(str(place.line)) for place in places if place.file in sources), default=1) + 2
    tone = _COLOUR[found.severity]
    kind = painted(f"{found.severity.value} {found.code}", tone, on=colour, bold=True)
    lines = [f"{visible(str(found.place))}: {kind}: {visible(found.message)}"]
    lines += _shown(found.place, sources, gutter, "^", tone, colour=colour)
    for other in found.related:
        lines.append(
            f"{' ' * gutter} {_bar(':::', on=colour)} {visible(str(other.place))}: {visible(other.message)}"
        )
        lines += _shown(other.place, sources, gutter, "-", "blue", colour=colour)
    if found.help:
        first, *rest = found.help.split("\n")
        word = painted("help", "green", on=colour)
        lines.append(f"{' ' * gutter} {_bar('=', on=colour)} {word}: {visible(first)}")
        lines += [f"{' ' * gutter}   {visible(line)}".rstrip() for line in rest]
    lines.append(f"{' ' * gutter} {_bar('=', on=colour)} {_whereabouts(found)}policyctl rules {found.code}")
    return lines


def _whereabouts(found: Finding) -> str:
    parts = [visible(part) for part in (found.subject, found.place.path) if part]
    return f"{', '.join(parts)}; more: " if parts else "more: "


def _shown(place: Place, sources: Sources, gutter: int, mark: str, tone: str, *, colour: bool) -> list[str]:
    seen = excerpt(sources.get(place.file, ()), place)
    if seen is None:
        return []
    marks = painted(mark * seen.marks, tone, on=colour, bold=mark == "^")
    number = _bar(f"{place.line:>{gutter}} |", on=colour)
    below = _bar(f"{' ' * gutter} |", on=colour)
    return [f"{number} {seen.line}".rstrip(), f"{below} {' ' * seen.skip}{marks}"]


def _bar(text: str, *, on: bool) -> str:
    return painted(text, "blue", on=on)
