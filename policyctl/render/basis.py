"""What every answer stands on: the instant, the state's own time, and the policy by the digest of its meaning."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.units import Instant, format_instant

__all__ = ["Basis"]

_SHORT = len("sha256:") + 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The instant of a question, that of the state it is asked about, and the digest of the policy's meaning."""

    meaning: str
    now: Instant
    state_time: Instant

    def __str__(self) -> str:
        return f"as of {format_instant(self.now)}, policy meaning {self.meaning[:_SHORT]}"
