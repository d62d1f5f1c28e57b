"""`policyctl test` as a user meets it: exit codes, the diff, json, junit, patterns, coverage, and its page."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from click.testing import CliRunner, Result

from policyctl.cli.main import policyctl
from tests.cli.program import policy, run
from tests.policy_tests.suite import HEAD, ROOT

PASSING = """\
    - name: large jobs have four hours
      quote: {account: /language, user: u, pool: h100, gpus: 64, nodes: 8, min_runtime: 9h}
      expect: {class: funded, protected: 4h, cappedBy: default, cost: 256, reasons: [funded]}
"""
FAILING = """\
    - name: notebooks have four
      quote: {account: /language, user: u, pool: h100, gpus: 1, min_runtime: 9h, kind: interactive}
      expect: {protected: 4h, cappedBy: none, class: funded, cost: 4.00, reasons: [funded, overdraft]}
"""
LOST = """\
    - name: nobody is there
      explain: {job: ghost}
      expect: {class: funded}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    policy(tmp_path)
    (tmp_path / "policy-tests").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(place: Path, cases: str, *arguments: str) -> Result:
    (place / "policy-tests/small.yaml").write_text(HEAD + cases)
    return CliRunner().invoke(policyctl, ["test", *arguments])


def test_all_is_well(place: Path) -> None:
    result = call(place, PASSING)
    assert result.exit_code == 0
    assert result.stdout.startswith("ok: 1 case passed, policy meaning sha256:")


def test_a_failure_shows_what_was_expected_beside_what_was_got(place: Path) -> None:
    result = call(place, PASSING + FAILING + LOST)
    assert result.exit_code == 1
    assert re.sub(r"sha256:\w+", "sha256:…", result.stdout) == (
        "FAILED small/notebooks have four  (policy-tests/small.yaml:10)\n"
        "  cappedBy  (policy-tests/small.yaml:12)\n"
        "    expected  none\n"
        "    got       interactive\n"
        "  cost  (policy-tests/small.yaml:12)\n"
        "    expected  4.00\n"
        "    got       2.00\n"
        "  protected  (policy-tests/small.yaml:12)\n"
        "    expected  4h\n"
        "    got       2h\n"
        "  reasons  (policy-tests/small.yaml:12)\n"
        "    expected  at least funded, overdraft\n"
        "    got       funded\n"
        "\n"
        "FAILED small/nobody is there  (policy-tests/small.yaml:13)\n"
        "  no answer: the state has no job `ghost`\n"
        "\n"
        "failed: 2 of 3 cases failed, policy meaning sha256:…\n"
    )


def test_json_has_the_promised_shape(place: Path) -> None:
    result = call(place, PASSING + FAILING + LOST, "--format", "json", "--coverage")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    shape = json.loads((ROOT / "schemas/test_report.json").read_text())
    jsonschema.Draft202012Validator.check_schema(shape)
    jsonschema.validate(told, shape)
    assert (told["passed"], told["failed"]) == (1, 2)
    assert told["cases"][2]["problem"] == "the state has no job `ghost`"
    assert told["coverage"] == [
        {
            "kind": "cap",
            "name": "cap/interactive",
            "held": 1,
            "not_held": 1,
            "file": "policies/policy.yaml",
            "line": 30,
        },
        {
            "kind": "default",
            "name": "cap",
            "held": 1,
            "not_held": 1,
            "file": "policies/policy.yaml",
            "line": 31,
        },
    ]


def test_junit_counts_failures_apart_from_errors(place: Path) -> None:
    result = call(
        place,
        PASSING + FAILING + LOST.replace("nobody is there", '"<nobody> & `x` is there"'),
        "--format",
        "junit",
    )
    assert result.exit_code == 1
    top = ET.fromstring(result.stdout)
    assert [top.get(name) for name in ("tests", "failures", "errors")] == ["3", "1", "1"]
    names = [one.get("name") for one in top.iter("testcase")]
    assert names == ["large jobs have four hours", "notebooks have four", "<nobody> & `x` is there"]
    (failure,) = top.iter("failure")
    assert "expected 4h, got 2h" in (failure.text or "")


def test_a_pattern_chooses(place: Path) -> None:
    assert call(place, PASSING + FAILING, "--run", "small/l*hours").exit_code == 0
    assert call(place, PASSING + FAILING, "--run", "notebooks").exit_code == 1


def test_a_pattern_that_chooses_nothing_has_verified_nothing(place: Path) -> None:
    result = run("test", "--run", "other", cwd=place)
    assert (result.code, result.text) == (5, "")
    (place / "policy-tests/small.yaml").write_text(HEAD + PASSING)
    result = run("test", "--run", "other", cwd=place)
    assert result.code == 5
    assert "`--run other` matches none of 1 case" in result.err
    assert "small/large jobs have four hours" in result.err


def test_coverage_says_what_was_never_seen_and_does_not_fail(place: Path) -> None:
    result = call(place, PASSING, "--coverage")
    assert result.exit_code == 0
    assert "coverage: 0 of 2 conditions seen both to hold and not to hold" in result.stdout
    assert re.search(r"cap/interactive +never +1 +policies/policy.yaml:30", result.stdout)
    assert re.search(r"default of a cap +cap +1 +never +policies/policy.yaml:31", result.stdout)


def test_coverage_has_no_place_in_junit(place: Path) -> None:
    (place / "policy-tests/small.yaml").write_text(HEAD + PASSING)
    ended = run("test", "--coverage", "--format", "junit", cwd=place)
    assert (ended.code, ended.text) == (2, "")
    assert "ask for it as text or json" in ended.err


BROKEN = """\
    - name: {name}
      review:
        change:
          {change}
      expect: {{requires: {{}}}}
"""


def test_a_file_that_has_not_the_shape_of_tests_is_a_finding_at_its_line(place: Path) -> None:
    result = call(place, PASSING + FAILING.replace("protected", "protectd"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "policy-tests/small.yaml:12:" in result.stderr
    assert "did you mean `protected`?" in result.stderr


def test_a_case_that_cannot_be_read_fails_alone(place: Path) -> None:
    result = call(place, FAILING.replace("protected: 4h", "outcome: refused") + PASSING)
    assert (result.exit_code, result.stderr) == (1, "")
    assert re.sub(r"sha256:\w+", "sha256:…", result.stdout) == (
        "FAILED small/notebooks have four  (policy-tests/small.yaml:7)\n"
        "  cannot be read: an answer of `quote` has no `outcome`  (S011 at policy-tests/small.yaml:9)\n"
        "    help: it has `cappedBy`, `class`, `cost`, `protected`, `rank` or `reasons`\n"
        "\n"
        "failed: 1 of 2 cases failed, policy meaning sha256:…\n"
    )


def test_a_change_that_leaves_no_policy_stops_no_other_case(place: Path) -> None:
    whole = BROKEN.format(name="more than all", change="Budget/organization: {shares: {language: 90%}}")
    strange = BROKEN.format(name="a stranger", change="Budget/organisation: null")
    result = call(place, whole + strange + PASSING)
    assert (result.exit_code, result.stderr) == (1, "")
    assert re.sub(r"sha256:\w+", "sha256:…", result.stdout) == (
        "FAILED small/more than all  (policy-tests/small.yaml:7)\n"
        "  refused  (policy-tests/small.yaml:10)\n"
        "    expected  none\n"
        "    got       A004: the shares of `/` are over 100% at all times in every pool: over by 15%\n"
        "\n"
        "FAILED small/a stranger  (policy-tests/small.yaml:12)\n"
        "  cannot be read: the policy has no `Budget/organisation` to take away  (S006 at policy-tests/small.yaml:15)\n"
        "    help: did you mean `Budget/organization`?\n"
        "\n"
        "failed: 2 of 3 cases failed, policy meaning sha256:…\n"
    )


def test_such_a_case_is_an_error_in_every_format(place: Path) -> None:
    cases = BROKEN.format(name="a stranger", change="Budget/organisation: null") + PASSING
    (first, second) = json.loads(call(place, cases, "--format", "json").stdout)["cases"]
    assert (first["passed"], second["passed"]) == (False, True)
    assert (
        first["problem"]
        == "the case cannot be read: policy-tests/small.yaml:10:11: S006 the policy has no `Budget/organisation` to take away, did you mean `Budget/organization`?"
    )
    suites = ET.fromstring(call(place, cases, "--format", "junit").stdout)
    assert (suites.attrib["errors"], suites.attrib["failures"], suites.attrib["tests"]) == ("1", "0", "2")
    assert call(place, cases, "--run", "large jobs").exit_code == 0, "only what is chosen counts"


def test_a_state_file_lies_beside_the_test(place: Path) -> None:
    (place / "policy-tests/state.json").write_text('{"time": "2026-09-01T12:00:00Z"}')
    shared = PASSING.replace("      quote", "      stateFile: state.json\n      quote")
    assert call(place, shared).exit_code == 0
    (place / "policy-tests/state.json").unlink()
    (place / "policy-tests/small.yaml").write_text(HEAD + shared)
    assert run("test", cwd=place).code == 3


def test_the_examples_of_the_page_hold(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "policies", tmp_path / "policies")
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/testing.md").read_text(), flags=re.DOTALL)
    assert len(blocks) == 2
    (tmp_path / "policy-tests").mkdir()
    (tmp_path / "policy-tests/page.yaml").write_text("---\n".join(blocks))
    result = run("test", cwd=tmp_path)
    assert result.code == 0, result.text + result.err
    assert "ok: 5 cases passed" in result.text


def test_the_failure_on_the_page_is_what_a_looser_cap_gives(tmp_path: Path) -> None:
    page = (ROOT / "docs/testing.md").read_text()
    shutil.copytree(ROOT / "policies", tmp_path / "policies")
    caps = tmp_path / "policies/caps/lab.yaml"
    caps.write_text(caps.read_text().replace("maxProtected: 2h", "maxProtected: 4h"))
    (tmp_path / "policy-tests").mkdir()
    block = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)[0]
    (tmp_path / "policy-tests/notebooks.yaml").write_text(block)
    result = run("test", cwd=tmp_path)
    (shown,) = re.findall(r"```\n(FAILED .*?)```", page, flags=re.DOTALL)
    assert result.code == 1
    assert result.text.startswith(shown)


def test_lists_that_differ_are_shown_whole(place: Path) -> None:
    cases = """\
    - name: an empty pool
      rank: {pool: h100}
      expect: {order: [b, a], why: {b: [funded]}}
    - name: nobody to preempt
      state:
        jobs: [{id: a, account: /language, user: u, pool: h100, gpus: 8, submit: "2026-09-01T12:00:00Z", min_runtime: 1h}]
      plan: {job: a}
      expect: {outcome: granted, victims: [b], retryAt: "2026-09-01T14:00:00+02:00"}
    - name: what is not there
      usage: {pool: h100}
      expect: {accounts: {/language: {share: 61%, owed: -0.5}, /nobody: {share: 1%}}}
"""
    result = call(place, cases)
    assert result.exit_code == 1
    assert re.findall(
        r"^  (\S+)  .*\n    expected  (.*)\n    got       (.*)$", result.stdout, flags=re.MULTILINE
    ) == [
        ("order", "first b, a", "none"),
        ("why.b", "at least funded", "nothing: the answer does not speak of it"),
        ("retryAt", "2026-09-01T12:00:00Z", "none"),
        ("victims", "b", "none"),
        ("accounts./language.owed", "-0.5", "0.0"),
        ("accounts./language.share", "61%", "60%"),
        ("accounts./nobody.share", "1%", "nothing: the answer does not speak of it"),
    ]
