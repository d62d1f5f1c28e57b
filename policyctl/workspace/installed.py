"""What pip would install this very policyctl from, as the installation itself recorded it."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from policyctl.version import __version__

__all__ = ["requirement", "requirement_of"]


def requirement() -> str:
    """Return the requirement for the installed policyctl: the commit it was built from, else its version."""
    try:
        recorded = distribution("policyctl").read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    return requirement_of(json.loads(recorded) if recorded else {})


def requirement_of(source: Any) -> str:
    """Return the requirement for a source in the shape of `direct_url.json`, which the packaging standards define."""
    url, version = source.get("url", ""), source.get("vcs_info", {})
    if url.startswith("https://") and version.get("vcs") == "git":
        return f"policyctl @ git+{url}@{version['commit_id']}"
    if url.startswith("https://") and "archive_info" in source:
        return f"policyctl @ {url}"
    return f"policyctl=={__version__}"
