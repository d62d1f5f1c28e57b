"""Approvals in the comment on a pull request: short, whatever a policy says, and deaf to what users write."""

from __future__ import annotations

from policyctl.govern.judge import Judged, Outcome, State
from policyctl.govern.requirements import Requirement
from policyctl.model.change import Change, Compared, Setting
from policyctl.render import diff_markdown
from policyctl.render.review_markdown import render


def judged(group: str = "leads", state: State = State.PENDING, **more: tuple[str, ...]) -> Judged:
    rule = "default" if "why" in more else "all"
    needed = Requirement(rule=rule, group=group, count=2, account="/", why=more.pop("why", ()))
    return Judged(requirement=needed, state=state, **more)


def section(*some: Judged) -> str:
    return render(Outcome(base="main", head="work", author="dev1", digest="sha256:0", judged=some))


def test_the_whole_section() -> None:
    assert section(
        judged(why=("`/` is divided anew",), state=State.SATISFIED, approved=("dev3", "dev4")),
        judged("ops", stand_in=("leads",), stale=("root",), own=("dev1",), unknown=("@lab/ops",)),
    ) == (
        """
#### Approvals: 1 of 2 requirements satisfied

| needs | state | by | because |
| --- | --- | --- | --- |
| 2 of leads | satisfied | &#64;\u200bdev3, &#64;\u200bdev4 | &#96;/&#96; is divided anew |
| 2 of ops or leads | pending |  | rule all |

* ops&#58; too few of them did not write the change, so leads may approve in their place
* ops&#58; &#64;\u200broot approved another meaning of the change
* ops&#58; &#64;\u200bdev1 wrote a part of the change
* ops&#58; who is in &#64;\u200blab/ops is not known, see --members
"""
    )


def test_the_first_line_says_that_those_who_decide_are_others() -> None:
    groups = Setting(subject="Governance", field="groups.leads", before="@a", after="@b")
    other = Setting(subject="Cluster lab", field="pools", before="1", after="2")
    for settings, line in (
        ((groups,), "Governance changes; no right of any account changes"),
        ((other,), "no right of any account changes"),
    ):
        compared = Compared(base="main", head="work", change=Change(settings=settings))
        assert f"### Policy change: {line}\n" in diff_markdown.render(compared)


def test_nothing_to_approve_is_said() -> None:
    assert section() == "\n#### Approvals\n\nBoth policies mean the same: nothing to approve.\n"


def test_names_and_reasons_notify_and_format_nothing() -> None:
    text = section(
        judged("a|b\n# @everyone", why=("[x](https://example.org) ``` <!-- ",), approved=("@dev3",))
    )
    assert not [hurt for hurt in ("a|b", "\n# ", "@e", "](", "```", "<!--") if hurt in text]


def test_a_long_section_leaves_room_for_the_change_and_says_what_is_missing() -> None:
    many = [
        judged(f"group-{number}", why=("@" * 900,) * 9, unknown=(f"@lab/{number}",)) for number in range(200)
    ]
    text = section(*many)
    assert "lines left out**; `policyctl review` has all." in text
    settings = tuple(Setting(subject="s", field=str(one), before=None, after="x") for one in range(9_000))
    compared = Compared(base="main", head="work", change=Change(settings=settings))
    comment = diff_markdown.render(compared, approvals=text)
    assert len(comment) <= diff_markdown.MOST_CHARACTERS
    assert comment.index("#### Approvals") < comment.index("#### Settings")
    assert "rows left out" in comment
