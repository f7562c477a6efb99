"""Schemas as element graphs: `Schema.from_dtd(path)`, and what the graph tells."""

from xylem.schema.content import Choice, Content, ContentKind, Name, Occurs, Others, Particle, Sequence
from xylem.schema.errors import SchemaError
from xylem.schema.graph import ElementGraph
from xylem.schema.model import Attribute, AttributeType, Child, Element, Place, Problem, Schema, Seen

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
    "Others",
    "Particle",
    "Place",
    "Problem",
    "Schema",
    "SchemaError",
    "Seen",
    "Sequence",
]
