"""A check in a few lines of Markdown: how each stage ended, and what became of the gates."""

from __future__ import annotations

from collections.abc import Sequence

from policyctl.govern.gates import Gate
from policyctl.render.diff_markdown import escaped
from policyctl.render.gates_text import read, state, told

__all__ = ["gates", "said", "stages"]

_LONGEST = 20_000


def stages(ends: Sequence[tuple[str, str]]) -> str:
    """Write a table of stages and how they ended."""
    rows = "".join(f"| {name} | {escaped(end)} |\n" for name, end in ends)
    return f"### Policy check\n\n| stage | |\n|---|---|\n{rows}"


def gates(judged: Sequence[Gate]) -> str:
    """Write a table of gates; empty where there are none."""
    if not judged:
        return ""
    rows = "".join(
        f"| {escaped(state(one))} | {escaped(told(one))} | {escaped(read(one)) if one.closed else ''} |\n"
        for one in judged
    )
    return f"#### Gates\n\n| | gate | read |\n|---|---|---|\n{rows}"


def said(name: str, text: str) -> str:
    """Write what a stage said as a block that formats nothing, each line indented; cut where it is very long."""
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… and more, which the log has"
    block = "".join(f"    {line}\n" for line in shown.splitlines())
    return f"#### {name}\n\n{block}"
