"""The colours of charts by name: what each looks like on a light and on a dark page, and its place-holder while drawing.

A drawing is made with place-holders, which are then replaced by CSS variables, so that one drawing serves both pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["INKS", "SERIES", "Ink", "placeholder", "series", "variable", "with_variables"]

_HELD = re.compile(r"#fe00([0-9a-f]{2})")


@dataclass(frozen=True, slots=True)
class Ink:
    """A colour with its name, and its value on a light and on a dark page."""

    name: str
    light: str
    dark: str


SERIES = 8
"""How many programs have a colour of their own; what is beyond shares the last one."""

INKS: tuple[Ink, ...] = (
    Ink("page", "#ffffff", "#14171c"),
    Ink("panel", "#f5f7fa", "#1c2128"),
    Ink("text", "#1b1f24", "#e8ebef"),
    Ink("soft", "#57606a", "#a4adb8"),
    Ink("line", "#d3d9e0", "#3a424d"),
    Ink("warn", "#9a3412", "#ffb077"),
    Ink("warn-panel", "#fff4e8", "#33231a"),
    Ink("link", "#1d4ed8", "#8db4ff"),
    Ink("good", "#0a6b43", "#63d8a5"),
    Ink("bad", "#b3202c", "#ff8f98"),
    Ink("s0", "#2a62d4", "#82aaff"),
    Ink("s1", "#c4530a", "#ffa45c"),
    Ink("s2", "#0b815a", "#52d3a0"),
    Ink("s3", "#a5308b", "#f28fda"),
    Ink("s4", "#8a6a00", "#e5c452"),
    Ink("s5", "#6a4bc6", "#b9a5ff"),
    Ink("s6", "#0c7a91", "#58cbe0"),
    Ink("s7", "#a82b3c", "#ff9099"),
    Ink("s-rest", "#6a727d", "#9aa3ae"),
    Ink("idle", "#e4e8ed", "#2c333c"),
)
_NUMBER = {ink.name: number for number, ink in enumerate(INKS)}


def placeholder(name: str) -> str:
    """Return the colour to draw with where the ink of this name is meant; raises KeyError for an unknown name."""
    return f"#fe00{_NUMBER[name]:02x}"


def variable(name: str) -> str:
    """Return the CSS value of an ink; raises KeyError for an unknown name."""
    return f"var(--{INKS[_NUMBER[name]].name})"


def series(number: int) -> str:
    """Return the name of the ink of the series with this number, counted from 0."""
    return f"s{number}" if number < SERIES else "s-rest"


def with_variables(text: str) -> str:
    """Replace every place-holder in a drawing by its CSS variable."""
    return _HELD.sub(lambda found: f"var(--{INKS[int(found[1], 16)].name})", text)
