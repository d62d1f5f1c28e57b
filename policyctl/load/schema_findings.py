"""What a schema has against a document: one finding for each mistake, and none that only follows from another.

jsonschema reports every keyword that fails. Of several that fail for one value the first in `KEYWORDS` is told;
nothing is said about values that the scan refused.
"""

from __future__ import annotations

from policyctl.catalogue import finding
from policyctl.diagnostics import Finding
from policyctl.load.documents import Document
from policyctl.load.failures import Failure, failure_of
from policyctl.load.instance import instance
from policyctl.load.keywords import KEYWORDS
from policyctl.load.schema import KindSchema
from policyctl.load.surprises import surprise
from policyctl.load.values import Path
from policyctl.load.wording import quoted

__all__ = ["schema_findings"]

_ORDER = {keyword: index for index, keyword in enumerate(KEYWORDS)}
# The keywords that ask for a mapping's or a list's content speak of different things, and are all told.
_OF_ONE_VALUE = frozenset(list(KEYWORDS)[: _ORDER["additionalProperties"]])


def schema_findings(document: Document, schema: KindSchema) -> tuple[Finding, ...]:
    """Return what is wrong with the fields of a document, not counting what its scan already refused."""
    made = instance(document.root, schema.schema)
    settled: set[Path] = made.holes | set(made.odd)
    found: dict[Finding, None] = dict.fromkeys(_odd(document, path) for path in made.odd)
    failures = [failure_of(document, error) for error in schema.errors(made.value)]
    for failure in sorted(failures, key=lambda one: _ORDER[one.keyword]):
        subject = _subject(failure)
        if subject in settled or any(
            failure.path[:length] in settled for length in range(len(failure.path) + 1)
        ):
            continue
        if failure.keyword in _OF_ONE_VALUE:
            settled.add(subject)
        found.update(dict.fromkeys(KEYWORDS[failure.keyword](failure)))
    return tuple(found)


def _subject(failure: Failure) -> Path:
    """Name what a failure is about: a value by its path, a key by one that no value has."""
    return (*failure.path, -1, failure.text) if failure.about_key else failure.path


def _odd(document: Document, path: Path) -> Finding:
    text = document.text(*path)
    odd = surprise(text)
    return finding(
        "Y012",
        f"{quoted(text)} is {odd.seen if odd else 'something else'} for other YAML readers",
        document.place(*path),
        help=f'put it into quotes: `"{text}"`',
        subject=document.subject,
    )
