"""`policyctl exception new`: a document that the policy accepts in a new file, or no file at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from policyctl.cli.main import policyctl, run
from policyctl.errors import Exit, NoAnswer, UsageProblem
from policyctl.workspace.files import write_new
from tests.agenda.sample import POLICY

WHY = ["--reason", 'a "deadline": café', "--ticket", "OPS-1", "--requested-by", "@lab/leads"]
WHEN = ["--starts", "2026-06-10T02:00:00+02:00", "--expires", "2026-06-20T00:00:00Z"]
SHARE = ["--share", "5%", "--from", "/robotics", "--to", "/language"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/policy.yaml").write_text(POLICY)
    return tmp_path


def call(name: str, *arguments: str) -> Result:
    fixed = ["exception", "new", name, "--now", "2026-06-01T00:00:00Z"]
    return CliRunner().invoke(policyctl, [*fixed, *arguments])


def files() -> list[str]:
    return sorted(str(path) for path in Path("policies").rglob("*") if path.is_file())


def test_the_whole_document() -> None:
    result = call("lent", *WHY, *WHEN, *SHARE)
    assert result.exit_code == 0, result.output
    assert result.stderr == (
        "wrote policies/exceptions/lent.yaml: in force from 2026-06-10T00:00:00Z until 2026-06-20T00:00:00Z\n"
    )
    assert Path("policies/exceptions/lent.yaml").read_text() == (
        "apiVersion: policyctl/v1\n"
        "kind: Exception\n"
        'metadata: {name: "lent"}\n'
        "spec:\n"
        '  reason: "a \\"deadline\\": café"\n'
        '  ticket: "OPS-1"\n'
        '  requestedBy: "@lab/leads"\n'
        '  starts: "2026-06-10T00:00:00Z"\n'
        '  expires: "2026-06-20T00:00:00Z"\n'
        "  share: {to: /language, from: /robotics, add: 5%}\n"
    )
    assert files() == ["policies/exceptions/lent.yaml", "policies/policy.yaml"]


@pytest.mark.parametrize(
    "grant",
    [
        ["--share", "1/30", "--from", "/robotics", "--to", "/language"],
        ["--protect", "/language", "--max-protected", "1d12h"],
        ["--protect-job", "0017", "--max-protected", "8h"],
        ["--suspend", "/language"],
        ["--freeze", "h100"],
    ],
    ids=lambda grant: grant[0],
)
def test_what_is_written_validates_and_is_listed(grant: list[str]) -> None:
    assert call("one", *WHY, "--for", "9d", *grant).exit_code == 0
    assert (
        CliRunner()
        .invoke(policyctl, ["validate", "--fail-on", "warning", "--now", "2026-06-02T00:00:00Z"])
        .exit_code
        == 0
    )
    listed = CliRunner().invoke(policyctl, ["exceptions", "--now", "2026-06-02T00:00:00Z"])
    assert "one        expiring  2026-06-01T00:00:00Z  2026-06-10T00:00:00Z" in listed.stdout


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("long", ["--for", "61d", *SHARE], "E003"),
        ("much", ["--for", "9d", "--share", "45%", "--from", "/robotics", "--to", "/language"], "E001"),
        ("nobody", ["--for", "9d", "--suspend", "/langauge"], "A005"),
        ("nowhere", ["--for", "9d", "--freeze", "h10"], "A006"),
        ("idle", ["--for", "9d", "--protect", "/language", "--max-protected", "1h"], "E006"),
        ("../outside", ["--for", "9d", *SHARE], "S009"),
        ("Upper", ["--for", "9d", *SHARE], "S009"),
        ("back", ["--starts", "2026-06-10T00:00:00Z", "--expires", "2026-06-09T00:00:00Z", *SHARE], "S016"),
        ("odd", ["--for", "9d", "--freeze", "h100}"], "S009"),
    ],
    ids=[
        "longer than Governance allows",
        "more than the donor has",
        "an account misspelt",
        "a pool misspelt",
        "it would change nothing",
        "a name that leads elsewhere",
        "a name in upper case",
        "an end before the start",
        "text that could end its field",
    ],
)
def test_what_the_policy_refuses_is_not_written(name: str, arguments: list[str], code: str) -> None:
    result = call(name, *WHY, *arguments)
    assert result.exit_code == 1
    assert code in result.stderr
    assert files() == ["policies/policy.yaml"]
    assert sorted(path.name for path in Path().iterdir()) == ["policies"]


def test_nothing_is_overwritten() -> None:
    assert run(["exception", "new", "lent", *WHY, *WHEN, *SHARE, "-o", "policies/policy.yaml"]) == Exit.USAGE
    assert Path("policies/policy.yaml").read_text() == POLICY
    assert call("lent", *WHY, *WHEN, *SHARE).exit_code == 0
    before = Path("policies/exceptions/lent.yaml").read_text()
    assert run(["exception", "new", "lent", *WHY, "--for", "1d", *SHARE]) == Exit.USAGE
    assert Path("policies/exceptions/lent.yaml").read_text() == before


@pytest.mark.parametrize("kind", ["file", "link that leads nowhere", "folder"])
def test_a_new_file_takes_no_place_of_anything(kind: str) -> None:
    path = Path("taken.yaml")
    match kind:
        case "file":
            path.write_text("before")
        case "folder":
            path.mkdir()
        case _:
            path.symlink_to("gone")
    with pytest.raises(UsageProblem):
        write_new(path, b"after")
    assert sorted(one.name for one in Path().iterdir()) == ["policies", "taken.yaml"]
    assert not path.is_file() or path.read_text() == "before"


def test_where_nothing_can_be_written_nothing_is_left() -> None:
    Path("blocked").write_text("a file where a folder should be")
    with pytest.raises(NoAnswer):
        write_new(Path("blocked/new.yaml"), b"text")
    assert sorted(one.name for one in Path().iterdir()) == ["blocked", "policies"]


def test_a_name_that_is_taken_elsewhere_is_refused() -> None:
    assert call("lent", *WHY, *WHEN, *SHARE).exit_code == 0
    result = call("lent", *WHY, *WHEN, *SHARE, "-o", "policies/other.yaml")
    assert result.exit_code == 1
    assert "S012" in result.stderr
    assert not Path("policies/other.yaml").exists()


def test_standard_output_gets_the_document_alone() -> None:
    result = call("lent", *WHY, *WHEN, *SHARE, "-o", "-")
    assert result.exit_code == 0
    assert result.stdout.startswith("apiVersion: policyctl/v1\nkind: Exception\n")
    assert files() == ["policies/policy.yaml"]


def test_a_warning_does_not_hinder_and_is_shown() -> None:
    result = call("past", *WHY, "--starts", "2026-05-01T00:00:00Z", "--for", "1d", *SHARE)
    assert result.exit_code == 0
    assert "E007" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--for", "9d"], "no grant is named"),
        (["--for", "9d", *SHARE, "--freeze", "h100"], "exclude each other"),
        (["--for", "9d", "--share", "5%", "--to", "/language"], "`--share` needs `--from` too"),
        (["--for", "9d", "--protect", "/language"], "`--protect` needs `--max-protected` too"),
        (["--for", "9d", "--freeze", "h100", "--to", "/language"], "`--to` does not go with `--freeze`"),
        (SHARE, "an exception has one end"),
        (["--for", "9d", "--expires", "2026-06-20T00:00:00Z", *SHARE], "an exception has one end"),
        (["--for", "9d", *SHARE, "-o", "elsewhere.yaml"], "would not be part of the policy"),
        (["--for", "9d", *SHARE, "-o", "policies/.hidden.yaml"], "would not be part of the policy"),
        (["--for", "9d", *SHARE, "-o", "policies/lent.txt"], "would not be part of the policy"),
        (["--for", "nine days", *SHARE], "not a duration"),
        (["--for", "9d", *SHARE, "--policy", "empty"], "there is no folder"),
    ],
    ids=[
        "no grant",
        "two grants",
        "half a share",
        "half a protection",
        "an option of another grant",
        "no end",
        "two ends",
        "a file outside of the policy",
        "a hidden file",
        "a file that is not read",
        "no duration",
        "no policy",
    ],
)
def test_a_call_that_does_not_go_together(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["exception", "new", "one", *WHY, *arguments]) in {Exit.USAGE, Exit.NO_ANSWER}
    assert said in capsys.readouterr().err
    assert files() == ["policies/policy.yaml"]
