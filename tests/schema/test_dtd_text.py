"""Schemas written as DTDs say the same when they are read again."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.schema.models import small_schemas
from tests.schema.test_published import ROWS
from tests.schema.writing import schema_of
from tests.shared_data import need
from xylem.errors import UsageError
from xylem.schema import AttributeType, Choice, Content, ContentKind, Element, Name, Occurs, Others, Schema, Sequence
from xylem.schema.dtd_text import dtd_text

UNSAID = {AttributeType.NOTATION, AttributeType.ENTITY, AttributeType.ENTITIES}


def said(schema: Schema) -> dict[str, Any]:
    return {
        element.name: (
            str(element.content),
            [
                (a.name, a.type, a.values, a.default, a.required, a.fixed)
                for a in element.attributes
                if a.type not in UNSAID
            ],
        )
        for element in schema
    }


@pytest.mark.parametrize("row", [row for row in ROWS if row["elements"]], ids=lambda row: row["dtd"])
def test_published_schemas(tmp_path: Path, row: dict[str, str]) -> None:
    schema = Schema.from_dtd(need("dtd", *row["dtd"].split("/")))
    text = dtd_text(schema)
    etree.DTD(BytesIO(text.encode()))
    again = schema_of(tmp_path, text)
    first, second = said(schema), said(again)
    for element in schema:
        if any(attribute.type in UNSAID for attribute in element.attributes):
            kept = {name for name, *_ in first[element.name][1]}
            second[element.name] = second[element.name][0], [a for a in second[element.name][1] if a[0] in kept]
    assert second == first


def test_small_schemas(tmp_path: Path) -> None:
    for text in small_schemas():
        schema = schema_of(tmp_path, text)
        assert said(schema_of(tmp_path, dtd_text(schema))) == said(schema)


def test_values_are_escaped(tmp_path: Path) -> None:
    schema = schema_of(
        tmp_path, "<!ELEMENT a EMPTY><!ATTLIST a x CDATA '&lt;&amp;&#34;&#37;p;&#10;' y (one|two) 'two'>"
    )
    assert said(schema_of(tmp_path, dtd_text(schema))) == said(schema)
    assert schema["a"].attributes[0].default == '<&"%p;\n'


def one(content: Content) -> str:
    return dtd_text(Schema("s", {"a": Element("a", content)}))


def test_what_a_dtd_cannot_say() -> None:
    name = Name("a", Occurs(2, 5))
    assert one(Content(ContentKind.ELEMENTS, Sequence((name,)))) == "<!ELEMENT a (a+)>\n"
    assert one(Content(ContentKind.ELEMENTS, Choice((Name("a", Occurs(0, 3)),)))) == "<!ELEMENT a (a*)>\n"
    assert one(Content(ContentKind.ELEMENTS, name, Others.LAX)) == "<!ELEMENT a ANY>\n"
    with pytest.raises(UsageError, match="any order"):
        one(Content(ContentKind.ELEMENTS, Sequence((name, name), any_order=True)))
    with pytest.raises(UsageError, match="empty"):
        one(Content(ContentKind.ELEMENTS, Sequence(())))
    with pytest.raises(UsageError, match="more than one content"):
        dtd_text(Schema("s", {"a~2": Element("a~2", Content(ContentKind.EMPTY), tag="a")}))
