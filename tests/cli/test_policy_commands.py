"""validate, compile and bundle: what they say and write, in each format and on each stream."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.program import BROKEN, POLICY, policy, run


def test_places_can_be_opened_from_where_the_caller_stands(tmp_path: Path) -> None:
    policy(tmp_path, BROKEN)
    found = json.loads(run("validate", "--format", "json", cwd=tmp_path).out)
    assert {one["file"] for one in found["findings"]} == {"policies/policy.yaml"}
    assert "policies/policy.yaml:" in run("validate", cwd=tmp_path).text
    there = json.loads(run("validate", ".", "--format", "json", cwd=tmp_path / "policies").out)
    assert {one["file"] for one in there["findings"]} == {"policy.yaml"}


def test_places_for_github_start_at_the_top_of_the_repository(tmp_path: Path) -> None:
    policy(tmp_path, BROKEN)
    (tmp_path / ".git").mkdir()
    for cwd, folder in ((tmp_path, "policies"), (tmp_path / "policies", ".")):
        assert "file=policies/policy.yaml," in run("validate", folder, "--format", "github", cwd=cwd).text
        sarif = json.loads(run("validate", folder, "--format", "sarif", cwd=cwd).out)
        place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "policies/policy.yaml"


def test_each_format_is_all_of_standard_output(tmp_path: Path) -> None:
    policy(tmp_path, BROKEN)
    ended = {name: run("validate", "--format", name, cwd=tmp_path) for name in ("json", "sarif", "junit")}
    summary = json.loads(ended["json"].out)["summary"]
    assert (summary["errors"], summary["warnings"], summary["files"]) == (1, 0, 1)
    assert json.loads(ended["sarif"].out)["version"] == "2.1.0"
    assert ET.fromstring(ended["junit"].out).tag in {"testsuites", "testsuite"}
    assert {(one.code, one.err) for one in ended.values()} == {(1, "")}


def test_the_clock_is_an_option(tmp_path: Path) -> None:
    policy(tmp_path, POLICY.replace("owner: leadership", 'reviewBy: "2026-12-01T00:00:00Z"'))
    early = run("validate", "--now", "2026-11-30T23:59:59Z", "--fail-on", "warning", cwd=tmp_path)
    late = run("validate", "--now", "2026-12-01T00:00:00Z", "--fail-on", "warning", cwd=tmp_path)
    assert (early.code, late.code) == (0, 1)


def on_a_terminal(*arguments: str, cwd: Path, **environment: str) -> str:
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "policyctl", *arguments],
        cwd=cwd,
        stdout=theirs,
        stdin=subprocess.DEVNULL,
        check=False,
        env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    said = os.read(ours, 65536)
    os.close(ours)
    return said.decode()


def test_colours_are_for_terminals_that_want_them(tmp_path: Path) -> None:
    policy(tmp_path, BROKEN)
    assert "\x1b[" in on_a_terminal("validate", cwd=tmp_path)
    assert "\x1b[" not in on_a_terminal("validate", cwd=tmp_path, NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal("validate", cwd=tmp_path, TERM="dumb")
    assert "\x1b[" not in run("validate", cwd=tmp_path).text


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_output_is_utf8_under_every_locale(tmp_path: Path, locale: str) -> None:
    policy(tmp_path, BROKEN.replace("language", "über"))
    ended = run("validate", cwd=tmp_path, LC_ALL=locale, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert ended.code == 1
    assert "über" in ended.text


def test_two_compiles_anywhere_give_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name, zone, seed in (("a", "Asia/Tokyo", "1"), ("b", "UTC", "2")):
        (tmp_path / name).mkdir()
        policy(tmp_path / name)
        before = os.umask(0o077 if name == "a" else 0o022)
        assert run("compile", "-o", "bundle", cwd=tmp_path / name, TZ=zone, PYTHONHASHSEED=seed).code == 0
        os.umask(before)
        made.append((tmp_path / name / "bundle").read_bytes())
    assert made[0] == made[1]


def test_compile_writes_to_a_pipe_and_says_the_digests_beside_it(tmp_path: Path) -> None:
    policy(tmp_path)
    to_file = run("compile", "-o", "bundle", cwd=tmp_path)
    to_pipe = run("compile", "-o", "-", cwd=tmp_path)
    assert to_pipe.out == (tmp_path / "bundle").read_bytes()
    digests = to_file.text.splitlines()
    assert [line.split()[0] for line in digests] == ["meaning", "digest"]
    assert all(line in to_pipe.err.splitlines() for line in digests)
    shown = run("bundle", "verify", "-", cwd=tmp_path, stdin=to_pipe.out)
    assert shown.text.splitlines() == ["ok: - is whole", *digests]


def test_compile_with_an_error_keeps_the_bundle_that_is_there(tmp_path: Path) -> None:
    policy(tmp_path)
    run("compile", "-o", "bundle", cwd=tmp_path)
    before = (tmp_path / "bundle").read_bytes()
    policy(tmp_path, BROKEN)
    ended = run("compile", "-o", "bundle", cwd=tmp_path)
    assert (ended.code, ended.out) == (1, b"")
    assert "policies/policy.yaml:" in ended.err
    assert (tmp_path / "bundle").read_bytes() == before


def test_moving_and_renaming_documents_keeps_the_meaning(tmp_path: Path) -> None:
    policy(tmp_path)
    run("compile", "-o", "bundle", cwd=tmp_path)
    documents = POLICY.replace("{name: cap}", "{name: limits}").split("---\n")
    (tmp_path / "policies/policy.yaml").unlink()
    for number, document in enumerate(reversed(documents)):
        (tmp_path / f"policies/{number}.yaml").write_text(f"# {number}\n{document}")
    ended = run("bundle", "verify", "bundle", "--policy", "policies", cwd=tmp_path)
    assert (ended.code, ended.text.splitlines()[-1]) == (0, "ok: it means what policies says")


def test_compile_says_when_it_names_no_commit_or_another_one(tmp_path: Path) -> None:
    policy(tmp_path)
    outside = run("compile", "-o", "bundle", cwd=tmp_path, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert "note: the bundle names no commit: the folder is not in a git repository" in outside.err
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *step], cwd=tmp_path, check=True)
    assert "note" not in run("compile", "-o", "bundle", cwd=tmp_path).err
    policy(tmp_path, POLICY + "# later\n")
    assert "note: the policy files differ from the commit" in run("compile", "-o", "bundle", cwd=tmp_path).err
    shown = json.loads(run("bundle", "show", "bundle", "--format", "json", cwd=tmp_path).out)
    assert shown["provenance"]["dirty"] is True


def test_bundle_show_reads_at_a_glance(tmp_path: Path) -> None:
    policy(tmp_path)
    run("compile", "-o", "bundle", cwd=tmp_path)
    shown = run("bundle", "show", "bundle", cwd=tmp_path).text
    after_digests = shown[shown.index("schema ") : shown.index("sources")]
    assert after_digests == EXPECTED


EXPECTED = """\
schema   policyctl/v1

pools
  h100  704 GPUs: 88 nodes of 8, blocks of 16 nodes, charge rate 1

shares
  /
    language  60%
    robotics  25%
    unassigned 15%

accounting
  window      the last 14d, half its weight every 7d
  charge      protected 1, after protection 1, opportunistic 0, unused protection 1/2
  overdraft   unlimited

protection caps
  /  (policy.yaml:26)
    interactive: at most 2h when job.kind == "interactive"
    otherwise: at most 4h

preemption
  hysteresis  0%
  notice      0s

exceptions
  none

"""


def test_both_ways_to_a_policy_name_the_same_digest_and_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from policyctl.cli.sources import load_policy  # noqa: PLC0415

    policy(tmp_path)
    run("compile", "-o", "bundle", cwd=tmp_path)
    by_bundle = load_policy(None, str(tmp_path / "bundle"))
    monkeypatch.chdir(tmp_path / "policies")
    by_folder = load_policy(Path(), None)
    assert by_folder == by_bundle
    assert by_folder.policy.governance.places == by_bundle.policy.governance.places


def test_the_places_of_a_folder_can_be_opened_from_where_the_caller_stands(tmp_path: Path) -> None:
    from policyctl.cli.sources import load_policy  # noqa: PLC0415

    policy(tmp_path)
    loaded = load_policy(tmp_path / "policies", None).policy
    file = (tmp_path / "policies/policy.yaml").as_posix()
    cap = loaded.caps[0]
    rule = cap.rules[0]
    places = [loaded.pools[0].place, loaded.budgets[0].shares[1].place, rule.place, rule.when.place]
    places += [cap.default_place or cap.place, *loaded.accounting.places.values()]
    assert {place.file for place in places} == {file}
    assert cap.rules[0].max_protected == 7200
