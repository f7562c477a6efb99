"""Synthetic workloads drawn by a Spark session: the same subscriptions and documents as in one process.

Each draw follows from its number, so workers are given ranges of numbers and draw what belongs to them. Distinct
subscriptions are the first of their texts by number; Spark finds those and numbers them. Only where a schema runs short
of subscriptions is the rest drawn in the driver, one after the other, since it depends on all that were found.

Invariant: rows do not depend on how many partitions or workers there are.

This module knows nothing of how anything is drawn, and uses DataFrames alone, so that Spark Connect will do.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from xylem.schema import Schema
from xylem.workload import DocumentParameters, SubscriptionParameters, document_name
from xylem.workload.documents import DocumentSource
from xylem.workload.subscriptions import DRAWS_EACH, SubscriptionSource

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ROWS = 1_000  # of one batch between a worker and Spark: little memory, few crossings
_BLOCK = 10_000  # draws that are numbered together; only one count for each block comes to the driver

# Most workloads have enough distinct subscriptions among so many more draws than are wanted; the others draw on.
_FIRST_TRY = 1.1

_Batches = Iterable[Any]  # of pyarrow.RecordBatch; the core is checked without pyarrow


def generate_documents(
    spark: SparkSession, schema: Schema, parameters: DocumentParameters, partitions: int | None = None
) -> DataFrame:
    """Rows of `document` (a file name) and `xml` (bytes), in order. What a schema cannot yield fails when they are
    read."""
    shipped = pickle.dumps((schema, parameters))

    def draw(batches: _Batches) -> Iterator[Any]:
        source: DocumentSource = _source(shipped)
        for numbers in _numbers(batches):
            names = [document_name(number) for number in numbers]
            yield _batch(document=names, xml=[source.document(number) for number in numbers])

    return _range(spark, 0, parameters.count, partitions).mapInArrow(draw, "document string, xml binary")


def generate_subscriptions(
    spark: SparkSession, schema: Schema, parameters: SubscriptionParameters, partitions: int | None = None
) -> DataFrame:
    """Rows of `id` and `xpath`, in order. Distinct ones are drawn at once; raises UsageError, with the largest
    possible number, when the schema does not have so many."""
    source = SubscriptionSource(schema, parameters)  # refuses parameters before any job runs
    draw = _subscription_draws(pickle.dumps((schema, parameters)))
    if not parameters.distinct:
        from pyspark.sql import functions as f

        drawn = _range(spark, 0, parameters.count, partitions).mapInArrow(draw, "number long, xpath string")
        return drawn.select(f.concat(f.lit("s"), f.col("number") + 1).alias("id"), "xpath")
    return _distinct(spark, source, draw, parameters.count, partitions)


def _distinct(
    spark: SparkSession,
    source: SubscriptionSource,
    draw: Callable[[_Batches], Iterator[Any]],
    count: int,
    partitions: int | None,
) -> DataFrame:
    from pyspark.sql import functions as f

    first: DataFrame | None = None
    drawn, counts = 0, dict[int, int]()
    for limit in (int(_FIRST_TRY * count) + _BLOCK, DRAWS_EACH * count):
        limit = min(limit, DRAWS_EACH * count)
        if limit > drawn and sum(counts.values()) < count:
            fresh = _range(spark, drawn, limit, partitions).mapInArrow(draw, "number long, xpath string")
            every = fresh if first is None else first.unionByName(fresh)
            # Kept, since it is counted now and read later, and drawing is what takes the time.
            first = every.groupBy("xpath").agg(f.min("number").alias("number")).localCheckpoint()
            blocks = first.groupBy((f.col("number") / _BLOCK).cast("long").alias("block")).count().collect()
            drawn, counts = limit, {row["block"]: row["count"] for row in blocks}
    if first is None:
        return spark.createDataFrame([], "id string, xpath string")
    numbered = _numbered(spark, first, counts, count)
    if sum(counts.values()) >= count:
        return numbered
    found = {row["xpath"] for row in first.select("xpath").collect()}
    rest = [(f"s{number}", text) for number, text in enumerate(source.rest(found), start=len(found) + 1)]
    return numbered.unionByName(spark.createDataFrame(rest, "id string, xpath string"))


def _numbered(spark: SparkSession, first: DataFrame, counts: dict[int, int], count: int) -> DataFrame:
    """The first `count` by number, with ids: a block's place follows from the counts of those before it."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    blocks = sorted(counts)
    before = [0, *accumulate(counts[block] for block in blocks)]
    places = spark.createDataFrame(list(zip(blocks, before, strict=False)), "block long, before long")
    within = f.row_number().over(Window.partitionBy("block").orderBy("number"))
    return (
        first.withColumn("block", (f.col("number") / _BLOCK).cast("long"))
        .join(f.broadcast(places), "block")
        .withColumn("place", f.col("before") + within)
        .where(f.col("place") <= count)
        .orderBy("place")
        .select(f.concat(f.lit("s"), f.col("place")).alias("id"), "xpath")
    )


def _subscription_draws(shipped: bytes) -> Callable[[_Batches], Iterator[Any]]:
    def draw(batches: _Batches) -> Iterator[Any]:
        source: SubscriptionSource = _source(shipped)
        for numbers in _numbers(batches):
            yield _batch(number=numbers, xpath=[source.draw(number) for number in numbers])

    return draw


def _range(spark: SparkSession, start: int, end: int, partitions: int | None) -> DataFrame:
    return spark.range(start, end, 1, partitions) if partitions is not None else spark.range(start, end)


def _numbers(batches: _Batches) -> Iterator[list[int]]:
    """The numbers in batches of Spark's making, in smaller ones."""
    for batch in batches:
        numbers = batch.column(0).to_pylist()
        for start in range(0, len(numbers), _ROWS):
            yield numbers[start : start + _ROWS]


def _batch(**columns: list[Any]) -> Any:
    import pyarrow

    return pyarrow.RecordBatch.from_pydict(columns)


@lru_cache(maxsize=4)
def _source(shipped: bytes) -> Any:
    """What draws, made once for each worker process; a worker meets few workloads."""
    schema, parameters = pickle.loads(shipped)
    make = DocumentSource if isinstance(parameters, DocumentParameters) else SubscriptionSource
    return make(schema, parameters)
