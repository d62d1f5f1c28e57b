"""Maps: which rule decides, what a pattern matches, and which mistakes are told where."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from policyctl.adapters.log_map import LogMap, segment
from policyctl.adapters.log_map_read import read_map
from policyctl.adapters.log_record import LogRecord
from policyctl.model.jobs import Outcome
from policyctl.units import Instant, MilliGpu, Seconds

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "schemas" / "map.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")


def record(*, limit: int | None = None, declared: int | None = None, **words: Any) -> LogRecord:
    return LogRecord(
        number=1,
        line=1,
        id="71",
        submit=Instant(0),
        start=Instant(1),
        end=Instant(2),
        outcome=Outcome.COMPLETED,
        state="COMPLETED",
        gpus=MilliGpu(1000),
        time_limit=None if limit is None else Seconds(limit),
        declared=None if declared is None else Seconds(declared),
        **words,
    )


def mapped(text: str) -> LogMap:
    read = read_map(text, file="map.yaml")
    assert read.map is not None, read.findings
    return read.map


@pytest.mark.parametrize(
    ("rule", "words", "account"),
    [
        pytest.param("{group: arms, to: /a}", {"group": "arms"}, "/a", id="the text itself"),
        pytest.param("{group: arms, to: /a}", {"group": "arms2"}, None, id="not a part of the text"),
        pytest.param("{group: a.ms, to: /a}", {"group": "arms"}, None, id="a point is a point"),
        pytest.param('{group: "ar*", to: /a}', {"group": "arms"}, "/a", id="a glob"),
        pytest.param('{group: "ar*", to: /a}', {"group": "Arms"}, None, id="a glob knows upper case"),
        pytest.param('{group: "re:a(.)ms", to: "/x/{1}"}', {"group": "arms"}, "/x/r", id="a capture"),
        pytest.param('{group: "re:a(?P<z>.)ms", to: "/x/{z}"}', {"group": "arms"}, "/x/r", id="a named capture"),
        pytest.param('{group: "re:(a).*", user: "re:(d).*", to: "/{1}/{2}"}', {"group": "arms", "user": "dev5"}, "/a/d", id="captures count through"),
        pytest.param('{group: "re:arm", to: /a}', {"group": "arms"}, None, id="an expression matches the whole"),
        pytest.param('{to: "/p/{group}"}', {"group": "Arms & Legs"}, "/p/arms-legs", id="words become names"),
        pytest.param('{to: "/p/{group}"}', {"group": ""}, None, id="a missing word: the rule does not apply"),
        pytest.param("{group: arms, user: dev5, to: /a}", {"group": "arms", "user": "dev6"}, None, id="all conditions must hold"),
        pytest.param("{qos: best, to: /a}", {"qos": "best"}, "/a", id="by QOS"),
        pytest.param("{partition: gpu, to: /a}", {"partition": "gpu"}, "/a", id="by partition"),
        pytest.param("{name: x, to: /a}", {"name": "x"}, "/a", id="by name"),
        pytest.param("{to: /}", {}, "/", id="no condition takes everything"),
    ],
)  # fmt: skip
def test_a_rule_of_accounts(rule: str, words: dict[str, Any], account: str | None) -> None:
    assert mapped(f"accounts:\n  - {rule}\n").account(record(**words)) == account


def test_the_first_rule_that_applies_decides() -> None:
    log_map = mapped("accounts:\n- {group: a, to: /1}\n- {group: '*', to: /2}\n- {group: b, to: /3}\n")
    assert [log_map.account(record(group=group)) for group in "ab"] == ["/1", "/2"]


@pytest.mark.parametrize(
    ("text", "job", "runtime"),
    [
        pytest.param("{}", record(), 0, id="nothing assumed"),
        pytest.param("defaultMinRuntime: 1h", record(), 3600, id="the default"),
        pytest.param("minRuntime: [{fixed: 4h}]", record(limit=3600), 3600, id="never above the time limit"),
        pytest.param(
            "minRuntime: [{ofTimeLimit: 1/3}]", record(limit=100), 33, id="a part of the limit, whole seconds"
        ),
        pytest.param(
            "minRuntime: [{ofTimeLimit: 50%}, {fixed: 2h}]",
            record(),
            7200,
            id="of an unknown limit: the next rule",
        ),
        pytest.param("minRuntime: [{account: '/a/*', fixed: 2h}]", record(), 7200, id="by account"),
        pytest.param("minRuntime: [{account: /b, fixed: 2h}]", record(), 0, id="by another account"),
        pytest.param(
            "minRuntime: [{fixed: 4h}]", record(declared=60), 60, id="what the job declared comes first"
        ),
        pytest.param("minRuntime: [{fixed: 4h}]", record(declared=0), 0, id="declared zero is zero"),
    ],
)
def test_the_minimum_runtime(text: str, job: LogRecord, runtime: int) -> None:
    assert mapped(text).runtime(job, "/a/b") == runtime


def test_interactive_by_pattern() -> None:
    log_map = mapped("interactive: [{name: '*jupyter*'}, {partition: dev}]")
    assert log_map.is_interactive(record(name="my-jupyter-1"))
    assert log_map.is_interactive(record(partition="dev"))
    assert not log_map.is_interactive(record(name="train"))


def test_an_empty_map_is_a_map() -> None:
    for text in ("", "{}", "# nothing yet\n"):
        assert mapped(text) == LogMap()


@pytest.mark.parametrize(
    ("word", "name"), [("A_b.C", "a_b.c"), ("  x  ", "x"), ("né", "n"), ("---", ""), ("a/b", "a-b")]
)
def test_words_as_names(word: str, name: str) -> None:
    assert segment(word) == name


@pytest.mark.parametrize(
    ("text", "code", "line", "said", "way_out"),
    [
        pytest.param("acounts: []", "L025", 1, "`acounts`", "`accounts`", id="unknown field"),
        pytest.param("accounts:\n- {grup: a, to: /a}", "L025", 2, "`grup`", "`group`", id="unknown condition"),
        pytest.param("accounts:\n- {group: a}", "L026", 2, "where its records go", "to:", id="no target"),
        pytest.param("accounts: {}", "L026", 1, "is a list", None, id="rules that are no list"),
        pytest.param("accounts: [x]", "L026", 1, "is a mapping", None, id="rule that is no mapping"),
        pytest.param("accounts:\n- {to: a}", "L026", 2, "not an account path", "/program", id="target that is no path"),
        pytest.param('accounts:\n- {to: "/{gruop}"}', "L026", 2, "no word", "`group`", id="unknown word in a path"),
        pytest.param('accounts:\n- {group: "re:(a)", to: "/{2}"}', "L026", 2, "`{2}`", None, id="capture that is not there"),
        pytest.param('accounts:\n- {group: "re:(", to: /a}', "L026", 2, "regular expression", None, id="broken expression"),
        pytest.param("defaultAccount: unmapped", "L026", 1, "not an account path", "`/unmapped`", id="default that is no path"),
        pytest.param("defaultPool: h10", "L027", 1, "`h10`", "`h100`", id="unknown default pool"),
        pytest.param("pools:\n- {to: h10}", "L027", 2, "`h10`", "`h100`", id="unknown pool of a rule"),
        pytest.param("minRuntime:\n- {fixed: 4}", "L026", 2, "`4` is not a duration", "`4h`", id="bare duration"),
        pytest.param("minRuntime:\n- {fixed: 4h, ofTimeLimit: 1/2}", "L026", 2, "either", None, id="both kinds of runtime"),
        pytest.param("minRuntime:\n- {group: a}", "L026", 2, "either", None, id="no runtime at all"),
        pytest.param("minRuntime:\n- {ofTimeLimit: 50}", "L026", 2, "more than the whole", "`50%`", id="share without percent"),
        pytest.param("timezone: Stockholm", "L026", 1, "not a time zone", "Europe/Stockholm", id="unknown time zone"),
        pytest.param("timezone: ../UTC", "L026", 1, "not a time zone", None, id="path for a time zone"),
        pytest.param("gpusFrom: cores", "L026", 1, "`cores`", None, id="unknown source of GPUs"),
        pytest.param("gpusPerNode: 0", "L026", 1, "`0`", None, id="no GPUs per node"),
        pytest.param("labels: [user]", "L026", 1, "`user`", None, id="label that is none"),
        pytest.param("columns: JobID", "L026", 1, "is a list", None, id="columns that are no list"),
        pytest.param("tres: [a]", "L026", 1, "is a mapping", None, id="names that are no mapping"),
        pytest.param("defaultUser: [a]", "L026", 1, "is one value", None, id="list for a value"),
        pytest.param("- a", "L026", 1, "mapping of fields", None, id="a list for a map"),
        pytest.param("{}\n---\n{}", "L026", 3, "one document", None, id="two documents"),
        pytest.param("defaultUser: a\ndefaultUser: b", "Y001", 2, "`defaultUser`", None, id="key twice"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_map(*, text: str, code: str, line: int, said: str, way_out: str | None) -> None:
    read = read_map(text, file="map.yaml", pools={"h100"})
    assert read.map is None
    (found,) = read.findings
    assert (found.code, found.place.line) == (code, line)
    assert said in found.message
    if way_out is not None:
        assert found.help is not None
        assert way_out in found.help


def test_the_example_of_the_page_is_a_map_and_fits_its_schema() -> None:
    found = re.search(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)
    assert found is not None
    assert mapped(found[1]).account(record(group="prj-vision-cars")) == "/vision/cars"
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(yaml.safe_load(found[1]))


def test_page_and_schema_name_the_same_fields() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \|", PAGE[PAGE.index("## The map") : PAGE.index("## The instant")], flags=re.MULTILINE
    )
    assert set(rows) == set(SCHEMA["properties"])
    for name in SCHEMA["properties"]:
        found = read_map(f"{name}x: 1", file="m").findings
        assert found[0].code == "L025"
        assert not any(one.code == "L025" for one in read_map(f"{name}: 1", file="m").findings)
