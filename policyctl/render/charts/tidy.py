"""What a drawing library writes as SVG, fit to stand in a page: ids of its own, short numbers, no styles that leak."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping

from policyctl.render.charts.ink import with_variables

__all__ = ["tidy"]

_NUMBER = re.compile(r"-?\d+\.\d+")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_FONT = re.compile(r"font(-family)?: [^;]*'DejaVu Sans'[^;]*(; )?")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)px")
_LENGTHS = frozenset({"d", "x", "y", "width", "height", "transform", "points", "viewBox", "cx", "cy", "r"})
_HREF = "{http://www.w3.org/1999/xlink}href"


def tidy(text: str, name: str, told: Mapping[str, str]) -> str:
    """Return what stands inside of the drawing's `<svg>`, with ids that begin with `name`.

    `told` maps ids of marks to the sentence that a pointer resting on them is shown.
    """
    root = ET.fromstring(text)  # noqa: S314 - our own drawing, written a moment ago
    _without_styles(root)
    referenced = _referenced(root)
    for element in list(root.iter()):
        element.tag = element.tag.rpartition("}")[2]
        element.text = element.text if element.tag == "text" else None
        element.tail = None
        mark = element.attrib.get("id", "")
        element.attrib = dict(_attributes(element.attrib, name, referenced))
        if mark in told:
            sentence = ET.Element("title")
            sentence.text = told[mark]
            element.insert(0, sentence)
    return with_variables("".join(ET.tostring(child, encoding="unicode") for child in root))


def _without_styles(root: ET.Element) -> None:
    # A <style> inside of a drawing speaks to the whole page that the drawing stands in.
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in {"style", "metadata"}:
                parent.remove(child)


def _referenced(root: ET.Element) -> frozenset[str]:
    found: set[str] = set()
    for element in list(root.iter()):
        for key, value in element.attrib.items():
            found.update(_REFERENCE.findall(value))
            if key == _HREF:
                found.add(value.removeprefix("#"))
    return frozenset(found)


def _attributes(given: Mapping[str, str], name: str, referenced: frozenset[str]) -> list[tuple[str, str]]:
    kept: list[tuple[str, str]] = []
    for key, value in given.items():
        if key == "id":
            if value in referenced:
                kept.append(("id", f"{name}-{value}"))
        elif key == _HREF:
            kept.append(("href", f"#{name}-{value.removeprefix('#')}"))
        elif key == "style":
            kept.append(("style", _style(value)))
        else:
            short = _short(value) if key in _LENGTHS else value
            kept.append((key, _REFERENCE.sub(rf"url(#{name}-\1)", short)))
    return kept


def _style(value: str) -> str:
    # The page chooses the font; `font: 11px 'DejaVu Sans'` says two things of which one stays.
    size = _SIZE.search(value) if "font: " in value else None
    kept = _FONT.sub("", value)
    return f"font-size: {size[1]}px; {kept}" if size else kept


def _short(value: str) -> str:
    return " ".join(_NUMBER.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), value).split())
