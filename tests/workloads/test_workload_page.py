"""What the page on workloads shows is true: its examples are read and run, its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

from policyctl.adapters.scenario_expect import READERS
from policyctl.adapters.state_fields import JOB
from policyctl.adapters.workload_fields import TASK
from policyctl.adapters.workload_json import read_workload
from policyctl.cli.scenarios import load_scenario
from policyctl.render.rehearsal_text import render
from policyctl.sim.scenarios.rehearse import rehearse

PAGE = (Path(__file__).parents[2] / "docs" / "workloads.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_workload_is_one() -> None:
    read = read_workload(block("json").encode(), file="workload.json", pools={"h100": 88})
    assert read.findings == ()
    assert read.workload is not None
    assert len(read.workload.streams[0].tasks) == 2


def test_the_scenario_holds(tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(block("yaml"))
    loaded = load_scenario(str(tmp_path))
    for seed in loaded.scenario.seeds:
        run = rehearse(loaded.scenario, loaded.policy.policy, seed=seed)
        assert run.held, render("page", seed, run.verdicts)


def test_the_table_of_expectations_is_complete() -> None:
    assert re.findall(r"^\| `(\w+): \{", PAGE, flags=re.MULTILINE) == list(READERS)


def test_the_table_of_fields_is_complete() -> None:
    told = re.findall(r"^\| `(\w+)` \| (?:duration|number) \|", PAGE, flags=re.MULTILINE)
    assert told == [name for name in TASK if name not in JOB]
