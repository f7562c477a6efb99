"""The plain engine: asks every subscription of every document.

It is what the other engines are tested against, and the first to read: O(subscriptions × document).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xylem.document.model import Document, IntArray
from xylem.document.vocabulary import Vocabulary
from xylem.errors import UsageError
from xylem.matching.nodes import ElementNode
from xylem.matching.program import label
from xylem.xpath.evaluate import holds
from xylem.xpath.pattern import And, Count, Exists, First, Formula, Not, Or, PatternNode, TreePattern


@dataclass(frozen=True, slots=True)
class NoScratch:
    """The reference needs nothing."""

    def size_bytes(self) -> int:
        return 0


class ReferenceEngine:
    """The evaluator in a loop."""

    name = "reference"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._patterns: dict[int, TreePattern] = {}

    def __len__(self) -> int:
        return len(self._patterns)

    def add(self, subscription: int, pattern: TreePattern) -> None:
        if subscription in self._patterns:
            raise UsageError(f"subscription {subscription} is there already")
        _mention(pattern.condition, self.vocabulary)
        self._patterns[subscription] = pattern

    def remove(self, subscription: int) -> None:
        if subscription not in self._patterns:
            raise UsageError(f"subscription {subscription} is not there")
        del self._patterns[subscription]

    def prepare(self) -> None:
        """There is nothing to prepare."""

    @property
    def prepared(self) -> bool:
        return True

    def size_bytes(self) -> int:
        """There are no arrays: patterns are kept as they are."""
        return 0

    def scratch(self) -> NoScratch:
        return NoScratch()

    def match(self, document: Document, scratch: NoScratch) -> IntArray:
        """The ids of the matching subscriptions, ascending."""
        root = ElementNode(document, 0)
        found = [number for number, pattern in self._patterns.items() if holds(pattern.condition, root)]
        return np.array(sorted(found), np.int32)

    def _check(self) -> None:
        """There is no structure that could be wrong."""


def _mention(formula: Formula, vocabulary: Vocabulary) -> None:
    """Makes every name of a formula known, so that documents show it."""
    match formula:
        case And(items) | Or(items):
            for item in items:
                _mention(item, vocabulary)
        case Not(item):
            _mention(item, vocabulary)
        case Exists(node):
            _mention_node(node, vocabulary)
        case Count(path=path) | First(path=path):
            for node in path:
                _mention_node(node, vocabulary)


def _mention_node(node: PatternNode, vocabulary: Vocabulary) -> None:
    label(node.test, vocabulary)
    _mention(node.condition, vocabulary)
