"""Every code of states and logs: the example of its page gives the finding, at a place, with its severity."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from policyctl.adapters.log_accounts import stray_accounts
from policyctl.adapters.log_formats import read_log
from policyctl.adapters.log_map import AccountRule, Conditions, LogMap
from policyctl.adapters.log_map_read import read_map
from policyctl.adapters.log_state import build_state
from policyctl.adapters.log_workload import build_workload
from policyctl.adapters.state_json import read_state
from policyctl.adapters.workload_json import read_workload
from policyctl.catalogue import CATALOGUE
from policyctl.diagnostics import Finding
from policyctl.units import parse_instant
from tests.casebook import PAGES
from tests.decide.small import policy

POOLS = frozenset({"h100"})
LATER = parse_instant("2026-09-02T00:00:00Z")
FORMATS = {
    **dict.fromkeys(("L001", "L002", "L003", "L004", "L007", "L008", "L009", "L012", "L013"), "sacct"),
    **dict.fromkeys(("L014", "L015", "L018", "L021", "L022", "L024"), "sacct"),
    **dict.fromkeys(("L005", "L016", "L017", "L019", "L020", "L028", "L029"), "csv"),
    **dict.fromkeys(("L006", "L023"), "sacct-json"),
    **dict.fromkeys(("L010", "L011"), "swf"),
    **dict.fromkeys(("L025", "L026", "L027"), "map"),
}
ONE_ACCOUNT_PER_GROUP = (AccountRule(when=Conditions(), to="/{group}"),)
WITHOUT_DEFAULT_POOL = {"L005"}
OF_WORKLOADS = {"J014", "L028"}
CODES = sorted(code for code in CATALOGUE if code[0] in "JL")


def example(code: str) -> str:
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    found = re.search(
        r"^## Example\n\n```(?:json|yaml|text)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL
    )
    assert found is not None
    return found[1]


def findings_of(code: str, text: str) -> tuple[Finding, ...]:
    if code.startswith("J") and code in OF_WORKLOADS:
        return read_workload(text.encode(), file="workload.json", pools={"h100": 88}).findings
    if code.startswith("J"):
        return read_state(text.encode(), file="state.json", pools=POOLS).findings
    if FORMATS[code] == "map":
        return read_map(text, file="map.yaml", pools=POOLS).findings
    data = text.encode().replace(rb"\xe9", b"\xe9")
    log_map = LogMap(default_pool=None if code in WITHOUT_DEFAULT_POOL else "h100")
    read = read_log(data, log_format=FORMATS[code], file="jobs.log", log_map=log_map)
    if code in OF_WORKLOADS:
        return build_workload(read.records, log_map, pools=POOLS, file="jobs.log").findings
    if code == "L029":
        log_map = replace(log_map, accounts=ONE_ACCOUNT_PER_GROUP)
    built = build_state(read.records, log_map, at=LATER, pools=POOLS, file="jobs.log")
    if code == "L029":
        some = policy({"/": {"arms": "1"}})
        there = replace(some, pools=(replace(some.pools[0], name="h100"),))
        return stray_accounts(built.state, there, default_account=log_map.default_account, file="map.yaml")
    return (*read.findings, *built.findings)


def test_every_code_of_states_and_logs_has_an_example_that_is_run() -> None:
    assert {code for code in CATALOGUE if code.startswith("L")} == set(FORMATS)
    assert {code for code in CATALOGUE if code.startswith("J")} == {
        code for code in CODES if code.startswith("J")
    }


@pytest.mark.parametrize("code", CODES)
def test_the_example_gives_the_finding(code: str) -> None:
    found = [one for one in findings_of(code, example(code)) if one.code == code]
    assert found, [one.message for one in findings_of(code, example(code))]
    for one in found:
        assert one.severity is CATALOGUE[code].severity
        assert one.place.line >= 1
        assert not one.message.endswith(".")
        assert "\n" not in one.message


@pytest.mark.parametrize(
    "code", [code for code in CODES if code.startswith("J") and code not in OF_WORKLOADS]
)
def test_a_state_with_an_error_is_no_state(code: str) -> None:
    read = read_state(example(code).encode(), file="state.json", pools=POOLS)
    assert (read.state is None) == (CATALOGUE[code].severity == "error")
