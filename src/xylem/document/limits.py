"""What a document may ask of its reader before it is refused.

The defaults are safe against hostile input and generous to real documents. Every limit has a name, which the
reject's reason repeats together with its value and the way to raise it; the two readers number
them in the order in which they stand here.

This module knows nothing of parsers.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from xylem.errors import DocumentError, UsageError

# Offsets into a document's text are 32 bits wide, so no count may pass this, whatever the user asks for.
LARGEST = 2**31 - 65_536

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest document that is read. Each field may be raised up to 2³¹ − 65,536."""

    bytes: int = 512 * MIB
    """Size of a document as it comes in, decompressed."""

    depth: int = 1_000
    """Elements open at once; libxml2 stops at 256, or at 2,048 in its huge mode."""

    elements: int = 50_000_000
    """Elements in a document."""

    attributes: int = 10_000
    """Attributes and namespace declarations of one element; also default values in an internal subset."""

    name: int = 64 * 1024
    """Bytes of a name in UTF-8, its namespace included."""

    attribute_value: int = 32 * MIB
    """Bytes of one attribute's value in UTF-8."""

    text: int = 1024 * MIB
    """Bytes of all character data of a document in UTF-8."""

    attribute_text: int = 1024 * MIB
    """Bytes of all attribute values of a document in UTF-8, eight more for each attribute."""

    amplification: int = 100
    """How many times its own size a document may grow by entities, default attributes and names with their
    namespaces, beyond 8 MiB. Where entities hold elements, also the default values in an internal subset: a parser
    cannot be stopped within an entity, and each element in it may have all of them."""

    archive_ratio: int = 200
    """How many times its own size an archive may hold, beyond 8 MiB; XML rarely compresses above 100."""

    archive_members: int = 1_000_000
    """Members of one archive."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or not 1 <= value <= LARGEST:
                raise UsageError(f"the limit `{field.name}` is {value!r}; a number from 1 to {LARGEST} was expected")

    def exceeded(self, name: str, *, line: int = 0, column: int = 0) -> DocumentError:
        """The reject of a document that passes the limit of this name."""
        reason = (
            f"more than {getattr(self, name):,} {_WHAT[name]}; raise it with Limits({name}=…) if the source is trusted"
        )
        return DocumentError(f"limit `{name}` exceeded: {reason}", line=line, column=column)


_WHAT = {
    "bytes": "bytes in a document",
    "depth": "elements inside each other",
    "elements": "elements in a document",
    "attributes": "attributes and namespace declarations on an element",
    "name": "bytes in a name",
    "attribute_value": "bytes in an attribute's value",
    "text": "bytes of character data",
    "attribute_text": "bytes of attribute values",
    "amplification": "times its own size by entities, default attributes and namespaces",
    "archive_ratio": "times its own size in an archive",
    "archive_members": "members in an archive",
}

# The growth that is never held against a document or an archive: the same as expat's own threshold.
AMPLIFICATION_FREE_BYTES = 8 * MIB

# What both readers can run into while they parse, in the order of the fields; a failure is 1 + its index here.
PARSING_LIMITS = (
    "depth",
    "elements",
    "attributes",
    "name",
    "attribute_value",
    "text",
    "attribute_text",
    "amplification",
)

DEFAULT_LIMITS = Limits()
