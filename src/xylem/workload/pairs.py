"""Subscriptions and documents that go together, a wanted share of either matching something of the other.

Some names of elements are chosen that about the wanted share of documents contain at least one of. Documents with such
a name and documents without are then taken in the wanted proportion, and subscriptions only if they match none of the
documents without: those that match something among the others, and those that match nothing, in the wanted proportion.

Invariant: the shares reported are counted on what is returned. Documents and subscriptions are those that the
parameters give, in their order, some left out.

This module knows nothing of how matching is done: whoever calls brings the matcher.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

from xylem.errors import UsageError
from xylem.schema import Schema
from xylem.workload.documents import DocumentSource
from xylem.workload.parameters import DocumentParameters, SubscriptionParameters, check_probability
from xylem.workload.subscriptions import SubscriptionSource

Match = Callable[[Sequence[str], Sequence[bytes]], Sequence[Sequence[int]]]
"""The places of the matching subscriptions, for each document."""

# What may be looked at for each one that is taken; more would mean waiting for what hardly comes.
_LOOKS = 30

_PILOTS = 300  # documents and subscriptions that the names are chosen by

_TAG = re.compile(rb"<([^\s/>?!]+)")


@dataclass(frozen=True, slots=True)
class Pairs:
    """`matching_documents` and `matching_subscriptions` are the shares as measured."""

    subscriptions: list[tuple[str, str]]
    documents: list[bytes]
    matching_documents: float
    matching_subscriptions: float


def pairs(
    schema: Schema,
    subscriptions: SubscriptionParameters,
    documents: DocumentParameters,
    match: Match,
    matching_documents: float = 0.5,
    matching_subscriptions: float = 0.25,
) -> Pairs:
    """As many of both as the parameters say. Raises UsageError when the schema does not bring enough of some kind."""
    check_probability("matching_documents", matching_documents)
    check_probability("matching_subscriptions", matching_subscriptions)
    taken, silent = _documents(schema, subscriptions, documents, matching_documents)
    wanted = round(subscriptions.count * matching_subscriptions)
    texts = _subscriptions(schema, subscriptions, taken, silent, match, wanted)
    found = match(texts, taken)
    matched = {place for places in found for place in places}
    return Pairs(
        [(f"s{number}", text) for number, text in enumerate(texts, start=1)],
        taken,
        sum(bool(places) for places in found) / max(1, len(taken)),
        len(matched) / max(1, len(texts)),
    )


def _documents(
    schema: Schema, subscriptions: SubscriptionParameters, parameters: DocumentParameters, share: float
) -> tuple[list[bytes], set[int]]:
    """The documents, and the places of those that are to match nothing."""
    source = DocumentSource(schema, parameters)
    names = _names(schema, subscriptions, source, share)
    loud = round(parameters.count * share)
    room = {True: loud, False: parameters.count - loud}
    taken: list[bytes] = []
    silent: set[int] = set()
    for number in range(_LOOKS * parameters.count):
        if not (room[True] or room[False]):
            break
        document = source.document(number)
        has = not names.isdisjoint(_tags(document))
        if room[has]:
            room[has] -= 1
            if not has:
                silent.add(len(taken))
            taken.append(document)
    if room[True] or room[False]:
        raise UsageError(f"{schema.name} gives too few documents that differ enough for a share of {share} to match")
    return taken, silent


def _names(
    schema: Schema, subscriptions: SubscriptionParameters, source: DocumentSource, share: float
) -> frozenset[bytes]:
    """Names that about this share of documents have one of, the ones that subscriptions ask for most before others."""
    pilots = [_tags(source.document(number)) for number in range(_PILOTS)]
    draws = SubscriptionSource(schema, subscriptions)
    asked = Counter(
        name for number in range(_PILOTS) for name in set(re.findall(r"[^\W\d][\w.:-]*", draws.draw(number)))
    )
    candidates = sorted({name for tags in pilots for name in tags}, key=lambda name: (-asked[name.decode()], name))
    chosen: set[bytes] = set()
    reached = 0
    for name in candidates:
        having = sum(name in tags or not chosen.isdisjoint(tags) for tags in pilots)
        if having > reached and abs(having - share * _PILOTS) < abs(reached - share * _PILOTS):
            chosen.add(name)
            reached = having
    return frozenset(chosen)


def _subscriptions(
    schema: Schema,
    parameters: SubscriptionParameters,
    documents: list[bytes],
    silent: set[int],
    match: Match,
    wanted: int,
) -> list[str]:
    """Subscriptions that match no silent document: so many that match another, the rest matching nothing. Those that
    reach a document that nothing else did come first, so that every document that can be reached is."""
    room = {True: wanted, False: parameters.count - wanted}
    reached: set[int] = set()
    taken: list[tuple[int, str]] = []
    spare: list[tuple[int, str]] = []
    for chunk in _chunks(_draws(schema, parameters), max(1_000, parameters.count)):
        for place, text, hits in _hits(chunk, documents, match):
            if not hits.isdisjoint(silent):
                continue
            if hits and hits <= reached:
                spare.append((place, text))
            elif room[bool(hits)]:
                room[bool(hits)] -= 1
                reached |= hits
                taken.append((place, text))
        if not room[False] and room[True] <= len(spare) and len(reached) + len(silent) == len(documents):
            break
    taken.extend(spare[: room[True]])
    if room[False] or room[True] > len(spare):
        short = "nothing" if room[False] else "something and no more than they may"
        raise UsageError(f"{schema.name} gives too few subscriptions with these parameters that match {short}")
    return [text for _, text in sorted(taken)]


def _draws(schema: Schema, parameters: SubscriptionParameters) -> Iterator[tuple[int, str]]:
    """Numbered draws, each text once where they are to be distinct."""
    source = SubscriptionSource(schema, replace(parameters, count=_LOOKS * parameters.count))
    texts = map(source.draw, range(_LOOKS * parameters.count))
    return zip(count(), dict.fromkeys(texts) if parameters.distinct else texts, strict=False)


def _chunks(draws: Iterator[tuple[int, str]], size: int) -> Iterator[list[tuple[int, str]]]:
    while chunk := list(islice(draws, size)):
        yield chunk


def _hits(chunk: list[tuple[int, str]], documents: list[bytes], match: Match) -> Iterator[tuple[int, str, set[int]]]:
    """Each subscription with the places of the documents that it matches."""
    hits: list[set[int]] = [set() for _ in chunk]
    for number, places in enumerate(match([text for _, text in chunk], documents)):
        for place in places:
            hits[place].add(number)
    return ((place, text, found) for (place, text), found in zip(chunk, hits, strict=True))


def _tags(document: bytes) -> set[bytes]:
    return set(_TAG.findall(document))
