"""One line that a code host's runner takes as an annotation, with nothing in it that could end it early."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["workflow_command"]


def workflow_command(level: str, text: str, properties: Mapping[str, str]) -> str:
    """Write `::level key=value,…::text`, escaped as the runner reads it; `level` is error, warning or notice."""
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {written}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
