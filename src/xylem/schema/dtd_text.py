"""A schema written as a DTD, so that an inferred one can be kept, edited, and given to whatever reads DTDs.

A DTD says less than a `Schema` can. Numbers of repetitions become `+` or `*`, which admit more. Attributes whose
values would have to name notations or unparsed entities become name tokens, since those are not kept.

Invariant: what is valid under the schema is valid under the DTD; a schema that was read from a DTD, or inferred, says
the same when the DTD is read again.

This module knows nothing of files.
"""

from __future__ import annotations

from xylem.errors import UsageError
from xylem.schema.content import Content, ContentKind, Name, Occurs, Others, Particle, Sequence
from xylem.schema.model import Attribute, AttributeType, Element, Schema

_PLAIN = {
    AttributeType.ENTITY: AttributeType.NMTOKEN,
    AttributeType.ENTITIES: AttributeType.NMTOKENS,
    AttributeType.NOTATION: AttributeType.NMTOKEN,
}
_ESCAPES = str.maketrans(
    {"&": "&#38;", "<": "&#60;", '"': "&#34;", "%": "&#37;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


def dtd_text(schema: Schema) -> str:
    """The declarations; raises UsageError for what no DTD can say: one tag with several contents, or any order."""
    return "".join(_element(element) for element in schema)


def _element(element: Element) -> str:
    if element.name != element.tag:
        raise UsageError(f"no DTD can say what the schema does: it gives '{element.tag}' more than one content")
    lines = [f"<!ELEMENT {element.tag} {_content(element.content)}>\n"]
    lines += [f"<!ATTLIST {element.tag} {_attribute(attribute)}>\n" for attribute in element.attributes]
    return "".join(lines)


def _content(content: Content) -> str:
    if content.kind is ContentKind.ANY or content.others is not Others.NONE:
        return "ANY"
    if content.kind is ContentKind.TEXT:
        return "(#PCDATA)"
    if content.model is None:
        return "EMPTY"
    if content.kind is ContentKind.MIXED:
        return f"(#PCDATA | {' | '.join(dict.fromkeys(_names(content.model)))})*"
    model = content.model
    return f"({_particle(model)})" if isinstance(model, Name) else _particle(model)


def _particle(particle: Particle) -> str:
    if isinstance(particle, Name):
        return particle.name + _occurs(particle.occurs)
    if isinstance(particle, Sequence) and particle.any_order:
        raise UsageError(f"no DTD can say that these stand in any order: {particle}")
    if not particle.items:
        raise UsageError("no DTD can say that a part of a content model is empty")
    between = ", " if isinstance(particle, Sequence) else " | "
    return f"({between.join(map(_particle, particle.items))}){_occurs(particle.occurs)}"


def _occurs(occurs: Occurs) -> str:
    return Occurs(min(occurs.least, 1), None if occurs.may_repeat else 1).value


def _names(particle: Particle) -> list[str]:
    if isinstance(particle, Name):
        return [particle.name]
    return [name for item in particle.items for name in _names(item)]


def _attribute(attribute: Attribute) -> str:
    kind = _PLAIN.get(attribute.type, attribute.type).value
    if attribute.type is AttributeType.ENUMERATION:
        kind = f"({' | '.join(attribute.values)})"
    if attribute.default is None:
        return f"{attribute.name} {kind} {'#REQUIRED' if attribute.required else '#IMPLIED'}"
    fixed = "#FIXED " if attribute.fixed else ""
    return f'{attribute.name} {kind} {fixed}"{attribute.default.translate(_ESCAPES)}"'
