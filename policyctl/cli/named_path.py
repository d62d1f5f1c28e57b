"""A path on the command line that has a name: the empty one, of a variable that is not set, would be the folder here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

__all__ = ["NAMED_PATH"]


class _NamedPath(click.Path):
    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        if not os.fspath(value).strip():
            self.fail("the path is empty; is a variable not set?", param, ctx)
        return super().convert(value, param, ctx)


NAMED_PATH = _NamedPath(path_type=Path)
