"""Which files below a folder are the policy, and when there is no answer."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from policyctl.errors import NoAnswer
from policyctl.workspace.tree import MOST_TOTAL, read_tree


def grow(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    return root


def test_every_yaml_below_the_root_in_path_order(tmp_path: Path) -> None:
    grow(tmp_path, "b.yaml", "a/z.yml", "a/b/c.yaml", "a.yaml", "README.md", "x.yaml.bak", "yaml")
    assert list(read_tree(tmp_path).items()) == [
        (name, name.encode()) for name in ("a.yaml", "a/b/c.yaml", "a/z.yml", "b.yaml")
    ]


def test_hidden_names_are_no_policy(tmp_path: Path) -> None:
    grow(tmp_path, ".git/x.yaml", "a/.cache/y.yaml", ".pre-commit-config.yaml", "a.yaml")
    (tmp_path / ".#a.yaml").symlink_to("somebody@host.1")  # an editor's lock
    assert list(read_tree(tmp_path)) == ["a.yaml"]


def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    assert read_tree(tmp_path) == {}


def test_names_of_other_scripts_are_kept(tmp_path: Path) -> None:
    assert list(read_tree(grow(tmp_path, "bücher/計画.yaml"))) == ["bücher/計画.yaml"]


def test_links_that_are_no_part_of_the_policy_do_not_matter(tmp_path: Path) -> None:
    grow(tmp_path, "a.yaml")
    (tmp_path / "notes.txt").symlink_to("/nowhere")
    assert list(read_tree(tmp_path)) == ["a.yaml"]


def test_the_root_may_be_the_top_of_its_repository(tmp_path: Path) -> None:
    assert list(read_tree(grow(tmp_path, "a.yaml", ".git/HEAD"))) == ["a.yaml"]


def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    grow(tmp_path / "real", "a.yaml")
    (tmp_path / "link").symlink_to("real")
    assert list(read_tree(tmp_path / "link")) == ["a.yaml"]


def _link_to_file(root: Path) -> None:
    (grow(root, "a.yaml") / "b.yaml").symlink_to("a.yaml")


def _dangling_link(root: Path) -> None:
    (root / "b.yaml").symlink_to("/nowhere")


def _link_to_folder(root: Path) -> None:
    grow(root, "real/a.yaml")
    (root / "linked").symlink_to("real")


def _link_to_itself(root: Path) -> None:
    (root / "b.yaml").symlink_to("b.yaml")


def _checked_out_submodule(root: Path) -> None:
    grow(root, "more/a.yaml", "more/.git")


def _repository_below(root: Path) -> None:
    grow(root, "deep/more/a.yaml", "deep/more/.git/HEAD")


def _pipe(root: Path) -> None:
    os.mkfifo(root / "b.yaml")


def _two_cases(root: Path) -> None:
    grow(root, "Budget.yaml", "budget.yaml")


def _two_compositions(root: Path) -> None:
    grow(root, "caf\u00e9.yaml", "cafe\u0301.yaml")


def _escape_in_name(root: Path) -> None:
    grow(root, "a\x1b[31m.yaml")


def _line_break_in_folder(root: Path) -> None:
    grow(root, "a\nb/c.yaml")


def _name_that_is_not_text(root: Path) -> None:
    (root / os.fsdecode(b"\xff.yaml")).write_bytes(b"")


def _endless_folders(root: Path) -> None:
    grow(root, "d/" * 40 + "a.yaml")


def _too_much(root: Path) -> None:
    for number in range(2):
        with (root / f"{number}.yaml").open("wb") as file:
            file.truncate(MOST_TOTAL // 2 + number)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_link_to_file, "`b.yaml` is a symbolic link"),
        (_dangling_link, "`b.yaml` is a symbolic link"),
        (_link_to_folder, "`linked` is a symbolic link"),
        (_link_to_itself, "b.yaml|levels of symbolic links"),
        (_checked_out_submodule, "`more` is a repository of its own"),
        (_repository_below, "`deep/more` is a repository of its own"),
        (_pipe, "`b.yaml` is not a plain file"),
        (_two_cases, "`Budget.yaml` and `budget.yaml` are one file where"),
        (_two_compositions, "are one file where"),
        (_escape_in_name, r"'a\\x1b\[31m.yaml' is not printable"),
        (_line_break_in_folder, r"'a\\nb/c.yaml' is not printable"),
        (_name_that_is_not_text, "is not printable"),
        (_endless_folders, "more than 32 folders deep"),
        (_too_much, "more than 32 MiB together"),
    ],
    ids=lambda one: one.__name__.strip("_") if callable(one) else "",
)
def test_no_answer_where_what_is_read_could_be_doubted(
    tmp_path: Path, make: Callable[[Path], None], message: str
) -> None:
    make(tmp_path)
    with pytest.raises(NoAnswer, match=message) as caught:
        read_tree(tmp_path)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_root_that_is_no_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NoAnswer, match="there is no folder"):
        read_tree(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    (grow(tmp_path, "a.yaml") / "a.yaml").chmod(0)
    with pytest.raises(NoAnswer, match="Permission denied"):
        read_tree(tmp_path)
