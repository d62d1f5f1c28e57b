"""The architecture as data: which room may import which, what each may load from outside, which are pure."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "policyctl"

# Lower rooms first: a room imports only itself and rooms above it in this list.
ROOMS = (
    "version",
    "units",
    "diagnostics",
    "errors",
    "catalogue",
    "model",
    "expr",
    "load",
    "check",
    "bundle",
    "compile",
    "ledger",
    "decide",
    "agenda",
    "sim",
    "diff",
    "impact",
    "govern",
    "testing",
    "render",
    "adapters",
    "workspace",
    "cli",
    "__main__",
)

# Third parties that a room may import; a room not listed has none.
THIRD_PARTY = {
    "expr": {"celpy", "lark", "numpy", "re2"},
    "load": {"yaml", "jsonschema"},
    "ledger": {"numpy"},
    "decide": {"numpy"},
    "sim": {"numpy"},
    "testing": {"numpy"},
    "render": {"jinja2", "markupsafe", "matplotlib", "numpy", "rich"},
    "workspace": {"distributed", "git", "rich"},
    "cli": {"click", "rich"},
}

# Rooms that may touch the outside; all others are pure.
EDGE = {"workspace", "cli", "__main__"}
OUTSIDE_MODULES = {
    "os",
    "subprocess",
    "socket",
    "random",
    "secrets",
    "tempfile",
    "shutil",
    "glob",
    "time",
    "logging",
}
OUTSIDE_CALLS = {"open", "print", "input"}
CLOCKS = {"now", "today", "utcnow"}


def sources() -> list[Path]:
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def room_of(path: Path) -> str:
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module is not None
            names.add(node.module)
            if node.module == "policyctl":
                names |= {f"policyctl.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    room = room_of(path)
    assert room in ROOMS, f"a new room `{room}` is added to ROOMS first"
    below = set(ROOMS[: ROOMS.index(room) + 1])
    for name in imported(ast.parse(path.read_text())):
        top, *rest = name.split(".")
        if top == "policyctl":
            assert not rest or rest[0] in below, f"{room} imports {name}, which is not below it"
        elif top not in sys.stdlib_module_names:
            assert top in THIRD_PARTY.get(room, set()), f"{room} imports {top}"


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_core_is_pure(path: Path) -> None:
    if room_of(path) in EDGE:
        return
    tree = ast.parse(path.read_text())
    assert not {name.split(".")[0] for name in imported(tree)} & OUTSIDE_MODULES
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            assert not (isinstance(called, ast.Name) and called.id in OUTSIDE_CALLS), f"line {node.lineno}"
            assert not (isinstance(called, ast.Attribute) and called.attr in CLOCKS), f"line {node.lineno}"


def test_the_package_itself_is_empty() -> None:
    assert not (ROOT / "__init__.py").read_text()


def test_every_room_exists_and_is_not_empty() -> None:
    rooms = {room_of(path) for path in sources()}
    assert rooms == set(ROOMS)
