"""How much a policy may say: bounds that keep reading linear, far above what people write by hand."""

from __future__ import annotations

__all__ = ["DEPTH", "FILE_BYTES", "FINDINGS_PER_FILE", "NODES", "SCALAR_CHARACTERS", "TOTAL_BYTES"]

FILE_BYTES = 8 * 2**20
TOTAL_BYTES = 32 * 2**20
DEPTH = 32
NODES = 1_000_000
"""Keys, values and containers of all files together."""
SCALAR_CHARACTERS = 64 * 2**10
FINDINGS_PER_FILE = 20
"""Of one kind that tends to repeat on every line, such as an encoding mistake."""
