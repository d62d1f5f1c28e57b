"""Shares in the sentences of a comparison: percentages, with as many decimals as it takes to tell them apart."""

from __future__ import annotations

from fractions import Fraction

import pytest

from policyctl.model.change import Direction, Example, Right, RightKind
from policyctl.render.diff_words import example, percent

SHARES = {
    "exact": ("51/1250", "187/2500", "4.08% → 7.48%"),
    "whole": ("3/5", "7/10", "60% → 70%"),
    "new": ("0", "1/4", "0% → 25%"),
    "rounded": ("1/3", "2/3", "~33.33% → ~66.67%"),
    "one of both rounded": ("1/3", "2/5", "~33.33% → 40%"),
    "alike until the third decimal": ("1/3", "33334/100000", "~33.333% → 33.334%"),
    "alike but for being rounded": ("1/10000", "101/1000000", "0.01% → 0.0101%"),
    "alike until the fourth": ("1/3", "3333341/10000000", "~33.3333% → ~33.3334%"),
}


@pytest.mark.parametrize(("before", "after", "said"), SHARES.values(), ids=SHARES)
def test_a_share_is_a_percentage(before: str, after: str, said: str) -> None:
    assert percent(Fraction(before), Fraction(after)) == said
    one = Example(pool="h100", what="absolute_share", before=before, after=after)
    right = Right(account="/a", kind=RightKind.SHARE, direction=Direction.LOOSENS, examples=(one,))
    assert example(right) == f"of pool: {said} in h100"


def test_other_values_stay_as_they_are_spelled() -> None:
    one = Example(what="default", before="4h", after="6h")
    right = Right(account="/a", kind=RightKind.PROTECTION, direction=Direction.LOOSENS, examples=(one,))
    assert example(right) == "default: 4h → 6h"
