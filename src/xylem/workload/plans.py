"""What a document writer needs to know of each element, worked out once per schema.

This module knows nothing of chance: it prepares what is drawn from.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from xylem.errors import UsageError
from xylem.schema import (
    Attribute,
    AttributeType,
    Choice,
    Content,
    ContentKind,
    Element,
    ElementGraph,
    Name,
    Occurs,
    Schema,
    SchemaError,
)
from xylem.workload.content import Model, compiled, least_subtrees
from xylem.workload.names import Names, is_namespace
from xylem.workload.parameters import DocumentParameters
from xylem.workload.values import ValueModel, Values

_ATTRIBUTE_BYTES = 12  # of a value that is not known yet


class Role(Enum):
    """How an attribute's value comes about."""

    VALUE = 0
    ID = 1
    REFERENCE = 2
    NAMESPACE = 3  # written where it is not in force yet


@dataclass(frozen=True, slots=True)
class AttributePlan:
    name: str
    role: Role
    values: Values
    required: bool


@dataclass(frozen=True, slots=True)
class ElementPlan:
    """`model` is None when there are no child elements; `text` when there is no text. `line_breaks`: white space
    between the children means nothing, so each stands on a line of its own."""

    name: str
    attributes: tuple[AttributePlan, ...]
    model: Model | None
    text: Values | None
    line_breaks: bool
    own_bytes: int
    least_bytes: int
    bit: int  # which recursive element it is; 0 for the others


@dataclass(frozen=True, slots=True)
class Plans:
    """The plans of all possible elements, the words of running text, and the elements that documents start with."""

    elements: dict[str, ElementPlan]
    words: Values
    roots: tuple[str, ...]

    @property
    def growing_roots(self) -> tuple[str, ...]:
        """The roots that contain elements, which documents of a given size start with."""
        return tuple(root for root in self.roots if self.elements[root].model is not None)

    @staticmethod
    def of(schema: Schema, parameters: DocumentParameters) -> Plans:
        """Raises SchemaError when no finite document exists, UsageError when none is flat enough."""
        graph = ElementGraph.of(schema)
        roots = _roots(schema, graph, parameters)
        values = ValueModel(parameters.values)
        names = Names.of(schema, graph, roots, parameters.values.namespaces)
        roots = names.roots
        attributes = {name: _attributes(schema, schema[name], values, names) for name in graph.heights}
        own = {name: 2 * len(name) + 6 + _least_bytes(attributes[name]) for name in graph.heights}
        bits = {name: 1 << number for number, name in enumerate(sorted(graph.recursive()))}
        costs, uses = least_subtrees(schema, graph.heights, own, bits)
        elements: dict[str, ElementPlan] = {}
        for name in graph.reachable(roots):
            content = schema[name].content
            particle = _any(graph).model if content.kind is ContentKind.ANY else content.model
            model = compiled(particle, graph.heights, costs, uses) if particle is not None else None
            text = values.text(schema[name]) if content.has_text else None
            breaks = content.kind is ContentKind.ELEMENTS
            elements[name] = ElementPlan(
                name, attributes[name], model, text, breaks, own[name], costs[name], bits.get(name, 0)
            )
        return Plans(elements, values.words, roots)


def _roots(schema: Schema, graph: ElementGraph, parameters: DocumentParameters) -> tuple[str, ...]:
    wanted = (schema[parameters.root].name,) if parameters.root is not None else schema.roots
    finite = tuple(root for root in wanted if root in graph.heights)
    if not finite:
        element = schema[wanted[0]]
        what = "needs content without end, or elements that are not declared"
        raise _refused(element, f"the element '{element.name}' {what}")
    flat = tuple(root for root in finite if graph.heights[root] <= parameters.max_levels)
    if not flat:
        least = min(graph.heights[root] for root in finite)
        raise UsageError(f"a document of {schema.name} needs at least {least} levels, not {parameters.max_levels}")
    return flat


def _any(graph: ElementGraph) -> Content:
    return Content(ContentKind.MIXED, Choice(tuple(Name(name) for name in graph.heights), Occurs.MANY))


def _attributes(schema: Schema, element: Element, values: ValueModel, names: Names) -> tuple[AttributePlan, ...]:
    plans = (_attribute(schema, element, attribute, values, names) for attribute in element.attributes)
    return tuple(plan for plan in plans if plan is not None)


def _attribute(
    schema: Schema, element: Element, attribute: Attribute, values: ValueModel, names: Names
) -> AttributePlan | None:
    kind, required = attribute.type, attribute.required
    drawn = values.attribute(element, attribute)
    if is_namespace(attribute.name):
        return _namespace(attribute, drawn, names)
    if not required and not names.attribute_is_usable(attribute.name):
        return None
    if kind is AttributeType.ID:
        return AttributePlan(attribute.name, Role.ID, drawn, required)
    if kind in (AttributeType.IDREF, AttributeType.IDREFS):
        return AttributePlan(attribute.name, Role.REFERENCE, drawn, required)
    if kind in (AttributeType.ENTITY, AttributeType.ENTITIES):
        if not schema.entities:
            if required:
                where = f"the attribute '{attribute.name}' of '{element.name}'"
                raise _refused(element, f"{where} must name an unparsed entity, and none is declared")
            return None
        drawn = Values(drawn.kind, schema.entities[:1], (1.0,), drawn.probability)
    return AttributePlan(attribute.name, Role.VALUE, drawn, required)


def _namespace(attribute: Attribute, drawn: Values, names: Names) -> AttributePlan | None:
    """A reader that sees no DTD must know the namespace all the same, so documents declare it."""
    prefix = attribute.name.partition(":")[2]
    value = attribute.default or names.free.get(prefix)
    if value is None:
        return None
    return AttributePlan(attribute.name, Role.NAMESPACE, Values(drawn.kind, (value,), (1.0,)), True)


def _least_bytes(attributes: tuple[AttributePlan, ...]) -> int:
    return sum(len(plan.name) + 4 + _ATTRIBUTE_BYTES for plan in attributes if plan.required)


def _refused(element: Element, message: str) -> SchemaError:
    return SchemaError(message, file=element.place.file, line=element.place.line, element=element.name)
