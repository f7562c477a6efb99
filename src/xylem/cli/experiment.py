"""`xylem experiment`: lists, runs and reports the experiments.

A run that was interrupted goes on where it stopped; see the journal in the folder of the results.

This module knows nothing of what is measured and of what pages say.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xylem.cli.output import print_json, print_line
from xylem.cli.process import ExitCode, OutputFailed, say
from xylem.cli.progress import Progress
from xylem.errors import UsageError

if TYPE_CHECKING:
    from xylem.experiments.harness.experiment import Experiment
    from xylem.experiments.harness.results import Results
    from xylem.experiments.harness.running import Order, Plan

LIST_EXAMPLE = """\b
Example:
  xylem experiment list"""

RUN_EXAMPLE = """\b
Example:
  xylem experiment run engines-growth --scale small --out results

\b
Writes results/engines-growth.md, its figure, and all measurements. Interrupted,
it goes on where it stopped when it is run again."""

REPORT_EXAMPLE = """\b
Example:
  xylem experiment report --out results

\b
Writes the pages and figures again from the measurements in the folder."""

JOURNALS = ".journal"  # in the folder of the results

app = typer.Typer(
    name="experiment",
    help="Runs published experiments and shows their figures beside the published ones.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)

Out = Annotated[Path, typer.Option(metavar="DIR", help="The folder of results and pages; made if it is not there.")]
Json = Annotated[bool, typer.Option("--json", help="Prints the same as JSON.")]
_FOLDER = Path("xylem-experiments")


@app.command("list", epilog=LIST_EXAMPLE)
def list_all(json: Json = False) -> int:
    """Lists the experiments."""
    from xylem.experiments.registry import experiments

    found = experiments()
    if json:
        print_json([_listed(experiment) for experiment in found])
        return ExitCode.FINE
    for experiment in found:
        reproduces = f" ({experiment.reproduces})" if experiment.reproduces else ""
        print_line(f"{experiment.name:16} {experiment.title}{reproduces}")
    return ExitCode.FINE


@app.command("run", epilog=RUN_EXAMPLE)
def run_named(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Experiments, as `list` names them.")],
    scale: Annotated[str, typer.Option(metavar="small|paper", help="How large the run is.")] = "small",
    seed: Annotated[int, typer.Option(metavar="S", help="The first seed; the same seed draws the same workload.")] = 1,
    repeats: Annotated[int | None, typer.Option(min=1, metavar="N", help="Turns at each point, for each seed.")] = None,
    out: Out = _FOLDER,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder of real data; ../shared/data by default.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measures anew what was measured before.")] = False,
    json: Json = False,
) -> int:
    """Runs experiments, and writes their pages."""
    from xylem.experiments.data import find_data
    from xylem.experiments.harness.running import Order
    from xylem.experiments.pages.figures import NEEDED, can_draw
    from xylem.experiments.registry import experiment

    if data is not None and not data.is_dir():
        raise UsageError(f"--data: {data} is no folder")
    wanted = [experiment(name) for name in dict.fromkeys(names)]
    for one in wanted:
        one.scale(scale)
    if not can_draw():
        say(f"xylem: the pages come without figures: {NEEDED}")
    order = Order(scale, seed, repeats, find_data(data), fresh)
    for one in wanted:
        results = _run(one, order, out)
        _write(out, results)
        _show(results, out, json)
    return ExitCode.FINE


@app.command("report", epilog=REPORT_EXAMPLE)
def report(out: Out = _FOLDER, json: Json = False) -> int:
    """Writes the pages again from results that are there."""
    from xylem.experiments.pages.writing import write_pages
    from xylem.experiments.registry import experiments

    if not out.is_dir():
        raise UsageError(f"--out: {out} is no folder")
    with _output(out):
        pages = [str(page) for page in write_pages(out, experiments())]
    if json:
        print_json({"pages": pages})
    else:
        for page in pages:
            print_line(page)
    return ExitCode.FINE


def _run(experiment: Experiment, order: Order, out: Path) -> Results:
    from xylem.experiments.harness.running import run

    with _output(out):
        (out / JOURNALS).mkdir(parents=True, exist_ok=True)
    with ExitStack() as shown:
        bars: list[Progress] = []

        def planned(plan: Plan) -> None:
            left = len(plan.places) - plan.done
            if plan.done:
                say(f"xylem: {experiment.name}: {plan.done} of {len(plan.places)} turns were measured before")
            bars.append(shown.enter_context(Progress(f"{experiment.name}, turns", left)))

        return run(experiment, order, out / JOURNALS, planned, lambda turn: bars[0].advance())


def _write(out: Path, results: Results) -> None:
    from xylem.experiments.harness.store import save
    from xylem.experiments.pages.writing import write_pages
    from xylem.experiments.registry import experiments

    with _output(out):
        save(results, out)
        write_pages(out, experiments())


def _show(results: Results, out: Path, json: bool) -> None:
    from xylem.experiments.harness.published import published

    experiment = results.experiment
    verdict = experiment.judge(results, published())
    page = out / f"{experiment.name}.md"
    if json:
        print_json(
            {
                "experiment": experiment.name,
                "scale": results.description.scale,
                "turns": len(results.turns),
                "verdict": verdict.outcome.value,
                "headline": verdict.headline,
                "found": verdict.found,
                "comparisons": [
                    {"claim": one.claim, "ours": one.ours, "agrees": one.agrees, "why": one.why}
                    for one in verdict.comparisons
                ],
                "page": str(page),
            }
        )
        return
    print_line(f"{experiment.title}: {verdict.outcome.value}")
    print_line(f"  {verdict.headline}")
    print_line(f"  {page}")


def _listed(experiment: Experiment) -> dict[str, object]:
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "reproduces": experiment.reproduces,
        "scales": list(experiment.scales),
    }


@contextmanager
def _output(out: Path) -> Iterator[None]:
    """Results that cannot be written are the output's fault, not a fault of xylem."""
    try:
        yield
    except OSError as error:
        raise OutputFailed(f"{error.filename or out}: {error.strerror}") from error
