"""How the names of a schema are written in documents and in subscriptions.

XPath 1.0 reads a name without a prefix as one in no namespace. Where a schema fixes a namespace, the names
of its subscriptions therefore carry a prefix, whatever the documents do, and the prefix is bound beside them.
A DTD knows no namespaces: it may allow documents in which a prefix is bound to nothing, which no reader takes, so
only roots below which every prefix is bound are used.

This module knows nothing of paths and predicates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xylem.errors import UsageError
from xylem.schema import Element, ElementGraph, Schema

# Where a schema declares `xmlns:p` without a value, the value is free; these are what everybody means.
_WELL_KNOWN = {"xsi": "http://www.w3.org/2001/XMLSchema-instance", "xlink": "http://www.w3.org/1999/xlink"}


@dataclass(frozen=True, slots=True)
class Names:
    """`roots` are those that documents start with; `elements` the spelling of each element's name in
    subscriptions; `bindings` the prefixes used there; `free` the namespaces of prefixes that the schema leaves open."""

    roots: tuple[str, ...]
    elements: dict[str, str]
    bindings: dict[str, str]
    free: dict[str, str]

    @staticmethod
    def of(schema: Schema, graph: ElementGraph, roots: tuple[str, ...], chosen: Mapping[str, str]) -> Names:
        """Raises UsageError when below every root some prefix is bound to nothing."""
        binders = _binders(schema)
        free = {p: chosen.get(p) or _WELL_KNOWN.get(p, f"urn:{p}") for p in binders if p}
        bound = tuple(root for root in roots if _unbound(schema, graph, root, binders) is None)
        if not bound:
            name = _unbound(schema, graph, roots[0], binders)
            raise UsageError(f"the prefix of '{name}' is bound to no namespace where {schema.name} allows the element")
        elements, bindings = _spellings(schema, graph.reachable(bound), free)
        return Names(bound, elements, bindings, free)

    def attribute_is_usable(self, name: str) -> bool:
        """Whether an attribute may be asked for: declarations of namespaces are no attributes, and what a prefix
        stands for is known for `xml` alone."""
        prefix, colon, _ = name.partition(":")
        return name != "xmlns" and (not colon or prefix == "xml")


def is_namespace(attribute: str) -> bool:
    """Whether an attribute declares a namespace."""
    return attribute == "xmlns" or attribute.startswith("xmlns:")


def subscription_namespaces(schema: Schema, chosen: Mapping[str, str] | None = None) -> dict[str, str]:
    """The prefixes that `subscriptions(schema, …)` uses; empty for a schema without namespaces."""
    graph = ElementGraph.of(schema)
    roots = tuple(root for root in schema.roots if root in graph.heights)
    return Names.of(schema, graph, roots, chosen or {}).bindings


def _spellings(
    schema: Schema, elements: tuple[str, ...], free: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    prefixes: dict[str, str] = {}  # by namespace
    spelled: dict[str, str] = {}
    for name in elements:
        namespace, local = schema.expanded(name)
        written = name.rpartition(":")[0]
        namespace = namespace or free.get(written, "")
        if namespace and namespace not in prefixes:
            prefixes[namespace] = _unused(written, set(prefixes.values()))
        spelled[name] = f"{prefixes[namespace]}:{local}" if namespace else name
    return spelled, {prefix: namespace for namespace, prefix in prefixes.items()}


def _binders(schema: Schema) -> dict[str, set[str]]:
    """The elements on which each prefix may be declared."""
    binders: dict[str, set[str]] = {}
    for element in schema:
        for attribute in element.attributes:
            if is_namespace(attribute.name):
                binders.setdefault(attribute.name.partition(":")[2], set()).add(element.name)
    return binders


def _unbound(schema: Schema, graph: ElementGraph, root: str, binders: dict[str, set[str]]) -> str | None:
    """An element below the root that may stand where its prefix is bound to nothing, or None."""
    prefixes = {prefix for name in graph.reachable((root,)) for prefix in _prefixes(schema[name])}
    for prefix in prefixes:
        binding = binders.get(prefix, set())
        seen = {root} - binding
        waiting = list(seen)
        while waiting:
            name = waiting.pop()
            if prefix in _prefixes(schema[name]):
                return name
            below = {child for child in graph.children[name] if child not in binding and child not in seen}
            seen |= below
            waiting.extend(below)
    return None


def _prefixes(element: Element) -> set[str]:
    """The prefixes that an element cannot do without."""
    names = [element.name, *(a.name for a in element.attributes if a.required and not is_namespace(a.name))]
    return {name.partition(":")[0] for name in names if ":" in name} - {"xml"}


def _unused(wanted: str, taken: set[str]) -> str:
    if wanted and wanted not in taken:
        return wanted
    number = 1
    while f"n{number}" in taken:
        number += 1
    return f"n{number}"
