"""The table of commands, and what `xylem` says when it is given none.

This module knows nothing of what the commands do.
"""

from __future__ import annotations

from typing import Annotated

import typer

from xylem.cli import bench, covers, demo, experiment, explain, generate, match, schema
from xylem.cli.output import print_line

OVERVIEW = """Xylem finds, for every XML document, the standing XPath queries that it matches.

  xylem demo                                            the whole story in a few seconds
  xylem match --subscriptions FILE PATH...              which subscriptions does each document match?
  xylem explain DOCUMENT XPATH                          why a document matches, or the step where it stops
  xylem covers XPATH XPATH                              does the first expression contain the second?
  xylem schema FILE                                     what a schema makes possible, as text and as a picture
  xylem generate subscriptions|documents|pairs          synthetic workloads from a schema
  xylem experiment list | run NAME                      published experiments, beside their figures
  xylem bench                                           ratios against other tools, in one run

xylem COMMAND --help says more and shows an example. The guide is in docs/guide."""

# Plain help, not Rich's panels: it reads the same on a terminal and in a pipe, and starts faster.
app = typer.Typer(
    name="xylem",
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print_line(f"xylem {version('xylem')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Shows the version and ends.")
    ] = False,
) -> None:
    """Finds, for every XML document, the standing XPath queries that it matches."""
    if context.invoked_subcommand is None:
        print_line(OVERVIEW)


app.command(epilog=match.EXAMPLE)(match.match)
app.command(epilog=explain.EXAMPLE)(explain.explain)
app.command(epilog=covers.EXAMPLE)(covers.covers)
app.command(epilog=schema.EXAMPLE)(schema.schema)
app.command(epilog=demo.EXAMPLE)(demo.demo)
app.command(epilog=bench.EXAMPLE)(bench.bench)
app.add_typer(generate.app)
app.add_typer(experiment.app)
