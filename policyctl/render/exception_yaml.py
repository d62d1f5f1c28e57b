"""An exception as the text of its document."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from policyctl.units import Instant, format_instant

__all__ = ["Draft", "render"]

_PLAIN = re.compile(r"/([a-z0-9]([a-z0-9._/-]*[a-z0-9])?)?|[0-9]+(\.[0-9]+)?%|[1-9][0-9]*[wdhms]", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What an exception is to say; `grant` is the key of what it grants, with the fields below it as texts."""

    name: str
    reason: str
    ticket: str
    requested_by: str
    starts: Instant
    expires: Instant
    grant: tuple[str, dict[str, str]]


def render(draft: Draft) -> str:
    """Write the document; whether the policy accepts it is for its checks to say."""
    kind, fields = draft.grant
    inside = ", ".join(f"{key}: {_value(text)}" for key, text in fields.items())
    return (
        "apiVersion: policyctl/v1\n"
        "kind: Exception\n"
        f"metadata: {{name: {_quoted(draft.name)}}}\n"
        "spec:\n"
        f"  reason: {_quoted(draft.reason)}\n"
        f"  ticket: {_quoted(draft.ticket)}\n"
        f"  requestedBy: {_quoted(draft.requested_by)}\n"
        f"  starts: {_quoted(format_instant(draft.starts))}\n"
        f"  expires: {_quoted(format_instant(draft.expires))}\n"
        f"  {kind}: {{{inside}}}\n"
    )


def _value(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    # A JSON string is one in YAML too, whatever it holds.
    return json.dumps(text, ensure_ascii=False)
