"""The value of each construct on one job, agreed on by two other implementations of CEL."""

from __future__ import annotations

import numpy as np
import pytest

from policyctl.expr.columns import Columns, Flags, Labels, Numbers, Spans, Texts, Times, texts
from policyctl.expr.compiler import Lowered, compile_expression
from policyctl.expr.evaluate import Truth, evaluate
from policyctl.expr.scope import GUARD_SCOPE, JOB_SCOPE, Scope
from policyctl.expr.trees import Tree
from tests.expr.departures import departs
from tests.expr.oracles import by_cel_python, by_cpp
from tests.expr.rows import ACCOUNT, JOB, NOW, VICTIM, columns, job, texts_of

TRUE = {
    "double equals int": "job.gpus == 8",
    "int equals double": "8 == job.gpus",
    "int below double": "1 < 1.5",
    "double above int": "1.5 > 1",
    "int in doubles": "job.nodes in [1.0, 2.0]",
    "double in ints": "job.gpus in [4, 8]",
    "signed zeros are equal": "0.0 == -0.0",
    "int beyond every double": "9223372036854775807 < 1e19 && -9223372036854775808 > -1e19",
    "division rounds to zero": "-5 / 2 == -2 && 5 / -2 == -2",
    "modulo has the sign of the dividend": "-5 % 3 == -2 && 5 % -3 == 2",
    "subtraction from the left": "10 - 3 - 2 == 5",
    "double arithmetic": "job.gpus * 0.5 - 1.0 == 3.0 && 0.1 + 0.2 != 0.3",
    "double division": "1.0 / 4.0 == 0.25",
    "negation": "-job.nodes == -2 && -job.gpus < 0.0",
    "text order by code point": "'Z' < 'a' && 'z' < 'é' && '\uffff' < '\U0001d6fc'",
    "bool order": "false < true",
    "text equality": "job.user == 'r01' && job.user != 'R01'",
    "two text columns equal": "job.labels.team == job.user",
    "two text columns ordered": "job.kind < job.pool && job.pool > job.kind",
    "starts": "job.account.startsWith('/vision/') && job.account.startsWith('')",
    "ends": "job.account.endsWith('detection') && !job.account.endsWith('x')",
    "contains": "job.account.contains('n/d')",
    "contains by field": "job.account.contains(job.labels.tier) == false && job.user.contains(job.labels.team)",
    "matches anywhere": "job.account.matches('n/d')",
    "matches anchored": "job.account.matches('^/[a-z]+/detection$') && !job.account.matches('^vision')",
    "end is before no newline": "!'a\\n'.matches('a$')",
    "size in characters": "size('𝛼é') == 2 && job.user.size() == 3",
    "size of labels": "size(job.labels) == 2",
    "label by index": "job.labels['tier'] == 'gold'",
    "label by name": "job.labels.tier == 'gold'",
    "label by field": "job.labels[job.labels.team == 'r01' ? 'tier' : 'x'] == 'gold'",
    "label in labels": "'tier' in job.labels && !('x' in job.labels)",
    "key by field": "!(job.user in job.labels)",
    "has": "has(job.labels.tier) && !has(job.labels.x) && has(job.gpus) && has(job.time_limit)",
    "in texts": "job.kind in ['batch', job.user] && !(job.user in ['r02'])",
    "in fields": "job.user in [job.kind, job.labels.team]",
    "in nothing": "!(job.user in [])",
    "choice": "(job.nodes == 2 ? job.user : job.kind) == 'r01'",
    "choice of instants": "(job.interactive ? now : job.submit) < now",
    "choice of labels": "(job.interactive ? job.labels : job.labels).tier == 'gold'",
    "choice takes no side it needs not": "true ? true : 1 / 0 == 1",
    "or absorbs what follows": "true || 1 / 0 == 1",
    "or absorbs what precedes": "1 / 0 == 1 || true",
    "and absorbs what follows": "!(false && 1 / 0 == 1)",
    "and absorbs what precedes": "!(1 / 0 == 1 && false)",
    "absorbed in a chain": "1 / 0 == 1 || false || job.labels.x == 'a' || true",
    "duration spelling": "duration('1h30m') == duration('5400s') && duration('1.5h') == duration('90m')",
    "duration arithmetic": "job.min_runtime + duration('1h') - duration('30m') == duration('2h30m')",
    "instant arithmetic": "now - job.submit == duration('90m') && job.submit + duration('90m') == now",
    "duration first": "duration('90m') + job.submit == now && now - duration('90m') == job.submit",
    "duration parts": "job.time_limit.getHours() == 4 && job.time_limit.getMinutes() == 240",
    "negative duration parts": "duration('-90m').getHours() == -1 && duration('-90s').getMinutes() == -1",
    "duration in seconds": "job.min_runtime.getSeconds() == 7200",
    "date": "now.getFullYear() == 2026 && now.getMonth() == 8 && now.getDate() == 1",
    "days count from 0": "now.getDayOfMonth() == 0 && now.getDayOfYear() == 243 && now.getDayOfWeek() == 2",
    "clock": "now.getHours() == 12 && now.getMinutes() == 0 && now.getSeconds() == 0",
    "summer in California": "now.getHours('America/Los_Angeles') == 5",
    "winter in California": "timestamp('2026-12-01T12:00:00Z').getHours('America/Los_Angeles') == 4",
    "the hour before clocks go back": "timestamp('2026-11-01T08:59:59Z').getHours('America/Los_Angeles') == 1",
    "the hour after clocks go back": "timestamp('2026-11-01T09:00:00Z').getHours('America/Los_Angeles') == 1",
    "tomorrow elsewhere": "now.getDate('Pacific/Kiritimati') == 2",
    "fixed offset": "now.getHours('-08:00') == 4 && now.getMinutes('+05:45') == 45 && now.getHours('08:00') == 20",
    "before 1970": "timestamp('1969-12-31T23:59:59Z').getSeconds() == 59",
    "leap day": "timestamp('2024-02-29T00:00:00Z').getDayOfYear() == 59",
    "offset in a timestamp": "timestamp('2026-09-01T14:00:00+02:00') == now",
    "escapes": r"'\x41\u00e9\101' == 'AéA' && '\a\b\f\n\r\t\v'.size() == 7",
    "raw text": r"r'\n'.size() == 2",
    "hexadecimal": "0x1F == 31 && -0x1F == -31",
    "double negation": "!!true && --1 == 1",
    "equality of truth": "job.interactive == false && (1 == 1) == true",
}
FAULTS = {
    "missing label": ("job.labels.x == 'a'", "missing_label", "`job.labels` has no label `x`"),
    "missing label by field": (
        "job.labels[job.user] == 'a'",
        "missing_label",
        "`job.labels` has no label of the name `job.user`",
    ),
    "sum too large": (
        "9223372036854775807 + job.nodes > 0",
        "overflow",
        "`9223372036854775807 + job.nodes` is out of range",
    ),
    "difference too small": ("-9223372036854775807 - job.nodes < 0", "overflow", "out of range"),
    "product too large": ("4611686018427387904 * job.nodes > 0", "overflow", "out of range"),
    "product of the smallest int": ("-9223372036854775808 * (job.nodes - 3) > 0", "overflow", "out of range"),
    "smallest int negated": ("-(-9223372036854775808 + job.nodes - 2) > 0", "overflow", "out of range"),
    "smallest int divided": ("-9223372036854775808 / (job.nodes - 3) > 0", "overflow", "out of range"),
    "division by zero": (
        "1 / (job.nodes - 2) > 0",
        "division_by_zero",
        "`1 / (job.nodes - 2)` divides by zero",
    ),
    "modulo zero": ("1 % (job.nodes - 2) > 0", "division_by_zero", "divides by zero"),
    "instant after 9999": (
        "timestamp('9999-12-31T23:59:59Z') + job.min_runtime > now",
        "overflow",
        '`timestamp("9999-12-31T23:59:59Z") + job.min_runtime` is out of range',
    ),
    "duration of centuries": (
        "now - timestamp('0001-01-01T00:00:00Z') > job.min_runtime",
        "overflow",
        "out of range",
    ),
    "the first fault is reported": (
        "job.labels.x == job.labels.y",
        "missing_label",
        "`job.labels` has no label `x`",
    ),
    "fault beside false or": ("false || job.labels.x == 'a'", "missing_label", "label `x`"),
    "fault beside true and": ("true && job.labels.x == 'a'", "missing_label", "label `x`"),
    "fault before a choice": ("job.labels.x == 'a' ? true : true", "missing_label", "label `x`"),
    "fault in a list": ("1 in [1, 1 / (job.nodes - 2)]", "division_by_zero", "divides by zero"),
    "fault passes through not": ("!(job.labels.x == 'a')", "missing_label", "label `x`"),
    "fault passes through size": ("size(job.labels.x) > 0", "missing_label", "label `x`"),
    "fault passes through matches": ("job.labels.x.matches('a')", "missing_label", "label `x`"),
}


def lower(source: str, scope: Scope = JOB_SCOPE) -> Tree:
    lowered = compile_expression(source, scope)
    assert isinstance(lowered, Lowered), lowered
    return lowered.tree


def holds(source: str, table: Columns, scope: Scope = JOB_SCOPE) -> Truth:
    return evaluate(lower(source, scope), table)


@pytest.mark.parametrize("source", TRUE.values(), ids=TRUE)
def test_true_here_and_in_the_other_implementations(source: str) -> None:
    truth = holds(source, columns([job()]))
    assert truth.values.tolist() == [True], truth.faults
    assert by_cpp(source, job(), NOW) is True
    if not departs(lower(source), truth.places):
        assert by_cel_python(source, job(), NOW) is True


@pytest.mark.parametrize(("source", "code", "words"), FAULTS.values(), ids=FAULTS)
def test_a_fault_has_a_code_and_names_the_part(source: str, code: str, words: str) -> None:
    truth = holds(source, columns([job(), job()]))
    assert truth.faults.tolist() == [True, True]
    assert truth.values.tolist() == [False, False]
    assert truth.fault(1).code == code
    assert words in truth.fault(1).message
    assert by_cpp(source, job(), NOW) is None


def test_an_absent_field_faults_unless_has_guards_it() -> None:
    rows = columns([job(), job(time_limit=None)])
    bare = holds("job.time_limit > duration('1h')", rows)
    assert (bare.values.tolist(), bare.faults.tolist()) == ([True, False], [False, True])
    assert bare.fault(1).message == "`job.time_limit` is absent"
    guarded = holds("has(job.time_limit) && job.time_limit > duration('1h')", rows)
    assert guarded.values.tolist() == [True, False]
    assert not guarded.faults.any()


def test_a_row_with_an_answer_has_no_fault() -> None:
    with pytest.raises(ValueError, match="row 0 has an answer"):
        holds("true", columns([job()])).fault(0)


def test_a_double_that_is_not_finite_is_a_fault_of_its_row() -> None:
    rows = columns([job(gpus=float("nan")), job(gpus=float("inf")), job()])
    truth = holds("job.gpus < 100.0", rows)
    assert (truth.values.tolist(), truth.faults.tolist()) == ([False, False, True], [True, True, False])
    assert truth.fault(0).code == "not_finite"
    divided = holds("1.0 / (job.gpus - 8.0) == 2", columns([job(), job(gpus=8.5)]))
    assert (divided.values.tolist(), divided.fault(0).code) == ([False, True], "not_finite")
    assert divided.fault(0).message == "`1.0 / (job.gpus - 8.0)` is not a finite number"


def test_an_instant_out_of_the_calendar_is_a_fault() -> None:
    truth = holds("job.submit.getHours() >= 0", columns([job(submit=2**60), job()]))
    assert truth.faults.tolist() == [True, False]
    assert truth.fault(0).message == "`job.submit` is outside of the years 1 to 9999"


def test_one_fault_does_not_touch_the_other_rows() -> None:
    rows = columns([job(nodes=n) for n in (0, 1, 2, -1)])
    truth = holds("4 / job.nodes >= 2", rows)
    assert (truth.values.tolist(), truth.faults.tolist()) == (
        [False, True, True, False],
        [True, False, False, False],
    )


def test_no_rows_are_no_answers() -> None:
    truth = holds("job.gpus >= 64 && job.labels.x == 'a' && job.nodes * 2 > 1", columns([]))
    assert (len(truth.values), len(truth.faults)) == (0, 0)


def test_columns_of_length_one_hold_for_every_row() -> None:
    table = Columns(
        size=3,
        roots={
            "job": {"nodes": Numbers(values=np.array([1, 2, 3])), "gpus": Numbers(values=np.array([2.0]))}
        },
    )
    assert holds("job.nodes >= job.gpus", table).values.tolist() == [False, True, True]
    assert holds("job.gpus == 2.0", table).values.tolist() == [True, True, True]


def test_codes_of_absent_rows_do_not_matter() -> None:
    absent = np.array([False, True])
    table = Columns(
        size=2,
        roots={
            "job": {
                "user": Texts(codes=np.array([-7, 0], dtype=np.int32), table=("r01",), present=absent),
                "labels": Labels(codes=np.array([9, 0], dtype=np.int32), sets=({},), present=absent),
                "pool": Texts(
                    codes=np.array([3, 3], dtype=np.int32), table=(), present=np.array([False, False])
                ),
            }
        },
    )
    assert holds("job.user == 'r01'", table).faults.tolist() == [True, False]
    assert holds("size(job.labels) == 0", table).values.tolist() == [False, True]
    assert holds("job.pool == 'x'", table).faults.tolist() == [True, True]


def test_a_large_shared_table_costs_only_its_used_entries() -> None:
    table = tuple(f"u{number}" for number in range(100_000))
    asked: list[str] = []

    class Noted(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            asked.append(str(self))
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    noted = Texts(codes=np.array([5, 70_000], dtype=np.int32), table=tuple(Noted(text) for text in table))
    truth = holds("job.user == 'u70000'", Columns(size=2, roots={"job": {"user": noted}}))
    assert truth.values.tolist() == [False, True]
    assert len(asked) == 2


def test_a_missing_column_is_a_programming_error() -> None:
    with pytest.raises(KeyError):
        holds("job.nodes > 1", Columns(size=1, roots={"job": {}}))


@pytest.mark.parametrize(
    "wrong",
    [Flags(values=np.array([True])), Times(values=np.array([1])), texts(["a"])],
    ids=["flags", "times", "texts"],
)
def test_a_column_of_another_type_is_a_programming_error(wrong: Flags | Times | Texts) -> None:
    with pytest.raises(TypeError):
        holds("job.nodes + 1 > 1", Columns(size=1, roots={"job": {"nodes": wrong}}))


def test_guards_see_victim_preemptor_account_and_the_clock() -> None:
    row = {"job": JOB, "preemptor": JOB, "victim": VICTIM, "account": ACCOUNT}
    source = (
        "victim.running_for >= duration('1h') && !victim.protected && victim.class == 'funded'"
        " && victim.work_at_risk < 3 && account.usage < account.entitled * account.share + 6.0"
        " && preemptor.id == job.id && now.getHours('Europe/Berlin') == 14"
    )
    assert holds(source, columns([row], scope=GUARD_SCOPE), GUARD_SCOPE).values.tolist() == [True]


def test_encoding_keeps_each_text_once_and_marks_the_absent() -> None:
    encoded = texts(["b", None, "a", "b"])
    assert encoded.table == ("b", "a")
    assert encoded.present is not None
    assert encoded.present.tolist() == [True, False, True, True]
    assert texts_of(texts(["x", "y", "x"])) == ["x", "y", "x"]


def test_spans_compare_with_spans_only() -> None:
    table = Columns(size=1, roots={"job": {"min_runtime": Times(values=np.array([1]))}})
    with pytest.raises(TypeError):
        holds("job.min_runtime > duration('1h')", table)
    good = Columns(size=1, roots={"job": {"min_runtime": Spans(values=np.array([7_200]))}})
    assert holds("job.min_runtime > duration('1h')", good).values.tolist() == [True]
