"""Schemas as element graphs: `Schema.from_dtd(path)`, and what the graph tells."""

from xylem.schema.content import Choice, Content, ContentKind, Name, Occurs, Others, Particle, Sequence
from xylem.schema.errors import SchemaError
from xylem.schema.graph import ElementGraph
from xylem.schema.model import Attribute, AttributeType, Child, Element, Place, Problem, Schema, Seen
from xylem.schema.paths import PathAutomaton
from xylem.schema.possible import Impossible, first_impossible
from xylem.schema.walks import PathNumbering, count_paths, sample_paths, shortest_path

__all__ = [
    "Attribute",
    "AttributeType",
    "Child",
    "Choice",
    "Content",
    "ContentKind",
    "Element",
    "ElementGraph",
    "Impossible",
    "Name",
    "Occurs",
    "Others",
    "Particle",
    "PathAutomaton",
    "PathNumbering",
    "Place",
    "Problem",
    "Schema",
    "SchemaError",
    "Seen",
    "Sequence",
    "count_paths",
    "first_impossible",
    "sample_paths",
    "shortest_path",
]
