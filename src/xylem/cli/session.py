"""A Spark session for commands that ask for one.

This module knows nothing of what runs on it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xylem.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*]"


@contextmanager
def spark_session(master: str) -> Iterator[SparkSession]:
    """A session at a master (`local[2]`, `spark://…`, or `sc://…` for Spark Connect), which ends with the command."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError("Spark needs pyspark, which is not installed: pip install 'xylem[spark]'") from None
    # Workers start the Python found first on the path unless told otherwise, which may lack xylem.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("xylem generate")
    remote = master.startswith("sc://")
    builder = builder.remote(master) if remote else builder.master(master).config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
