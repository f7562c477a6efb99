"""The two readers against each other, and both against libxml2, on random documents."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from tests.conftest import LONG
from tests.document.readers import accepted, agreed
from tests.document.views import View, of_document, of_lxml, parse_lxml, vocabulary_of
from tests.document.writing import DocumentWriter
from tests.scale import scaled
from xylem.document import Document, Vocabulary, line_numbers

_SHARDS = 8
_SEEDS = scaled(100_000 if LONG else 4_000)


@pytest.mark.parametrize("shard", range(_SHARDS))
def test_both_read_what_libxml2_reads(shard: int) -> None:
    for seed in range(shard, _SEEDS, _SHARDS):
        data = DocumentWriter(seed).data()
        expected = of_lxml(parse_lxml(data))
        assert of_document(accepted(data, vocabulary=vocabulary_of(expected))) == expected, f"seed {seed}: {data!r}"


def test_names_that_nobody_mentioned() -> None:
    """Both readers give every name the id that the vocabulary gives it, whatever of the document it knows."""
    for seed in range(scaled(1_000)):
        data = DocumentWriter(seed).data()
        view = of_lxml(parse_lxml(data))
        vocabulary, random = Vocabulary(), Random(seed)
        for namespace, local in view.names[1:] + [name for row in view.attributes for name, _ in row]:
            if random.random() < 0.4:
                vocabulary.name(namespace, local)
            if random.random() < 0.1:
                vocabulary.namespace(namespace)
        document = accepted(data, vocabulary=vocabulary)
        assert document.arrays.tag.tolist()[1:] == [vocabulary.find(*name) for name in view.names[1:]]
        assert sorted(document.arrays.attr_name.tolist()) == sorted(
            vocabulary.find(*name) for row in view.attributes for name, _ in row
        )


def test_the_document_answers_for_itself() -> None:
    for seed in range(scaled(300)):
        data = DocumentWriter(seed).data()
        root = parse_lxml(data)
        view = of_lxml(root)
        document = accepted(data, vocabulary=vocabulary_of(view))
        assert len(document) == len(view.names) - 1
        elements = [node for node in root.iter() if isinstance(node.tag, str)]
        assert [document.string_value(row) for row in range(1, len(document) + 1)] == [
            node.xpath("string()") for node in elements
        ]
        # For libxml2, the string-value of the document node holds the text of entity declarations too.
        assert document.string_value(0) == root.xpath("string(/*)")
        assert [document.text_value(index) for index in range(len(view.texts))] == _text_nodes(view)
        assert [document.name(row) for row in range(1, len(view.names))] == view.names[1:]


def _text_nodes(view: View) -> list[str]:
    starts = [start for _, start in view.texts]
    return [view.text[a:b].decode() for a, b in pairwise([*starts, len(view.text)])]


def test_lines_are_those_of_libxml2() -> None:
    """libxml2 notes the line on which a start tag ends, so start tags have one line here."""
    for seed in range(scaled(1_000)):
        text = DocumentWriter(seed, bare=True).text()
        root = parse_lxml(text.encode())
        document = agreed(text.encode())
        assert isinstance(document, Document)
        expected = [1, *(node.sourceline for node in root.iter() if isinstance(node.tag, str))]
        assert line_numbers(document).tolist() == expected, f"seed {seed}: {text!r}"
        assert line_numbers(document.data).tolist() == expected


@pytest.mark.parametrize("size", [16_000, 64_000, 200_000])
def test_whatever_the_borders_of_the_pieces(size: int) -> None:
    """A parser is fed in pieces; every place of a document comes to lie on the border of one."""
    inner = "<p:b q='é'>t&amp;é<![CDATA[x]]>\r\n<!-- c --><p:c/></p:b>"
    data = f"<a xmlns:p='u'>{inner * (size // 40)}</a>"
    for shift in range(0, scaled(60)):
        shifted = f"<!--{'x' * shift}-->{data}".encode()
        expected = of_lxml(parse_lxml(shifted))
        assert of_document(accepted(shifted, vocabulary=vocabulary_of(expected))) == expected
        if size > 100_000 and shift > 5:
            break
