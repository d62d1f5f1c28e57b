"""GitHub's own JSON of a pull request, its reviews and its commits, as the approvals of a change."""

from __future__ import annotations

import json
from typing import Any

from policyctl.errors import NoAnswer
from policyctl.govern.judge import Members
from policyctl.govern.reviews import ApprovalFile, Review, Said

__all__ = ["read_approvals", "read_members"]

_HELP = "an object with `reviews` and `commits` as GitHub's endpoints return them, and `pull` if you have it"


def read_approvals(data: bytes, name: str) -> ApprovalFile:
    """Read `{pull?, reviews, commits, members_after?}`; raises NoAnswer for any other shape, or where no author is named.

    Everybody who wrote a commit is an author. Names are in lower case, as GitHub compares them. Comments and pending
    reviews say nothing; reviews of accounts that no longer exist are nobody's.
    """
    found = _json(data, name)
    if not isinstance(found, dict):
        raise _wrong(name, "it is not an object")
    reviews, commits = _pages(found, "reviews", name), _pages(found, "commits", name)
    wrote = {_login(one.get("author")) for one in commits} - {None}
    pull = found.get("pull")
    if pull is not None and (not isinstance(pull, dict) or _login(pull.get("user")) is None):
        raise _wrong(name, "`pull` has no `user.login`")
    if not commits and pull is None:
        raise _wrong(name, "it names no author")
    if pull is None and any(_login(one.get("author")) is None for one in commits):
        raise _wrong(name, "a commit has no `author.login`, and without `pull` its author is not known")
    opened = _login(pull.get("user")) if pull is not None else _login(commits[0].get("author"))
    author = str(opened)
    return ApprovalFile(
        author=author,
        authors=frozenset({author, *(str(one) for one in wrote)}),
        reviews=tuple(_review(one, name) for one in reviews if _counts(one)),
        head=_head(pull),
        members=_members(found["members_after"], name) if "members_after" in found else None,
    )


def read_members(data: bytes, name: str) -> Members:
    """Read `{"@org/team": ["user", …]}`, or GitHub's lists of members by team; raises NoAnswer for any other shape."""
    return _members(_json(data, name), name)


def _members(found: Any, name: str) -> Members:
    if not isinstance(found, dict):
        raise NoAnswer(f"`{name}` is not an object of teams", help='write `{"@org/team": ["user"]}`')
    members = {}
    for team, people in found.items():
        names = (
            [_login(one) if isinstance(one, dict) else one for one in people]
            if isinstance(people, list)
            else [None]
        )
        if not all(isinstance(one, str) for one in names):
            raise NoAnswer(
                f"`{name}`: `{team}` is not a list of people", help='write `{"@org/team": ["user"]}`'
            )
        members[f"@{team.removeprefix('@')}".lower()] = frozenset(
            str(one).lower().removeprefix("@") for one in names
        )
    return members


def _json(data: bytes, name: str) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise NoAnswer(f"`{name}` is not JSON", help=_HELP) from None


def _wrong(name: str, why: str) -> NoAnswer:
    return NoAnswer(f"`{name}` is no export of approvals: {why}", help=_HELP)


def _pages(found: dict[str, Any], key: str, name: str) -> list[dict[str, Any]]:
    """Return a list of objects; a list of lists, as `gh api --paginate --slurp` writes pages, is joined."""
    value = found.get(key)
    if not isinstance(value, list):
        raise _wrong(name, f"`{key}` is not a list")
    flat = [one for page in value for one in (page if isinstance(page, list) else [page])]
    if not all(isinstance(one, dict) for one in flat):
        raise _wrong(name, f"`{key}` holds something else than objects")
    return flat


def _head(pull: Any) -> str:
    head = pull.get("head") if isinstance(pull, dict) else None
    commit = head.get("sha") if isinstance(head, dict) else None
    return commit if isinstance(commit, str) else ""


def _login(user: Any) -> str | None:
    login = user.get("login") if isinstance(user, dict) else None
    return login.lower() if isinstance(login, str) and login else None


def _counts(one: dict[str, Any]) -> bool:
    return one.get("state") in set(Said) and _login(one.get("user")) is not None


def _review(one: dict[str, Any], name: str) -> Review:
    submitted, number, commit = one.get("submitted_at"), one.get("id"), one.get("commit_id")
    if not isinstance(submitted, str) or not isinstance(number, int):
        raise _wrong(name, "a review has no `submitted_at` or `id`")
    return Review(
        user=str(_login(one["user"])),
        said=Said(one["state"]),
        commit=commit if isinstance(commit, str) else "",
        submitted=submitted,
        id=number,
    )
