"""CODEOWNERS: what is written gives every file to its owner, and the last line that matches counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from policyctl.errors import NoAnswer
from policyctl.govern.codeowners import OwnedFiles, owned_files, write_codeowners
from policyctl.govern.owner_lines import last_match, mismatches, owner_lines
from tests.cli.program import POLICY, run
from tests.diff.policies import BASE, policy

ROOT = Path(__file__).parent.parent.parent


def test_the_labs_files_belong_to_their_programs() -> None:
    done = run("codeowners", cwd=ROOT)
    assert done.code == 0
    lines = owner_lines(done.text)
    owners = {
        name: getattr(last_match(lines, name), "owners", None)
        for name in (
            "policies/budgets/vision.yaml",
            "policies/budgets/organization.yaml",
            "policies/exceptions/new.yaml",
            "policies/caps/robotics.yaml",
            ".github/CODEOWNERS",
            "README.md",
        )
    }
    assert owners == {
        "policies/budgets/vision.yaml": ("@lab/vision-leads",),
        "policies/budgets/organization.yaml": ("@lab/leadership",),
        "policies/exceptions/new.yaml": ("@lab/leadership",),
        "policies/caps/robotics.yaml": ("@lab/robotics-leads",),
        ".github/CODEOWNERS": ("@lab/leadership",),
        "README.md": None,
    }


def test_a_file_of_several_accounts_belongs_to_who_owns_them_all() -> None:
    owned = owned_files(policy(BASE), ["policy.yaml", "empty.yaml"], "p/")
    assert owned.files == {"p/policy.yaml": ("@lab/leads",), "p/empty.yaml": ("@lab/leads",)}


def test_without_groups_there_is_no_owner_to_write() -> None:
    bare = BASE[: BASE.index("---\napiVersion: policyctl/v1\nkind: Governance")].replace(
        "  owner: leads\n", ""
    )
    with pytest.raises(NoAnswer, match="nobody is named"):
        owned_files(policy(bare), ["policy.yaml"], "")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*", "a/b.yaml", True),
        ("*.yaml", "a/b.yaml", True),
        ("/*.yaml", "a/b.yaml", False),
        ("/a/", "a/b/c.yaml", True),
        ("a/", "x/a/c.yaml", True),
        ("/a", "a/b.yaml", True),
        ("/a", "ab.yaml", False),
        ("a/*", "a/b.yaml", True),
        ("a/*", "a/b/c.yaml", False),
        ("a/b", "x/a/b", False),
        ("**/b.yaml", "x/y/b.yaml", True),
        ("/a/**", "a/b/c.yaml", True),
        ("/a/**/c.yaml", "a/c.yaml", True),
        ("/a?.yaml", "ab.yaml", True),
        ("/a.yaml", "axyaml", False),
        (r"/a\ b.yaml", "a b.yaml", True),
        ("/A.yaml", "a.yaml", False),
        ("!a.yaml", "a.yaml", False),
        ("[a].yaml", "a.yaml", False),
    ],
)
def test_patterns_match_as_on_github(pattern: str, path: str, *, matches: bool) -> None:
    assert (last_match(owner_lines(f"{pattern} @one"), path) is not None) is matches


def test_comments_owners_and_broken_lines() -> None:
    text = "# all\n\n* @One @b/c # why\n/a @x y\n/b me@here.org\n/c\n"
    assert [(one.number, one.owners) for one in owner_lines(text)] == [
        (3, ("@b/c", "@one")),
        (5, ("me@here.org",)),
        (6, ()),
    ]


@pytest.mark.parametrize(
    ("added", "wrong"),
    [
        ("", []),
        ("/elsewhere/ @dev3\n", []),
        ("* @dev3\n", ["p/a b.yaml", "p/a-new-file.yaml"]),
        ("/p/a\\ b.yaml\n", ["p/a b.yaml"]),
        ("/p/ @lab/LEADS\n", []),
        ("/p/ @lab/leads @dev3\n", ["p/a b.yaml", "p/a-new-file.yaml"]),
    ],
    ids=[
        "as written",
        "other folder",
        "a last line for all",
        "a line without owners",
        "other case",
        "one more",
    ],
)
def test_lines_that_are_added_may_take_files_away(added: str, wrong: list[str]) -> None:
    owned = OwnedFiles(folder="p/", others=("@lab/leads",), files={"p/a b.yaml": ("@lab/leads",)})
    lines = owner_lines(write_codeowners(owned) + added)
    assert [one.path for one in mismatches(owned, lines)] == wrong


def test_a_name_that_no_pattern_can_say_is_refused() -> None:
    owned = OwnedFiles(folder="p/", others=("@a",), files={"p/[x].yaml": ("@b",)})
    with pytest.raises(NoAnswer, match="no way to name"):
        write_codeowners(owned)


def test_check_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/policy.yaml").write_text(POLICY)
    written = run("codeowners", cwd=tmp_path)
    (tmp_path / "CODEOWNERS").write_bytes(written.out)
    assert run("codeowners", "--check", "CODEOWNERS", cwd=tmp_path).code == 0
    (tmp_path / "CODEOWNERS").write_bytes(written.out + b"*.yaml @dev3\n")
    done = run("codeowners", "--check", "CODEOWNERS", cwd=tmp_path)
    lines = written.text.count("\n") + 1
    assert (done.code, f"CODEOWNERS:{lines}: `policies/policy.yaml`: it goes to @dev3" in done.text) == (
        1,
        True,
    )
