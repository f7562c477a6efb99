"""Pages and figures as files, made from the results in a folder and from nothing else.

    FOLDER/README.md            all experiments
    FOLDER/NAME.md              one
    FOLDER/NAME/SCALE.svg, .png its figure

This module knows nothing of what the pages say.
"""

from __future__ import annotations

from pathlib import Path

from xylem.experiments.harness.experiment import Experiment
from xylem.experiments.harness.published import published
from xylem.experiments.harness.results import Results
from xylem.experiments.harness.store import load_all, write
from xylem.experiments.pages.figures import can_draw, draw
from xylem.experiments.pages.overview import overview
from xylem.experiments.pages.page import page


def write_pages(folder: Path, experiments: list[Experiment]) -> list[Path]:
    """Writes the page of each experiment that has results in the folder, its figures where they can be drawn, and the
    page of all; returns the pages."""
    runs = {experiment.name: load_all(experiment, folder) for experiment in experiments}
    pages = []
    for experiment in experiments:
        if runs[experiment.name]:
            _write_figures(folder, runs[experiment.name])
            pages.append(folder / f"{experiment.name}.md")
            write(pages[-1], page_text(experiment, runs[experiment.name], folder))
    folder.mkdir(parents=True, exist_ok=True)
    pages.append(folder / "README.md")
    write(pages[-1], overview_text(experiments, runs, folder))
    return pages


def page_text(experiment: Experiment, runs: list[Results], folder: Path) -> str:
    return page(experiment, runs, published(), [name.partition("/")[2] for name in _drawn(experiment, folder)])


def overview_text(experiments: list[Experiment], runs: dict[str, list[Results]], folder: Path) -> str:
    drawn = [name for experiment in experiments for name in _drawn(experiment, folder)]
    return overview(experiments, runs, published(), drawn)


def _write_figures(folder: Path, runs: list[Results]) -> None:
    """A figure that cannot be drawn anew would show other results than the page: it goes."""
    for results in runs:
        place = folder / results.experiment.name / results.description.scale
        if can_draw():
            for form, content in draw(results).items():
                write(place.with_suffix(f".{form}"), content)
        else:
            for path in place.parent.glob(f"{place.name}.[sp][vn]g"):
                path.unlink()


def _drawn(experiment: Experiment, folder: Path) -> list[str]:
    """The figures that are there, as `experiment/scale`."""
    return [f"{experiment.name}/{path.stem}" for path in sorted((folder / experiment.name).glob("*.svg"))]
