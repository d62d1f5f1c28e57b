"""A repository with the policy that `init` writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.git import commit, git
from tests.host.steps import FILES


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """Return a repository with the first commit on its default branch, on a branch of its own."""
    folder = tmp_path / "lab"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    commit(folder, "policy")
    git(folder, "switch", "--quiet", "--create", "change")
    return folder
