"""The job log formats by name, and the one call that reads any of them with what a map says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from policyctl.adapters.log_csv import read_csv
from policyctl.adapters.log_map import LogMap
from policyctl.adapters.log_record import LogRead
from policyctl.adapters.log_sacct import read_sacct
from policyctl.adapters.log_sacct_json import read_sacct_json
from policyctl.adapters.log_squeue_json import read_squeue_json
from policyctl.adapters.log_swf import read_swf
from policyctl.errors import UsageProblem

__all__ = ["FORMATS", "read_log"]


def _sacct(data: bytes, file: str, log_map: LogMap) -> LogRead:
    return read_sacct(
        data,
        file=file,
        zone=log_map.timezone,
        columns=log_map.columns,
        delimiter=log_map.delimiter,
        tres=log_map.tres,
    )


FORMATS: Mapping[str, Callable[[bytes, str, LogMap], LogRead]] = {
    "csv": lambda data, file, _: read_csv(data, file=file),
    "swf": lambda data, file, _: read_swf(data, file=file),
    "sacct": _sacct,
    "sacct-json": lambda data, file, log_map: read_sacct_json(data, file=file, tres=log_map.tres),
    "squeue-json": lambda data, file, log_map: read_squeue_json(data, file=file, tres=log_map.tres),
}


def read_log(data: bytes, *, log_format: str, file: str, log_map: LogMap) -> LogRead:
    """Read a log in one of FORMATS; raises UsageProblem for another format, NoAnswer for text that is not that format."""
    read = FORMATS.get(log_format)
    if read is None:
        known = ", ".join(f"`{name}`" for name in FORMATS)
        raise UsageProblem(f"`{log_format}` is not a log format", help=f"the formats are {known}")
    return read(data, file, log_map)
