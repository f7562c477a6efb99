"""How the names of a schema are written in subscriptions.

XPath 1.0 reads a name without a prefix as one in no namespace. Where a schema fixes a namespace, the names
of its subscriptions therefore carry a prefix, whatever the documents do, and the prefix is bound beside them.

This module knows nothing of paths and predicates.
"""

from __future__ import annotations

from dataclasses import dataclass

from xylem.errors import UsageError
from xylem.schema import ElementGraph, Schema

_XML = "xml"  # the one prefix that is bound everywhere


@dataclass(frozen=True, slots=True)
class Names:
    """The spelling of each element's name, and the bindings of the prefixes used."""

    elements: dict[str, str]
    bindings: dict[str, str]

    @staticmethod
    def of(schema: Schema, graph: ElementGraph) -> Names:
        """Raises UsageError when an element has a prefix that the schema binds to no namespace."""
        prefixes: dict[str, str] = {}  # by namespace
        elements: dict[str, str] = {}
        for name in graph.reachable(schema.roots):
            namespace, local = schema.expanded(name)
            written = name.rpartition(":")[0]
            if not namespace:
                if written:
                    message = (
                        f"the element '{name}' of {schema.name} has a prefix that the schema binds to no namespace"
                    )
                    raise UsageError(message)
                elements[name] = name
                continue
            if namespace not in prefixes:
                prefixes[namespace] = _unused(written, set(prefixes.values()))
            elements[name] = f"{prefixes[namespace]}:{local}"
        return Names(elements, {prefix: namespace for namespace, prefix in prefixes.items()})

    @staticmethod
    def attribute_is_usable(name: str) -> bool:
        """Whether an attribute may be asked for: declarations of namespaces are no attributes, and of
        prefixes only `xml` is bound without a declaration."""
        prefix, colon, _ = name.partition(":")
        return name != "xmlns" and (not colon or prefix == _XML)


def subscription_namespaces(schema: Schema) -> dict[str, str]:
    """The prefixes that `subscriptions(schema, …)` uses; empty for a schema without namespaces."""
    return Names.of(schema, ElementGraph.of(schema)).bindings


def _unused(wanted: str, taken: set[str]) -> str:
    if wanted and wanted not in taken:
        return wanted
    number = 1
    while f"n{number}" in taken:
        number += 1
    return f"n{number}"
