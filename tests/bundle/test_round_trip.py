"""What goes into a bundle comes out of it, and the same policy gives the same bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings

from policyctl.bundle.decode import decode
from policyctl.bundle.encode import encode
from policyctl.bundle.provenance import Provenance, digests
from policyctl.diagnostics import Place
from policyctl.errors import NoAnswer
from policyctl.model.policy import Policy, Share
from tests.bundle.policies import EXAMPLE, ORIGIN, policies


@settings(max_examples=60, deadline=None)
@given(policies())
def test_decoding_gives_back_what_was_encoded(policy: Policy) -> None:
    data = encode(policy, ORIGIN)
    bundle = decode(data)
    assert bundle.policy == policy
    assert bundle.provenance == ORIGIN
    assert encode(bundle.policy, bundle.provenance) == data


def test_only_the_ends_and_key_paths_of_places_are_left_out() -> None:
    place = Place(file="a.yaml", line=3, column=4, end_line=5, end_column=6, path="spec.shares.x")
    pool = dataclasses.replace(EXAMPLE.pools[0], place=place)
    back = decode(encode(dataclasses.replace(EXAMPLE, pools=(pool,)), ORIGIN)).policy.pools[0]
    assert back.place == Place(file="a.yaml", line=3, column=4, end_line=3, end_column=4)


def test_a_bundle_is_one_line_of_sorted_json_that_starts_with_its_digest() -> None:
    data = encode(EXAMPLE, ORIGIN)
    assert data.count(b"\n") == 1
    assert data.endswith(b"}\n")
    found = json.loads(data)
    assert list(found) == sorted(found) == ["digest", "format", "meaning", "policy", "provenance"]
    assert found["policy"]["budgets"][0]["shares"][0] == {
        "name": "language",
        "place": "organization.yaml:9:5",
        "share": "3/5",
    }
    assert found["policy"]["budgets"][0]["period"] == {
        "end": "2027-01-01T00:00:00Z",
        "start": "2026-07-01T00:00:00Z",
    }
    assert found["policy"]["accounting"]["window"] == {"half_life": "7d", "is": "sliding", "length": "14d"}


def test_the_digest_can_be_checked_without_policyctl() -> None:
    data = encode(EXAMPLE, ORIGIN)
    body = subprocess.run(
        ["sed", 's/^{"digest":"[^"]*",/{/'], input=data, capture_output=True, check=True
    ).stdout
    assert decode(data).digest == f"sha256:{hashlib.sha256(body).hexdigest()}"


PRINT_BUNDLE = """
from policyctl.bundle.encode import encode
from tests.bundle.policies import EXAMPLE, ORIGIN
import sys
sys.stdout.buffer.write(encode(EXAMPLE, ORIGIN))
"""


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONHASHSEED": "1", "TZ": "Asia/Kolkata"}, {"PYTHONHASHSEED": "2", "TZ": "UTC", "LC_ALL": "C"}],
    ids=lambda one: one["PYTHONHASHSEED"],
)
def test_hash_seed_time_zone_and_locale_do_not_matter(environment: dict[str, str]) -> None:
    made = subprocess.run(
        [sys.executable, "-c", PRINT_BUNDLE],
        capture_output=True,
        check=True,
        env={**os.environ, **environment},
    ).stdout
    assert made == encode(EXAMPLE, ORIGIN)


def test_sources_are_digests_of_the_bytes_by_path() -> None:
    found = digests({"b.yaml": b"", "a.yaml": b"x"})
    assert list(found) == ["a.yaml", "b.yaml"]
    assert found["b.yaml"] == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert decode(encode(EXAMPLE, Provenance(sources=found))).provenance.sources == found


def test_a_rational_too_long_to_write_is_no_bundle() -> None:
    share = Share(name="x", share=Fraction(1, 10**5000), place=Place(file="a.yaml"))
    budget = dataclasses.replace(EXAMPLE.budgets[0], shares=(share,))
    with pytest.raises(NoAnswer, match="more than 4000 digits"):
        encode(dataclasses.replace(EXAMPLE, budgets=(budget,)), ORIGIN)
