"""What is wrong with a schema that was read well: elements that nothing declares, and elements without end.

This module knows nothing of how schemas are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xylem.schema.content import Others
from xylem.schema.errors import SchemaError
from xylem.schema.graph import least_heights
from xylem.schema.model import Problem, Schema

# DocBook has 14,085. Each ANY makes as many as there are elements, so that a small file could make any number.
MAX_EDGES = 2_000_000


def with_checks(schema: Schema) -> Schema:
    """The same schema, with what is wrong with its elements among its problems; raises SchemaError if its graph would
    be larger than anything that can be worked with."""
    edges = sum(len(schema) for element in schema if element.content.others is not Others.NONE)
    if edges > MAX_EDGES:
        reason = f"elements that admit all others make more than {MAX_EDGES:,} pairs of parent and child"
        raise SchemaError(reason, file=schema.name)
    return replace(schema, problems=(*schema.problems, *_undeclared(schema), *_endless(schema)), _children={})


def _undeclared(schema: Schema) -> Iterator[Problem]:
    for element in schema:
        for child in schema.children(element.name):
            if child.name not in schema.elements:
                message = f"the content of '{element.name}' names the element '{child.name}', which is not declared"
                yield Problem(element.place, message, element.name)


def _endless(schema: Schema) -> Iterator[Problem]:
    possible = least_heights(schema)
    for element in schema:
        if element.name not in possible:
            needs = "it needs content without end, or elements that are not declared"
            yield Problem(element.place, f"no document can contain the element '{element.name}': {needs}", element.name)
