"""The trade that a window makes: volatility of placement against recovery, a mark for each option with what its seeds span."""

from __future__ import annotations

from collections.abc import Callable

from policyctl.model.sweep import Row, SweepReport
from policyctl.render.charts.chart import Chart, Key, Panel
from policyctl.render.charts.drawing import WIDTH, Sheet, drawn
from policyctl.render.charts.ink import SERIES, placeholder, series, variable
from policyctl.render.charts.scene import Table
from policyctl.render.quantity_text import ratio, span
from policyctl.render.sweep_plot import against
from policyctl.render.sweep_words import letter, option_name, point_name

__all__ = ["trade"]

_TALL = 300
_UNITS = ((86_400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


def trade(report: SweepReport) -> Chart:
    """Draw a sweep."""
    figure, title = against(report)
    shown = [row for row in report.rows if row.values(figure) and row.values("volatility")]
    panel = Panel(
        name="trade-0",
        contestant="every option",
        width=WIDTH,
        height=_TALL,
        svg=drawn("trade-0", _TALL, _drawing(report, shown, figure, title)) if shown else "",
        description=_described(report, shown, figure, title),
        table=_table(report, shown, figure, title),
    )
    return Chart(
        name="trade",
        title=f"Volatility against {title}",
        about="Lower is steadier, further left is faster. A cross spans what the seeds gave, its mark is their mean.",
        nothing="the runs are too short to compare two days",
        legend=tuple(
            Key(variable(series(place)), "dot", f"{letter(place)}: {option_name(option)}")
            for place, option in enumerate(report.options)
        ),
        panels=(panel,),
    )


def _drawing(report: SweepReport, shown: list[Row], figure: str, title: str) -> Callable[[Sheet], None]:
    longest = max(max(row.values(figure)) for row in shown)
    unit, word = next((unit, word) for unit, word in _UNITS if longest > 3 * unit or unit == 1)

    def draw(sheet: Sheet) -> None:
        (axes,) = sheet.panels(1, left=48)
        for row in shown:
            place = report.options.index(row.point.option)
            ink = placeholder(series(min(place, SERIES)))
            xs = [value / unit for value in row.values(figure)]
            ys = [100 * value for value in row.values("volatility")]
            x, y = sum(xs) / len(xs), sum(ys) / len(ys)
            axes.plot([min(xs), max(xs)], [y, y], color=ink, linewidth=1.2)
            axes.plot([x, x], [min(ys), max(ys)], color=ink, linewidth=1.2)
            chosen = place == report.choice.option
            (dot,) = axes.plot(
                [x], [y], color=ink, marker="o", markersize=10 if chosen else 7, linestyle="none"
            )
            sheet.tell(dot, _sentence(report, row, figure, title))
            axes.annotate(letter(place), (x, y), xytext=(6, 5), textcoords="offset points")
        axes.margins(0.12)
        axes.set_title("% of delivered GPU time that moves to other programs per day")
        axes.set_xlabel(f"{title}, {word}")

    return draw


def _sentence(report: SweepReport, row: Row, figure: str, title: str) -> str:
    name = point_name(row.point, loads=len({one.point.load for one in report.rows}) > 1)
    moved, across = row.mean("volatility"), row.mean(figure)
    return f"{name}: {ratio(moved)} moves per day, {title} {span(across or 0)}"


def _described(report: SweepReport, shown: list[Row], figure: str, title: str) -> str:
    if not shown:
        return "Nothing could be compared."
    return ". ".join(_sentence(report, row, figure, title) for row in shown) + "."


def _table(report: SweepReport, shown: list[Row], figure: str, title: str) -> Table:
    loads = len({one.point.load for one in report.rows}) > 1
    return Table(
        header=("option", "moved per day", title),
        texts=frozenset({0}),
        rows=tuple(
            (
                point_name(row.point, loads=loads),
                ratio(row.mean("volatility")),
                span(row.mean(figure) or 0),
            )
            for row in shown
        ),
    )
