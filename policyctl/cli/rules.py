"""`policyctl rules`: what each code means."""

from __future__ import annotations

import click

from policyctl.catalogue import CATALOGUE, Rule
from policyctl.cli import options
from policyctl.diagnostics import nearest
from policyctl.errors import UsageProblem
from policyctl.render import rules_json, rules_text
from policyctl.workspace.shipped import rule_pages

__all__ = ["rules"]


@options.command(
    "rules", examples=("policyctl rules", "policyctl rules A001", "policyctl rules --format json")
)
@click.argument("code", required=False)
@options.formats("text", "json")
def rules(code: str | None, output: str) -> None:
    """List the codes of all findings, or show the page of one CODE: what it means, and how to mend it."""
    chosen = list(CATALOGUE.values()) if code is None else [_known(code)]
    if output == "json":
        click.echo(rules_json.render(chosen, rule_pages()), nl=False)
    elif code is None:
        click.echo(rules_text.render(chosen, colour=options.coloured()), nl=False)
    else:
        click.echo(rule_pages()[chosen[0].code], nl=False)


def _known(code: str) -> Rule:
    if found := CATALOGUE.get(code.upper()):
        return found
    near = nearest(code.upper(), CATALOGUE)
    hint = f"did you mean `{near}`?" if near else "`policyctl rules` lists them all"
    raise UsageProblem(f"there is no code `{code}`", help=hint)
