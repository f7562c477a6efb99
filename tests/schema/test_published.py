"""Published schemas, against figures that were counted by other means."""

from __future__ import annotations

import csv
import time
from typing import Any

import pytest
from lxml import etree

from tests.shared_data import SHARED, need
from xylem.schema import ContentKind, ElementGraph, Name, Particle, Schema, SchemaError, Sequence
from xylem.schema.content import occurrences

# The table counts five elements of this schema as recursive that the definition does not: see `test_graph.below`.
_OTHER_RECURSION = {"cxml-1.2.037-invoicedetail/1.2.037-InvoiceDetail.dtd"}


def _rows() -> list[dict[str, str]]:
    if SHARED is None or not (SHARED / "DTD_STATS.tsv").is_file():
        return []
    with (SHARED / "DTD_STATS.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


ROWS = _rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["dtd"])
def test_figures(row: dict[str, str]) -> None:
    path = need("dtd", *row["dtd"].split("/"))
    if not row["elements"]:
        with pytest.raises(SchemaError, match=r"rss-0.91.dtd:57: the DTD is not well-formed"):
            Schema.from_dtd(path)
        return
    schema = Schema.from_dtd(path)
    graph = ElementGraph.of(schema)
    assert len(graph.heights) == len(schema)
    height = graph.height(schema.roots)
    found = {
        "elements": str(len(schema)),
        "attributes": str(sum(len(element.attributes) for element in schema)),
        "parent_child_edges": str(sum(len(schema.children(name)) for name in schema.elements)),
        "recursive_elements": str(len(graph.recursive())),
        "max_depth_if_acyclic": "" if height is None else str(height),
    }
    expected = {name: row[name] for name in found}
    if row["dtd"] in _OTHER_RECURSION:
        del found["recursive_elements"], expected["recursive_elements"]
    assert found == expected
    if row["roots"]:
        assert set(row["roots"].split(",")) <= set(schema.roots)


Model = tuple[Any, ...]
_LXML_OCCURS = {"once": "", "opt": "?", "mult": "*", "plus": "+"}


def _flat(kind: str, items: list[Model], occurs: str) -> Model:
    """A model in which nothing depends on how groups are nested where the language does not: libxml2 leaves out what
    makes no difference. In a repeated choice, marks and groups of choices mean nothing."""
    free = kind == "or" and occurs == "*"
    spread: list[Model] = []
    for item in items:
        spread += item[1] if item[0] == kind and (free or item[2] == "") else [item]
    if free:
        spread = [(*item[:2], "") for item in spread]
    if len(spread) == 1:
        marks = {occurs, spread[0][2]} - {""}
        return (*spread[0][:2], "*" if len(marks) > 1 else "".join(marks))
    return kind, spread, occurs


def _ours(particle: Particle) -> Model:
    if isinstance(particle, Name):
        return "name", particle.name, particle.occurs.value
    kind = "seq" if isinstance(particle, Sequence) else "or"
    return _flat(kind, [_ours(item) for item in particle.items], particle.occurs.value)


def _theirs(content: Any) -> Model:
    occurs = _LXML_OCCURS[content.occur]
    if content.type == "element":
        return "name", content.name, occurs
    return _flat(content.type, [_theirs(part) for part in (content.left, content.right) if part is not None], occurs)


def _names(content: Any) -> set[str]:
    """The names in a mixed content, which lxml nests as deep as they are many."""
    found, waiting = set(), [content]
    for part in waiting:
        if part.type == "element":
            found.add(part.name)
        waiting += [below for below in (part.left, part.right) if below is not None]
    return found


@pytest.mark.parametrize("row", [row for row in ROWS if row["elements"]], ids=lambda row: row["dtd"])
def test_declarations_are_what_lxml_sees(row: dict[str, str]) -> None:
    path = need("dtd", *row["dtd"].split("/"))
    schema = Schema.from_dtd(path)
    kinds = {"empty": ContentKind.EMPTY, "any": ContentKind.ANY, "element": ContentKind.ELEMENTS}
    declared = 0
    if row["dtd"] == "xhtml-1.1/xhtml11.dtd":
        pytest.skip("lxml looks in no catalog, and finds none of the modules")
    for theirs in etree.DTD(str(path)).iterelements():
        # lxml has entries for elements of which only the attributes are declared.
        name = f"{theirs.prefix}:{theirs.name}" if theirs.prefix else theirs.name
        if theirs.type == "undefined" or name not in schema.elements:
            continue
        declared += 1
        content = schema[name].content
        if theirs.type == "mixed":
            assert content.kind in (ContentKind.MIXED, ContentKind.TEXT)
            ours = {n.rpartition(":")[2] for n in occurrences(content.model)} if content.model is not None else set()
            assert {n.rpartition(":")[2] for n in _names(theirs.content)} == ours
        else:
            assert content.kind is kinds[theirs.type]
            if content.model is not None:
                assert _local(_ours(content.model)) == _local(_theirs(theirs.content)), name
        attributes = {
            f"{a.prefix}:{a.name}" if a.prefix else a.name: tuple(a.itervalues()) for a in theirs.iterattributes()
        }
        assert {a.name: a.values for a in schema[name].attributes if a.name in attributes} == attributes
    assert declared == len(schema)


def _local(model: Model) -> Model:
    """lxml tells names in content models without their prefixes."""
    if model[0] == "name":
        return "name", model[1].rpartition(":")[2], model[2]
    return model[0], [_local(item) for item in model[1]], model[2]


def test_the_largest_schema_is_read_quickly() -> None:
    path = need("dtd", "docbook-4.5", "docbookx.dtd")
    start = time.perf_counter()
    Schema.from_dtd(path)
    assert time.perf_counter() - start < 2 * 5  # five times the target: other work may share the machine
