"""Reading documents against bare expat, and parsing queries by the second.

This module knows nothing of how figures are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter

from xylem.experiments.baselines import parse_bare, parse_bare_without_namespaces
from xylem.experiments.benchmark.lab import Lab
from xylem.experiments.benchmark.results import Figure, Target, ratio_figure
from xylem.experiments.benchmark.workloads import mixed_schema, sized_documents
from xylem.experiments.measuring import Spread, Work, ratios, take_turns
from xylem.experiments.readers import informed_reader, read_all
from xylem.xpath import parse

_SIZES = (2_000, 5_000, 20_000, 1_000_000)
# Short turns, and many of them: what disturbs one turn then disturbs few of the others.
_BYTES_A_TURN = 1_000_000
_TURNS = 25


def reading(lab: Lab) -> Iterator[Figure]:
    """Reading with every name of the schema known, as after many subscriptions."""
    schema = mixed_schema(lab.data)
    reader = informed_reader(schema)
    for size, document in zip(_SIZES, sized_documents(schema, _SIZES), strict=True):
        documents = [document] * max(1, _BYTES_A_TURN // len(document))
        variants: list[Work] = [
            partial(parse_bare, documents),
            partial(read_all, reader, documents),
            partial(parse_bare_without_namespaces, documents),
        ]
        take_turns(variants, 1)
        bare, ours, barest = take_turns(variants, _TURNS)
        facts: dict[str, float | int | str] = {
            "bytes": len(document),
            "MB/s": round(len(documents) * len(document) / min(ours) / 1e6),
            "against expat without namespaces": round(ratios(ours, barest).median, 2),
        }
        yield ratio_figure(f"reading, {size // 1000:,} KB", ratios(ours, bare), Target(1.5), **facts)


def language(lab: Lab) -> Iterator[Figure]:
    """From text to canonical pattern."""
    for workload in lab.workloads():
        texts = [xpath for _, xpath in workload.subscriptions]
        rates = []
        for _ in range(min(3, lab.scale.repeats)):
            start = perf_counter()
            for text in texts:
                parse(text)
            rates.append(len(texts) / (perf_counter() - start))
        spread = Spread.of(rates)
        facts: dict[str, float | int | str] = {"queries": len(texts)}
        yield Figure(
            f"parse + canonicalise, {workload.name}", spread.median, "/s", Target(20_000, False), spread, facts
        )
