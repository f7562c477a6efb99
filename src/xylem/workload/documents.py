"""Documents that are valid against a schema, of the sizes asked for, seeded.

A document is written top-down: each element gets a number of bytes to spend, draws its children from its content
model, and hands what is left on to them. The numbers are guesses, since nobody knows how much a subtree can
take; a document that comes out too small or too large is drawn again with a corrected budget.

Invariant: the same parameters and schema give the same bytes, and document n does not depend on the ones before
it, so that any part of a collection can be made anywhere.

This module knows nothing of subscriptions.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate
from random import Random

from xylem.errors import UsageError
from xylem.schema import Schema
from xylem.workload.parameters import DocumentParameters, SizeClass
from xylem.workload.plans import Plans
from xylem.workload.writer import Writer

# Draws until a document's size must fit; a size that a schema can reach at all is mostly reached in three.
_TRIES = 40

# What a document may spend when no size is asked for: without a bound, five repeats on ten levels make gigabytes.
_FREE_BUDGET = 20_000.0


def documents(schema: Schema, parameters: DocumentParameters, start: int = 0) -> Iterator[bytes]:
    """The documents number `start` to `count - 1`. Raises UsageError, with the sizes that were
    reached, when the schema does not yield a size asked for, and SchemaError when it yields no document at all."""
    source = DocumentSource(schema, parameters)
    for number in range(start, parameters.count):
        yield source.document(number)


def document_name(number: int) -> str:
    """The file name of a document by its number, which counts from 0 as the names count from 1."""
    return f"document-{number + 1:06}.xml"


class DocumentSource:
    """Makes any document of a collection by its number."""

    def __init__(self, schema: Schema, parameters: DocumentParameters) -> None:
        self._schema = schema
        self._parameters = parameters
        self._plans = Plans.of(schema, parameters)
        self._weights = tuple(accumulate(size.weight for size in parameters.sizes))

    def document(self, number: int) -> bytes:
        random = Random(f"documents/{self._parameters.seed}/{number}")
        writer = Writer(self._plans, self._parameters, random.random)
        roots = self._plans.roots
        if not self._parameters.sizes:
            return self._finished(writer, roots[int(random.random() * len(roots))], _FREE_BUDGET, number)
        sizes = self._parameters.sizes
        size = sizes[bisect(self._weights, random.random() * self._weights[-1], 0, len(sizes) - 1)]
        return self._sized(writer, size, random, number)

    def _sized(self, writer: Writer, size: SizeClass, random: Random, number: int) -> bytes:
        """Draws until the size fits. A document below the target raises the next budget, one above lowers it."""
        roots = self._plans.growing_roots or self._plans.roots
        target = size.least + random.random() * (size.most - size.least)
        factors = dict.fromkeys(roots, 1.0)
        reached = []
        for _ in range(_TRIES):
            root = roots[int(random.random() * len(roots))]
            data = self._finished(writer, root, target * factors[root], number)
            if size.least <= len(data) <= size.most:
                return data
            reached.append(len(data))
            correction = min(2.0, max(0.5, target / len(data)))
            factors[root] = min(16.0, max(0.01, factors[root] * correction))
        raise UsageError(
            f"{self._schema.name} gave documents of {min(reached)} to {max(reached)} bytes in {_TRIES} draws, "
            f"not of {size.least} to {size.most}; more levels or repeats make larger ones"
        )

    def _finished(self, writer: Writer, root: str, budget: float, number: int) -> bytes:
        for turn in range(_TRIES):
            data = writer.write(root, budget, every_id=turn > 0)
            if data is not None:
                return data
        raise UsageError(
            f"document {number} of {self._schema.name} must refer to an element by its ID, but no element in it has one"
        )
