"""`policyctl init` writes a repository that works, all of it or nothing, and never over what is there."""

from __future__ import annotations

import shlex
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from policyctl.cli.init import init
from policyctl.errors import NoAnswer, UsageProblem
from policyctl.version import __version__
from policyctl.workspace.installed import requirement_of
from policyctl.workspace.new_files import new_files
from policyctl.workspace.starter import starter_files
from tests.cli.program import run
from tests.host.git import ENVIRONMENT, commit, git

FILES = {"a/one": b"1", "a/b/two": b"2", "three": b"3"}


def content(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if ".git" not in path.relative_to(folder).parts
    }


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("init") / "new" / "lab"
    ended = run("init", folder, "--org", "acme", "--install", "policyctl==1.2", cwd=folder.parent.parent)
    assert (ended.code, ended.err) == (0, "")
    assert ended.text.splitlines() == [
        "wrote 18 files; the policy is valid, and 18 tests passed",
        "handles begin with @acme/, and the code host installs `policyctl==1.2`",
        "say who is in which team in `.github/policy-members.json`: only they can approve",
        "next:",
        f"  git -C {folder} init --initial-branch=main",
        f"  git -C {folder} add --all",
        f"  git -C {folder} commit --message 'The policy of our cluster'",
    ]
    for line in ended.text.splitlines()[4:]:
        subprocess.run(shlex.split(line), env=ENVIRONMENT, check=True, capture_output=True)
    return folder


def test_what_was_written_is_what_the_templates_say(lab: Path) -> None:
    written = {name: text for name, text in content(lab).items() if text is not None}
    assert written == starter_files(org="acme", install="policyctl==1.2")
    assert not [name for name, text in written.items() if b"{{install" in text or b"{{org" in text]


def test_every_template_is_used() -> None:
    templates = Path(__file__).parent.parent.parent / "policyctl/starter"
    assert len([path for path in templates.rglob("*") if path.is_file()]) == len(
        starter_files(org="a", install="b")
    )


def test_the_policy_has_no_findings_and_every_rule_a_case(lab: Path) -> None:
    assert run("validate", "--fail-on", "warning", "--now", "2040-01-01T00:00:00Z", cwd=lab).code == 0
    assert "10 of 10 conditions" in run("test", "--coverage", cwd=lab).text
    assert run("validate", "--staged", cwd=lab).code == 0
    assert run("diff", cwd=lab).code == 0


def test_code_owners_are_the_owners_of_budgets(lab: Path) -> None:
    rules = [line.split() for line in (lab / ".github/CODEOWNERS").read_text().splitlines() if line[0] != "#"]
    groups = yaml.safe_load((lab / "policies/governance.yaml").read_text())["spec"]["groups"]
    budgets = sorted((lab / "policies/budgets").glob("*.yaml"))
    assert len(budgets) == 2
    for path in budgets:
        name = f"/{path.relative_to(lab).as_posix()}"
        matching = [who for pattern, *who in rules if fnmatchcase(name, pattern.removesuffix("/") + "*")]
        assert matching[-1] == groups[yaml.safe_load(path.read_text())["spec"]["owner"]]


@pytest.mark.parametrize("below", [False, True], ids=["here", "in a folder"])
def test_a_repository_without_a_commit_gets_its_first_one(tmp_path: Path, *, below: bool) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    ended = run("init", *([folder] if below else []), cwd=tmp_path if below else folder)
    *commands, check = ended.text.splitlines()[4:]
    assert [line.split()[-1].strip("'") for line in commands] == ["--all", "cluster"]
    for line in commands:
        subprocess.run(
            shlex.split(line),
            cwd=tmp_path if below else folder,
            env=ENVIRONMENT,
            check=True,
            capture_output=True,
        )
    assert check == (f"  cd {folder} && policyctl ci" if below else "  policyctl ci")
    assert run("ci", cwd=folder).code == 0


def test_an_existing_repository_keeps_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    commit(tmp_path, "first")
    ended = run("init", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert "  git switch --create policy" in ended.text.splitlines()
    assert (tmp_path / "README.md").read_text() == "mine"
    assert git(tmp_path, "status", "--porcelain").count("??") == 4


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("policies/cluster.yaml", "has `policies` already"),
        ("policies/other.yaml", "has `policies` already"),
        ("policy-tests/other.yaml", "has `policy-tests` already"),
        ("policies", "has `policies` already"),
        (".github/CODEOWNERS", "has `.github/CODEOWNERS` already"),
        (".github", "`.github` is no folder"),
    ],
    ids=["a file", "another policy", "other tests", "a file for a folder", "code owners", "a hidden file"],
)
def test_nothing_is_written_where_something_is_in_the_way(tmp_path: Path, name: str, said: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    before = content(tmp_path)
    ended = run("init", cwd=tmp_path)
    assert (ended.code, ended.out, said in ended.err) == (2, b"", True), ended.err
    assert content(tmp_path) == before


def test_a_folder_inside_of_a_repository_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    ended = run("init", "below/it", cwd=tmp_path)
    assert ended.code == 2
    assert "lies inside of the repository" in ended.err
    assert content(tmp_path) == {}


@pytest.mark.parametrize(
    "option",
    [
        ("--org", "two words"),
        ("--org", "a--b"),
        ("--org", "@lab"),
        ("--install", 'policyctl"'),
        ("--install", "a\nb"),
        ("--install", "-r x"),
        ("--install", "${{ x }}"),
    ],
    ids=" ".join,
)
def test_text_that_would_leave_its_place_is_refused(tmp_path: Path, option: tuple[str, str]) -> None:
    ended = CliRunner().invoke(init, [*option, str(tmp_path / "new")])
    assert (ended.exit_code, "has not the shape of" in ended.output) == (2, True)
    assert content(tmp_path) == {}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({}, f"policyctl=={__version__}"),
        ({"url": "file:///home/me/policyctl", "dir_info": {"editable": True}}, f"policyctl=={__version__}"),
        (
            {"url": "https://example.org/p", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "policyctl @ git+https://example.org/p@c0ffee",
        ),
        ({"url": "https://example.org/p.whl", "archive_info": {}}, "policyctl @ https://example.org/p.whl"),
        ({"url": "file:///tmp/p.whl", "archive_info": {}}, f"policyctl=={__version__}"),
    ],
    ids=["from an index", "from a folder", "from git", "from an archive", "from a local archive"],
)
def test_the_code_host_installs_what_runs_here(source: object, expected: str) -> None:
    assert requirement_of(source) == expected


def interrupted(folder: Path, during: set[str]) -> None:
    during.update(content(folder))
    raise KeyboardInterrupt


@pytest.mark.parametrize("exists", [False, True], ids=["a new folder", "a folder with a file"])
def test_a_block_that_fails_leaves_no_file_and_no_folder(tmp_path: Path, *, exists: bool) -> None:
    folder = tmp_path / "x" / "y"
    if exists:
        folder.mkdir(parents=True)
        (folder / "mine").write_text("mine")
    before = content(tmp_path)
    during: set[str] = set()
    with pytest.raises(KeyboardInterrupt), new_files(folder, FILES):
        interrupted(folder, during)
    assert during >= set(FILES), "it was there, before it was taken away"
    assert content(tmp_path) == before


def test_a_file_that_cannot_be_written_takes_the_others_with_it(tmp_path: Path) -> None:
    with (
        pytest.raises(NoAnswer, match="cannot write"),
        new_files(tmp_path / "new", {**FILES, "n" * 300: b""}),
    ):
        pass
    assert content(tmp_path) == {}


def test_links_are_never_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "here/a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageProblem, match="is no folder"), new_files(tmp_path / "here", FILES):
        pass
    assert content(tmp_path / "elsewhere") == {}
