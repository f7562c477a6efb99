"""`xylem bench`: how fast Xylem is, in multiples of other tools, measured in one run.

This module knows nothing of what is measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xylem.cli.output import print_json, print_line
from xylem.cli.process import ExitCode, say
from xylem.errors import UsageError

EXAMPLE = """\b
Example:
  xylem bench --only warm --only first-sight

\b
The full run takes several minutes; --quick is a smoke test of a few seconds,
whose figures say nothing about speed. The targets are those of full scale."""


def bench(
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ROW", help="Runs this row alone; may be repeated.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A smoke test of a few seconds.")] = False,
    rows: Annotated[bool, typer.Option("--list", help="Lists the rows and ends.")] = False,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder of real data; ../shared/data by default.")
    ] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="The engine under test.")] = "auto",
    repeats: Annotated[int | None, typer.Option(min=1, metavar="N", help="Turns that each comparison takes.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the report there as JSON, too.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Prints the report as one JSON object.")] = False,
) -> int:
    """Measures speed, memory and growth."""
    from dataclasses import replace

    from xylem.experiments.benchmark import FULL, PARTS, QUICK, Lab, as_json, run, show
    from xylem.matching.registry import choose

    if rows:
        if json:
            print_json([{"row": part.name, "title": part.title} for part in PARTS])
            return ExitCode.FINE
        for part in PARTS:
            print_line(f"{part.name:14} {part.title}")
        return ExitCode.FINE
    if data is not None and not data.is_dir():
        raise UsageError(f"--data: {data} is no folder")
    # What would fail after minutes of work fails now.
    if out is not None and not out.absolute().parent.is_dir():
        raise UsageError(f"--out: {out.parent} is no folder")
    choose(engine)
    scale = QUICK if quick else FULL
    if repeats is not None:
        scale = replace(scale, repeats=repeats)
    report = run(Lab.of(scale, data, engine, lambda message: say(f"xylem: {message} …")), only or ())
    plain = as_json(report)
    if out is not None:
        import json as format_json

        from xylem.cli.collecting import write_whole

        write_whole(out, iter([(format_json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode()]))
    if json:
        print_json(plain)
    else:
        from rich.console import Console

        show(report, Console(highlight=False))
    return ExitCode.FAILED if report.failed else ExitCode.FINE
