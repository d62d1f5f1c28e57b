"""Every command in the README of an example prints what the README shows, and ends as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.examples.readme_runner import ROOT, Step, read, readmes, rewritten, run, scene

EXAMPLES = {
    "first-budget-change",
    "lab-150",
    "lab-queue",
    "one-preemption",
    "pull-request",
    "real-log",
    "real-logs",
}


def test_every_example_has_a_readme_with_commands() -> None:
    folders = {path.name for path in (ROOT / "examples").iterdir() if path.is_dir()}
    assert folders == EXAMPLES
    for path in readmes():
        assert read(path.read_text(encoding="utf-8")), f"{path} runs nothing"
    assert {path.parent.name for path in readmes()} == EXAMPLES


def test_the_list_of_examples_is_complete() -> None:
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(([a-z0-9-]+)/README\.md\)", listed)) == EXAMPLES


@pytest.mark.parametrize("readme", readmes(), ids=lambda path: path.parent.name)
def test_the_readme_shows_what_happens(readme: Path, tmp_path: Path) -> None:
    scene(tmp_path)
    for step in read(readme.read_text(encoding="utf-8")):
        assert run(step, tmp_path).shown() == step.shown(), f"{readme.relative_to(ROOT)}:{step.line}"


def test_the_embedded_policy_is_described_file_by_file() -> None:
    described = (ROOT / "policies" / "README.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "policies").rglob("*.yaml")):
        name = path.relative_to(ROOT / "policies").as_posix()
        generic = f"{name.split('/')[0]}/"
        assert (
            f"`{name}`" in described or f"`{generic}PROGRAM.yaml`" in described or f"`{generic}*" in described
        )


README = """\
Prose.

```console
$ echo one; exit 3  # exit 3
one
$ echo two
two
$ echo three \\
    four; exit 1  # exit 1
three four
```

```yaml
$ echo not run
```
"""


def test_the_runner_reads_commands_exit_codes_and_outputs() -> None:
    assert read(README) == [
        Step(line=4, command="echo one; exit 3", exit=3, output="one\n"),
        Step(line=6, command="echo two", exit=0, output="two\n"),
        Step(line=8, command="echo three \\\n    four; exit 1", exit=1, output="three four\n"),
    ]


@pytest.mark.parametrize(
    ("shown", "really"),
    [
        pytest.param("\ntwo\n", "\ndeux\n", id="another output"),
        pytest.param("$ echo two\n", "$ echo two  # exit 1\n", id="another exit code"),
        pytest.param("\ntwo\n", "\ntwo\nthree\n", id="output left out"),
    ],
)
def test_the_runner_notices(shown: str, really: str, tmp_path: Path) -> None:
    claimed = README.replace(shown, really)
    assert claimed != README
    assert [run(step, tmp_path) for step in read(claimed)] != read(claimed)


def test_an_update_mends_outputs_and_leaves_the_prose(tmp_path: Path) -> None:
    stale = README.replace("\none\n", "\nuno\n").replace("  # exit 3", "").replace("\ntwo\n", "\n")
    assert rewritten(stale, tmp_path) == README


def test_steps_share_their_folder(tmp_path: Path) -> None:
    text = "```console\n$ echo kept > note\n```\nThen:\n```console\n$ cat note\nkept\n```\n"
    assert [run(step, tmp_path) for step in read(text)] == read(text)
