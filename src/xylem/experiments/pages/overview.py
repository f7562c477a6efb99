"""One page for all experiments: figure, ratio, verdict.

This module knows nothing of how experiments are run, and of where files are.
"""

from __future__ import annotations

from collections.abc import Collection

from xylem.experiments.harness.experiment import Experiment
from xylem.experiments.harness.published import Published
from xylem.experiments.harness.results import Results
from xylem.experiments.pages.tables import markdown

_HEAD = """# Experiments

Published experiments on this kind of system, and some of our own, run with Xylem. The figures of the papers are of \
older machines; what is compared is the shape: who wins, by what ratio, how it grows. Where ours differs, the \
experiment's page says why.

Competing variants take turns within one run, so that a ratio means something on a busy machine. `xylem experiment \
list` lists the experiments, `xylem experiment run NAME` runs one and writes its page. At small scale each takes at \
most a minute; paper scale has the sizes of the papers."""


def overview(
    experiments: list[Experiment], runs: dict[str, list[Results]], published: Published, figures: Collection[str]
) -> str:
    """In Markdown. `runs` are by experiment, smallest scale first; `figures` names `experiment/scale`s."""
    rows = []
    for experiment in experiments:
        if not (found := runs.get(experiment.name)):
            rows.append([experiment.title, experiment.reproduces, "", "", "not run yet"])
            continue
        last = found[-1]
        verdict = experiment.judge(last, published)
        link = f"{experiment.name}.md"
        place = f"{experiment.name}/{last.description.scale}"
        drawing = f"[![{experiment.title}]({place}.svg)]({link})" if place in figures else ""
        name = f"[{experiment.title}]({link})"
        said = f"{verdict.outcome.value} ({last.description.scale} scale)"
        rows.append([name, experiment.reproduces, drawing, verdict.headline, said])
    return f"{_HEAD}\n\n{markdown(['experiment', 'reproduces', 'figure', 'ratio', 'verdict'], rows)}\n"
