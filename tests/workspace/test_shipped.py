"""What policyctl brings along is found in a checkout and in an installed wheel."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from policyctl.catalogue import CATALOGUE
from policyctl.workspace.shipped import rule_pages, schemas, shipped

ROOT = Path(__file__).parent.parent.parent
ASK = """
import json
from policyctl.workspace.shipped import rule_pages, schemas, shipped
from policyctl.workspace.starter import starter_files
import policyctl
starter_files(org="lab", install="policyctl")
scenarios = sorted(path.name for path in shipped("scenarios").iterdir())
print(json.dumps([sorted(schemas()), sorted(rule_pages()), scenarios, list(policyctl.__path__)]))
"""


def test_a_checkout_has_a_schema_for_each_kind() -> None:
    kinds = ["Accounting", "Budget", "Cluster", "Exception", "Governance", "Preemption", "ProtectionCap"]
    kinds = sorted([*kinds, "PolicyTest", "Scenario"])
    assert sorted(schemas()) == kinds


def test_every_code_has_its_page() -> None:
    assert sorted(rule_pages()) == sorted(CATALOGUE)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the content of a wheel that was really built."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No matching distribution found for hatchling" in built.stderr:
        pytest.skip("the build backend hatchling cannot be fetched here")
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def test_a_wheel_brings_the_same(installed: Path, tmp_path: Path) -> None:
    # The wheel's folder comes first, and the current folder is not the checkout.
    said = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    kinds, codes, scenarios, where = json.loads(said.stdout)
    assert where == [str(installed / "policyctl")]
    assert kinds == sorted(schemas())
    assert scenarios == sorted(path.name for path in shipped("scenarios").iterdir())
    assert codes == sorted(rule_pages())
