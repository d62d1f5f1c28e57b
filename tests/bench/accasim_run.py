"""AccaSim on a slice of a log, first in first out and first fit; run by the Python of an environment that has it.

AccaSim 1.1.3 was written for Python before 3.10: it takes abstract collections from a module that no longer has them.
"""

from __future__ import annotations

import collections
import collections.abc
import importlib
import json
import sys
import time
from pathlib import Path


def main(log: str, nodes: int, processors: int) -> None:
    """Print as JSON how many processor seconds the simulation took and how many jobs it dispatched."""
    collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]
    modules = ("simulator_class", "scheduler_class", "allocator_class")
    simulator, scheduler, allocator = (importlib.import_module(f"accasim.base.{name}") for name in modules)
    folder = Path(log).parent
    system = folder / "system.json"
    groups = {"node": {"core": processors, "mem": 10**9}}
    system.write_text(
        json.dumps(
            {
                "groups": groups,
                "resources": {"node": nodes},
                "equivalence": {"processor": {"core": 1}},
                "start_time": 0,
            }
        )
    )
    run = simulator.Simulator(
        log,
        str(system),
        scheduler.FirstInFirstOut(allocator.FirstFit()),
        scheduling_output=False,
        show_statistics=False,
        RESULTS_FOLDER_PATH=str(folder),
    )
    began = time.process_time()
    run.start_simulation()
    print(json.dumps({"seconds": time.process_time() - began, "jobs": run.dispatched_jobs}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
