"""One small lab for all tests of this folder; they write beside it, never into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sim_cli.folder import lab


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab(tmp_path_factory.mktemp("lab"))
