"""Compare the GPU-hours of a public job log with those of a replay, group by group, to the second.

Reads the text of the log by itself, and `jobs.csv` as `policyctl simulate --csv` writes it. Says what differs and ends
with 1 if anything does, or if any job did not start at once. Standard library only.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from divide import lines

_SWF_RUN, _SWF_PROCESSORS, _SWF_ASKED, _SWF_GROUP = 3, 4, 7, 12
_HOUR = 3_600_000
Hours = Counter[str]
"""Of each account, thousandths of a GPU times seconds."""


def of_csv(log: Path) -> Iterator[tuple[str, int]]:
    """Yield the account and the GPU time of every job with GPUs that has started and ended."""
    for row in csv.DictReader(lines(log)):
        gpus = round(float(row["gpus"] or 0) * 1000)
        if gpus and row["start_time_s"] and row["end_time_s"]:
            yield f"/{row['group']}", gpus * (int(row["end_time_s"]) - int(row["start_time_s"]))


def of_swf(log: Path) -> Iterator[tuple[str, int]]:
    """Yield the same from the Standard Workload Format: processors are GPUs, those asked for where none are known."""
    for line in lines(log):
        fields = line.split()
        if fields and not line.startswith(";"):
            processors = max(int(fields[_SWF_PROCESSORS]), 0) or int(fields[_SWF_ASKED])
            yield f"/g{fields[_SWF_GROUP]}", processors * 1000 * max(int(fields[_SWF_RUN]), 0)


def of_replay(rows: list[dict[str, str]]) -> Iterator[tuple[str, int]]:
    """Yield the same from a replay, of the jobs that ran in one piece."""
    for row in rows:
        if row["runs"] == "1" and row["last_end"]:
            ran = datetime.fromisoformat(row["last_end"]) - datetime.fromisoformat(row["first_start"])
            yield row["account"], round(float(row["gpus"]) * 1000) * round(ran.total_seconds())


def added(parts: Iterator[tuple[str, int]]) -> Hours:
    """Return the sums, of the accounts that have any."""
    hours: Hours = Counter()
    for account, time in parts:
        hours[account] += time
    return +hours


def main() -> None:
    """Print what went in and what came out."""
    parser = argparse.ArgumentParser(description="compare the GPU-hours of a log with those of a replay")
    parser.add_argument("log", type=Path, help="nine-column CSV or SWF, gzip or not")
    parser.add_argument("jobs", type=Path, help="jobs.csv of the replay")
    given = parser.parse_args()
    went_in = added((of_swf if ".swf" in given.log.suffixes else of_csv)(given.log))
    rows = list(csv.DictReader(lines(given.jobs)))
    came_out = added(of_replay(rows))
    differ = sorted(account for account in went_in | came_out if went_in[account] != came_out[account])
    late = sum(row["wait_seconds"] != "0" for row in rows)
    print(f"{went_in.total() / _HOUR:,.0f} GPU-hours in, {came_out.total() / _HOUR:,.0f} out")
    print(f"{len(went_in)} accounts, {len(differ)} differ")
    print(f"{len(rows):,} jobs, {late:,} did not start at once")
    for account in differ:
        print(f"{account}: {went_in[account] / _HOUR:,.1f} in, {came_out[account] / _HOUR:,.1f} out")
    sys.exit(1 if differ or late or not rows else 0)


if __name__ == "__main__":
    main()
