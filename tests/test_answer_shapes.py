"""What the commands write as JSON has the shape that schemas/ promises, and each code has a sentence."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from policyctl.cli.main import policyctl
from policyctl.render.reasons_text import SENTENCES

ROOT = Path(__file__).parent.parent
NOW = "2026-11-30T09:00:00Z"
STATE: dict[str, Any] = {
    "time": NOW,
    "jobs": [
        {
            "id": "big",
            "account": "/language/pretrain",
            "user": "r001",
            "pool": "h100",
            "gpus": 344,
            "nodes": 43,
            "submit": "2026-11-30T08:00:00Z",
            "min_runtime": "4h",
        },
        {
            "id": "free",
            "account": "/nowhere",
            "user": "r002",
            "pool": "h100",
            "gpus": 8,
            "submit": "2026-11-30T08:00:00Z",
            "start": "2026-11-30T08:30:00Z",
            "placement": {"h100-1": 8},
        },
        {
            "id": "kept",
            "account": "/vision/video",
            "user": "r003",
            "pool": "h100",
            "gpus": 8,
            "submit": "2026-11-30T08:00:00Z",
            "start": "2026-11-30T08:30:00Z",
            "min_runtime": "2h",
            "placement": {"h100-2": 8},
        },
    ],
    "usage": [
        {
            "job": "old",
            "account": "/language/pretrain",
            "user": "r001",
            "pool": "h100",
            "gpus": 8,
            "start": "2026-11-29T00:00:00Z",
            "end": "2026-11-29T10:00:00Z",
            "min_runtime": "4h",
            "outcome": "completed",
        }
    ],
}
CALLS = {
    "rank": ("rank", ["rank"], 0),
    "rank of one pool": ("rank", ["rank", "--pool", "h100"], 0),
    "usage": ("usage", ["usage"], 0),
    "explain a waiting job": ("explain", ["explain", "big"], 0),
    "explain a running job": ("explain", ["explain", "kept"], 0),
    "quote a waiting job": ("quote", ["quote", "big"], 0),
    "quote a new job": (
        "quote",
        ["quote", "--account", "/vision/video", "--user", "r9", "--pool", "l40s", "--gpus", "0.5"],
        0,
    ),
    "plan": ("preempt", ["preempt", "plan", "big"], 0),
    "authorize a protected victim": ("preempt", ["preempt", "authorize", "big", "kept"], 1),
    "authorize an unknown victim": ("preempt", ["preempt", "authorize", "big", "gone"], 3),
}


def call(arguments: list[str], output: str) -> Result:
    fixed = ["--policy", str(ROOT / "policies"), "--state", "-", "--format", output]
    return CliRunner().invoke(policyctl, [*arguments, *fixed], input=json.dumps(STATE))


@pytest.mark.parametrize(("schema", "arguments", "code"), CALLS.values(), ids=CALLS)
def test_json_has_the_promised_shape(schema: str, arguments: list[str], code: int) -> None:
    result = call(arguments, "json")
    assert result.exit_code == code, result.output
    shape = json.loads((ROOT / "schemas" / f"{schema}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(shape)
    jsonschema.validate(json.loads(result.stdout), shape)


@pytest.mark.parametrize(("schema", "arguments", "code"), CALLS.values(), ids=CALLS)
def test_text_says_the_same_without_colours(schema: str, arguments: list[str], code: int) -> None:
    result = call(arguments, "text")
    assert result.exit_code == code, result.output
    assert "2026-11-30T09:00:00Z" in result.stdout
    assert "\x1b" not in result.stdout


def codes_made(folder: Path) -> set[str]:
    """Return the constant codes of all `Reason(...)` calls below a folder."""
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Reason":
                found |= {
                    one.value
                    for one in ast.walk(node.args[0])
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                }
    return found


def test_every_reason_code_has_a_sentence() -> None:
    made = codes_made(ROOT / "policyctl" / "decide")
    assert made - set(SENTENCES) == set()
    assert len(made) > 20
