"""The impact of a change, replayed: who gains and who loses, that nothing happens where it is so, and no zeros for errors."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cli.program import POLICY, Ended, policy, run
from tests.host.git import ENVIRONMENT, commit

ROOT = Path(__file__).parent.parent.parent
SMALL = POLICY.replace("nodes: 88", "nodes: 2").replace(", blockNodes: 16", "")
TURNED = SMALL.replace("language: 60%", "language: 10%").replace("robotics: 1/4", "robotics: 3/4")
VARIANTS = {
    "base": SMALL,
    "turned": TURNED,
    "regrouped": SMALL.replace("@lab/leadership", "@lab/leaders"),
    "larger": SMALL.replace("nodes: 2", "nodes: 3"),
    "unpooled": SMALL.replace("h100:", "a100:"),
}


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("impact")
    for name, text in VARIANTS.items():
        (made / name).mkdir()
        policy(made / name, text)
    call = "workload generate --policy base/policies --seed 1 --days 2 --load 2 --researchers 5 -o jobs.json"
    assert run(*call.split(), cwd=made).code == 0
    return made


def diff(top: Path, head: str, *arguments: str) -> Ended:
    return run("diff", "./base/policies", f"./{head}/policies", *arguments, cwd=top)


def impact(top: Path, head: str, *arguments: str) -> Any:
    done = diff(top, head, "--workload", "jobs.json", "--format", "json", *arguments)
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    jsonschema.validate(answer, json.loads((ROOT / "schemas/diff.json").read_text()))
    return answer["impact"]


def figure(found: Any, account: str, kind: str, size: str | None = None) -> Any:
    (program,) = [one for one in found["programs"] if one["account"] == account]
    (wanted,) = [one for one in program["figures"] if (one["kind"], one["size"]) == (kind, size)]
    return wanted


def test_who_gains_and_who_loses(top: Path) -> None:
    found = impact(top, "turned", "--seed", "1", "--seed", "2")
    assert (found["visible"], found["seeds"]) == (True, [1, 2])
    lost, won = (figure(found, one, "delivery") for one in ("/language", "/robotics"))
    assert lost["after"] < lost["before"] <= 1
    assert won["before"] < won["after"] <= 1
    assert figure(found, "/language", "wait", "all")["difference"]["least"] > 0
    for program in found["programs"]:
        for one in program["figures"]:
            moved = one["after"] - one["before"]
            assert one["difference"]["least"] - 1e-9 <= moved <= one["difference"]["most"] + 1e-9


def test_one_core_and_several_measure_the_same(top: Path) -> None:
    call = ("--workload", "jobs.json", "--seed", "1", "--seed", "2", "--format", "json")
    several, all_cores = diff(top, "turned", *call), os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(all_cores)})
    try:
        one_core = diff(top, "turned", *call)
    finally:
        os.sched_setaffinity(0, all_cores)
    assert (one_core.code, one_core.out) == (0, several.out)


def test_the_impact_is_what_simulations_of_both_measure(top: Path) -> None:
    found = impact(top, "turned", "--seed", "3")
    call = "simulate --policy base/policies --against turned/policies --workload jobs.json --seed 3 --format json"
    simulated = json.loads(run(*call.split(), cwd=top).out)["contestants"]
    for account in ("/language", "/robotics"):
        told = figure(found, account, "preemptions")
        groups = [
            next(group for group in one["programs"] if group["account"] == account) for one in simulated
        ]
        assert [told["before"], told["after"]] == [group["preemptions"] for group in groups]


def test_text_and_comment_have_a_row_for_each_difference(top: Path) -> None:
    arguments = ("--workload", "jobs.json", "--seed", "1", "--seed", "2")
    text = diff(top, "turned", *arguments).text
    assert "\nimpact on jobs\n" in text
    assert " points to " in text
    comment = diff(top, "turned", *arguments, "--format", "markdown").text
    assert "\n#### Impact on jobs\n" in comment
    assert "2 seeds, shares of the base" in comment


def test_the_page_has_the_charts_of_both_sides(top: Path) -> None:
    arguments = ("--workload", "jobs.json", "--seed", "2", "--seed", "3")
    plain = diff(top, "turned", *arguments).out
    assert diff(top, "turned", *arguments, "--report", "page.html").out == plain
    page = (top / "page.html").read_text()
    for side in ("base", "head"):
        assert f"Occupancy by program, {side}</title>" in page
    assert "The charts are of seed 2." in page
    digest = hashlib.sha256((top / "jobs.json").read_bytes()).hexdigest()
    assert f'<dt>workload</dt><dd class="digest">sha256:{digest}' in page
    drawn = page.partition('<section id="occupancy"')[2].partition("</section>")[0]
    call = "simulate --policy base/policies --against turned/policies --workload jobs.json --seed 2 --report alone.html"
    assert run(*call.split(), cwd=top).code == 0
    alone = (
        (top / "alone.html").read_text().partition('<section id="occupancy"')[2].partition("</section>")[0]
    )
    assert re.findall(r"<path [^>]*>", drawn) == re.findall(r"<path [^>]*>", alone)


def test_a_page_without_visible_effect_says_so_and_has_no_charts(top: Path) -> None:
    assert diff(top, "regrouped", "--workload", "jobs.json", "--report", "same.html").code == 0
    page = (top / "same.html").read_text()
    assert "No visible effect (129 jobs, 1 seed, shares of the base)." in page
    assert "<svg" not in page


def test_no_visible_effect_is_said(top: Path) -> None:
    assert impact(top, "regrouped")["visible"] is False
    text = diff(top, "regrouped", "--workload", "jobs.json").text
    assert "impact on jobs\n  no visible effect (129 jobs, 1 seed, shares of the base)\n" in text


def test_without_a_workload_nothing_is_said(top: Path) -> None:
    assert json.loads(diff(top, "turned", "--format", "json").out)["impact"] is None
    assert "impact" not in diff(top, "turned").text


@pytest.mark.parametrize(
    ("head", "arguments", "code", "said"),
    [
        ("larger", "--workload jobs.json", 2, "do not have the same nodes"),
        ("unpooled", "--workload jobs.json", 2, "which the policy does not have"),
        ("turned", "--workload nowhere.json", 3, "cannot read `nowhere.json`"),
        ("turned", "--seed 1", 2, "nothing says which jobs are replayed"),
        ("turned", "--log jobs.json", 2, "`--log` needs `--log-format`"),
        ("turned", "--workload jobs.json --log jobs.json", 2, "one of"),
    ],
    ids=["other nodes", "no such pool", "unreadable", "seed of nothing", "log of no format", "two sources"],
)
def test_an_error_is_never_a_row_of_zeros(top: Path, head: str, arguments: str, code: int, said: str) -> None:
    done = diff(top, head, *arguments.split())
    assert (done.code, said in done.err, done.text) == (code, True, ""), done.err


@pytest.mark.parametrize(
    ("when", "code"),
    [
        ("impact.programs.exists(one, one.delivery_change < -0.05)", 1),
        ("impact.programs.exists(one, one.delivery_change < -0.5)", 0),
        ("impact.overall.preemptions_after > 10000.0", 0),
        ("!impact.visible", 0),
    ],
    ids=["a program loses 5 points", "no program loses 50 points", "few preemptions", "something is visible"],
)
def test_gates_judge_the_impact(top: Path, tmp_path: Path, when: str, code: int) -> None:
    gate = f"  gates:\n    - {{name: few-losers, when: '{when}', level: error}}\n"
    policy(tmp_path, SMALL + gate)
    (tmp_path / "policy-tests").mkdir()
    (tmp_path / "policy-tests/test.yaml").write_text(
        "apiVersion: policyctl/v1\nkind: PolicyTest\nmetadata: {name: caps}\n"
        "spec:\n  now: 2026-09-01T00:00:00Z\n  cases:\n    - name: harvests\n"
        "      quote: {account: /language, user: r001, pool: h100, gpus: 8}\n"
        "      expect: {class: opportunistic}\n"
    )
    commit(tmp_path, "policy")
    policy(tmp_path, TURNED + gate)
    own = {name: value for name, value in ENVIRONMENT.items() if name.startswith("GIT_")}
    done = run("ci", "--base", "HEAD", "--workload", top / "jobs.json", cwd=tmp_path, stdin=b"", **own)
    assert done.code == code, done.text
    assert "--- impact\nprogram" in done.text
