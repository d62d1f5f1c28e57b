"""Whatever is wrong with a bundle, the answer is a refusal of one line; nothing is parsed before the digest."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from policyctl.bundle.canonical import Unsound, canonical, sealed, sha256
from policyctl.bundle.decode import decode
from policyctl.bundle.encode import encode
from policyctl.bundle.meaning import meaning
from policyctl.bundle.reading import read
from policyctl.errors import BundleRejected, Exit
from policyctl.model.policy import Policy
from tests.bundle.policies import EXAMPLE, JOB_RULES, ORIGIN, with_rules

DATA = encode(with_rules(EXAMPLE), ORIGIN)
DOCUMENT: dict[str, Any] = {key: value for key, value in json.loads(DATA).items() if key != "digest"}


def refusal(data: bytes) -> str:
    with pytest.raises(BundleRejected) as caught:
        decode(data)
    message = str(caught.value)
    assert caught.value.exit is Exit.BUNDLE
    assert message.startswith("the bundle is rejected: ")
    assert len(message) < 300
    assert message.isprintable()
    return message


def seal(body: bytes) -> bytes:
    """Put a right digest before any bytes that follow `{`, JSON or not."""
    return b'{"digest":"' + sha256(body).encode() + b'",' + body[1:]


def altered(change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return the bundle with something changed and every digest made right again where that is possible."""
    document = copy.deepcopy(DOCUMENT)
    change(document)
    with contextlib.suppress(Unsound, KeyError, TypeError):
        document["meaning"] = meaning(read(Policy, document["policy"], "policy"))
    return sealed(document)[0]


def test_the_document_as_it_is_would_be_accepted() -> None:
    assert altered(lambda document: None) == DATA
    assert decode(DATA).policy == with_rules(EXAMPLE)


def test_a_file_cut_off_anywhere() -> None:
    for length in range(len(DATA)):
        refusal(DATA[:length])


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(DATA) * 8 - 1))
def test_one_flipped_bit(bit: int) -> None:
    data = bytearray(DATA)
    data[bit // 8] ^= 1 << bit % 8
    refusal(bytes(data))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_with_and_without_a_right_digest(data: bytes) -> None:
    refusal(data)
    refusal(seal(b"{" + data))


BODIES = {
    "an equal key twice": (b'{"format":1,"format":1}', "the key 'format' stands twice"),
    "not a number": (b'{"format":NaN}', "NaN is not a number"),
    "infinity": (b'{"format":-Infinity}', "-Infinity is not a number"),
    "a float beyond floats": (b'{"format":1e999}', "a number is too large"),
    "an integer of 5,000 digits": (b'{"format":' + b"9" * 5000 + b"}", "a number has more than 19 digits"),
    "data after the end": (canonical(DOCUMENT) + b"{}\n", "it is not JSON"),
    "two documents": (canonical(DOCUMENT) * 2, "it is not JSON"),
    "brackets a million deep": (b'{"format":' + b"[" * 1_000_000, "it is nested too deeply"),
    "objects a hundred thousand deep": (b'{"a":' * 100_000, "it is nested too deeply"),
    "more values than any policy": (b'{"a":[' + b"[]," * 4_000_001, "it has more than 4,000,000 values"),
    "not UTF-8": (b'{"format":"\xff"}', "byte 11 is not UTF-8"),
    "nothing": (b"{}", "it does not say its format"),
    "not an object": (b"{1]", "it is not JSON"),
    "spaces": (json.dumps(DOCUMENT).encode(), "it is not in the one spelling"),
    "keys in another order": (
        json.dumps(dict(reversed(DOCUMENT.items())), separators=(",", ":")).encode() + b"\n",
        "it is not in the one spelling",
    ),
    "no final line break": (canonical(DOCUMENT)[:-1], "it is not in the one spelling"),
    "escapes where none are needed": (
        canonical(DOCUMENT).replace(b"language", b"l\\u0061nguage"),
        "it is not in the one spelling",
    ),
}


@pytest.mark.parametrize(("body", "message"), BODIES.values(), ids=BODIES.keys())
def test_bytes_that_are_not_a_bundle(body: bytes, message: str) -> None:
    assert message in refusal(seal(body))


def put(*path: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


def budget(*path: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    return put("policy", "budgets", 0, *path, value=value)


TREE = ("policy", "caps", 0, "rules", 0, "when", "tree")
deep: Any = 1
for _ in range(100):
    deep = [deep]

ALTERATIONS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a newer format": (put("format", value=2), "its format 2 is newer than 1, the newest"),
    "a newer format with other fields": (
        lambda document: document.update(format=7, more=1),
        "its format 7 is newer than 1",
    ),
    "no format": (lambda document: document.pop("format"), "it does not say its format"),
    "a format that is true": (put("format", value=True), "it does not say its format"),
    "an unknown field": (put("signature", value=""), "it has the unknown field 'signature'"),
    "an unknown field with a line break": (put("a\nb", value=""), "it has the unknown field 'a\\nb'"),
    "an unknown field deep inside": (
        budget("shares", 0, "weight", value=1),
        "policy.budgets[0].shares[0] has the unknown field 'weight'",
    ),
    "a missing field": (
        lambda document: document["policy"]["budgets"][0].pop("pool"),
        "policy.budgets[0] lacks the field `pool`",
    ),
    "a share as a float": (budget("shares", 0, "share", value=0.6), "shares[0].share is not a text"),
    "a share that is not reduced": (budget("shares", 0, "share", value="6/10"), "not in the one spelling"),
    "a share over nothing": (budget("shares", 0, "share", value="1/0"), "is not an exact number"),
    "a share in other digits": (budget("shares", 0, "share", value="٣/٥"), "is not an exact number"),
    "a share of 100,000 digits": (budget("shares", 0, "share", value="9" * 100_000), "not an exact number"),
    "a share below zero": (budget("shares", 0, "share", value="-1/2"), "share of 'language' is out of range"),
    "a share that a float cannot hold": (
        budget("shares", 0, "share", value=f"1/{10**400}"),
        "share of 'language' is out of range",
    ),
    "siblings over the whole": (budget("shares", 0, "share", value="1"), "does not divide a whole"),
    "a child twice": (budget("shares", 1, "name", value="language"), "stands there twice"),
    "an account without a slash": (budget("account", value="x"), "is not the path of an account"),
    "a budget for an unknown pool": (budget("pool", value="b200"), "is for the unknown pool 'b200'"),
    "a period that ends before it starts": (
        budget("period", "end", value="2026-01-01T00:00:00Z"),
        "ends before it starts",
    ),
    "an account divided twice": (
        lambda document: document["policy"]["budgets"].append(document["policy"]["budgets"][0]),
        "is divided twice at one time",
    ),
    "an instant with another offset": (
        budget("period", "start", value="2026-07-01T02:00:00+02:00"),
        "not in the one spelling",
    ),
    "an instant that is a number": (budget("period", "start", value=1), "is not a text"),
    "an instant that does not exist": (
        budget("period", "start", value="2026-02-30T00:00:00Z"),
        "is not an instant",
    ),
    "a duration in smaller units": (
        put("policy", "accounting", "quantum", value="600s"),
        "not in the one spelling",
    ),
    "a duration without a unit": (put("policy", "accounting", "quantum", value="600"), "not a duration"),
    "no quantum": (put("policy", "accounting", "quantum", value="0s"), "the quantum is nothing"),
    "a window of no length": (
        put("policy", "accounting", "window", "length", value="0s"),
        "the window has no length",
    ),
    "a window of an unknown sort": (
        put("policy", "accounting", "window", "is", value="rolling"),
        "policy.accounting.window is none of calendar, sliding",
    ),
    "a window with a list for its sort": (
        put("policy", "accounting", "window", "is", value=[]),
        "policy.accounting.window is none of",
    ),
    "a calendar in no known time zone": (
        put("policy", "accounting", "window", value={"is": "calendar", "unit": "day", "timezone": "../x"}),
        "the time zone '../x' is not known here",
    ),
    "a calendar of fortnights": (
        put(
            "policy", "accounting", "window", value={"is": "calendar", "unit": "fortnight", "timezone": "UTC"}
        ),
        "window.unit is none of day, week",
    ),
    "a pool without nodes": (put("policy", "pools", 0, "nodes", value=0), "nodes of pool 'h100' is out of"),
    "nodes that are true": (put("policy", "pools", 0, "nodes", value=True), "is not a whole number"),
    "a flag that is a number": (budget("weighted", value=0), "is neither true nor false"),
    "pools as an object": (put("policy", "pools", value={}), "policy.pools is not a list"),
    "groups as a list": (
        put("policy", "governance", "groups", value=[]),
        "governance.groups is not an object",
    ),
    "a place without a column": (budget("place", value="a.yaml:1"), "budgets[0].place is not a place"),
    "a place at line zero": (budget("place", value="a.yaml:0:1"), "budgets[0].place is not a place"),
    "a place elsewhere": (budget("place", value="/etc/x:1:1"), "is not below the policy root"),
    "a place above": (budget("place", value="a/../../x:1:1"), "is not below the policy root"),
    "half of a surrogate pair": (
        lambda document: document["policy"]["exceptions"][0].update(reason="?"),
        "it is not in the one spelling",
    ),
    "an exception that never ends": (
        put("policy", "exceptions", 0, "period", "end", value=None),
        "exception 'deadline' has no end",
    ),
    "a freeze of an unknown pool": (
        put("policy", "exceptions", 0, "grant", value={"is": "freeze", "pool": "x"}),
        "freezes the unknown pool 'x'",
    ),
    "a cap twice": (
        lambda document: document["policy"]["caps"].append(document["policy"]["caps"][0]),
        "the cap of account '/' stands there twice",
    ),
    "an exception twice": (
        lambda document: document["policy"]["exceptions"].append(document["policy"]["exceptions"][0]),
        "the exception 'deadline' stands there twice",
    ),
    "a pool twice": (
        lambda document: document["policy"]["pools"].append(document["policy"]["pools"][0]),
        "the pool 'h100' stands there twice",
    ),
    "blocks of nothing": (
        put("policy", "pools", 0, "block_nodes", value=0),
        "block of pool 'h100' is out of",
    ),
    "a charge rate below zero": (put("policy", "pools", 0, "charge_rate", value="-1"), "charge rate of pool"),
    "a charge below zero": (
        put("policy", "accounting", "charge", "opportunistic", value="-1"),
        "out of range",
    ),
    "more unused than there was": (
        put("policy", "accounting", "charge", "unused_protection", value="3/2"),
        "charge of unused protection is out of range",
    ),
    "an overdraft below zero": (put("policy", "accounting", "overdraft", value="-1"), "overdraft is out of"),
    "hysteresis below zero": (
        put("policy", "preemption", "hysteresis", value="-1/20"),
        "hysteresis is out of",
    ),
    "a limit below zero": (
        put("policy", "preemption", "per_job", value={"max": -1, "within": "1d"}),
        "limit of preemptions of one job is out of range",
    ),
    "a guard that is no rule": (
        put("policy", "preemption", "guards", 0, "when", "tree", value=["bool", 1]),
        "guard 'a' cannot be evaluated: ",
    ),
    "more points than the whole": (
        put("policy", "exceptions", 0, "grant", "add", value="2"),
        "points of exception 'deadline' is out of range",
    ),
    "a donor that is no path": (
        put("policy", "exceptions", 0, "grant", "source", value="robotics"),
        "donor of exception 'deadline' 'robotics' is not the path of an account",
    ),
    "a suspension of no path": (
        put("policy", "exceptions", 0, "grant", value={"is": "suspend", "account": "/a//b"}),
        "account of exception 'deadline' '/a//b' is not the path",
    ),
    "renewals below zero": (put("policy", "governance", "max_renewals", value=-1), "limit of renewals"),
    "a source without a digest": (
        put("provenance", "sources", value={"x.yaml": "sha256:0"}),
        "the digest of its source 'x.yaml' is not one",
    ),
    "protection for nobody": (
        put(
            "policy",
            "exceptions",
            0,
            "grant",
            value={"is": "protection", "account": None, "job": None, "max_protected": "1h"},
        ),
        "is for neither an account nor a job",
    ),
    "data nested too deeply": (put("policy", "governance", "gates", value=[deep]), "is nested too deeply"),
    "a rule that is no rule": (put(*TREE, value=["system", "rm"]), "rule 'a' cannot be evaluated: "),
    "a rule that is a text": (put(*TREE, value=""), "rule 'a' cannot be evaluated: "),
    "a rule over a victim in a cap": (
        put(*TREE, value=["field", "victim", "protected"]),
        "rule 'a' cannot be evaluated: ",
    ),
    "a rule nested too deeply": (put(*TREE, value=deep), "is nested too deeply"),
    "a commit that is a branch": (put("provenance", "commit", value="main"), "not the name of a commit"),
    "a source outside": (
        put("provenance", "sources", value={"../x": "sha256:0"}),
        "not below the policy root",
    ),
}


@pytest.mark.parametrize(("change", "message"), ALTERATIONS.values(), ids=ALTERATIONS.keys())
def test_documents_that_no_policy_compiles_to(
    change: Callable[[dict[str, Any]], object], message: str
) -> None:
    data = altered(change)
    if "surrogate" in message or change is ALTERATIONS["half of a surrogate pair"][0]:
        body = canonical({**json.loads(data), "digest": ""}).replace(b'"digest":"",', b"")
        data = seal(body.replace(b'"reason":"?"', b'"reason":"\\ud800"'))
        message = "a value cannot be written as JSON"
    assert message in refusal(data)


def test_a_policy_whose_digest_of_meaning_is_another_policys() -> None:
    document = {**DOCUMENT, "meaning": f"sha256:{'0' * 64}"}
    assert "the digest of its meaning is not that of its policy" in refusal(sealed(document)[0])


def test_a_file_over_the_limit_is_not_even_hashed() -> None:
    assert "it is larger than 64 MiB" in refusal(bytes(64 * 1024**2 + 1))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["1/2", "4h", "2026-01-01T00:00:00Z", "/a/b", "a.yaml:1:1", "is", "sliding"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def spots(value: Any) -> list[tuple[Any, Any]]:
    """Return every container of the document with each of its keys, in document order."""
    keys = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    return [spot for key in keys for spot in [(value, key), *spots(value[key])]]


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 10**6), json_values, st.sampled_from(["replace", "remove", "add", "swap"]))
@example(0, None, "replace")
@example(164, ["\x1f"], "replace")
def test_any_change_with_right_digests_is_refused_or_is_a_policy(at: int, value: Any, how: str) -> None:
    def change(document: dict[str, Any]) -> None:
        places = spots(document)
        holder, key = places[at % len(places)]
        other, other_key = places[(at * 7919 + 1) % len(places)]
        match how:
            case "replace":
                holder[key] = value
            case "remove":
                del holder[key]
            case "add" if isinstance(holder, dict):
                holder[f"{key}!"] = value
            case "add":
                holder.append(value)
            case _:
                holder[key] = copy.deepcopy(other[other_key])

    data = altered(change)
    try:
        bundle = decode(data)
    except BundleRejected:
        refusal(data)
    else:
        assert encode(bundle.policy, bundle.provenance) == data


def test_the_rules_of_the_example_are_in_its_bundle() -> None:
    caps = decode(DATA).policy.caps
    assert [rule.when.tree for rule in caps[0].rules] == [rule.tree for rule in JOB_RULES]
