"""Schemas as element graphs: `Schema.from_dtd(path)`, and what the graph tells."""

from xylem.schema.errors import SchemaError
from xylem.schema.graph import ElementGraph
from xylem.schema.model import (
    Attribute,
    AttributeType,
    Child,
    Choice,
    Content,
    ContentKind,
    Element,
    Name,
    Occurs,
    Particle,
    Place,
    Problem,
    Schema,
    Sequence,
)

__all__ = [
    "Attribute",
    "AttributeType",
    "Child",
    "Choice",
    "Content",
    "ContentKind",
    "Element",
    "ElementGraph",
    "Name",
    "Occurs",
    "Particle",
    "Place",
    "Problem",
    "Schema",
    "SchemaError",
    "Sequence",
]
