"""The default engine: all queries in one shared structure. See `engine` for how a document is matched."""

from xylem.matching.tree.engine import TreeEngine

__all__ = ["TreeEngine"]
