"""The end of a match: candidates are evaluated, and the bits of slots become the numbers of subscriptions.

This module knows nothing of how slots and candidates were found.
"""

from __future__ import annotations

import numpy as np

from xylem.kernels import inlined, kernel, quick_kernel
from xylem.matching.evaluate import evaluate, evaluation_at
from xylem.matching.tree.constants import constants_at
from xylem.matching.tree.forest import forest_at
from xylem.matching.tree.found import CANDIDATES
from xylem.matching.tree.walk import EVALUATED, document_at, part_at


@kernel
def decide(part, forest, evaluation, constants, document, spaces, alive, out, number):  # type: ignore[no-untyped-def]
    """Evaluates the candidates that have reached all they need. What is no array is an address."""
    p, forest, e = part_at(part), forest_at(forest), evaluation_at(evaluation)
    doc, constants = document_at(document), constants_at(constants)
    trie = forest.trie
    for at in range(p.found.header[CANDIDATES]):
        who = p.found.candidates[at]
        slot = trie.complex_slot[who]
        bit = np.uint64(1) << np.uint64(slot & 63)
        if out[slot >> 6] & bit or not alive[slot >> 6] & bit:
            continue
        complete = True
        for place in range(trie.complex_required[who], trie.complex_required[who + 1]):
            if p.found.end_seen[trie.required[place]] != number:
                complete = False
                break
        if complete:
            p.walk.header[EVALUATED] += 1
            if evaluate(e, doc, constants, spaces, forest.programs, trie.complex_program[who], number):
                out[slot >> 6] |= bit


@kernel
def decide_open(slots, bases, forest, evaluation, constants, document, spaces, alive, out, number):  # type: ignore[no-untyped-def]
    """Evaluates the subscriptions that have no necessary chain."""
    forest, e = forest_at(forest), evaluation_at(evaluation)
    doc, constants = document_at(document), constants_at(constants)
    for at in range(len(slots)):
        word, bit = slots[at] >> 6, np.uint64(1) << np.uint64(slots[at] & 63)
        if alive[word] & bit and evaluate(e, doc, constants, spaces, forest.programs, np.int64(bases[at]), number):
            out[word] |= bit


@quick_kernel
def withhold(out, slots):  # type: ignore[no-untyped-def]
    """Clears the bits of some slots."""
    for word in range(len(slots)):
        out[word] &= ~slots[word]


@quick_kernel
def collect(out, always, alive, subscriptions, found):  # type: ignore[no-untyped-def]
    """Writes the subscriptions whose bits are set, or always match, and are alive to `found`, clears the bits; how
    many, and whether they ascend."""
    count = 0
    ascending = True
    last = np.int32(-1)
    for word in range(len(alive)):
        bits = (out[word] | always[word]) & alive[word]
        out[word] = 0
        while bits != 0:
            low = bits & (~bits + np.uint64(1))
            slot = word * 64 + _position(low)
            bits ^= low
            subscription = subscriptions[slot]
            found[count] = subscription
            ascending &= subscription > last
            last = subscription
            count += 1
    return count, ascending


@inlined
def _position(bit):  # type: ignore[no-untyped-def]
    """The number of the only bit that is set: a multiplication by a de Bruijn sequence."""
    return _DE_BRUIJN[(bit * np.uint64(0x03F79D71B4CB0A89)) >> np.uint64(58)]


_DE_BRUIJN = np.zeros(64, np.int64)
for _at in range(64):
    _DE_BRUIJN[((0x03F79D71B4CB0A89 << _at) & 0xFFFFFFFFFFFFFFFF) >> 58] = _at
