"""The owners of each policy file, as the budget tree names them, and the CODEOWNERS that says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from policyctl.errors import NoAnswer
from policyctl.model.owners import owner_of
from policyctl.model.policy import Budget, Policy, ProtectionCap
from policyctl.model.tree import ancestors

__all__ = ["OwnedFiles", "owned_files", "write_codeowners"]

_HEAD = """\
# Who owns which file of the policy: written by `policyctl codeowners`, the last line that matches a file counts.
"""
_SPECIAL = re.compile(r"[*?\[\]!\\\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedFiles:
    """Handles by file from the top of the repository; `others` own what is not listed, `folder` ends with `/`."""

    folder: str
    others: tuple[str, ...]
    files: Mapping[str, tuple[str, ...]]


def owned_files(policy: Policy, names: Iterable[str], folder: str) -> OwnedFiles:
    """Return the owners of each policy file; raises NoAnswer where the policy names no handle for one.

    A file belongs to the owner of the account that all its budgets and caps lie in; one with any other document, such
    as an exception, to the owner of `/`.
    """
    accounts = _accounts(policy, names)
    files = {f"{folder}{name}": _handles(policy, accounts[name]) for name in sorted(accounts)}
    return OwnedFiles(folder=folder, others=_handles(policy, "/"), files=files)


def _accounts(policy: Policy, names: Iterable[str]) -> dict[str, str]:
    """Return for each file the lowest account that contains everything it speaks of."""
    found: dict[str, list[str]] = {name: [] for name in names}
    scoped: tuple[Budget | ProtectionCap, ...] = (*policy.budgets, *policy.caps)
    for one in scoped:
        found.setdefault(one.place.file, []).append(one.account)
    places = [one.place for one in (policy.accounting, policy.preemption, policy.governance)]
    places += [one.place for one in policy.pools] + [one.place for one in policy.exceptions]
    for place in places:
        found.setdefault(place.file, []).append("/")
    return {name: _shared(found[name]) for name in found if name}


def _shared(accounts: list[str]) -> str:
    if not accounts:
        return "/"
    common = set.intersection(*(set(ancestors(account)) for account in accounts))
    return max(common, key=len)


def _handles(policy: Policy, account: str) -> tuple[str, ...]:
    groups = policy.governance.groups
    owner = owner_of(policy, account)
    handles = {handle for group in owner.groups for handle in groups.get(group, ())}
    if not handles:
        raise NoAnswer(
            f"nobody is named as the owner of `{owner.account}`",
            help="name an `owner` in its Budget, and the handles of that group in Governance",
        )
    return tuple(sorted(handles))


def write_codeowners(owned: OwnedFiles) -> str:
    """Write the lines, from the whole folder to single files; raises NoAnswer for a file name that has no pattern."""
    lines = [(f"/{owned.folder}", owned.others), ("/.github/CODEOWNERS", owned.others)]
    lines += [(f"/{name}", handles) for name, handles in owned.files.items() if handles != owned.others]
    patterns = [(_pattern(name), handles) for name, handles in lines]
    widest = max(len(pattern) for pattern, _ in patterns)
    return _HEAD + "".join(f"{pattern:<{widest}}  {' '.join(handles)}\n" for pattern, handles in patterns)


def _pattern(name: str) -> str:
    if _SPECIAL.search(name):
        raise NoAnswer(f"CODEOWNERS has no way to name the file {name!a}", help="rename the file")
    return name.replace(" ", "\\ ").replace("#", "\\#")
