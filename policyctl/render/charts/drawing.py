"""From drawing commands to a piece of SVG that fits into a page, with ids of its own and CSS variables as colours.

The drawing library is loaded when the first chart is drawn. Its settings are its defaults, whatever the machine's owner
likes, so that the same figures give the same bytes everywhere.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from policyctl.errors import NoAnswer
from policyctl.render.charts.ink import placeholder
from policyctl.render.charts.tidy import tidy
from policyctl.render.terminal import visible

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import StepPatch

__all__ = ["WIDTH", "Sheet", "drawn", "shortened"]

WIDTH = 400
"""Units of a drawing across: about as many as a phone has pixels, so that text is about as tall as it says."""

_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_LONGEST = 22


@dataclass(slots=True)
class Sheet:
    """A figure to draw on, and what a pointer that rests on one of its marks is told."""

    figure: Figure
    told: dict[str, str] = field(default_factory=dict)

    def tell(self, mark: Artist, sentence: str) -> None:
        """Give a mark a sentence of its own."""
        name = f"mark-{len(self.told)}"
        mark.set_gid(name)
        self.told[name] = visible(sentence)

    def steps(
        self, axes: Axes, edges: Sequence[float], top: Sequence[float], bottom: Sequence[float], *, ink: str
    ) -> StepPatch:
        """Fill what lies between two staircases over the same edges, in an ink; the axes keep their limits."""
        from matplotlib.patches import StepPatch  # noqa: PLC0415 - only where something is drawn

        mark = StepPatch(
            top,
            edges,
            baseline=bottom,  # type: ignore[arg-type]  # documented as array-like, declared as one number
            facecolor=placeholder(ink),
            clip_path=axes.patch,
        )
        axes.add_artist(mark)
        return mark

    def panels(self, count: int, *, gap: float = 30, left: float = 44, foot: float = 36) -> list[Axes]:
        """Return `count` axes below one another that share their x axis, with margins in units of the drawing.

        Margins are fixed rather than fitted to what stands in them, so that drawings side by side line up.
        """
        height = self.figure.get_figheight() * 72
        each = (height - foot - 20 - gap * (count - 1)) / count
        made = self.figure.subplots(
            count,
            1,
            sharex=True,
            squeeze=False,
            gridspec_kw={
                "left": left / WIDTH,
                "right": 1 - 10 / WIDTH,
                "bottom": foot / height,
                "top": 1 - 20 / height,
                "hspace": gap / each,
            },
        )
        return [one for row in made for one in row]


def drawn(name: str, height: int, draw: Callable[[Sheet], None]) -> str:
    """Return what `draw` puts on a sheet, as the inside of an `<svg>` of WIDTH by `height` whose ids begin with `name`.

    Raises NoAnswer where the drawing library is not installed.
    """
    with _settings():
        from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415 - half a second, only for pages
        from matplotlib.figure import Figure  # noqa: PLC0415 - as above

        figure = Figure(
            figsize=(WIDTH / 72, height / 72),
        )
        FigureCanvasSVG(figure)
        sheet = Sheet(figure)
        draw(sheet)
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata=_NO_METADATA, transparent=True)
    return tidy(written.getvalue(), name, sheet.told)


@contextmanager
def _settings() -> Iterator[None]:
    try:
        import matplotlib as mpl  # noqa: PLC0415 - see `drawn`
    except ImportError:
        raise NoAnswer(
            "the page cannot be drawn: matplotlib is not installed", help="pip install 'policyctl[report]'"
        ) from None
    text, soft, line = placeholder("text"), placeholder("soft"), placeholder("line")
    with mpl.rc_context(), warnings.catch_warnings():
        # The library measures text with a font of its own, the reader's browser draws it with another one: a letter
        # that the first lacks is nothing to warn of.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "svg.fonttype": "none",
                "svg.hashsalt": "policyctl",
                "text.parse_math": False,
                "axes.unicode_minus": True,
                "font.size": 11,
                "axes.titlesize": 11,
                "axes.titlelocation": "left",
                "axes.titley": 1.0,  # where it is looked for otherwise takes a fifth of the time
                "axes.titlecolor": text,
                "axes.labelcolor": soft,
                "axes.edgecolor": line,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.spines.left": False,
                "axes.grid": True,
                "axes.axisbelow": True,
                "grid.color": line,
                "grid.linewidth": 0.6,
                "xtick.color": line,
                "ytick.color": line,
                "xtick.labelcolor": soft,
                "ytick.labelcolor": soft,
                "ytick.major.size": 0,
                "ytick.minor.size": 0,
                "text.color": text,
                "lines.linewidth": 1.6,
                "patch.linewidth": 0,
            }
        )
        yield


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a name that fits beside a drawing, its end replaced by an ellipsis where it is too long."""
    shown = visible(text)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
