"""What is wrong with a call, in the words of policyctl: one line, and the way out."""

from __future__ import annotations

import re
from collections.abc import Callable

import click

from policyctl.diagnostics import nearest

__all__ = ["complaint"]

_WAYS = {
    "state": "`policyctl state build` makes a state from a scheduler's job log; docs/state.md describes the file",
    "map": "docs/importing.md describes the map",
}
"""Where to get what an option needs, by the name of the option."""


def complaint(wrong: click.ClickException) -> tuple[str, str | None]:
    """Return the message and the help for an error of click's."""
    for kind, tell in _KINDS:
        if isinstance(wrong, kind):
            return tell(wrong)
    return _house(wrong.format_message()), _usage(wrong)


def _usage(wrong: click.ClickException) -> str:
    context = wrong.ctx if isinstance(wrong, click.UsageError) else None
    return f"`{context.command_path if context else 'policyctl'} --help` shows what it takes"


def _house(message: str) -> str:
    """Write a message as findings are written: lower case, in backticks, on one line, no final stop."""
    line = " ".join(message.split()).removesuffix(".")
    quoted = re.sub(r"'([^']*)'", r"`\1`", line)
    return quoted[:1].lower() + quoted[1:]


def _parameter(wrong: click.BadParameter) -> str:
    """Return how people write the option or argument that an error speaks of."""
    parameter = wrong.param
    if parameter is None:
        return ""
    if isinstance(parameter, click.Argument):
        return f"`{parameter.make_metavar(wrong.ctx) if wrong.ctx else parameter.human_readable_name}`"
    return f"`{max(parameter.opts, key=len)}`"


def _missing(wrong: click.MissingParameter) -> tuple[str, str | None]:
    kind = "argument" if isinstance(wrong.param, click.Argument) else "option"
    name = wrong.param.name if wrong.param else None
    return f"missing {kind} {_parameter(wrong)}", _WAYS.get(name or "", _usage(wrong))


def _bad(wrong: click.BadParameter) -> tuple[str, str | None]:
    choice = wrong.param.type if wrong.param else None
    message = _house(wrong.message)
    if isinstance(choice, click.Choice) and (seen := re.match(r"`([^`]*)`", message)):
        known = [str(one) for one in choice.choices]
        return f"{_parameter(wrong)} cannot be `{seen[1]}`", _meant(seen[1], known, "it is one of ")
    return f"{_parameter(wrong)}: {message}" if wrong.param else message, _usage(wrong)


def _meant(word: str, known: list[str], otherwise: str) -> str:
    close = nearest(word, known)
    return f"did you mean `{close}`?" if close else otherwise + ", ".join(f"`{one}`" for one in known)


def _no_option(wrong: click.NoSuchOption) -> tuple[str, str | None]:
    known = [name for one in (wrong.ctx.command.params if wrong.ctx else ()) for name in one.opts]
    close = nearest(wrong.option_name, known)
    return f"no such option `{wrong.option_name}`", f"did you mean `{close}`?" if close else _usage(wrong)


def _call(wrong: click.UsageError) -> tuple[str, str | None]:
    message = _house(wrong.format_message())
    unknown = re.match(r"no such command `([^`]*)`", message)
    group = wrong.ctx.command if wrong.ctx else None
    if unknown and wrong.ctx and isinstance(group, click.Group):
        close = nearest(unknown[1], group.list_commands(wrong.ctx))
        return unknown[0], f"did you mean `{wrong.ctx.command_path} {close}`?" if close else _usage(wrong)
    return message, _usage(wrong)


_KINDS: tuple[tuple[type[click.ClickException], Callable[..., tuple[str, str | None]]], ...] = (
    (click.MissingParameter, _missing),
    (click.BadParameter, _bad),
    (click.NoSuchOption, _no_option),
    (click.UsageError, _call),
)
"""From the particular to the general: the first that fits tells."""
