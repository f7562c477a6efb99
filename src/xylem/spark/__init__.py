"""Xylem on Spark: DataFrame in, DataFrame out. Needs the extra `xylem[spark]`."""

from xylem.spark.generate import generate_documents, generate_subscriptions

__all__ = ["generate_documents", "generate_subscriptions"]
