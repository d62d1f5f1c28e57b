"""The direction of protection is never more harmless than what happens to some job, by trying all of them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from policyctl.diff.caps import cap_steps
from policyctl.diff.directions import rights, together
from policyctl.diff.shares import share_changes, share_steps
from policyctl.diff.spans import Trees, spans
from policyctl.load.policy_text import read_policy
from policyctl.model.change import Direction, RightKind
from policyctl.model.policy import Budget, Policy
from policyctl.model.tree import tree_at
from policyctl.workspace.shipped import schemas
from tests.check.policies import budget, lending, period, policy
from tests.diff.policies import BASE

CAP = BASE[BASE.index("kind: ProtectionCap") : BASE.index("kind: Preemption")]
LIMITS = ("1h", "2h", "4h", "8h")
GPUS = range(6)
OPS = ("<", "<=", ">", ">=", "==", "!=")

rule = st.tuples(st.sampled_from(OPS), st.integers(0, 5), st.sampled_from(LIMITS))
cap = st.tuples(st.lists(rule, max_size=3), st.sampled_from(LIMITS))


def _text(one: tuple[list[tuple[str, int, str]], str]) -> str:
    rules, default = one
    lines = [
        f"    - {{name: r{number}, when: 'job.gpus {op} {bound}.0', maxProtected: {limit}}}\n"
        for number, (op, bound, limit) in enumerate(rules)
    ]
    listed = f"  rules:\n{''.join(lines)}" if lines else ""
    return BASE.replace(
        CAP,
        f"kind: ProtectionCap\nmetadata: {{name: cap}}\nspec:\n  account: /\n{listed}  default: {default}\n"
        "---\napiVersion: policyctl/v1\n",
    )


def _read(one: tuple[list[tuple[str, int, str]], str]) -> Policy:
    """Return the policy without its checks, which refuse rules that no job meets."""
    loaded = read_policy({"policy.yaml": _text(one).encode()}, schemas())
    assert loaded.policy is not None
    return loaded.policy


def _allowed(one: tuple[list[tuple[str, int, str]], str], gpus: int) -> int:
    holds = {"<": gpus.__lt__, "<=": gpus.__le__, ">": gpus.__gt__, ">=": gpus.__ge__, "==": gpus.__eq__}
    for op, bound, limit in one[0]:
        if gpus != bound if op == "!=" else holds[op](bound):
            return int(limit[:-1])
    return int(one[1][:-1])


@settings(max_examples=80, deadline=None)
@given(cap, cap)
def test_no_job_gains_where_caps_are_said_to_tighten(
    before: tuple[list[tuple[str, int, str]], str], after: tuple[list[tuple[str, int, str]], str]
) -> None:
    said = together(one.direction for one in cap_steps(_read(before), _read(after)))
    pairs = [(_allowed(before, gpus), _allowed(after, gpus)) for gpus in GPUS]
    if any(new > old for old, new in pairs):
        assert said.may_loosen
    if any(new < old for old, new in pairs):
        assert said in {Direction.TIGHTENS, Direction.MIXED, Direction.INCOMPARABLE}


percent = st.integers(1, 40).map(lambda number: Fraction(number, 100))
divided = st.tuples(percent, percent, percent, st.integers(0, 3), st.integers(4, 6), st.booleans())


def _divided(one: tuple[Fraction, Fraction, Fraction, int, int, bool]) -> Policy:
    first, second, inner, start, end, lent = one
    budgets: list[Budget] = [
        budget("/", {"a": first, "b": second}),
        budget("/a", {"x": inner, "y": inner}),
    ]
    lent_points = min(second, Fraction(1, 100))
    loans = (lending("loan", ("/b", "/a/x"), lent_points, period(start, end)),) if lent else ()
    return policy(*budgets, exceptions=loans)


@settings(max_examples=80, deadline=None)
@given(divided, divided)
def test_every_instant_agrees_with_the_direction_of_a_share(
    before: tuple[Fraction, Fraction, Fraction, int, int, bool],
    after: tuple[Fraction, Fraction, Fraction, int, int, bool],
) -> None:
    base, head = _divided(before), _divided(after)
    changes, _ = share_changes(base, head, (Trees(base), Trees(head)), spans(base, head))
    said = {one.account: one.direction for one in rights(share_steps(changes)) if one.kind is RightKind.SHARE}
    for account in ("/a", "/b", "/a/x", "/a/y"):
        moves = {
            new.absolute - old.absolute
            for at in range(-1, 8)
            for old, new in [
                (
                    tree_at(base, "h100", at).accounts[tree_at(base, "h100", at).index[account]],
                    tree_at(head, "h100", at).accounts[tree_at(head, "h100", at).index[account]],
                )
            ]
        }
        up, down = any(move > 0 for move in moves), any(move < 0 for move in moves)
        expected = {
            (True, True): Direction.MIXED,
            (True, False): Direction.LOOSENS,
            (False, True): Direction.TIGHTENS,
            (False, False): Direction.NEUTRAL,
        }[up, down]
        assert said.get(account, Direction.NEUTRAL) is expected
