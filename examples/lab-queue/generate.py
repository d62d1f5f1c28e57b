"""A lab's queue: eighteen days of submissions replayed on its pools, written as the state at one instant.

Standard library only, and nothing but the seed and the instant decides.
"""

from __future__ import annotations

import argparse
import random
import sys
from datetime import datetime
from pathlib import Path

from lab import DAY, POOLS, PROJECTS
from records import array, instant, live_record, node_records
from replay import HISTORY, Replay
from submissions import PASS, Submissions

FORTNIGHT = 14 * DAY


def replay(seed: int, at: int) -> list[Replay]:
    """Let every pool live through the days before an instant."""
    rng = random.Random(seed)
    submissions = Submissions(rng)
    replays = [Replay(pool, rng) for pool in POOLS]
    for now in range(at - HISTORY, at, PASS):
        for one in replays:
            if now == at - DAY:
                one.take_out(now)
            for project in PROJECTS:
                if one.pool.name in project.demand and not one.crowded():
                    one.waiting.extend(submissions.arriving(project, one.pool, now - PASS))
            one.step(now)
    for one in replays:
        for task in [task for task in one.running if task.end <= at]:
            one.leave(task, task.end, task.outcome)
    return replays


def state(seed: int, at: int) -> str:
    """Return the state at an instant as JSON, one record a line."""
    live: list[tuple[str, dict[str, object]]] = []
    past: list[tuple[str, str, dict[str, object]]] = []
    for one in replay(seed, at):
        live += [(task.id, live_record(task, at, one.pool, running=True)) for task in one.running]
        live += [(task.id, live_record(task, at, one.pool, running=False)) for task in one.waiting]
        past += [
            (task.id, str(run["start"]), run)
            for task, run in one.ended
            if str(run["end"]) > instant(at - FORTNIGHT)
        ]
    parts = [f'"time":"{instant(at)}"']
    parts.append(array("jobs", [record for _, record in sorted(live, key=lambda item: item[0])]))
    parts.append(array("usage", [run for *_, run in sorted(past, key=lambda item: item[:2])]))
    nodes = sorted((node for pool in POOLS for node in node_records(pool)), key=lambda one: str(one["name"]))
    parts.append(array("nodes", nodes))
    return "{" + ",\n".join(parts) + "}\n"


def main() -> None:
    """Read the options, and write the state to a file or to standard output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--at", default="2026-11-30T09:00:00Z", help="instant with an offset, on a five-minute mark"
    )
    parser.add_argument("-o", "--output", type=Path, help="file to write; default: standard output")
    options = parser.parse_args()
    at = int(datetime.fromisoformat(options.at).timestamp())
    text = state(options.seed, at)
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
