"""The figure of an experiment: a panel for each chart, a series for each variant, medians with their ranges.

matplotlib draws it, which is imported when it is needed and may be missing.

Invariant: equal results give equal bytes: identifiers are hashed with a fixed salt, and nothing says when or by what
the figure was made.

This module knows nothing of pages.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from xylem.errors import UsageError
from xylem.experiments.harness.experiment import Chart, Kind, Point
from xylem.experiments.harness.results import Results
from xylem.experiments.measuring import Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
NEEDED = "figures need matplotlib: pip install 'xylem[experiments]'"

_PANEL_INCHES = (4.8, 3.4)
# Told apart without colours too, and by the colour-blind (Okabe and Ito).
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_MARKERS = "osD^vP*"
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


def can_draw() -> bool:
    """Whether matplotlib is there."""
    try:
        return find_spec("matplotlib") is not None
    except ValueError:  # it was put out of the way: `sys.modules["matplotlib"] = None`
        return False


def draw(results: Results) -> dict[str, bytes]:
    """The figure in each format; raises UsageError where matplotlib is missing."""
    if not can_draw():
        raise UsageError(NEEDED)
    import matplotlib

    style: Any = {**_STYLE, "svg.hashsalt": results.experiment.name}
    with matplotlib.rc_context(style):
        figure = _figure(results)
        return {form: _bytes(figure, form) for form in FORMATS}


def _figure(results: Results) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    charts = results.experiment.charts
    width, height = _PANEL_INCHES
    figure = Figure(figsize=(width * len(charts), height), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(charts), squeeze=False)[0]
    for panel, chart in zip(panels, charts, strict=True):
        _panel(panel, chart, results)
    shown = {
        label: handle for panel in panels for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    if len(shown) > 1:  # one legend for all panels, below them, where it hides nothing
        figure.legend(list(shown.values()), list(shown), loc="outside lower center", ncols=len(shown))
    return figure


def _bytes(figure: Figure, form: str) -> bytes:
    buffer = io.BytesIO()
    nameless = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[form]
    figure.savefig(buffer, format=form, dpi=144, metadata=nameless)
    return buffer.getvalue()


def _panel(panel: Axes, chart: Chart, results: Results) -> None:
    points = results.points(**chart.where)
    series = list(_series(chart, results, points))
    if chart.kind is Kind.BARS:
        _bars(panel, chart, points, series)
    else:
        _lines(panel, chart, series)
    measure = results.experiment.measures[chart.measure]
    title = measure.title + (f" ({measure.unit})" if measure.unit else "")
    panel.set_ylabel(title if chart.against is None else f"{measure.title}, multiples of {chart.against}")
    panel.set_xlabel(chart.label)
    panel.set_title(chart.title, fontsize=10)


Series = tuple[int, str, list[Point], list[Spread]]


def _series(chart: Chart, results: Results, points: list[Point]) -> Iterator[Series]:
    """For each variant its number, by which it has the same look in all panels, and where it was measured."""
    for number, variant in enumerate(results.experiment.variants):
        met: list[Point] = []
        spreads: list[Spread] = []
        for point in points:
            spread = (
                results.spread(chart.measure, variant, point)
                if chart.against is None
                else results.ratio(chart.measure, variant, chart.against, point)
            )
            if spread is not None:
                met.append(point)
                spreads.append(spread)
        if met and variant != chart.against:
            yield number, variant, met, spreads


def _range(spreads: list[Spread]) -> list[list[float]]:
    return [[s.median - s.least for s in spreads], [s.most - s.median for s in spreads]]


def _lines(panel: Axes, chart: Chart, series: list[Series]) -> None:
    for number, variant, points, spreads in series:
        panel.errorbar(
            [float(point[chart.along]) for point in points],
            [spread.median for spread in spreads],
            yerr=_range(spreads),
            label=variant,
            color=_COLORS[number % len(_COLORS)],
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=4,
            linewidth=1.4,
            elinewidth=0.8,
            capsize=2,
        )
    if chart.log_x:
        panel.set_xscale("log")
    if chart.log_y:
        panel.set_yscale("log")
    else:
        panel.set_ylim(bottom=0)


def _bars(panel: Axes, chart: Chart, points: list[Point], series: list[Series]) -> None:
    names = [str(point[chart.along]) for point in points]
    width = 0.8 / len(series)
    for position, (number, variant, met, spreads) in enumerate(series):
        places = [points.index(point) + (position - (len(series) - 1) / 2) * width for point in met]
        heights = [spread.median for spread in spreads]
        color = _COLORS[number % len(_COLORS)]
        error = {"elinewidth": 0.8, "capsize": 2}
        panel.bar(places, heights, width, yerr=_range(spreads), label=variant, color=color, error_kw=error)
    panel.set_xticks(range(len(names)), names, rotation=20, ha="right")
    if chart.log_y:
        panel.set_yscale("log")
