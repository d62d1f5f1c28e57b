"""What is wrong with an expression: code, underlined text and way out, one row per mistake."""

from __future__ import annotations

import pytest

from policyctl.catalogue import CATALOGUE
from policyctl.expr.compiler import Lowered, Problem, compile_expression
from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE

MISTAKES: dict[str, tuple[str, str, str, str]] = {
    # reason: (source, code, underlined, part of message or help)
    "single equals": ("job.nodes = 2", "C001", "=", "`==`"),
    "triple equals": ("job.nodes === 2", "C001", "===", "`==`"),
    "single ampersand": ("job.interactive & true", "C001", "&", "`&&`"),
    "python and": ("job.interactive and true", "C001", "and", "`&&`"),
    "python or": ("job.interactive or true", "C001", "or", "`||`"),
    "python not": ("not job.interactive", "C001", "not", "`!`"),
    "sql not equal": ("job.nodes <> 2", "C001", "<>", "`!=`"),
    "nothing after an operator": ("job.nodes ==", "C001", "==", "missing after"),
    "nothing after a question": ("job.interactive ? true", "C001", "true", "missing after"),
    "unclosed bracket": ("(job.nodes == 2", "C001", "(", "never closed"),
    "stray bracket": ("job.nodes == 2)", "C001", ")", "closes nothing"),
    "wrong bracket": ("job.nodes in [1, 2)", "C001", ")", "closes nothing"),
    "unclosed text": ("job.kind == 'batch", "C001", "'batch", "quote it starts with"),
    "typographic quotes": ("job.kind == “batch”", "C001", "“", "straight quotes"),
    "invisible space": ("job.nodes\u00a0== 2", "C001", "\u00a0", "U+00A0"),
    "two values in a row": ("job.nodes 2", "C001", "2", "did not expect"),
    "glued to in": ("job.nodes intrue", "C001", "intrue", "spaces around `in`"),
    "word of CEL as field": ("job.labels.in == 'x'", "C001", "job.labels.in", "labels['in']"),
    "optional index": ("job.labels[?'x'] == 'x'", "C001", "?", "did not expect"),
    "empty": ("", "C002", "", "job.gpus >= 64"),
    "only blanks": (" \n ", "C002", " \n ", "job.gpus >= 64"),
    "only a comment": ("// later", "C002", "// later", "job.gpus >= 64"),
    "too long": ("true || " * 1300 + "true", "C003", "true || " * 1300 + "true", "10404 characters"),
    "too deep in brackets": ("(" * 33 + "true" + ")" * 33, "C003", "(", "32 deep"),
    "too deep without brackets": ("!" * 60 + "true", "C003", "!" * 11 + "true", "48 deep"),
    "too many parts": (
        "||".join(["job.nodes>1"] * 600),
        "C003",
        "||".join(["job.nodes>1"] * 600),
        "2000 parts",
    ),
    "unknown root": ("jobb.gpus > 1.0", "C004", "jobb", "did you mean `job`?"),
    "field without its record": ("gpus > 1.0", "C004", "gpus", "did you mean `job.gpus`?"),
    "text without quotes": ("job.user == r01", "C004", "r01", "texts stand in quotes"),
    "guard variable in a job rule": ("victim.gpus > 1.0", "C004", "victim", "`job`, `now`"),
    "unknown field": ("job.gpu > 1.0", "C005", "gpu", "did you mean `job.gpus`?"),
    "field of another record": ("job.running_for > duration('1h')", "C005", "running_for", "its fields are"),
    "unknown field in has": ("has(job.gpu)", "C005", "gpu", "did you mean `job.gpus`?"),
    "unknown root in has": ("has(jobb.gpus)", "C004", "jobb", "did you mean `job`?"),
    "record as value": ("job == job", "C006", "job", "name a field"),
    "text against number": ("job.nodes == '2'", "C006", "job.nodes == '2'", "without quotes"),
    "number against text": ("job.user == 7", "C006", "job.user == 7", "`'7'`"),
    "text against duration": ("job.min_runtime > '4h'", "C006", "job.min_runtime > '4h'", "`duration('4h')`"),
    "text against instant": ("now > '2026'", "C006", "now > '2026'", "`timestamp('2026')`"),
    "number against duration": ("job.min_runtime > 60", "C006", "job.min_runtime > 60", "`duration('60s')`"),
    "int added to double": ("job.gpus + 1 > 2.0", "C006", "job.gpus + 1", "`1.0`"),
    "int divides double": ("job.gpus / job.nodes > 4.0", "C006", "job.gpus / job.nodes", "does not mix"),
    "bool added to int": ("true + 1 == 2", "C006", "true + 1", "does not go between a bool and an int"),
    "modulo of doubles": ("job.gpus % 2.0 == 0.0", "C006", "job.gpus % 2.0", "double"),
    "modulo of double and int": (
        "job.gpus % job.nodes == 0",
        "C006",
        "job.gpus % job.nodes",
        "whole numbers",
    ),
    "texts joined": ("job.user + 'x' == 'y'", "C006", "job.user + 'x'", "join no texts"),
    "duration times number": ("job.min_runtime * 2 > now - now", "C006", "job.min_runtime * 2", "product"),
    "instants added": ("now + now > now", "C006", "now + now", "timestamp"),
    "chained comparison": ("1 < job.nodes < 3", "C006", "1 < job.nodes < 3", "`a < b && b < c`"),
    "labels compared": (
        "job.labels == job.labels",
        "C006",
        "job.labels == job.labels",
        "map(string, string)",
    ),
    "number as condition": ("!job.gpus", "C006", "job.gpus", "`job.gpus > 0.0`"),
    "number beside or": ("job.nodes || true", "C006", "job.nodes", "takes bool"),
    "number before question": ("job.nodes ? true : false", "C006", "job.nodes", "takes bool"),
    "branches of two types": ("(true ? 1 : 2.0) > 1", "C006", "(true ? 1 : 2.0)", "one type"),
    "minus text": ("-job.user == 'x'", "C006", "-job.user", "takes a number"),
    "minus bool": ("-job.interactive", "C006", "-job.interactive", "`!`"),
    "list of another type": ("job.nodes in [1, 'a']", "C006", "'a'", "never a string"),
    "in a text": ("'a' in job.user", "C006", "job.user", "list or labels"),
    "number in labels": ("1 in job.labels", "C006", "1", "name of a label"),
    "labels in list": ("job.labels in []", "C006", "job.labels", "in no list"),
    "index of a text": ("job.user[0] == 'a'", "C006", "job.user[0]", "only labels"),
    "number as label": ("job.labels[1] == 'a'", "C006", "1", "name of a label"),
    "accessor without brackets": ("job.submit.getHours > 3", "C006", "job.submit.getHours", "`getHours()`"),
    "not a condition": ("job.gpus", "C007", "job.gpus", "job.gpus >= 64"),
    "labels as condition": ("job.labels", "C007", "job.labels", "'tier' in job.labels"),
    "null": ("job.time_limit == null", "C008", "null", "has(job.time_limit)"),
    "unsigned": ("job.nodes > 1u", "C008", "1u", "without `u`"),
    "bytes": ("job.user == b'x'", "C008", "b'x'", "without `b`"),
    "list alone": ("[1] == [1]", "C008", "[1]", "right of `in`"),
    "map": ("{'a': 1} == {}", "C008", "{'a': 1}", "one by one"),
    "message": ("a{b: 1} == 1", "C008", "a{b: 1}", "fields and literals"),
    "macro": ("job.labels.all(k, k == 'a')", "C008", "job.labels.all(k, k == 'a')", "`||`"),
    "conversion": ("int(job.gpus) > 1", "C008", "int(job.gpus)", "2.0"),
    "case functions": ("job.user.lowerAscii() == 'a'", "C008", "job.user.lowerAscii()", "(?i)"),
    "milliseconds": ("now.getMilliseconds() == 0", "C008", "now.getMilliseconds()", "whole seconds"),
    "misspelt function": (
        "job.user.startWith('a')",
        "C009",
        "job.user.startWith('a')",
        "did you mean `startsWith`?",
    ),
    "variable called": ("now() > now", "C009", "now()", "write `now`"),
    "no such function": ("frobnicate(1) == 1", "C009", "frobnicate(1)", "known are"),
    "method as function": (
        "startsWith(job.user, 'a')",
        "C010",
        "startsWith(job.user, 'a')",
        "job.account.startsWith",
    ),
    "too many arguments": ("job.user.contains('a', 'b')", "C010", "job.user.contains('a', 'b')", "one text"),
    "argument of another type": ("job.user.contains(1)", "C010", "1", "string, not an int"),
    "size of a number": ("size(1) == 1", "C010", "1", "no size"),
    "predicate of labels": ("job.labels.contains('a')", "C010", "job.labels", "asked of a string"),
    "hours of a text": ("job.user.getHours() > 1", "C010", "job.user", "asked of a timestamp"),
    "month of a duration": (
        "job.min_runtime.getMonth() > 1",
        "C010",
        "job.min_runtime.getMonth()",
        "getSeconds()",
    ),
    "int too large": ("job.nodes < 9223372036854775808", "C011", "9223372036854775808", "64 bits"),
    "double too large": ("job.gpus < 1e999", "C011", "1e999", "too large"),
    "point without digit": ("job.gpus < 1.", "C011", "1.", "`1.0`"),
    "unknown escape": (r"job.user == '\q'", "C011", r"'\q'", "not an escape"),
    "octal out of range": (r"job.user == '\777'", "C011", r"'\777'", "not an escape"),
    "surrogate": (r"job.user == '\ud800'", "C011", r"'\ud800'", "not a Unicode character"),
    "trailing backslash": (r"job.user == 'a\'", "C001", r"'a\'", "never closed"),
    "quote in raw string": ("job.user == r'a\\'b'", "C011", "r'a\\'b'", "first quote"),
    "text too long": ("job.user == '" + "a" * 1001 + "'", "C011", "'" + "a" * 1001 + "'", "1000 characters"),
    "days": ("job.min_runtime > duration('1d')", "C012", "'1d'", "`24h`"),
    "weeks and hours": ("job.min_runtime > duration('2w3h')", "C012", "'2w3h'", "`336h3h`"),
    "duration without unit": ("job.min_runtime > duration('30')", "C012", "'30'", "`30s`"),
    "part of a second": ("job.min_runtime > duration('1.5s')", "C012", "'1.5s'", "fraction of a second"),
    "duration too long": ("job.min_runtime > duration('9223372037s')", "C012", "'9223372037s'", "292 years"),
    "bare date": ("now > timestamp('2026-01-01')", "C012", "'2026-01-01'", "`2026-01-01T00:00:00Z`"),
    "no offset": ("now > timestamp('2026-01-01T12:00:00')", "C012", "'2026-01-01T12:00:00'", "12:00:00Z"),
    "part of a second in an instant": (
        "now > timestamp('2026-01-01T12:00:00.5Z')",
        "C012",
        "'2026-01-01T12:00:00.5Z'",
        "`2026-01-01T12:00:00Z`",
    ),
    "day that does not exist": (
        "now > timestamp('2026-02-30T12:00:00Z')",
        "C012",
        "'2026-02-30T12:00:00Z'",
        "does not exist",
    ),
    "unknown zone": (
        "now.getHours('America/Los_Angles') > 9",
        "C013",
        "'America/Los_Angles'",
        "`America/Los_Angeles`",
    ),
    "city alone": ("now.getHours('Berlin') > 9", "C013", "'Berlin'", "`Europe/Berlin`"),
    "abbreviation": ("now.getHours('PST') > 9", "C013", "'PST'", "`America/Los_Angeles`"),
    "zone of this machine": ("now.getHours('localtime') > 9", "C013", "'localtime'", "IANA"),
    "bad pattern": ("job.user.matches('a(')", "C014", "(", "never closed"),
    "lookahead": ("job.user.matches('ab(?=c)')", "C014", "(?=c", "not supported"),
    "backreference": (r"job.user.matches(r'(a)\1')", "C014", r"\1", "backreference"),
    "bad pattern with escapes": (r"job.user.matches('\\d(')", "C014", r"'\\d('", "never closed"),
    "pattern not written out": ("job.user.matches(job.kind)", "C015", "job.kind", "written out"),
    "duration of a field": (
        "duration(job.user) > duration('1h')",
        "C015",
        "duration(job.user)",
        "`duration('4h')`",
    ),
    "instant of a number": ("timestamp(0) < now", "C015", "timestamp(0)", "written out"),
    "zone not written out": ("now.getHours(job.user) > 9", "C015", "now.getHours(job.user)", "written out"),
    "has of a record": ("has(job)", "C016", "has(job)", "has(job.time_limit)"),
    "has of an index": ("has(job.labels['x'])", "C016", "has(job.labels['x'])", "'tier' in job.labels"),
    "has of two": ("has(job.user, job.kind)", "C016", "has(job.user, job.kind)", "one field"),
    "kind that does not exist": (
        "job.kind == 'interactiv'",
        "C017",
        "'interactiv'",
        "did you mean `interactive`?",
    ),
    "kind in a list": ("job.kind in ['batch', 'gpu']", "C017", "'gpu'", "`batch` or `interactive`"),
}


def problems(source: str) -> tuple[Problem, ...]:
    found = compile_expression(source, JOB_SCOPE)
    assert not isinstance(found, Lowered), found
    return found


@pytest.mark.parametrize(("source", "code", "underlined", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_at_its_place_with_a_way_out(
    source: str, code: str, underlined: str, words: str
) -> None:
    first = next(one for one in problems(source) if one.code == code)
    assert source[first.start : first.end] == underlined
    assert words in f"{first.message} | {first.help}"


@pytest.mark.parametrize("source", [row[0] for row in MISTAKES.values()], ids=MISTAKES)
def test_messages_keep_the_style_of_findings(source: str) -> None:
    for one in problems(source):
        assert one.code in CATALOGUE
        assert "\n" not in one.message + (one.help or "")
        assert one.message[0].islower() or one.message[0] == "`"
        assert not one.message.endswith(".")


def test_every_code_has_a_mistake() -> None:
    assert {code for _, code, _, _ in MISTAKES.values()} == {
        code for code in CATALOGUE if code.startswith("C")
    }


def test_independent_problems_come_together_in_order_of_place() -> None:
    source = (
        "jobb.gpus > 1 && job.gpu < 3 && job.kind == 'bach' && job.min_runtime > duration('1d') || !job.nodes"
    )
    found = [(one.code, source[one.start : one.end]) for one in problems(source)]
    assert found == [
        ("C004", "jobb"),
        ("C005", "gpu"),
        ("C017", "'bach'"),
        ("C012", "'1d'"),
        ("C006", "job.nodes"),
    ]


def test_a_consequence_of_a_problem_is_not_a_second_problem() -> None:
    assert [one.code for one in problems("jobb.gpus + 1 > 'a'")] == ["C004"]


@pytest.mark.parametrize(
    "source",
    [
        "!" * 9_000 + "true",
        "-" * 9_000 + "1 > 0",
        "job" + ".labels" * 1_400,
        "true?" * 1_500,
        "1+" * 4_000 + "1 > 0",
    ],
    ids=["not", "minus", "select", "question", "plus"],
)
def test_hostile_depth_is_a_problem_and_no_crash(source: str) -> None:
    assert problems(source)[0].code in {"C001", "C003"}


def test_positions_count_characters_beyond_the_basic_plane_and_lines() -> None:
    source = "job.user == '𝛼'\n  && true\n  && jobb.nodes > 1"
    (only,) = problems(source)
    assert source[only.start : only.end] == "jobb"


def test_literals_true_and_false_have_a_place() -> None:
    source = "job.nodes > 1 && (false\n+ 1 == 2)"
    (only,) = problems(source)
    assert source[only.start : only.end] == "false\n+ 1"


def test_guards_know_the_victim() -> None:
    found = compile_expression("victim.class == 'funed' && account.usge > 1.0", GUARD_SCOPE)
    assert not isinstance(found, Lowered)
    assert [one.help for one in found] == ["did you mean `funded`?", "did you mean `account.usage`?"]
