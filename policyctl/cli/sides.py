"""The two sides of a comparison: a folder, the index, a revision or a bundle, each read without changing anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from policyctl.cli.sources import read_bundle, show_findings
from policyctl.compile import compile_texts
from policyctl.diagnostics import Severity
from policyctl.errors import Exit, NoAnswer, UsageProblem
from policyctl.load.policy_text import read_policy
from policyctl.model.policy import Policy
from policyctl.workspace.revisions import Repository, repository
from policyctl.workspace.shipped import schemas
from policyctl.workspace.tree import read_tree

__all__ = ["BaseSide", "Side", "base_policy", "head_policy", "sides"]

_HERE = ("./", "../", "/")
_SHORT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side by its name for people: its files, or the policy of a bundle; `folder` if its files were read from one."""

    label: str
    files: dict[str, bytes] | None = None
    folder: Path | None = None
    policy: Policy | None = None


def sides(
    base: str | None, head: str | None, folder: Path, *, staged: bool, otherwise: str | None = None
) -> tuple[Side, Side]:
    """Return both sides; the base is by default where HEAD left the default branch, the head the working tree.

    `otherwise` is the way out where that is not known, None for that of `diff`.

    Raises UsageProblem for names that mean two things, NoAnswer, BundleRejected.
    """
    if staged and head is not None:
        raise UsageProblem("`--staged` and HEAD exclude each other", help="leave out HEAD")
    if base is None:
        ways = {} if otherwise is None else {"otherwise": otherwise}
        found = repository(folder, **ways)
        fork = found.fork_point(**ways)
        before = Side(label=f"{fork[:_SHORT]}, where HEAD left the default branch", files=found.files(fork))
    else:
        before = _named(base, folder)
    if head is not None:
        return before, _named(head, folder)
    if staged:
        return before, Side(label="what is staged", files=repository(folder).staged())
    files = read_tree(folder) if folder.is_dir() or folder.is_symlink() else {}
    return before, Side(label=f"the folder {folder.as_posix()}", files=files)


def _named(name: str, folder: Path) -> Side:
    if not name.strip():
        # The path of nothing is the folder here, and a policy compared with itself would pass.
        raise UsageProblem(
            "the name of a side is empty", help="is a variable not set? leave it out, or name a revision"
        )
    path = Path(name)
    there = "\0" not in name and path.exists()
    if there and name.startswith(_HERE):
        return _at(path)
    found = _repository(folder, required=not there)
    commit = found.commit(name) if found is not None else None
    if commit is not None and there:
        raise UsageProblem(
            f"`{name}` is a revision and also a path",
            help=f"write `./{name}` for the path, or `refs/heads/{name}`",
        )
    if there:
        return _at(path)
    assert found is not None, "without a path the repository is required"
    known = found.known(name)
    return Side(
        label=known[:_SHORT] if known.startswith(name) else f"{name} ({known[:_SHORT]})",
        files=found.files(known),
    )


def _repository(folder: Path, *, required: bool) -> Repository | None:
    try:
        return repository(folder)
    except NoAnswer:
        if required:
            raise
        return None


def _at(path: Path) -> Side:
    if path.is_dir():
        return Side(label=f"the folder {path.as_posix()}", files=read_tree(path), folder=path)
    return Side(label=f"the bundle {path.as_posix()}", policy=read_bundle(str(path)).policy)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseSide:
    """What could be read of the base: `errors` are its own, `left_out` the files that were unreadable."""

    policy: Policy | None
    errors: int = 0
    left_out: tuple[str, ...] = ()


def base_policy(side: Side) -> BaseSide:
    """Return the policy of the base, or of those of its files that can be read: it may be what the head repairs."""
    if side.files is None:
        return BaseSide(policy=side.policy)
    if not side.files:
        return BaseSide(policy=None)
    compiled = compile_texts(side.files, schemas(), now=None)
    errors = compiled.report.count(Severity.ERROR)
    if compiled.policy is not None:
        return BaseSide(policy=compiled.policy)
    whole = read_policy(side.files, schemas())
    if whole.policy is not None:
        return BaseSide(policy=whole.policy, errors=errors)
    broken = {one.place.file for one in whole.findings if one.severity is Severity.ERROR}
    rest = {name: text for name, text in side.files.items() if name not in broken}
    return BaseSide(
        policy=read_policy(rest, schemas()).policy,
        errors=errors,
        left_out=tuple(sorted(broken & set(side.files))),
    )


def head_policy(side: Side, folder: Path) -> Policy:
    """Return the policy of the head; with errors, show all findings and end the command with exit code 1."""
    if side.policy is not None:
        return side.policy
    if not side.files:
        raise NoAnswer(
            f"there is no policy file in {side.label}", help="say where the policy is: `--policy DIR`"
        )
    compiled = compile_texts(side.files, schemas(), now=None)
    if compiled.policy is None:
        show_findings(compiled.report, side.folder or folder)
        raise click.exceptions.Exit(Exit.FINDINGS)
    return compiled.policy
