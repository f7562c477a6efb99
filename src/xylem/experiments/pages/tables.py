"""Tables in Markdown: what was measured, one table for each measure, medians with their ranges.

This module knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xylem.experiments.amounts import amount
from xylem.experiments.harness.experiment import Point, Value
from xylem.experiments.harness.results import Results
from xylem.experiments.measuring import Spread


def markdown(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> str:
    """A table; from column `numbers` on, if it is not 0, columns stand at the right."""
    marks = ["---:" if numbers and number >= numbers else "---" for number in range(len(headings))]
    lines = [headings, marks, *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def measure_table(results: Results, measure: str) -> str:
    """A row for each point, a column for each variant, and the ratio of each to the baseline."""
    points = results.points()
    varied = varying(points)
    variants = [name for name in results.variants() if any(results.values(measure, name, p) for p in points)]
    baseline = results.experiment.baseline
    # What all variants agree on needs no ratio.
    comparable = baseline in variants and measure not in results.experiment.agree
    compared = [name for name in variants if comparable and name != baseline]
    headings = [*varied, *variants, *(f"{name} ÷ {baseline}" for name in compared)]
    rows = []
    for point in points:
        spreads = [results.spread(measure, name, point) for name in variants]
        factors = [results.ratio(measure, name, baseline, point) for name in compared if baseline is not None]
        rows.append([*(value_words(point[name]) for name in varied), *map(_spread, spreads), *map(_spread, factors)])
    return markdown(headings, rows, numbers=len(varied))


def varying(points: Sequence[Point]) -> list[str]:
    """The parameters that are not the same at all points; the first one where there is only one point."""
    names = list(points[0])
    return [name for name in names if len({point[name] for point in points}) > 1] or names[:1]


def fixed(points: Sequence[Point]) -> dict[str, Value]:
    """The parameters that are the same at all points."""
    return {name: value for name, value in points[0].items() if name not in varying(points)}


def value_words(value: object) -> str:
    """Numbers with their thousands apart, everything else as it is."""
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,g}"
    return f"{int(value):,}" if isinstance(value, int | float) else str(value)


def _spread(spread: Spread | None) -> str:
    if spread is None:
        return "–"
    if spread.repeats == 1 or spread.least == spread.most:
        return amount(spread.median)
    return f"{amount(spread.median)} ({amount(spread.least)} – {amount(spread.most)})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
