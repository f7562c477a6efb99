"""Whether documents are possible: lxml's verdict, a plain walk, and places."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

from tests.scale import scaled
from tests.schema.writing import schema_of
from tests.shared_data import need
from xylem.document import Vocabulary, read
from xylem.errors import DocumentError
from xylem.schema import ElementGraph, Impossible, PathAutomaton, Schema, first_impossible
from xylem.workload import DocumentParameters, documents

DTD = """<!ELEMENT r (a, b*)><!ELEMENT a (a | t)*><!ELEMENT b (t)><!ELEMENT t (#PCDATA)>"""

CASES: list[tuple[str, tuple[tuple[str, ...], int, int, bool] | None]] = [
    ("<r><a/></r>", None),
    ("<r><a><a><t>x</t></a></a><b><t/></b></r>", None),
    ("<r><b><t/></b></r>", None),  # invalid, but every path of it is possible
    ("<r>\n <a>\n  <b/></a></r>", (("r", "a", "b"), 3, 3, False)),
    ("<t/>", (("t",), 1, 1, False)),
    ("<r/>", (("r",), 1, 1, True)),
    ("<r>\n  <b>only text</b></r>", (("r", "b"), 2, 3, True)),
    ("<r><a/><b/><x/></r>", (("r", "b"), 1, 8, True)),
    ("<r xmlns='urn:x'><a/></r>", (("{urn:x}r",), 1, 1, False)),
    ("<r><a><t><!-- c --><?p?></t></a></r>", None),
    ("<!DOCTYPE r [<!ENTITY e '<x/>'>]><r>\n<a>&e;</a></r>", (("r", "a", "x"), 2, 4, False)),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_first_impossible_path(
    tmp_path: Path, text: str, expected: tuple[tuple[str, ...], int, int, bool] | None
) -> None:
    paths = PathAutomaton.of(schema_of(tmp_path, DTD))
    found = first_impossible(paths, text.encode())
    assert found == (None if expected is None else Impossible(*expected))
    assert first_impossible(paths, read(text, Vocabulary())) == found


def test_what_is_said(tmp_path: Path) -> None:
    paths = PathAutomaton.of(schema_of(tmp_path, DTD))
    said = [str(first_impossible(paths, text)) for text in (b"<r><t/></r>", b"<x/>", b"<r/>")]
    assert said == [
        "line 1, column 4: the element 't' may not stand in 'r' (/r/t)",
        "line 1, column 1: the element 'x' may not stand as the root (/x)",
        "line 1, column 1: the element 'r' is empty, and needs an element inside (/r)",
    ]


def test_encodings_and_errors(tmp_path: Path) -> None:
    paths = PathAutomaton.of(schema_of(tmp_path, DTD))
    declared = "<?xml version='1.0' encoding='windows-1252'?>\n<r><a><t>é</t></a><é/></r>".encode("windows-1252")
    found = first_impossible(paths, declared)
    assert found is not None and (found.element, found.line) == ("é", 2)
    with pytest.raises(DocumentError, match="not well-formed"):
        first_impossible(paths, b"<r><a></r>")
    # What comes after the first impossible path is not read.
    assert first_impossible(paths, b"<r><x></r>") is not None
    deep = b"<r>" + b"<a>" * 50_000 + b"</a>" * 50_000 + b"</r>"
    assert first_impossible(paths, deep) is None


def plain_walk(schema: Schema, tree: Any) -> tuple[int, str] | None:
    """Line and name of the first element that may not stand where it does or is empty and may not be, in the order in
    which paths end."""
    graph = ElementGraph.of(schema)
    if tree.tag not in schema.roots or tree.tag not in graph.heights:
        return tree.sourceline, tree.tag

    def walk(node: Any) -> tuple[int, str] | None:
        children = [child for child in node if isinstance(child.tag, str)]
        for child in children:
            if child.tag not in graph.children[node.tag]:
                return child.sourceline, child.tag
            if found := walk(child):
                return found
        return None if children or graph.heights[node.tag] == 1 else (node.sourceline, node.tag)

    return walk(tree)


@pytest.mark.parametrize("name", ["nitf-2.5/nitf-2-5.dtd", "xmark-auction/auction.dtd", "newsml-1.2/NewsMLv1.2.dtd"])
def test_generated_documents_and_broken_ones(name: str) -> None:
    path = need("dtd", *name.split("/"))
    schema = Schema.from_dtd(path)
    schema = schema.with_roots(
        {"xmark-auction/auction.dtd": "site", "newsml-1.2/NewsMLv1.2.dtd": "NewsML"}.get(name, "nitf")
    )
    paths, dtd, random = PathAutomaton.of(schema), etree.DTD(str(path)), Random(1)
    broken = 0
    for document in documents(schema, DocumentParameters(count=scaled(40), seed=1)):
        assert dtd.validate(etree.fromstring(document))
        assert first_impossible(paths, document) is None
        tree = etree.fromstring(document)
        nodes = [node for node in tree.iter() if node is not tree]
        moved, target = random.choice(nodes), random.choice(nodes)
        if target not in moved.iter():
            target.append(moved)
        tree = etree.fromstring(etree.tostring(tree))
        found, expected = first_impossible(paths, etree.tostring(tree)), plain_walk(schema, tree)
        assert (found and (found.line, found.element)) == expected
        broken += expected is not None
    assert broken >= scaled(40) // 4


# Of the synthetic documents none is valid (fixed attributes have other values); their elements stand where they may.
REAL = [("nitf-2.5/nitf-2-5.dtd", "nitf-yfilter-synthetic", False), ("play-bosak/play.dtd", "plays-bosak", True)]


@pytest.mark.parametrize(("name", "collection", "some_valid"), REAL)
def test_real_documents(name: str, collection: str, some_valid: bool) -> None:
    path = need("dtd", *name.split("/"))
    schema = Schema.from_dtd(path)
    paths, dtd = PathAutomaton.of(schema), etree.DTD(str(path))
    valid = 0
    for file in sorted(need("docs", collection).glob("*.xml"))[: scaled(60)]:
        tree = etree.parse(str(file), etree.XMLParser(no_network=True))
        found = first_impossible(paths, file.read_bytes())
        if dtd.validate(tree):
            valid += 1
            assert found is None, file.name
        assert (found and (found.line, found.element)) == plain_walk(schema, tree.getroot()), file.name
    assert bool(valid) is some_valid
