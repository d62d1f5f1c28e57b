"""A page that needs nothing else, from one of the templates: readable in both colour schemes, every text escaped."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from policyctl.render.charts.ink import INKS
from policyctl.render.terminal import visible

__all__ = ["page"]


def page(template: str, **values: object) -> str:
    """Fill a template that extends `page.html.j2`, which needs a `title` and a `report` with version, command and digests."""
    return _environment().get_template(template).render(inks=INKS, **values)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("policyctl.render", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["visible"] = visible
    return made
