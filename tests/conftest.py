"""What every test may rely on: an environment that says nothing of a terminal."""

from __future__ import annotations

import os


def pytest_sessionstart() -> None:
    """Forget the width of the terminal, which a process that runs tests in parallel may have been told."""
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
