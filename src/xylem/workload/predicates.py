"""Value predicates: comparisons of attributes and texts with values that documents hold.

Most compare for equality, as most users do; numbers are also ordered, and texts searched. Values are drawn as
documents draw them, so a predicate's selectivity follows from the value model; or it is asked for, and the comparison
is built that comes nearest.

This module knows nothing of paths.
"""

from __future__ import annotations

from xylem.schema import AttributeType, Element
from xylem.workload.chance import Chance
from xylem.workload.names import Names
from xylem.workload.parameters import PredicateOn
from xylem.workload.selectivity import search_for, share_of_values
from xylem.workload.values import ValueKind, ValueModel, Values, literal

_ORDER = ("<", "<=", ">", ">=")
_REFERENCES = (AttributeType.ID, AttributeType.IDREF)
_IDS = 20  # documents number their ids from 1, so small numbers are the ones that most documents have


class Predicates:
    """Draws predicates for the elements of a schema."""

    def __init__(
        self,
        elements: dict[str, Element],
        names: Names,
        values: ValueModel,
        compared: PredicateOn = PredicateOn.BOTH,
        selectivity: float | None = None,
    ) -> None:
        self._names = names
        self._values = values
        self._compared = compared
        self._selectivity = selectivity
        self._subjects = {name: tuple(self._list(element)) for name, element in elements.items()}

    def possible(self, element: str) -> bool:
        return bool(self._subjects[element])

    def draw(self, chance: Chance, element: str) -> str:
        """A comparison of an attribute of the element, or of its text."""
        subjects = self._subjects[element]
        subject, values = subjects[chance.below(len(subjects))]
        if self._selectivity is not None:
            if values.kind is ValueKind.PROSE:
                return search_for(chance, subject, self._values.words, self._selectivity)
            return share_of_values(chance, subject, values, self._selectivity)
        if values.kind is ValueKind.PROSE:
            words = self._values.words
            return _search(chance, subject, words.values[chance.pick(words.cumulative)])
        value = values.values[chance.pick(values.cumulative)]
        if values.kind is ValueKind.NUMBER:
            if chance.coin(0.5):
                return f"{subject} = {value}"
            return f"{subject} {_ORDER[chance.below(len(_ORDER))]} {value}"
        choice = chance.pick((0.8, 0.85, 1.0))
        if choice == 0:
            return f"{subject} = {literal(value)}"
        if choice == 1:
            return f"{subject} != {literal(value)}"
        return _search(chance, subject, value[: max(3, len(value) // 2)])

    def _list(self, element: Element) -> list[tuple[str, Values]]:
        """What can be compared: usable attributes, and the text if there is any. Text counts as often as all
        attributes together, since it is what documents are about."""
        subjects: list[tuple[str, Values]] = []
        for attribute in element.attributes if self._compared is not PredicateOn.TEXT else ():
            if not self._names.attribute_is_usable(attribute.name):
                continue
            values = self._values.attribute(element, attribute)
            if attribute.type in _REFERENCES:
                ids = tuple(f"i{number + 1}" for number in range(_IDS))
                values = Values(ValueKind.STRING, ids, tuple(float(number + 1) for number in range(_IDS)))
            if all(_has_literal(value) for value in values.values):
                subjects.append((f"@{attribute.name}", values))
        if element.content.has_text and self._compared is not PredicateOn.ATTRIBUTES:
            text = self._values.text(element)
            if all(_has_literal(value) for value in text.values):
                subjects.extend([(".", text)] * max(1, len(subjects)))
        return subjects


def _search(chance: Chance, subject: str, value: str) -> str:
    function = "contains" if chance.coin(0.7) else "starts-with"
    return f"{function}({subject}, {literal(value)})"


def _has_literal(value: str) -> bool:
    return not ("'" in value and '"' in value)
