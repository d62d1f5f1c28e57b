"""Where a check leaves its reports: a folder, and the files that GitHub's runner names in the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from policyctl.cli.ci_change import COMMENT
from policyctl.cli.ci_stages import SARIF
from policyctl.cli.stages import Stage
from policyctl.errors import Exit, NoAnswer
from policyctl.render import ci_github, ci_markdown
from policyctl.workspace.files import write_beside

__all__ = ["annotated", "on_a_runner", "report_folder", "summary", "tell_runner", "write_reports"]


def on_a_runner() -> bool:
    """Say whether GitHub Actions runs this."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def report_folder(given: Path | None) -> Path | None:
    """Return where reports go: what was said, else a folder of the runner, else nowhere."""
    temporary = os.environ.get("RUNNER_TEMP")
    if given is not None or not on_a_runner() or not temporary:
        return given
    return Path(temporary) / "policyctl"


def write_reports(folder: Path, stages: Sequence[Stage]) -> dict[str, Path]:
    """Write all reports of all stages and the summary, and return where each is; raises NoAnswer."""
    texts = {name: text for one in stages for name, text in one.reports.items()} | {
        "summary.md": summary(stages)
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise NoAnswer(f"cannot make the folder `{folder}`: {problem.strerror}") from None
    for name, text in texts.items():
        write_beside(folder / name, text.encode("utf-8", "backslashreplace"))
    return {name: folder / name for name in texts}


def annotated(one: Stage) -> str:
    """Return the annotations of a stage; one that failed without any has what it said as one."""
    if one.annotations is not None:
        return one.annotations
    return "" if one.exit is Exit.OK else ci_github.no_answer(one.name, one.text)


def summary(stages: Sequence[Stage]) -> str:
    """Return how the stages ended, and what those said that did not end well or have a form of their own."""
    ends = [(one.name, "ok" if one.exit is Exit.OK else f"exit code {int(one.exit)}") for one in stages]
    parts = [ci_markdown.stages(ends)]
    for one in stages:
        if one.markdown:
            parts.append(one.markdown)
        elif one.exit is not Exit.OK:
            parts.append(ci_markdown.said(one.name, one.text))
    return "\n".join(parts)


def tell_runner(stages: Sequence[Stage], code: Exit, written: dict[str, Path]) -> None:
    """Append the summary and the outputs `exit-code`, `comment`, `sarif` and `reports` to the files that the runner reads."""
    outputs = {
        "exit-code": str(int(code)),
        "comment": str(written.get(COMMENT, "")),
        "sarif": str(written.get(SARIF, "")),
        "reports": str(next(iter(written.values())).parent) if written else "",
    }
    _append("GITHUB_STEP_SUMMARY", summary(stages))
    _append("GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in outputs.items()))


def _append(variable: str, text: str) -> None:
    name = os.environ.get(variable)
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as problem:
        raise NoAnswer(f"cannot write what `{variable}` names: {problem.strerror}") from None
