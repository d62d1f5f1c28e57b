"""A lowered tree beside the type of its value: what the steps of lowering hand to each other."""

from __future__ import annotations

from dataclasses import dataclass

from policyctl.expr.scope import Type
from policyctl.expr.trees import Tree

__all__ = ["Typed"]


@dataclass(frozen=True, slots=True)
class Typed:
    """A lowered tree and the type of its value."""

    tree: Tree
    type: Type
