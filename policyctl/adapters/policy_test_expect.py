"""What a case expects, field by field: a table of the facts that each question's answer has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from policyctl.catalogue import CATALOGUE, finding
from policyctl.diagnostics import Finding, Severity, nearest
from policyctl.load.reading import Reader
from policyctl.load.wording import one_of, quoted
from policyctl.render.reasons_text import SENTENCES
from policyctl.testing.answered import NONE
from policyctl.testing.case import Among, Begins, Exactly, Expected, Figure, Text, Wanted
from policyctl.testing.review import needed_of
from policyctl.units import (
    BadQuantity,
    format_duration,
    format_instant,
    parse_duration,
    parse_instant,
    parse_rate,
    parse_share,
)

__all__ = ["FIELDS", "expected_of"]

Read = Callable[[Reader, str], Iterator[tuple[str, Wanted]]]
_INEXACT = 6


def _one(make: Callable[[str], Wanted]) -> Read:
    def read(row: Reader, field: str) -> Iterator[tuple[str, Wanted]]:
        yield field, make(row.text(field))

    return read


def _list(make: Callable[[tuple[str, ...]], Wanted]) -> Read:
    def read(row: Reader, field: str) -> Iterator[tuple[str, Wanted]]:
        yield field, make(row.texts(field))

    return read


def _why(row: Reader, field: str) -> Iterator[tuple[str, Wanted]]:
    jobs = row.inside(field)
    for job in jobs.names():
        yield f"{field}.{job}", Among(jobs.texts(job))


def _accounts(row: Reader, field: str) -> Iterator[tuple[str, Wanted]]:
    accounts = row.inside(field)
    for path in accounts.names():
        wanted = accounts.inside(path)
        for name in wanted.names():
            exact = name in ("share", "absolute")
            text = wanted.text(name)
            yield f"{field}.{path}.{name}", Figure(parse_share(text), None) if exact else _figure(text)


def _outcomes(row: Reader, field: str) -> Iterator[tuple[str, Wanted]]:
    names = row.inside(field)
    for name in names.names():
        yield f"{field}.{name}", Text(names.text(name))


def _requires(row: Reader, field: str) -> Iterator[tuple[str, Wanted]]:
    groups = row.inside(field)
    yield field, Exactly(tuple(needed_of(group, int(groups.text(group))) for group in groups.names()))


def _instant_or_none(text: str) -> Text:
    return Text(NONE if text == NONE else format_instant(parse_instant(text)))


def _duration(text: str) -> Text:
    return Text(format_duration(parse_duration(text)))


def _figure(text: str) -> Figure:
    """Read a number that holds to as many decimals as it is written with; percentages and fractions to six."""
    sign, body = (-1, text[1:]) if text.startswith("-") else (1, text)
    value = sign * Fraction(parse_rate(body))
    plain = not set(body) & set("%/")
    return Figure(value, len(body.partition(".")[2]) if plain else _INEXACT)


_CLASS = _one(Text)
_RANK = _one(Text)
_REASONS = _list(Among)
_PREEMPT: Mapping[str, Read] = {
    "outcome": _one(Text),
    "victims": _list(Exactly),
    "retryAt": _one(_instant_or_none),
    "notice": _one(_duration),
    "reasons": _REASONS,
    "why": _why,
}
FIELDS: Mapping[str, Mapping[str, Read]] = {
    "rank": {
        "order": _list(Begins),
        "funded": _list(Among),
        "opportunistic": _list(Among),
        "failed": _list(Among),
        "why": _why,
    },
    "usage": {"accounts": _accounts},
    "quote": {
        "class": _CLASS,
        "protected": _one(_duration),
        "cappedBy": _one(Text),
        "cost": _one(_figure),
        "rank": _RANK,
        "reasons": _REASONS,
    },
    "explain": {
        "class": _CLASS,
        "rank": _RANK,
        "protectedUntil": _one(_instant_or_none),
        "reasons": _REASONS,
    },
    "authorize": _PREEMPT,
    "plan": _PREEMPT,
    "review": {"rules": _outcomes, "requires": _requires, "gates": _outcomes, "refused": _list(Exactly)},
}
"""By the question, the fields that `expect` may have; a test keeps these to the schema."""


def expected_of(row: Reader, question: str, findings: list[Finding]) -> tuple[Expected, ...]:
    """Read `expect`; a field that the question's answer does not have, or that cannot be read, is a finding."""
    expected: list[Expected] = []
    known = FIELDS[question]
    for field in row.names():
        if field not in known:
            message = f"an answer of `{question}` has no `{field}`"
            findings.append(_finding("S011", row, field, message, f"it has {one_of(sorted(known))}"))
            continue
        try:
            found = list(known[field](row, field))
        except BadQuantity as problem:
            findings.append(_finding("S008", row, field, str(problem), problem.help))
            continue
        findings += _unknown_codes(row, field)
        findings += _unknown_rules(row, field)
        expected += [Expected(field=path, wanted=wanted, place=row.place(field)) for path, wanted in found]
    return tuple(expected)


def _unknown_codes(row: Reader, field: str) -> Iterator[Finding]:
    """Yield a finding for each code that no answer ever has: such a case would fail for a reason nobody sees."""
    lists = {
        "reasons": [(row, field)],
        "why": [(row.inside(field), job) for job in row.inside(field).names()],
    }
    for inside, name in lists.get(field, ()):
        for index, text in enumerate(inside.texts(name)):
            code = text.partition(":")[0]
            if code not in SENTENCES:
                close = nearest(code, SENTENCES)
                way_out = f"did you mean `{close}`?" if close else "docs/testing.md lists them"
                message = f"{quoted(code)} is no code of a reason"
                place = inside.place(name, index)
                yield finding("S006", message, place, help=way_out, subject=row.document.subject)


def _unknown_rules(row: Reader, field: str) -> Iterator[Finding]:
    """Yield a finding for each code that no policy is ever refused with."""
    for index, code in enumerate(row.texts(field) if field == "refused" else ()):
        if code not in CATALOGUE or CATALOGUE[code].severity is not Severity.ERROR:
            message = f"no policy is refused with {quoted(code)}"
            way_out = "`policyctl rules` lists the codes of errors"
            place = row.place(field, index)
            yield finding("S006", message, place, help=way_out, subject=row.document.subject)


def _finding(code: str, row: Reader, field: str, message: str, way_out: str | None) -> Finding:
    return finding(code, message, row.place(field), help=way_out, subject=row.document.subject)
