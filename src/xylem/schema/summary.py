"""What there is to say of a schema, as plain values: for people in a few lines, for programs as JSON.

Invariant: everything here can be written as JSON. This module knows nothing of terminals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xylem.schema.content import ContentKind, Others
from xylem.schema.graph import ElementGraph
from xylem.schema.model import Attribute, Element, Schema
from xylem.schema.paths import PathAutomaton
from xylem.schema.walks import count_paths


@dataclass(frozen=True, slots=True)
class Summary:
    """A schema with what its graph and its paths tell, worked out once."""

    schema: Schema
    graph: ElementGraph
    paths: PathAutomaton
    max_depth: int

    @staticmethod
    def of(schema: Schema, max_depth: int = 10) -> Summary:
        """`max_depth` is how deep paths are counted; raises SchemaError if the schema has too many states."""
        return Summary(schema, ElementGraph.of(schema), PathAutomaton.of(schema), max_depth)

    def as_json(self) -> dict[str, Any]:
        schema, graph = self.schema, self.graph
        return {
            "schema": schema.name,
            "elements": len(schema),
            "attributes": sum(len(element.attributes) for element in schema),
            "edges": sum(map(len, graph.children.values())),
            "roots": list(schema.roots),
            "content": self.contents(),
            "open": [element.name for element in schema if element.content.others is not Others.NONE],
            "impossible": [name for name in schema.elements if name not in graph.heights],
            "unreachable": self.unreachable(),
            "recursive": len(graph.recursive()),
            "cycles": [{"elements": list(cycle), "shortest": list(graph.loop(cycle))} for cycle in graph.cycles()],
            "height": graph.height(schema.roots),
            "paths": self._paths(),
            "problems": [
                {"file": p.place.file, "line": p.place.line, "element": p.element, "message": p.message}
                for p in schema.problems
            ],
            "declarations": [self._declaration(element) for element in schema],
        }

    def contents(self) -> dict[str, int]:
        """How many elements have each kind of content."""
        kinds = [element.content.kind for element in self.schema]
        return {kind.value: kinds.count(kind) for kind in ContentKind}

    def unreachable(self) -> list[str]:
        """The possible elements that no document has which starts with one of the roots."""
        reached = set(self.graph.reachable(self.schema.roots))
        return [name for name in self.graph.heights if name not in reached]

    def counts(self) -> list[int]:
        """For each depth from 1, the number of paths of so many elements from root to leaf."""
        return count_paths(self.paths, self.max_depth)

    def _paths(self) -> dict[str, Any]:
        states, edges = len(self.paths), len(self.paths.edge_label)
        return {"states": states, "edges": edges, "bytes": self.paths.nbytes, "to_leaf_by_depth": self.counts()}

    def _declaration(self, element: Element) -> dict[str, Any]:
        content = element.content
        said: dict[str, Any] = {
            "name": element.name,
            "tag": element.tag,
            "namespace": self.schema.namespace(element.name),
            "file": element.place.file,
            "line": element.place.line,
            "kind": content.kind.value,
            "content": str(content),
            "text": content.has_text,
            "others": content.others.value,
            "children": [
                {"name": child.name, "least": child.least, "most": child.most}
                for child in self.schema.children(element.name)
            ],
            "attributes": [_attribute(attribute) for attribute in element.attributes],
        }
        if element.datatype:
            said["datatype"] = element.datatype
        if element.name in self.schema.seen:
            seen = self.schema.seen[element.name]
            said["seen"] = {
                "count": seen.count,
                "documents": seen.documents,
                "with_text": seen.with_text,
                "children": dict(seen.children),
                "attributes": dict(seen.attributes),
                "values": {name: list(values) for name, values in seen.values.items()},
            }
        return said


def _attribute(attribute: Attribute) -> dict[str, Any]:
    said: dict[str, Any] = {
        "name": attribute.name,
        "type": attribute.type.value,
        "required": attribute.required,
        "fixed": attribute.fixed,
        "default": attribute.default,
    }
    if attribute.values:
        said["values"] = list(attribute.values)
    if attribute.datatype:
        said["datatype"] = attribute.datatype
    return said
