"""What the benchmark feeds to every system under test.

`paths` are the queries and documents of the YFilter release, where they are at hand. `mixed` is generated: paths of
seven to ten steps, `*` and `//` each with probability 0.1 a step, one in five with a branch, one in five with a value
predicate; documents of 2 to 20 KB, small ones being the more frequent; about 1 % of the subscriptions match a
document. It is drawn from NITF 2.5 where that is at hand, else from the bundled schema.

Invariant: a workload is the same on every machine that has the same data, and no document is in two of its parts.

This module knows nothing of matchers.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from xylem.experiments.readers import sized_document
from xylem.schema import Schema
from xylem.workload import (
    DocumentParameters,
    SizeClass,
    SubscriptionParameters,
    bundled_schema,
    documents,
    subscriptions,
)

Subscription = tuple[str, str]

_PATHS = Path("xpaths/open/yfilter/benchmark_simple_paths/queries-153928-d.txt.gz")
_PATHS_DOCUMENTS = Path("docs/nitf-yfilter-synthetic")
_NITF = Path("dtd/nitf-2.5/nitf-2-5.dtd")
_SIZES = (SizeClass(2_000, 5_000, 2), SizeClass(5_000, 20_000, 1))


@dataclass(frozen=True, slots=True)
class Workload:
    """`warm` documents may be matched as often as one likes; those in `unseen` are matched once, each part at most
    once per run of a matcher."""

    name: str
    description: str
    subscriptions: Sequence[Subscription]
    warm: Sequence[bytes]
    unseen: Sequence[Sequence[bytes]]


def paths_workload(data: Path | None, count: int, documents: int, parts: int) -> Workload | None:
    """YFilter's distinct path queries and its NITF documents, or None when they are not there."""
    if data is None or not (data / _PATHS).is_file():
        return None
    with gzip.open(data / _PATHS, "rt", encoding="utf-8") as lines:
        texts = [line.strip() for line in islice(lines, count)]
    everything = [path.read_bytes() for path in sorted((data / _PATHS_DOCUMENTS).glob("*.xml"))]
    return Workload(
        name="paths",
        description=f"{len(texts):,} distinct path queries of the YFilter release and its NITF documents",
        subscriptions=[(f"q{number + 1}", text) for number, text in enumerate(texts)],
        warm=everything[:documents],
        unseen=_parts(everything, documents, parts),
    )


def mixed_workload(data: Path | None, count: int, documents: int, parts: int) -> Workload:
    """Generated subscriptions with branches and predicates, and valid documents, from a news schema."""
    schema = mixed_schema(data)
    everything = mixed_documents(schema, documents * (parts + 1))
    return Workload(
        name="mixed",
        description=f"{count:,} distinct subscriptions with branches and value predicates from {schema.name}",
        subscriptions=mixed_subscriptions(schema, count),
        warm=everything[:documents],
        unseen=_parts(everything, documents, parts),
    )


def mixed_schema(data: Path | None) -> Schema:
    return Schema.from_dtd(data / _NITF) if data is not None and (data / _NITF).is_file() else bundled_schema()


def mixed_subscriptions(schema: Schema, count: int, seed: int = 1) -> list[Subscription]:
    return subscriptions(
        schema, SubscriptionParameters(count=count, seed=seed, min_depth=7, max_depth=10, branch=0.2, predicate=0.2)
    )


def mixed_documents(schema: Schema, count: int, seed: int = 1) -> list[bytes]:
    return list(documents(schema, DocumentParameters(count=count, seed=seed, sizes=_SIZES)))


def sized_documents(schema: Schema, sizes: Sequence[int]) -> list[bytes]:
    """One document of each size or a little more, alike in everything else: larger ones only repeat more."""
    return [sized_document(schema, size, seed=number) for number, size in enumerate(sizes)]


def _parts(everything: Sequence[bytes], size: int, parts: int) -> list[Sequence[bytes]]:
    """The unseen documents, behind the warm ones, in parts of one size as far as they go."""
    unseen = [everything[start : start + size] for start in range(size, len(everything), size)]
    return [part for part in unseen if part][:parts]
