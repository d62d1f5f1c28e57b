"""A bundle for programs: the document itself, indented."""

from __future__ import annotations

import json

from policyctl.bundle.decode import Bundle
from policyctl.bundle.encode import document

__all__ = ["render"]


def render(bundle: Bundle) -> str:
    """Write the document of the bundle with its digest; ASCII only, so that no terminal is steered by its text."""
    whole = {"digest": bundle.digest, **document(bundle.policy, bundle.provenance)}
    return json.dumps(whole, sort_keys=True, indent=2) + "\n"
