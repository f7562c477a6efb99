"""Workloads drawn by Spark are those of one process, whatever the partitions."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scale import scaled
from tests.schema.writing import schema_of
from xylem.errors import UsageError
from xylem.workload import DocumentParameters, SubscriptionParameters, bundled_schema, documents, subscriptions

pytest.importorskip("pyspark", reason="the extra xylem[spark] is not installed")
pytest.importorskip("pyarrow", reason="the extra xylem[spark] is not installed")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize("partitions", [1, 3])
def test_documents(spark: Any, partitions: int) -> None:
    from xylem.spark import generate_documents

    parameters = DocumentParameters(count=scaled(25), seed=5)
    rows = generate_documents(spark, bundled_schema(), parameters, partitions).collect()
    assert [bytes(row["xml"]) for row in rows] == list(documents(bundled_schema(), parameters))
    assert [row["document"] for row in rows] == [f"document-{number:06}.xml" for number in range(1, len(rows) + 1)]


# Where draws suffice at once, where more draws are needed, where the driver draws the rest, and with repetitions.
SUBSCRIPTIONS = [
    {"count": scaled(12_000), "min_depth": 5, "max_depth": 10, "branch": 0.2, "predicate": 0.2},
    {"count": 700, "max_depth": 4, "relative": 0.2},
    {"count": 2_500, "max_depth": 4},
    {"count": 500, "distinct": False},
    {"count": 0},
]


@pytest.mark.parametrize("settings", SUBSCRIPTIONS)
def test_subscriptions(spark: Any, settings: dict[str, Any]) -> None:
    from xylem.spark import generate_subscriptions

    parameters = SubscriptionParameters(seed=3, **settings)
    rows = generate_subscriptions(spark, bundled_schema(), parameters).collect()
    assert [tuple(row) for row in rows] == subscriptions(bundled_schema(), parameters)


def test_too_many_distinct_ones_are_refused_with_their_number(spark: Any, tmp_path: Path) -> None:
    from xylem.spark import generate_subscriptions

    schema = schema_of(tmp_path, "<!ELEMENT a (b | c)><!ELEMENT b EMPTY><!ELEMENT c EMPTY>")
    with pytest.raises(UsageError, match="gives 3 distinct subscriptions with these parameters, not 10"):
        generate_subscriptions(spark, schema, SubscriptionParameters(count=10, wildcard=0.0, descendant=0.0))
