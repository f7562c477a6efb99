"""`reading`: reading documents against bare expat, by document size.

This module knows nothing of how experiments are run and shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from xylem.experiments.baselines import parse_bare, parse_into_trees
from xylem.experiments.harness.experiment import Chart, Experiment, Measure, Point, Scale, Values, Variant, Verdict
from xylem.experiments.harness.published import Published
from xylem.experiments.harness.results import Results
from xylem.experiments.harness.setting import Setting
from xylem.experiments.measuring import Work, seconds
from xylem.experiments.readers import informed_reader, read_all, sized_document

# What each turn reads at least, so that the clock has something to see; a larger document is read once.
_BYTES_A_TURN = 2_000_000


def _time(work: Work, size: int) -> Variant:
    def run() -> Values:
        work()  # the memory that another variant gave back to the system has to be fetched again, but not by the clock
        return {"time": 1e9 * seconds(work) / size}

    return run


def _trial(point: Point, setting: Setting) -> Mapping[str, Variant]:
    schema = setting.schema(str(point["schema"]))
    size = int(point["size"])
    document = sized_document(schema, size, setting.seed)
    documents = [document] * max(1, _BYTES_A_TURN // len(document))
    total = len(document) * len(documents)
    return {
        "expat": _time(partial(parse_bare, documents), total),
        "xylem": _time(partial(read_all, informed_reader(schema), documents), total),
        "lxml": _time(partial(parse_into_trees, documents), total),
    }


def _judge(results: Results, published: Published) -> Verdict:
    ratios = {int(point["size"]): results.ratio("time", "xylem", "expat", point) for point in results.points()}
    known = {size: spread.median for size, spread in ratios.items() if spread is not None}
    small, large = min(known), max(known)
    return Verdict(
        f"{known[small]:.2f} × bare expat at {small:,} bytes, {known[large]:.2f} × at {large:,}",
        "Bare expat, which only parses and calls nobody, is what reading costs at least; what Xylem adds are the flat "
        "arrays that all engines work on.",
    )


def _points(schema: str, sizes: tuple[int, ...]) -> tuple[Point, ...]:
    return tuple({"schema": schema, "size": size} for size in sizes)


EXPERIMENT = Experiment(
    name="reading",
    title="Reading documents",
    question="What does reading a document into flat arrays cost beside bare parsing, and how does that change with "
    "its size?",
    method="One document of each size, valid against the schema and read again and again up to 2 MB a turn, in one "
    "thread. Each variant reads them once before it is timed, since what another one did to the memory is not its "
    "affair. All names of the schema are known to the reader, as they are after many subscriptions.",
    variants={
        "expat": "expat with namespaces and without handlers",
        "xylem": "the reader: flat arrays for all engines",
        "lxml": "libxml2 building a tree",
    },
    measures={"time": Measure("time a byte", "ns")},
    scales={
        "small": Scale(_points("wire", (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)), repeats=15),
        "paper": Scale(
            _points("nitf-2.5", (2_000, 5_000, 8_000, 20_000, 100_000, 1_000_000, 10_000_000)), seeds=3, repeats=15
        ),
    },
    trial=_trial,
    charts=(
        Chart("Time", "size", "bytes", "time", log_x=True),
        Chart("Against bare expat", "size", "bytes", "time", against="expat", log_x=True),
    ),
    judge=_judge,
    baseline="expat",
)
