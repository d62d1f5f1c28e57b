"""What a code host's runner takes as a command, and what it must not: annotations, and text between marks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

__all__ = ["unheeded", "workflow_command"]


def workflow_command(level: str, text: str, properties: Mapping[str, str]) -> str:
    """Write `::level key=value,…::text`, escaped as the runner reads it; `level` is error, warning or notice."""
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {written}::{_data(text)}"


def unheeded(text: str) -> str:
    """Write text so that the runner shows them and takes no line of them as a command.

    It heeds nothing until the word that it was told comes again: a digest of the text, which the text cannot hold.
    """
    word = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    end = "" if not text or text.endswith("\n") else "\n"
    return f"::stop-commands::{word}\n{text}{end}::{word}::\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
