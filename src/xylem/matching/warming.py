"""Compiles every kernel that reading and matching need, before anybody waits for one.

Numba compiles a kernel when it is first called and keeps it on disk, so the way to compile them all is a small run
that calls them all. It has two parts, whose kernels are disjoint and which therefore may run in two processes at
once: nothing is compiled twice, and no two processes write the same file of the cache.

`python -m xylem.matching.warming` does both, and says so if there is anything to compile. Set-up runs it, and whoever
builds a container image or an installation that is later read-only should too.

Invariant: after `warm`, matching any document against any subscriptions compiles nothing.
This module knows nothing of what the kernels do, only of subscriptions and documents that reach them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np

from xylem.document import Reader, Vocabulary
from xylem.errors import DocumentError
from xylem.kernels import on_first_compile
from xylem.matching.registry import ENGINES, create
from xylem.matching.subscriptions import SubscriptionSet
from xylem.matching.tree.generation import YOUNG_MIN
from xylem.matching.tree.scratch import TreeScratch
from xylem.xpath import parse

# One subscription at least for each way that an engine goes: chains alone, with values of every kind, several together,
# nothing necessary at all, and what libxml2 verifies.
_SUBSCRIPTIONS = (
    "//a",
    "/a//*/@b",
    "//p:*",
    "//c/text()",
    "//c[. = 'x']",
    "//c[. != 1]",
    "//c[. > 1] | //c[. <= 3]",
    "//c[contains(., 'x')]",
    "//c[starts-with(., 'x')]",
    "//c[normalize-space() = 'x']",
    "//c[string-length() > 3]",
    "//a[c = 'x' and not(d)]",
    "//a[c[@b] or d > 2]",
    "count(//c) > 1",
    "count(//c) < 9",
    "contains(//c, 'x')",
    "not(//e)",
    "//c[2]",
    "//a",  # equal ones share a slot, which is a way of its own when they are handed out
)
_NAMESPACES = {"p": "urn:p"}
_NAMES = 2_000  # different names, enough for every table to grow once

_DOCUMENTS = (
    b"<a b='2'><!-- - --><c b='1'>x &amp; y</c><c><![CDATA[ 2 ]]></c><p:d xmlns:p='urn:p'/><?i?></a>",
    b"<!DOCTYPE a [<!ENTITY e 'x'><!ATTLIST c b CDATA '3'>]><a><c>&e;</c><e/></a>",
    "<a>é</a>".encode("utf-16"),
    b"<?xml version='1.0' encoding='cp1252'?><a>\xe9</a>",
    b"<a><c></a>",
)

_VARIED = b"<a>" + b"".join(b"<c b='%d'>%d</c>" % (number, number) for number in range(300)) + b"</a>"


def warm() -> None:
    """Compiles what is not compiled yet; in two processes where there are two processors."""
    if (os.cpu_count() or 1) < 2:
        warm_reading()
        warm_matching()
        return
    with subprocess.Popen([sys.executable, "-P", "-m", "xylem.matching.warming", "reading"]) as reading:
        try:
            warm_matching()
        except BaseException:
            reading.terminate()
            raise
    if reading.returncode:
        warm_reading()  # says here what went wrong there


def warm_reading() -> None:
    """The reader and its callbacks."""
    reader = Reader(Vocabulary())
    if reader.kind == "plain":
        return
    from xylem.document import state

    for name in range(_NAMES):
        reader.vocabulary.name("", f"n{name}")
    for document in _DOCUMENTS:
        try:
            reader.read(document)
        except DocumentError:  # one of them is broken, since rejecting has ways of its own
            continue
    # Readers give their blocks back only after a huge document.
    record = np.zeros(state.STATE_WORDS, np.int64)
    state.allocate_blocks(record.ctypes.data, 1, 1)
    state.release_blocks(record.ctypes.data)


def warm_matching() -> None:
    """Every engine. Documents come from the plain reader, which needs no kernel."""
    for name in ENGINES:
        vocabulary = Vocabulary()
        engine = create(name, vocabulary)
        texts = (*_SUBSCRIPTIONS, *(f"/n{number}[. = 'v{number}' and . < {number}]" for number in range(_NAMES)))
        for number, text in enumerate(texts):
            engine.add(number, parse(text, _NAMESPACES))
        reader = Reader(vocabulary, kind="plain")
        scratch = engine.scratch()
        for document in _DOCUMENTS[:2]:
            engine.match(reader.read(document), scratch)
        engine.remove(0)
        if name == "tree":
            _warm_rare_ways(engine, reader, len(texts))


def _warm_rare_ways(engine: SubscriptionSet, reader: Reader, number: int) -> None:
    """What the tree engine does now and then: its automatons are emptied in the middle of a document when they have
    no room, and so many subscriptions come that they move from one forest to the other."""
    engine.match(reader.read(_VARIED), TreeScratch(budget=0))
    for late in range(number, number + YOUNG_MIN):
        engine.add(late, parse(f"/m{late}"))
    engine.match(reader.read(_VARIED), TreeScratch())


_PARTS: dict[str, Callable[[], None]] = {"reading": warm_reading, "matching": warm_matching}

if __name__ == "__main__":
    if sys.argv[1:]:
        _PARTS[sys.argv[1]]()
    else:
        on_first_compile(lambda: print("  · compiling kernels, which takes about a minute", flush=True))
        warm()
