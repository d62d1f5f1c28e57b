"""All charts of a report, in the order in which a page shows them."""

from __future__ import annotations

from policyctl.model.measures import SimulationReport
from policyctl.render.charts.chart import Chart, Kind, charts_of
from policyctl.render.charts.delivery import DELIVERY
from policyctl.render.charts.occupancy import OCCUPANCY
from policyctl.render.charts.preemptions import PREEMPTIONS
from policyctl.render.charts.scene import scene_of
from policyctl.render.charts.usage import USAGE
from policyctl.render.charts.waits import WAITS

__all__ = ["KINDS", "charts"]

KINDS: tuple[Kind, ...] = (DELIVERY, OCCUPANCY, USAGE, WAITS, PREEMPTIONS)


def charts(report: SimulationReport) -> tuple[Chart, ...]:
    """Draw everything about a report with at least one contestant."""
    scene = scene_of(report)
    return tuple(charts_of(kind, scene) for kind in KINDS)
