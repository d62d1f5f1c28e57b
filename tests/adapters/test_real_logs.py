"""Public logs beside the repository, where they are: totals that are known, and states at many instants."""

from __future__ import annotations

import gzip
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

from policyctl.adapters.log_formats import read_log
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_map_read import read_map
from policyctl.adapters.log_record import LogRead, LogRecord
from policyctl.adapters.log_state import build_state
from policyctl.adapters.state_json import read_state, write_state
from policyctl.units import Instant, parse_instant

DATA = Path(__file__).parents[3] / "shared" / "data"
SACCT_COLUMNS = """JobID JobIDRaw Cluster Partition QOS Account Group GID User UID Submit Eligible Start End Elapsed
    ExitCode State NNodes NCPUS ReqCPUS ReqMem ReqTRES AllocTRES Timelimit NodeList JobName"""
MAP = """
accounts:
  - {group: "re:acct(.).*", to: "/p{1}/{group}"}
  - {group: "*", to: "/p/{group}"}
defaultPool: h100
defaultMinRuntime: 1h
"""


@lru_cache(maxsize=1)
def log(name: str, log_format: str) -> LogRead:
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"{name} is not beside the repository")
    columns = tuple(SACCT_COLUMNS.split()) if log_format == "sacct" else ()
    data = gzip.decompress(path.read_bytes())
    return read_log(data, log_format=log_format, file=name, log_map=LogMap(columns=columns))


def hours(records: tuple[LogRecord, ...], *, processors: bool = False) -> int:
    """Return GPU-hours (or processor-hours) of all runs that ended, to the nearest."""
    total = 0
    for one in records:
        if one.start is not None and one.end is not None:
            size = (one.processors or 0) * 1000 if processors else one.gpus
            total += size * (one.end - one.start)
    return round(total / 3_600_000)


def lab(text: str = MAP) -> LogMap:
    log_map = read_map(text, file="map.yaml").map
    assert log_map is not None
    return log_map


@pytest.mark.parametrize(
    ("name", "log_format", "rows", "total"),
    [
        ("RICC-2010-2.swf.gz", "swf", 447_794, 26_227_306),
        ("KTH-SP2.swf.gz", "swf", 28_489, 562_394),
        ("UniLu-Gaia-2014-1.swf.gz", "swf", 51_987, 1_938_353),
        ("philly.csv.gz", "csv", 82_247, 978_078),
    ],
)
def test_every_row_is_read_and_the_hours_are_those_that_are_known(
    name: str, log_format: str, rows: int, total: int
) -> None:
    read = log(name, log_format)
    assert (read.rows, len(read.records), read.rejected) == (rows, rows, 0)
    assert hours(read.records, processors=log_format == "swf") == total


@pytest.mark.parametrize(
    ("name", "rows", "gpu_jobs"),
    [("drac_cedar.csv.gz", 125_116, 14_149), ("drac_graham.csv.gz", 171_584, 19_407)],
)
def test_every_row_of_drac_is_read_with_its_gpus(name: str, rows: int, gpu_jobs: int) -> None:
    read = log(name, "csv")
    assert (read.rows, len(read.records), read.rejected) == (rows, rows, 0)
    assert sum(one.gpus > 0 for one in read.records) == gpu_jobs


@pytest.mark.parametrize(
    "at",
    ["2021-06-01T00:00:00Z", "2021-06-10T07:31:17Z", "2021-06-20T12:00:00Z", "2021-06-30T23:59:59Z"],
)
def test_a_state_of_graham_accounts_for_every_row(at: str) -> None:
    records = log("drac_graham.csv.gz", "csv").records
    moment = parse_instant(at)
    window = Instant(moment - 14 * 86_400)
    counts = (answer := build_state(records, lab(), at=moment, window_start=window, pools={"h100"})).counts
    assert counts.records == 171_584
    here = Counter(
        "queue"
        if one.start > moment
        else "running"
        if one.end > moment
        else "usage"
        if one.end > window
        else "before"
        for one in records
        if one.start is not None and one.end is not None and one.submit <= moment
    )
    assert (counts.queue, counts.running, counts.usage) == (here["queue"], here["running"], here["usage"])
    assert counts.before_window == here["before"]
    assert counts.not_yet_submitted == 171_584 - here.total()
    assert counts.queue > 1000
    held = sum(run.job.gpus * (run.end - (run.job.start or 0)) for run in answer.state.usage)
    assert held == sum(
        one.gpus * (one.end - one.start)
        for one in records
        if one.end is not None and one.start is not None and window < one.end <= moment
    )


def test_the_state_of_graham_reads_back() -> None:
    records = log("drac_graham.csv.gz", "csv").records
    at = parse_instant("2021-06-15T12:00:00Z")
    state = build_state(records, lab(), at=at, window_start=Instant(at - 14 * 86_400)).state
    again = read_state(write_state(state), file="state.json", pools={"h100"})
    assert not again.findings
    assert again.state == state


def test_pods_that_were_never_scheduled_wait() -> None:
    records = log("openb.csv.gz", "csv").records
    assert len(records) == 8_152
    assert sum(one.start is None for one in records) == 897
    assert any(one.gpus % 1000 for one in records)


def test_runs_of_unknown_length_bill_nothing_and_are_counted() -> None:
    read = log("UniLu-Gaia-2014-1.swf.gz", "swf")
    assert read.facts["L011"] == 127


def test_real_sacct_rows_have_their_gpus_limits_and_who_cancelled() -> None:
    records = log("xdmod_phillips_sacct.psv.gz", "sacct").records
    assert len(records) == 4_285
    first = records[0]
    assert (first.id, first.gpus, first.state, first.cancelled_by) == ("163485", 2000, "CANCELLED", "380693")
    assert first.time_limit == 37 * 86_400 + 14 * 3600
    states = Counter(one.state for one in records)
    assert states == {"COMPLETED": 2324, "FAILED": 1717, "CANCELLED": 243, "TIMEOUT": 1}


def test_best_effort_jobs_of_a_workload_can_be_mapped_by_their_queue() -> None:
    records = log("UniLu-Gaia-2014-1.swf.gz", "swf").records
    best_effort = lab(
        'minRuntime: [{qos: "2", fixed: 0s}, {fixed: 1h}]\ndefaultPool: h100\ngpusFrom: processors'
    )
    last = max(one.submit for one in records)
    state = build_state(records, best_effort, at=Instant(last + 365 * 86_400)).state
    assert sum(run.job.min_runtime == 0 for run in state.usage) == 14_915
