"""Which experiments there are; each is one module among the studies, imported when the experiments are asked for.

This module knows nothing of what they measure.
"""

from __future__ import annotations

from xylem.errors import UsageError
from xylem.experiments.harness.experiment import Experiment


def experiments() -> list[Experiment]:
    """All of them, in the order in which they are shown."""
    from xylem.experiments.studies import engines_growth, language, reading, workload_shares

    return [study.EXPERIMENT for study in (language, reading, workload_shares, engines_growth)]


def experiment(name: str) -> Experiment:
    """Raises UsageError for a name that no experiment has."""
    known = {experiment.name: experiment for experiment in experiments()}
    if name not in known:
        raise UsageError(f"there is no experiment '{name}'; there are {', '.join(known)}")
    return known[name]
