"""The vocabulary and its hash table for C callbacks: both find the same, whatever is added and when."""

from __future__ import annotations

import pickle
from random import Random

import pytest

from tests.document.readers import KINDS, accepted
from tests.scale import scaled
from xylem.document import OTHER, Reader, Vocabulary

_NAMES = ("a", "b", "ab", "abc", "abcd", "abcdefg", "abcdefgh", "abcdefghi", "é", "名" * 20, "x" * 1_000)
_SPACES = ("", "u", "urn:a", "urn:ab", "http://example.org/a/long/one")


def _document(names: list[tuple[str, str]]) -> bytes:
    elements = "".join(f"<{local} xmlns='{space}'/>" for space, local in names)
    return f"<root>{elements}</root>".encode()


def test_found_by_the_readers_as_by_the_vocabulary() -> None:
    names = [(space, local) for space in _SPACES for local in _NAMES]
    data = _document(names)
    for seed in range(scaled(200)):
        random, vocabulary = Random(seed), Vocabulary()
        for _ in range(random.choice((0, 1, 5, 40))):
            if random.random() < 0.2:
                vocabulary.namespace(random.choice(_SPACES))
            else:
                vocabulary.name(*random.choice(names))
            if random.random() < 0.3:
                found = accepted(data, vocabulary=vocabulary).arrays.tag.tolist()[2:]
                assert found == [vocabulary.find(*name) for name in names], f"seed {seed}"
        found = accepted(data, vocabulary=vocabulary).arrays.tag.tolist()[2:]
        assert found == [vocabulary.find(*name) for name in names], f"seed {seed}"


def test_many_names() -> None:
    """The table grows many times, and nothing that was found is lost."""
    vocabulary, reader = Vocabulary(), None
    count = scaled(20_000)
    for start in range(0, count, count // 10 or 1):
        for number in range(start, start + (count // 10 or 1)):
            vocabulary.name("urn:n" if number % 3 else "", f"name{number}")
        reader = reader or Reader(vocabulary)
        known = [vocabulary.spell(identifier) for identifier in range(1, len(vocabulary))]
        sample = Random(start).sample(known, min(300, len(known)))
        names = [(space, local or "") for space, local in sample]
        tags = reader.read(_document(names)).arrays.tag.tolist()[2:]
        assert [vocabulary.spell(tag) for tag in tags] == sample


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_says_under_which_version_it_was_read(kind: str) -> None:
    vocabulary = Vocabulary()
    reader = Reader(vocabulary, kind=kind)  # type: ignore[arg-type]
    before = reader.read(b"<a/>")
    assert before.arrays.tag[1] == OTHER
    identifier = vocabulary.name("", "a")
    assert vocabulary.version > before.version
    after = reader.read(b"<a/>")
    assert (after.arrays.tag[1], after.version) == (identifier, vocabulary.version)
    assert vocabulary.name("", "a") == identifier
    assert after.version == vocabulary.version


def test_names_that_no_document_can_hold() -> None:
    vocabulary = Vocabulary()
    for space, local in (("", ""), ("u\x0cv", "a"), ("u", "v\x0ca"), ("u", "\ud800"), ("\ud800", "a"), ("", "a\0")):
        vocabulary.name(space, local)
    vocabulary.namespace("u\x0c")
    vocabulary.namespace("\ud800")
    known = vocabulary.name("u", "a")
    assert accepted("<p:a xmlns:p='u'><v/></p:a>", vocabulary=vocabulary).arrays.tag.tolist() == [0, known, 0]


def test_a_reader_pickles_with_its_vocabulary() -> None:
    vocabulary = Vocabulary()
    names = [vocabulary.name("u", "a"), vocabulary.name("", "b")]
    vocabulary.namespace("v")
    reader = pickle.loads(pickle.dumps(Reader(vocabulary)))
    document = reader.read(b"<a xmlns='u'><b xmlns=''/><c xmlns='v'/></a>")
    assert document.arrays.tag.tolist()[1:3] == names
    assert document.arrays.tag[3] == reader.vocabulary.find("v", "c") > 0
    assert reader.vocabulary.version == vocabulary.version
