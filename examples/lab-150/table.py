"""The experiment as a table: python3 table.py POOL RESULT.json..., one result for each seed.

Every figure is the mean over the seeds, with the least and the most behind it where they differ.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

Contestant = dict[str, Any]


def least_program(one: Contestant) -> float:
    return min(program["delivery_ratio"] for program in one["programs"])


def wait(one: Contestant, pool: str, part: str, size: str = "all") -> float:
    for line in one["waits"]:
        if (line["pool"], line["account"], line["size"], line["class"]) == (pool, "/", size, "all"):
            return float(line[f"{part}_seconds"])
    raise KeyError(pool)


def figures(pool: str) -> dict[str, tuple[Callable[[Contestant], float], str]]:
    return {
        "demand over supply": (
            lambda one: one["overall"]["demand_gpu_hours"] / capacity(one),
            "x",
        ),
        "delivered of owed": (lambda one: 100 * one["overall"]["delivery_ratio"], "%"),
        "  least of a program": (lambda one: 100 * least_program(one), "%"),
        "occupancy": (lambda one: 100 * one["occupancy"], "%"),
        "delivered time nobody's budget paid for": (
            lambda one: 100 * one["overall"]["opportunistic_share"],
            "%",
        ),
        "GPU time to be done again": (lambda one: 100 * again(one["overall"]), "%"),
        f"median wait on {pool}": (lambda one: wait(one, pool, "median"), "s"),
        "  of jobs with 33-128 GPUs": (lambda one: wait(one, pool, "median", "33-128") / 3600, "h"),
        f"  nine of ten on {pool}": (lambda one: wait(one, pool, "p90") / 3600, "h"),
        f"  longest on {pool}": (lambda one: wait(one, pool, "longest") / 86_400, "d"),
        "preemptions a day": (lambda one: one["overall"]["preemptions"] / days(one), ""),
    }


def capacity(one: Contestant) -> float:
    return float(sum(pool["capacity_gpu_hours"] for pool in one["pools"]))


def again(overall: Contestant) -> float:
    return float(overall["lost_gpu_hours"] / overall["delivered_gpu_hours"])


def days(one: Contestant) -> float:
    start, end = (datetime.fromisoformat(one[edge]) for edge in ("start", "end"))
    return (end - start) / timedelta(days=1)


def cell(values: list[float], unit: str) -> str:
    low, mean, high = min(values), statistics.mean(values), max(values)
    digits = 1 if abs(mean) < 100 else 0
    text = f"{mean:,.{digits}f}{'' if unit in {'', '%'} else ' '}{unit}"
    spread = f"{low:,.{digits}f}..{high:,.{digits}f}"
    return text if f"{low:.{digits}f}" == f"{high:.{digits}f}" else f"{text} ({spread})"


def main(pool: str, files: list[str]) -> None:
    runs = [one for file in files for one in json.loads(Path(file).read_text("utf-8"))["contestants"]]
    names = list(dict.fromkeys(one["name"] for one in runs))
    rows = [["", *(Path(name).name for name in names)]]
    for label, (figure, unit) in figures(pool).items():
        rows.append(
            [label, *(cell([figure(one) for one in runs if one["name"] == name], unit) for name in names)]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(size) for text, size in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
