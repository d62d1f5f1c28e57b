"""Runs the console blocks of a README, and compares or rewrites what they show.

In a block, a line `$ COMMAND` is run by the shell and the lines after it are what it prints, both streams together. A
command goes on in the next line after a backslash, and ends with `# exit N` where its exit code N is not 0. All blocks of one README share a folder: a copy of
`examples/` and `policies/`, so that a walk may edit files. To record anew what the commands print:

    python -m tests.examples.readme_runner --update [README ...]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FENCE, END, PROMPT = "```console", "```", "$ "
_ANNOTATION = re.compile(r"\s+# exit (\d+)$")
_CLOCKLESS = {"NO_COLOR": "1", "COLUMNS": "100", "TZ": "UTC", "LC_ALL": "C.UTF-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command of a README at a line, with the exit code and the output that the README shows."""

    line: int
    command: str
    exit: int
    output: str

    def shown(self) -> str:
        """Return the step as a README writes it."""
        return f"{PROMPT}{self.command}{f'  # exit {self.exit}' if self.exit else ''}\n{self.output}"


def readmes() -> list[Path]:
    """Return the READMEs of all examples, in order."""
    return sorted((ROOT / "examples").glob("*/README.md"))


def blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the lines of every console block."""
    inside: list[str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if inside is None:
            inside = [] if line == FENCE else None
        elif line == END:
            yield number - len(inside), inside
            inside = None
        else:
            inside.append(line)
    assert inside is None, "a console block does not end"


def steps(first: int, lines: list[str]) -> list[Step]:
    """Return the commands of one block with what is shown after each."""
    found: list[Step] = []
    for number, line in enumerate(lines, start=first):
        if found and found[-1].command.endswith("\\") and not found[-1].output:
            found[-1] = _command(found[-1].line, f"{found[-1].command}\n{line}")
        elif line.startswith(PROMPT):
            found.append(_command(number, line.removeprefix(PROMPT)))
        else:
            assert found, f"line {number}: a console block begins with `$ `"
            found[-1] = replace(found[-1], output=found[-1].output + line + "\n")
    return found


def _command(line: int, text: str) -> Step:
    note = _ANNOTATION.search(text)
    return Step(
        line=line, command=text[: note.start()] if note else text, exit=int(note[1]) if note else 0, output=""
    )


def read(text: str) -> list[Step]:
    """Return every step of a README."""
    return [step for first, lines in blocks(text) for step in steps(first, lines)]


def scene(folder: Path) -> None:
    """Fill a folder with what a fresh clone has where the examples need it."""
    for name in ("examples", "policies"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))


def run(step: Step, folder: Path) -> Step:
    """Run a step, and return it with what really happened."""
    search = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    ended = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env={**_CLOCKLESS, "PATH": search, "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=120,
    )
    output = "".join(f"{line.rstrip()}\n" for line in ended.stdout.decode().splitlines())
    return replace(step, exit=ended.returncode, output=output)


def rewritten(text: str, folder: Path) -> str:
    """Return a README with what its commands print now."""
    lines, result, reached = text.splitlines(keepends=True), "", 0
    for first, old in blocks(text):
        result += "".join(lines[reached : first - 1])
        result += "".join(run(step, folder).shown() for step in steps(first, old))
        reached = first - 1 + len(old)
    return result + "".join(lines[reached:])


def main() -> None:
    """Rewrite the READMEs that are named, or all of them."""
    parser = argparse.ArgumentParser(description="record what the commands of the examples print")
    parser.add_argument("--update", action="store_true", required=True, help="rewrite the READMEs in place")
    parser.add_argument("readme", nargs="*", type=Path, default=readmes())
    for path in parser.parse_args().readme:
        with tempfile.TemporaryDirectory() as name:
            scene(Path(name))
            path.write_text(rewritten(path.read_text(encoding="utf-8"), Path(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
