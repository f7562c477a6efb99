"""Which values attributes and texts take, and how often: one model for documents and subscriptions.

A subscription that asks for a value nobody writes says nothing about a system, so both generators draw from the
same distributions. After Diao et al. (TODS 2003), each attribute of each element has a probability of
occurring, drawn from 0..1, and a number of possible values, drawn from 1 to `max_values`. Values are integers,
decimals, dates or words; running text is words whose frequencies follow Zipf's law.

Invariant: a distribution depends on the seed and on the names of its element and attribute alone, so adding
an element to a schema leaves the others as they were.

This module knows nothing of documents and subscriptions.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from random import Random

from xylem.errors import UsageError
from xylem.schema import Attribute, AttributeType, ContentKind, Element
from xylem.workload.distributions import Numbers, Vocabulary, check_vocabulary

_ONSETS = (
    "b",
    "br",
    "c",
    "ch",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS = ("", "", "", "l", "m", "n", "r", "s", "t", "nd", "st")

Draw = Callable[[], float]  # `Random.random`: the one source of chance here whose numbers no Python version changes


@dataclass(frozen=True, slots=True)
class ValueParameters:
    """`vocabularies` says the values of `element@attribute` or of the text of `element`, as a list, as weights by
    value, or as `Numbers`; what the schema fixes or enumerates stays as it is. Names without an
    element (`@attribute`) hold for every element that has no entry of its own. `namespaces` says what prefixes stand
    for that the schema leaves open."""

    seed: int = 0
    max_values: int = 20
    value_skew: float = 0.0
    words: int = 5_000
    word_skew: float = 1.0
    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    namespaces: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.max_values < 1 or self.words < 1:
            raise UsageError("a value model needs at least one value and one word")
        if min(self.value_skew, self.word_skew) < 0:
            raise UsageError("a skew is at least 0")
        for name, vocabulary in self.vocabularies.items():
            check_vocabulary(name, vocabulary)


class ValueKind(Enum):
    STRING = "string"
    NUMBER = "number"
    PROSE = "prose"  # running text; `Values.values` is empty


@dataclass(frozen=True, slots=True)
class Values:
    """What one attribute or text may hold; `probability` is that of an optional attribute's being there."""

    kind: ValueKind
    values: tuple[str, ...]
    cumulative: tuple[float, ...]
    probability: float = 1.0

    def draw(self, random: float) -> str:
        """The value for a random number in 0..1; logarithmic time."""
        return self.values[bisect(self.cumulative, random * self.cumulative[-1], 0, len(self.values) - 1)]


class ValueModel:
    """The distributions of one schema's values."""

    def __init__(self, parameters: ValueParameters) -> None:
        self.parameters = parameters
        self.words = _words(parameters)
        self._known: dict[tuple[str, str], Values] = {}

    def text(self, element: Element) -> Values:
        """The text of an element that may have text."""
        return self._get(element, None)

    def attribute(self, element: Element, attribute: Attribute) -> Values:
        return self._get(element, attribute)

    def _get(self, element: Element, attribute: Attribute | None) -> Values:
        key = (element.name, attribute.name if attribute else "")
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._make(element, attribute)
        return found

    def _make(self, element: Element, attribute: Attribute | None) -> Values:
        random = Random(f"{self.parameters.seed}/{element.name}/{attribute.name if attribute else ''}").random
        probability = random()
        fixed = _fixed(attribute)
        if fixed is not None:
            return self._values(ValueKind.STRING, fixed, probability)
        wanted = self._wanted(element, attribute)
        if wanted is not None:
            return self._vocabulary(wanted, probability)
        count = 1 + int(random() * self.parameters.max_values)
        if attribute is not None and attribute.type is not AttributeType.CDATA:
            tokens = tuple(self.words.draw(random()) for _ in range(count))
            return self._values(ValueKind.STRING, tuple(dict.fromkeys(tokens)), probability)
        style = random()
        if attribute is None and style < (0.25 if element.content.kind is ContentKind.TEXT else 0.6):
            return Values(ValueKind.PROSE, (), ())
        return self._data(random, count, probability)

    def _wanted(self, element: Element, attribute: Attribute | None) -> Vocabulary | None:
        """What the user asks for."""
        vocabularies = self.parameters.vocabularies
        if attribute is None:
            return vocabularies.get(element.name)
        own = vocabularies.get(f"{element.name}@{attribute.name}")
        return own if own is not None else vocabularies.get(f"@{attribute.name}")

    def _vocabulary(self, wanted: Vocabulary, probability: float) -> Values:
        if isinstance(wanted, Numbers | Mapping):
            numbers = isinstance(wanted, Numbers)
            weights = wanted.weighted() if isinstance(wanted, Numbers) else wanted
            kind = ValueKind.NUMBER if numbers else ValueKind.STRING
            return Values(kind, tuple(weights), tuple(accumulate(weights.values())), probability)
        return self._values(ValueKind.STRING, wanted, probability)

    def _data(self, random: Draw, count: int, probability: float) -> Values:
        style = random()
        if style < 0.3:
            top = 10 ** (1 + int(random() * 4))
            return self._values(ValueKind.NUMBER, [str(int(random() * top)) for _ in range(count)], probability)
        if style < 0.4:
            return self._values(ValueKind.NUMBER, [f"{random() * 1000:.2f}" for _ in range(count)], probability)
        if style < 0.55:
            return self._values(ValueKind.STRING, [_date(random) for _ in range(count)], probability)
        parts = 1 if style < 0.85 else 2
        phrases = [" ".join(self.words.draw(random()) for _ in range(parts)) for _ in range(count)]
        return self._values(ValueKind.STRING, phrases, probability)

    def _values(self, kind: ValueKind, values: Sequence[str], probability: float) -> Values:
        distinct = tuple(dict.fromkeys(values))
        return Values(kind, distinct, zipf(len(distinct), self.parameters.value_skew), probability)


def _fixed(attribute: Attribute | None) -> tuple[str, ...] | None:
    """Values that the schema leaves no choice about."""
    if attribute is None:
        return None
    if attribute.fixed and attribute.default is not None:
        return (attribute.default,)
    return attribute.values or None


def literal(value: str) -> str:
    """The XPath literal of a value that does not hold both kinds of quotes."""
    return f'"{value}"' if "'" in value else f"'{value}'"


def zipf(count: int, skew: float) -> tuple[float, ...]:
    """Cumulative weights 1/1^θ, 1/2^θ, …; uniform for θ = 0."""
    return tuple(accumulate((rank + 1) ** -skew for rank in range(count)))


def _words(parameters: ValueParameters) -> Values:
    """The words of running text, by falling frequency; short ones first, as in real languages."""
    random = Random(f"{parameters.seed}/words").random
    words: dict[str, None] = {}
    while len(words) < parameters.words:
        syllables = 1 + int(random() * (1 + len(words).bit_length() / 4))
        words["".join(_syllable(random) for _ in range(syllables))] = None
    return Values(ValueKind.STRING, tuple(words), zipf(len(words), parameters.word_skew))


def _syllable(random: Draw) -> str:
    parts = (_ONSETS, _VOWELS, _CODAS)
    return "".join(part[int(random() * len(part))] for part in parts)


def _date(random: Draw) -> str:
    return f"{1990 + int(random() * 40)}-{1 + int(random() * 12):02}-{1 + int(random() * 28):02}"
