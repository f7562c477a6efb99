"""Value predicates: comparisons of attributes and texts with values that documents hold.

Most compare for equality, as most users do; numbers are also ordered, and texts searched. Values are drawn as
documents draw them, so a predicate's selectivity follows from the value model.

This module knows nothing of paths.
"""

from __future__ import annotations

from xylem.schema import AttributeType, Element
from xylem.workload.names import Names
from xylem.workload.values import Draw, ValueKind, ValueModel, Values

_ORDER = ("<", "<=", ">", ">=")
_REFERENCES = (AttributeType.ID, AttributeType.IDREF)
_IDS = 20  # documents number their ids from 1, so small numbers are the ones that most documents have


class Predicates:
    """Draws predicates for the elements of a schema."""

    def __init__(self, elements: dict[str, Element], names: Names, values: ValueModel, random: Draw) -> None:
        self._names = names
        self._values = values
        self._random = random
        self._subjects = {name: tuple(self._list(element)) for name, element in elements.items()}

    def possible(self, element: str) -> bool:
        return bool(self._subjects[element])

    def draw(self, element: str) -> str:
        """A comparison of an attribute of the element, or of its text."""
        subjects = self._subjects[element]
        subject, values = subjects[int(self._random() * len(subjects))]
        if values.kind is ValueKind.PROSE:
            return self._search(subject, self._values.words.draw(self._random()))
        value = values.draw(self._random())
        choice = self._random()
        if values.kind is ValueKind.NUMBER:
            if choice < 0.5:
                return f"{subject} = {value}"
            return f"{subject} {_ORDER[int(self._random() * len(_ORDER))]} {value}"
        if choice < 0.8:
            return f"{subject} = {literal(value)}"
        if choice < 0.85:
            return f"{subject} != {literal(value)}"
        return self._search(subject, value[: max(3, len(value) // 2)])

    def _search(self, subject: str, value: str) -> str:
        function = "contains" if self._random() < 0.7 else "starts-with"
        return f"{function}({subject}, {literal(value)})"

    def _list(self, element: Element) -> list[tuple[str, Values]]:
        """What can be compared: usable attributes, and the text if there is any. Text counts as often as all
        attributes together, since it is what documents are about."""
        subjects = []
        for attribute in element.attributes:
            if not self._names.attribute_is_usable(attribute.name):
                continue
            values = self._values.attribute(element, attribute)
            if attribute.type in _REFERENCES:
                ids = tuple(f"i{number + 1}" for number in range(_IDS))
                values = Values(ValueKind.STRING, ids, tuple(float(number + 1) for number in range(_IDS)))
            if all(_has_literal(value) for value in values.values):
                subjects.append((f"@{attribute.name}", values))
        if element.content.has_text:
            text = self._values.text(element)
            if all(_has_literal(value) for value in text.values):
                subjects.extend([(".", text)] * max(1, len(subjects)))
        return subjects


def literal(value: str) -> str:
    """The XPath literal of a value that does not hold both kinds of quotes."""
    return f'"{value}"' if "'" in value else f"'{value}'"


def _has_literal(value: str) -> bool:
    return not ("'" in value and '"' in value)
