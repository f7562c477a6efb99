"""The page of one experiment: the question, the verdict, the figure, our numbers beside the published ones, and all
that was measured.

This module knows nothing of how experiments are run, and of where files are.
"""

from __future__ import annotations

from collections.abc import Collection

from xylem.experiments.harness.experiment import Comparison, Experiment, Verdict
from xylem.experiments.harness.published import Claim, Published
from xylem.experiments.harness.results import Description, Results
from xylem.experiments.pages.tables import fixed, markdown, measure_table, value_words

_AGREES = {True: "yes", False: "no", None: "cannot be compared"}


def page(experiment: Experiment, runs: list[Results], published: Published, figures: Collection[str]) -> str:
    """In Markdown. `figures` names the scales that have a figure. The largest scale that was run is judged."""
    verdict = experiment.judge(runs[-1], published)
    parts = [
        f"# {experiment.title}",
        experiment.question,
        _verdict(verdict, runs[-1]),
        *_compared(verdict, published),
        *(_run(results, results.description.scale in figures) for results in reversed(runs)),
        _method(experiment),
        _again(experiment, runs[-1]),
    ]
    return "\n\n".join(parts) + "\n"


def _verdict(verdict: Verdict, results: Results) -> str:
    outcome = verdict.outcome.value
    return f"**Verdict at {results.description.scale} scale: {outcome}.** {verdict.headline}. {verdict.found}"


def _compared(verdict: Verdict, published: Published) -> list[str]:
    if not verdict.comparisons:
        return []
    rows = []
    for comparison in verdict.comparisons:
        claim = published.claim(comparison.claim)
        rows.append([claim.says, _source(claim, published), comparison.ours, _answer(comparison)])
    return ["## Beside the published figures", markdown(["published", "where", "measured here", "agrees"], rows)]


def _answer(comparison: Comparison) -> str:
    answer = _AGREES[comparison.agrees]
    return f"{answer}: {comparison.why}" if comparison.why else answer


def _source(claim: Claim, published: Published) -> str:
    paper = published.papers[claim.paper]
    plot = ", read off a plot" if claim.read == "plot" else ""
    return f"{paper.authors}: {paper.title}, {paper.venue}; {claim.place}{plot}"


def _run(results: Results, drawn: bool) -> str:
    about, experiment = results.description, results.experiment
    folder = experiment.name
    parts = [f"## Measured at {about.scale} scale"]
    if drawn:
        parts.append(f"![{experiment.title}]({folder}/{about.scale}.svg)")
    constant = ", ".join(f"{name} {value_words(value)}" for name, value in fixed(results.points()).items())
    seeds = (
        f"seed {about.seed}"
        if about.seeds == 1
        else f"each of the seeds {about.seed} to {about.seed + about.seeds - 1}"
    )
    turns = f"{about.repeats} {'turn' if about.repeats == 1 else 'turns'} at each point with {seeds}"
    parts.append(
        f"{turns}{'; ' + constant if constant else ''}. Medians, and in brackets the least and the most; "
        "ratios are taken within a turn."
    )
    for name, measure in experiment.measures.items():
        unit = f" ({measure.unit})" if measure.unit else ""
        parts.append(f"### {measure.title.capitalize()}{unit}\n\n{measure_table(results, name)}")
    drawing = f", [figure as PNG]({folder}/{about.scale}.png)" if drawn else ""
    place = f"{folder}/{about.scale}"
    parts.append(f"All turns: [CSV]({place}.csv), [description of the run]({place}.json){drawing}. {_machine(about)}")
    return "\n\n".join(parts)


def _machine(about: Description) -> str:
    machine = about.machine
    return (
        f"Machine: {machine.processor}, {machine.cores} cores, {machine.memory_gb:g} GB, {machine.system}; "
        f"Python {machine.python}, expat {machine.expat}, lxml {machine.lxml}, Numba {machine.numba}; "
        f"load at the start {machine.load:g}. Xylem {about.xylem}."
    )


def _method(experiment: Experiment) -> str:
    variants = "\n".join(f"- `{name}`: {says}" for name, says in experiment.variants.items())
    return f"## What is measured\n\n{experiment.method}\n\n{variants}"


def _again(experiment: Experiment, results: Results) -> str:
    about = results.description
    command = f"xylem experiment run {experiment.name} --scale {about.scale}"
    if about.seed != 1:
        command += f" --seed {about.seed}"
    if about.repeats != experiment.scale(about.scale).repeats:
        command += f" --repeats {about.repeats}"
    return f"## Again\n\n```sh\n{command}\n```"
