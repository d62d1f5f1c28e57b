"""A group of commands that imports a command when it is called, and no other."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

__all__ = ["Entry", "LazyGroup"]


class Entry(NamedTuple):
    """Where a command is (`module:function`), and what help says of it in one line."""

    target: str
    summary: str


class LazyGroup(click.Group):
    """A group over a table written by hand, in whose order help lists the commands."""

    def __init__(self, *arguments: Any, table: Mapping[str, Entry], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, as the table has them."""
        del ctx
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None where the table has no such name."""
        del ctx
        if cmd_name not in self.table:
            return None
        module, _, function = self.table[cmd_name].target.partition(":")
        command = getattr(import_module(module), function)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table itself, so that help imports no command."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.table.items()])
