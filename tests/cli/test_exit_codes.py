"""Every command against every way to end: the exit code, and which stream says what."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import BROKEN, POLICY, policy, run

WHY = "--reason why --ticket T-1 --requested-by @lab/leadership"
ROWS: list[tuple[str, str, int, str]] = [
    # what is so, the call, the exit code, what standard error or output then says
    ("version", "--version", 0, "policyctl "),
    ("version with another option", "--debug --version", 0, "policyctl "),
    ("help", "--help", 0, "Commands:"),
    ("short help", "-h", 0, "Commands:"),
    ("nothing asked", "", 2, "Commands:"),
    ("unknown command", "frobnicate", 2, "frobnicate"),
    ("unknown option", "validate --frobnicate", 2, "--frobnicate"),
    ("validate help", "validate --help", 0, "Examples:"),
    ("validate good", "validate good/policies", 0, "no findings in 1 file"),
    ("validate broken", "validate broken/policies", 1, "1 error"),
    ("validate broken, never fails", "validate broken/policies --fail-on never", 0, "1 error"),
    ("validate a warning", "validate warned/policies", 0, "1 warning"),
    ("validate a warning, fails", "validate warned/policies --fail-on warning", 1, "1 warning"),
    ("validate unreadable", "validate missing", 3, "there is no folder `missing`"),
    ("validate a file", "validate good/policies/policy.yaml", 3, "there is no folder"),
    ("validate nothing", "validate empty", 5, "there is no policy file in `empty`"),
    ("validate the default, which is missing", "validate", 3, "there is no folder `policies`"),
    ("validate two folders", "validate a b", 2, "b"),
    ("validate as what", "validate good/policies --format xml", 2, "xml"),
    ("validate at a date", "validate good/policies --now 2026-09-01", 2, "`2026-09-01T00:00:00Z`"),
    ("validate at an instant", "validate good/policies --now 2026-09-01T00:00:00Z", 0, "no findings"),
    ("validate what is staged nowhere", "validate good/policies --staged", 3, "not in a git repository"),
    ("test good", "test good/tests --policy good/policies", 0, "ok: 1 case passed"),
    ("test bad", "test bad/tests --policy good/policies", 1, "failed: 1 of 1 case failed"),
    ("test unreadable", "test missing --policy good/policies", 3, "there is no folder `missing`"),
    ("test nothing", "test empty --policy good/policies", 5, "there is no policy test in `empty`"),
    ("test no such case", "test good/tests --policy good/policies --run other", 5, "matches none of 1 case"),
    ("test of what", "test good/policies --policy good/policies", 1, "is no kind of test"),
    ("test a broken policy", "test good/tests --policy broken/policies", 1, "1 error"),
    ("diff without a repository", "diff", 3, "compare two folders or two bundles"),
    ("diff two folders", "diff ./good/policies ./other/policies", 0, "rights"),
    ("diff two bundles", "diff good.bundle good.bundle", 0, "both policies mean the same"),
    ("diff to a broken folder", "diff ./good/policies ./broken/policies", 1, "1 error"),
    ("diff damaged", "diff damaged.bundle good.bundle", 4, "does not match its content"),
    ("diff three", "diff a b c", 2, "c"),
    ("diff staged and a head", "diff --staged a b", 2, "exclude each other"),
    ("ci broken, and nothing to compare with", "ci --policy broken/policies", 3, "not carried out"),
    ("ci of what", "ci good/policies", 2, "good/policies"),
    ("compile good", "compile good/policies -o new", 0, "wrote new"),
    ("compile broken", "compile broken/policies -o new", 1, "1 error"),
    ("compile to nowhere", "compile good/policies", 2, "-o"),
    ("compile unreadable", "compile missing -o new", 3, "there is no folder `missing`"),
    ("compile nothing", "compile empty -o new", 5, "there is no policy file"),
    ("compile to a folder that is missing", "compile good/policies -o missing/new", 3, "cannot write"),
    ("bundle without command", "bundle", 2, "Commands:"),
    ("bundle unknown command", "bundle frobnicate", 2, "frobnicate"),
    ("bundle show good", "bundle show good.bundle", 0, "h100"),
    ("bundle show damaged", "bundle show damaged.bundle", 4, "does not match its content"),
    ("bundle show missing", "bundle show missing.bundle", 3, "cannot read `missing.bundle`"),
    ("bundle show no bundle", "bundle show good/policies/policy.yaml", 4, "does not start with a digest"),
    ("bundle show no stdin", "bundle show -", 4, "it is empty"),
    ("bundle show huge", "bundle show huge.bundle", 4, "larger than 64 MiB"),
    ("bundle show a packed bomb", "bundle show bomb.bundle", 4, "larger than 64 MiB"),
    ("bundle verify good", "bundle verify good.bundle", 0, "ok: good.bundle is whole"),
    ("bundle verify packed", "bundle verify good.bundle.gz", 0, "is whole"),
    ("bundle verify damaged", "bundle verify damaged.bundle", 4, "does not match its content"),
    ("bundle verify cut packed", "bundle verify cut.bundle.gz", 3, "is cut off"),
    ("bundle verify missing", "bundle verify missing.bundle", 3, "cannot read"),
    ("bundle verify same", "bundle verify good.bundle --policy good/policies", 0, "it means what"),
    ("bundle verify other", "bundle verify good.bundle --policy other/policies", 1, "differs"),
    ("bundle verify broken", "bundle verify good.bundle --policy broken/policies", 1, "1 error"),
    ("bundle verify nothing", "bundle verify good.bundle --policy empty", 5, "no policy file"),
    ("bundle verify damaged and broken", "bundle verify damaged.bundle --policy broken/policies", 4, "match"),
    (
        "timeline",
        "timeline --policy good/policies --now 2026-01-01T00:00:00Z",
        0,
        "nothing changes by itself",
    ),
    (
        "timeline of a bundle",
        "timeline --bundle good.bundle --until 2020-01-01T00:00:00Z",
        2,
        "not after now",
    ),
    ("timeline without end", "timeline --bundle good.bundle --until 9999-01-01T00:00:00Z", 2, "20 years"),
    ("timeline until nobody knows", "timeline --bundle good.bundle --until soon", 2, "not an instant"),
    ("timeline broken", "timeline --policy broken/policies", 1, "A004"),
    ("exceptions", "exceptions --policy good/policies", 0, "no exceptions"),
    ("exceptions of a bundle", "exceptions --bundle good.bundle --strict", 0, "no exceptions"),
    ("exceptions broken", "exceptions --policy broken/policies", 1, "A004"),
    ("exceptions nowhere", "exceptions --policy nowhere", 3, "there is no folder"),
    ("exceptions of nothing", "exceptions --policy empty", 5, "no policy file"),
    ("exceptions soon", "exceptions --bundle good.bundle --expiring soon", 2, "not a duration"),
    ("exceptions from one stream", "exceptions --bundle - --state -", 2, "cannot both come"),
    (
        "exception new",
        f"exception new one {WHY} --for 1d --freeze h100 --policy good/policies -o -",
        0,
        "freeze:",
    ),
    ("exception new of nothing", f"exception new one {WHY} --for 1d --policy good/policies", 2, "no grant"),
    (
        "exception new wrong",
        f"exception new one {WHY} --for 1d --freeze h10 --policy good/policies",
        1,
        "A006",
    ),
    (
        "exception new broken",
        f"exception new one {WHY} --for 1d --freeze h100 --policy broken/policies",
        1,
        "A004",
    ),
    (
        "exception new nowhere",
        f"exception new one {WHY} --for 1d --freeze h100 --policy nowhere",
        3,
        "no folder",
    ),
    (
        "exception new in nothing",
        f"exception new one {WHY} --for 1d --freeze h100 --policy empty",
        5,
        "no policy",
    ),
    ("init over a policy", "init good", 2, "`good` has `policies` already"),
    ("init at a file", "init good.bundle", 2, "`good.bundle` is no folder"),
    ("init for whom", "init new --org a--b", 2, "`a--b` has not the shape of `lab`"),
    ("init of two", "init a b", 2, "b"),
    (
        "review",
        "review --approvals approvals.json ./good/policies ./other/policies --policy good/policies",
        1,
        "0 of 1",
    ),
    (
        "review of nothing new",
        "review --approvals approvals.json ./good/policies ./good/policies",
        0,
        "nothing to approve",
    ),
    ("review without approvals", "review ./good/policies ./other/policies", 2, "--approvals"),
    (
        "review of a broken head",
        "review --approvals approvals.json ./good/policies ./broken/policies",
        1,
        "A004",
    ),
    (
        "review of a first policy",
        "review --approvals approvals.json ./empty ./good/policies",
        1,
        "1 of anyone",
    ),
    (
        "review of no export",
        "review --approvals good.bundle ./good/policies ./other/policies",
        3,
        "is no export of approvals",
    ),
    ("review from one stream", "review --approvals - --members -", 2, "only one of both"),
    ("codeowners", "codeowners good/policies", 0, "/good/policies/"),
    ("codeowners of a broken policy", "codeowners broken/policies", 1, "A004"),
    ("codeowners nowhere", "codeowners nowhere", 3, "there is no folder"),
    ("codeowners of nothing", "codeowners empty", 5, "no policy file"),
    (
        "codeowners of others",
        "codeowners good/policies --check approvals.json",
        1,
        "no line gives it to anybody",
    ),
    ("codeowners unreadable", "codeowners good/policies --check nowhere", 3, "cannot read"),
    ("rules", "rules", 0, "A001"),
    ("rules of a code", "rules A001", 0, "# A001: "),
    ("rules of a code in lower case", "rules a001", 0, "# A001: "),
    ("rules of no code", "rules A0O1", 2, "there is no code `A0O1`"),
]


TESTS = """\
apiVersion: policyctl/v1
kind: PolicyTest
metadata: {{name: caps}}
spec:
  now: "2026-09-01T12:00:00Z"
  cases:
    - name: four hours
      quote: {{account: /language, user: u, pool: h100, gpus: 8, min_runtime: 9h}}
      expect: {{protected: {expected}}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("calls")
    texts = {
        "good": POLICY,
        "broken": BROKEN,
        "other": POLICY.replace("60%", "61%"),
        "warned": POLICY.replace("owner: leadership", 'reviewBy: "2020-01-01T00:00:00Z"'),
    }
    (top / "approvals.json").write_text('{"reviews": [], "commits": [{"author": {"login": "dev1"}}]}')
    for name, text in texts.items():
        (top / name).mkdir()
        policy(top / name, text)
    (top / "empty").mkdir()
    for name, expected in (("good", "4h"), ("bad", "5h")):
        (top / name / "tests").mkdir(parents=True)
        (top / name / "tests/caps.yaml").write_text(TESTS.format(expected=expected))
    assert run("compile", "good/policies", "-o", "good.bundle", cwd=top).code == 0
    good = (top / "good.bundle").read_bytes()
    (top / "damaged.bundle").write_bytes(good.replace(b"3/5", b"4/5"))
    (top / "good.bundle.gz").write_bytes(gzip.compress(good))
    (top / "cut.bundle.gz").write_bytes(gzip.compress(good)[:-10])
    (top / "bomb.bundle").write_bytes(gzip.compress(bytes(80 * 1024**2), 1))
    with (top / "huge.bundle").open("wb") as file:
        file.truncate(1024**3)
    return top


@pytest.mark.parametrize(("call", "code", "said"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_each_end_has_its_code(folder: Path, call: str, code: int, said: str) -> None:
    (folder / "new").unlink(missing_ok=True)
    ended = run(*call.split(), cwd=folder)
    assert ended.code == code, ended.err
    assert said in ended.text + ended.err
    assert "Traceback" not in ended.err
    # All stages of a check are one report, also those without an answer.
    if code not in {0, 1} and not call.startswith("ci --"):
        assert not ended.out, "what is no answer does not go to standard output"
        assert ended.err.startswith(("error: ", "Usage: "))
    if call.startswith("compile") and code:
        assert not (folder / "new").exists(), "nothing is written"


def test_a_mistake_is_one_line_and_a_way_out(tmp_path: Path) -> None:
    ended = run("validate", "nowhere", cwd=tmp_path)
    assert ended.err == (
        "error: there is no folder `nowhere`\nhelp: say where the policy is, or run where it lies\n"
    )


FAULTY = """
import sys
import policyctl.cli.main
def run(arguments):
    raise {}
policyctl.cli.main.run = run
from policyctl.__main__ import main
sys.exit(main())
"""


def faulty(error: str, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", FAULTY.format(error), *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        ("ValueError('two\\nlines')", 70, "error: a bug in policyctl: ValueError: two"),
        ("RecursionError('deep')", 70, "error: a bug in policyctl: RecursionError: deep"),
        ("MemoryError()", 3, "error: there is not enough memory"),
        ("OSError(28, 'No space left on device')", 3, "error: No space left on device"),
    ],
)
def test_what_nobody_expected_is_one_line_and_its_trace_on_request(error: str, code: int, line: str) -> None:
    assert faulty(error) == (code, f"{line}\nhelp: run it again with `--debug` to see where\n")
    ended, said = faulty(error, "validate", "--debug")
    assert ended == code
    assert said.startswith("Traceback")
    assert said.endswith(f"{line}\n")


@pytest.mark.parametrize("error", ["KeyboardInterrupt()", "BrokenPipeError()"])
def test_an_interruption_says_nothing(error: str) -> None:
    assert faulty(error) == ({"KeyboardInterrupt()": 130, "BrokenPipeError()": 141}[error], "")


def test_interrupting_a_command_that_waits_for_input(tmp_path: Path) -> None:
    reads = tmp_path / "reads"
    command = [sys.executable, "-m", "policyctl", "bundle", "verify", str(reads)]
    os.mkfifo(reads)
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as waiting,
        reads.open("wb"),  # returns once the program has opened the other end
    ):
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=30)
    assert (waiting.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("call", [["rules"], ["--help"], ["--version"]], ids=lambda call: call[0])
def test_a_reader_that_went_away(call: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "policyctl", *call], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("call", [["rules"], ["--version"]], ids=lambda call: call[0])
def test_a_full_disk_is_no_answer(call: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "policyctl", *call], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 3
    assert done.stderr.startswith(b"error: No space left on device\n")
