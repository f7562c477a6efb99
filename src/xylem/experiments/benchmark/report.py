"""The report for people and for programs.

This module knows nothing of how figures are taken.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from xylem.experiments.amounts import amount
from xylem.experiments.benchmark.results import Figure, Report

if TYPE_CHECKING:
    from rich.console import Console

_COLORS = {"met": "green", "missed": "red", "": "dim"}


def as_json(report: Report) -> dict[str, object]:
    """The whole report as plain values, verdicts included."""
    plain = asdict(report)
    for row, values in zip(report.rows, plain["rows"], strict=True):
        for figure, entry in zip(row.figures, values["figures"], strict=True):
            entry["verdict"] = figure.verdict
    return plain


def show(report: Report, console: Console) -> None:
    """A table of figures and verdicts, the facts beside each, and what was missed at the end."""
    from rich.table import Table

    machine = report.machine
    console.print(
        f"xylem {report.xylem}, {report.scale} scale, on {machine.processor} ({machine.cores} cores, "
        f"{machine.memory_gb} GB, load {machine.load}), Python {machine.python}, expat {machine.expat}",
        highlight=False,
    )
    table = Table(show_lines=False, expand=False)
    for heading in ("what", "figure", "range", "target", "verdict"):
        table.add_column(heading, justify="left" if heading in ("what", "verdict") else "right")
    for row in report.rows:
        table.add_row(f"[bold]{row.title}[/bold] [dim]({row.name}, {row.seconds:,.0f} s)[/dim]")
        if row.note:
            table.add_row(f"  [yellow]{row.note}[/yellow]")
        for figure in row.figures:
            color = _COLORS[figure.verdict]
            table.add_row(
                f"  {figure.name}",
                amount(figure.value, figure.unit),
                _range(figure),
                str(figure.target or ""),
                f"[{color}]{figure.verdict}[/{color}]",
            )
            if figure.facts:
                table.add_row(f"    [dim]{_facts(figure)}[/dim]")
    console.print(table)
    for line in verdict_lines(report):
        console.print(line, highlight=False)


def verdict_lines(report: Report) -> list[str]:
    """What a reader in a hurry wants to know."""
    figures = [figure for row in report.rows for figure in row.figures if figure.target is not None]
    lines = [f"{len(figures) - len(report.missed)} of {len(figures)} targets met"]
    lines.extend(f"missed: {f.name}: {amount(f.value, f.unit)}, target {f.target}" for f in report.missed)
    lines.extend(f"{row.name}: {row.note}" for row in report.rows if row.note.startswith("failed"))
    return lines


def _range(figure: Figure) -> str:
    spread = figure.spread
    return f"{amount(spread.least, '')} – {amount(spread.most, '')}" if spread is not None else ""


def _facts(figure: Figure) -> str:
    return "; ".join(
        f"{name}: {value:,}" if isinstance(value, int | float) else f"{name}: {value}"
        for name, value in figure.facts.items()
    )
