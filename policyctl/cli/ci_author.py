"""Who made a change: by the code host's export of approvals, else by the event that a runner was started for."""

from __future__ import annotations

import json
import os
from pathlib import Path

from policyctl.cli.ci_host import on_a_runner

__all__ = ["author_of_event"]


def author_of_event() -> str | None:
    """Return who opened the pull request of the runner's event, in lower case; None where the event names nobody.

    A merge queue and a push have no pull request, and so no author.
    """
    name = os.environ.get("GITHUB_EVENT_PATH")
    if not name or not on_a_runner():
        return None
    try:
        event = json.loads(Path(name).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    for key in ("pull_request", "user", "login"):
        event = event.get(key) if isinstance(event, dict) else None
    return event.lower() if isinstance(event, str) and event else None
