"""What is wrong with a schema that was read well: elements that nothing declares, and elements without end.

This module knows nothing of how schemas are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xylem.schema.graph import least_heights
from xylem.schema.model import Problem, Schema


def with_checks(schema: Schema) -> Schema:
    """The same schema, with what is wrong with its elements among its problems."""
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
