"""The Budget document that divides a cluster among the groups of a public job log, one weight each.

Logs rarely say who was entitled to what. `users` gives every group as many parts as it has users, `table` takes parts
from a two-column CSV, and `slurm` takes the normalized shares that Slurm itself had recorded for an account, the last one
seen. Standard library only; the same files give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

HEAD = """\
# Written by divide.py from the groups of the log.
apiVersion: policyctl/v1
kind: Budget
metadata: {name: groups}
spec:
  account: /
  shares:
"""
_PARTS = 1_000_000
_SWF_USER, _SWF_GROUP = 11, 12
Weights = dict[str, int]


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, packed or not."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="latin-1") as unpacked:
            yield from unpacked
    else:
        with path.open(encoding="utf-8") as plain:
            yield from plain


def by_users(swf: Path) -> Weights:
    """Return how many users each group of a log in the Standard Workload Format has."""
    users: dict[str, set[str]] = {}
    for line in lines(swf):
        fields = line.split()
        if fields and not line.startswith(";"):
            users.setdefault(f"g{fields[_SWF_GROUP]}", set()).add(fields[_SWF_USER])
    return {group: len(names) for group, names in users.items()}


def by_table(table: Path) -> Weights:
    """Return the numbers that a CSV of names and numbers gives, below its header."""
    rows = csv.reader(lines(table))
    next(rows)
    return {name: int(number) for name, number in rows}


def by_slurm(log: Path, extra: Path) -> Weights:
    """Return each account's last normalized share, in millionths of Slurm's whole cluster, for accounts with GPU jobs."""
    accounts = {
        row["job_id"]: row["group"] for row in csv.DictReader(lines(log)) if float(row["gpus"] or 0) > 0
    }
    last: dict[str, tuple[int, str, float]] = {}
    for row in csv.DictReader(lines(extra)):
        account = accounts.get(row["job_id"])
        if account is not None and row["norm_share"]:
            seen = (int(row["poll_time_s"] or 0), row["job_id"], float(row["norm_share"]))
            last[account] = max(last.get(account, seen), seen)
    return {account: max(1, round(share * _PARTS)) for account, (_, _, share) in last.items()}


HOW = {"users": by_users, "table": by_table, "slurm": by_slurm}


def budget(weights: Weights) -> str:
    """Return the document, groups by name."""
    return HEAD + "".join(f'    "{name}": {{weight: {weights[name]}}}\n' for name in sorted(weights))


def main() -> None:
    """Print the document that the arguments ask for."""
    parser = argparse.ArgumentParser(description="divide a cluster among the groups of a job log")
    parser.add_argument("how", choices=HOW)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    given = parser.parse_args()
    sys.stdout.write(budget(HOW[given.how](*given.files)))


if __name__ == "__main__":
    main()
