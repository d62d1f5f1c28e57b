"""`policyctl diff --report` as a user runs it: the file, what it leaves alone, and that its command makes it again."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.program import BROKEN, POLICY, Ended, policy, run


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for name, text in {
        "old": POLICY,
        "new": POLICY.replace("language: 60%", "language: 70%"),
        "broken": BROKEN,
    }.items():
        (tmp_path / name).mkdir()
        policy(tmp_path / name, text)
    return tmp_path


def diff(top: Path, *arguments: str, head: str = "new") -> Ended:
    return run("diff", "./old/policies", f"./{head}/policies", *arguments, cwd=top)


@pytest.mark.parametrize("output", ["text", "json", "markdown"])
def test_the_page_is_written_beside_any_answer(top: Path, output: str) -> None:
    plain = diff(top, "--format", output)
    done = diff(top, "--format", output, "--report", "page.html")
    assert (done.code, done.err, done.out) == (0, "", plain.out)
    page = (top / "page.html").read_text()
    assert "60% → 70%" in page
    assert "1 of <code>leadership</code>" in page


def test_the_command_on_the_page_makes_the_same_page(top: Path) -> None:
    assert diff(top, "--report", "page.html", "--format", "json", "--debug").code == 0
    page = (top / "page.html").read_bytes()
    found = re.search(r"<pre[^>]*><code>policyctl (.*)</code></pre>", page.decode())
    assert found is not None
    again = shlex.split(html.unescape(found[1]))
    assert again[:2] == ["diff", "--now"]
    assert run(*again, "--report", "again.html", cwd=top, TZ="Asia/Tokyo", PYTHONHASHSEED="7").code == 0
    assert (top / "again.html").read_bytes() == page


def test_the_page_names_what_was_compared_by_its_meaning(top: Path) -> None:
    assert run("compile", "new/policies", "-o", "new.bundle", cwd=top).code == 0
    shown = run("bundle", "show", "new.bundle", cwd=top).text
    assert diff(top, "--report", "page.html").code == 0
    page = (top / "page.html").read_text()
    digests = re.findall(r'<dt>(\w+)</dt><dd class="digest">(sha256:[0-9a-f]{64})</dd>', page)
    assert [name for name, _ in digests] == ["base", "change", "head"]
    assert dict(digests)["head"] in shown


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (".", "it is a folder"),
        ("", "it is a folder"),
        ("nowhere/page.html", "there is no folder `nowhere`"),
        ("old/policies/policy.yaml/page.html", "there is no folder"),
    ],
)
def test_what_cannot_be_a_page_is_refused_before_anything_is_compared(
    top: Path, report: str, said: str
) -> None:
    done = diff(top, "--report", report, head="broken")
    assert (done.code, done.text) == (3, "")
    assert said in done.err


def test_a_page_that_is_there_already_is_replaced_or_left(top: Path) -> None:
    page = top / "page.html"
    page.write_text("old")
    page.chmod(0o640)
    assert diff(top, "--report", "page.html", head="broken").code == 1
    assert page.read_text() == "old"
    assert diff(top, "--report", "page.html").code == 0
    assert page.read_text().endswith("</html>\n")
    assert page.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in top.iterdir()) == ["broken", "new", "old", "page.html"]


def test_no_difference_has_a_page_that_says_so(top: Path) -> None:
    assert diff(top, "--report", "page.html", head="old").code == 0
    assert "no policy file differs" in (top / "page.html").read_text()


def test_a_base_without_rules_names_nobody(top: Path) -> None:
    (top / "old/policies/policy.yaml").write_text("a: [")
    assert diff(top, "--report", "page.html").code == 0
    assert "whoever administers the repository" in (top / "page.html").read_text()


def test_the_first_policy_needs_somebody(top: Path) -> None:
    (top / "old/policies/policy.yaml").unlink()
    assert diff(top, "--report", "page.html").code == 0
    page = (top / "page.html").read_text()
    assert "1 of anyone" in page
    assert "the base has no policy, so all of it is new" in page


def test_a_rule_about_the_author_counts_as_matching_while_nobody_knows_the_author(top: Path) -> None:
    rule = "  approvals:\n    - name: strangers\n      when: 'change.author == \"somebody\"'\n      require: [{from: leadership, count: 3}]\n"
    policy(top / "old", POLICY + rule)
    policy(top / "new", POLICY.replace("60%", "70%") + rule)
    assert diff(top, "--report", "page.html").code == 0
    page = (top / "page.html").read_text()
    assert "3 of leadership" in page
    assert "has no answer" in page
