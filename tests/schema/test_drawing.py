"""The picture of a schema: well-formed, complete, and nothing on top of anything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.schema.models import random_schema
from tests.schema.writing import schema_of
from tests.shared_data import need
from xylem.schema import Choice, Content, ContentKind, Element, ElementGraph, Name, Occurs, Schema, drawing
from xylem.schema.drawing import svg

SVG = {"s": "http://www.w3.org/2000/svg"}


def picture(schema: Schema) -> Any:
    text = svg(schema)
    assert svg(schema) == text
    return etree.fromstring(text.encode())


def check(schema: Schema) -> Any:
    """Every reachable element has a box inside the picture, and no two boxes touch."""
    tree = picture(schema)
    graph = ElementGraph.of(schema)
    reached = graph.reachable(schema.roots)
    assert sorted(tree.xpath("//s:g/s:text/text()", namespaces=SVG)) == sorted(schema[name].tag for name in reached)
    boxes = [
        tuple(float(node.get(k)) for k in ("x", "y", "width", "height"))
        for node in tree.xpath("//s:g/s:rect", namespaces=SVG)
    ]
    width, height = float(tree.get("width")), float(tree.get("height"))
    assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in boxes)
    boxes.sort()
    for number, (x, y, w, h) in enumerate(boxes):
        for other_x, other_y, _, _ in boxes[number + 1 :]:
            if other_x > x + w:
                break
            assert abs(other_y - y) >= h, (x, y)
    return tree


def lines(tree: Any) -> int:
    return len(tree.xpath("//s:path", namespaces=SVG)) - 1  # without the background


@pytest.mark.parametrize("seed", range(20))
def test_random_schemas(tmp_path: Path, seed: int) -> None:
    schema = random_schema(tmp_path, seed)
    graph = ElementGraph.of(schema)
    tree = check(schema)
    reached = graph.reachable(schema.roots)
    assert lines(tree) == sum(len(graph.children[name]) for name in reached)


@pytest.mark.parametrize("name", ["nitf-2.5/nitf-2-5.dtd", "docbook-4.5/docbookx.dtd", "ncbi-insdseq/INSD_INSDSeq.dtd"])
def test_published_schemas(name: str) -> None:
    check(Schema.from_dtd(need("dtd", *name.split("/"))))


def test_what_is_left_out_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "<!ELEMENT r (a | b)*><!ELEMENT a (b)><!ELEMENT b (c?)><!ELEMENT c (b)><!ELEMENT d (d)><!ELEMENT e EMPTY>"
    schema = schema_of(tmp_path, text).with_roots("r")
    said = "".join(check(schema).xpath("//s:text[@class='note']/text()", namespaces=SVG))
    assert "4 elements, 5 edges; 2 elements that no document from the roots has are left out" in said
    monkeypatch.setattr(drawing, "MAX_FURTHER_EDGES", 1)
    tree = check(schema)
    assert "2 edges beside the tree are left out" in "".join(
        tree.xpath("//s:text[@class='note']/text()", namespaces=SVG)
    )
    assert lines(tree) == 3


def test_recursion_occurrence_and_kinds_are_marked(tmp_path: Path) -> None:
    tree = check(schema_of(tmp_path, "<!ELEMENT r (a+, t?)><!ELEMENT a (a*)><!ELEMENT t (#PCDATA)>").with_roots("r"))
    classes = {
        node.findtext("s:text", namespaces=SVG): node.find("s:rect", SVG).get("class")
        for node in tree.iterfind("s:g", SVG)
    }
    assert classes == {"r": "root", "a": "loop", "t": "text"}
    assert tree.xpath("//s:text[@class='times']/text()", namespaces=SVG) == ["+", "?"]


def test_names_that_are_markup_stay_text() -> None:
    model = Choice((Name("é"),), Occurs.MANY)
    schema = Schema("<&>\x01\udc80.dtd", {"é": Element("é", Content(ContentKind.ELEMENTS, model))})
    assert check(schema).findtext("s:title", namespaces=SVG) == "<&>??.dtd"


def test_a_schema_without_documents_has_a_picture_too(tmp_path: Path) -> None:
    assert lines(check(schema_of(tmp_path, "<!ELEMENT a (a)>"))) == 0
