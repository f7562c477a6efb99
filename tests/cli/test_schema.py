"""`xylem schema`: what it says of schemas and of documents, the files it writes, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

from tests.cli.command import Command, Files

NEWS = """<!ELEMENT news (story | gone)*>
<!ELEMENT story (title, p*)>
<!ATTLIST story id ID #REQUIRED lang CDATA #IMPLIED>
<!ELEMENT title (#PCDATA)>
<!ELEMENT p (#PCDATA | p)*>
"""
XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:element name="r"><xs:complexType><xs:sequence>
<xs:element name="a" type="xs:int"/>
</xs:sequence></xs:complexType></xs:element>
</xs:schema>"""


def test_the_summary(xylem: Command, files: Files) -> None:
    files({"news.dtd": NEWS})
    result = xylem("schema", "news.dtd", "--max-depth", "4")
    assert result.code == 0
    assert result.out.splitlines() == [
        "news.dtd: 4 elements, 2 attributes, 4 edges",
        "  roots       news",
        "  content     1 text, 1 mixed, 2 elements",
        "  recursion   1 element, in groups that contain each other:",
        "              1, such as p → p",
        "  depth       unbounded",
        "  automaton   5 states, 5 edges, 0.1 kB",
        "  paths       from root to leaf, by the number of elements up to 4:",
        "              1: 1 3: 2 4: 1",
        "  problems    1, named on standard error",
    ]
    assert result.err == ("xylem: news.dtd:1: the content of 'news' names the element 'gone', which is not declared\n")


def test_the_list_of_elements(xylem: Command, files: Files) -> None:
    files({"news.dtd": NEWS})
    assert xylem("schema", "news.dtd", "--elements").out.splitlines()[-4:] == [
        "  news   (story | gone)*",
        "  story  (title, p*) @id @lang?",
        "  title  text",
        "  p      text and (p)*",
    ]


def test_json(xylem: Command, files: Files) -> None:
    files({"news.dtd": NEWS})
    (said,) = xylem("schema", "news.dtd", "--json").lines
    assert (said["elements"], said["roots"], said["recursive"], said["height"]) == (4, ["news"], 1, None)
    assert said["cycles"] == [{"elements": ["p"], "shortest": ["p"]}]
    assert said["paths"]["to_leaf_by_depth"] == [1, 0, 2, 1, 1, 1, 1, 1, 1, 1]
    assert said["problems"][0]["line"] == 1 and said["problems"][0]["element"] == "news"
    story = said["declarations"][1]
    assert (story["line"], story["content"]) == (2, "(title, p*)")
    assert story["children"] == [{"name": "title", "least": 1, "most": 1}, {"name": "p", "least": 0, "most": None}]
    assert [(a["name"], a["type"], a["required"]) for a in story["attributes"]] == [
        ("id", "ID", True),
        ("lang", "CDATA", False),
    ]


def test_the_picture(xylem: Command, files: Files, tmp_path: Path) -> None:
    files({"news.dtd": NEWS})
    assert xylem("schema", "news.dtd", "--svg", "news.svg").code == 0
    tree = etree.parse(str(tmp_path / "news.svg"))
    assert {"news", "story", "title", "p"} <= set(tree.xpath("//*[local-name() = 'text']/text()"))


def test_documents_become_a_dtd(xylem: Command, files: Files, tmp_path: Path) -> None:
    files({"in/1.xml": "<r><a n='1'/></r>", "in/2.xml": "<r><b>x</b></r>", "in/3.xml": "<r>"})
    result = xylem("schema", "in", "--write-dtd", "in.dtd", "--elements")
    assert result.code == 3
    assert "in/3.xml:1: not well-formed" in result.err
    assert result.out.splitlines()[0] == "2 documents: 3 elements, 1 attribute, 2 edges"
    assert result.out.splitlines()[-3:] == ["  r  (a | b)  2 ×", "  a  empty @n  1 ×", "  b  text  1 ×"]
    dtd = etree.DTD(str(tmp_path / "in.dtd"))
    assert all(dtd.validate(etree.parse(str(tmp_path / "in" / name))) for name in ("1.xml", "2.xml"))
    assert xylem("schema", "in.dtd").code == 0


def test_records_and_standard_input(xylem: Command, files: Files) -> None:
    files({"all.xml": "<all><r><a/></r><r><b/></r></all>"})
    (said,) = xylem("schema", "all.xml", "--record", "r", "--json").lines
    assert (said["schema"], said["roots"], said["elements"]) == ("2 documents", ["r"], 3)
    (said,) = xylem("schema", "-", "--json", stdin=b"<x><y/></x>").lines
    assert [declaration["name"] for declaration in said["declarations"]] == ["x", "y"]
    assert said["declarations"][0]["seen"] == {
        "count": 1,
        "documents": 1,
        "with_text": 0,
        "children": {"y": 1},
        "attributes": {},
        "values": {},
    }


def test_an_xsd(xylem: Command, files: Files) -> None:
    files({"r.xsd": XSD, "r.schema": XSD})
    (said,) = xylem("schema", "r.xsd", "--json").lines
    assert [(d["name"], d["line"], d.get("datatype")) for d in said["declarations"]] == [
        ("r", 2, None),
        ("a", 3, "int"),
    ]
    assert xylem("schema", "r.schema", "--as", "xsd").out.splitlines()[1] == "  roots       r"


def test_documents_are_checked(xylem: Command, files: Files) -> None:
    files({
        "news.dtd": NEWS,
        "in/1.xml": "<news><story id='x'><title>t</title></story></news>",
        "in/2.xml": "<news>\n<title/></news>",
        "in/3.xml": "<news",
    })  # fmt: skip
    result = xylem("schema", "news.dtd", "--check", "in/1.xml", "--check", "in/2.xml")
    assert result.code == 1
    assert result.out.splitlines() == [
        "in/1.xml: every path is possible",
        "in/2.xml: line 2, column 1: the element 'title' may not stand in 'news' (/news/title)",
    ]
    result = xylem("schema", "news.dtd", "--check", "in", "--json")
    assert result.code == 3
    assert [line.get("possible") for line in result.lines] == [True, False, None]
    assert result.lines[1] == {
        "document": "in/2.xml",
        "possible": False,
        "element": "title",
        "line": 2,
        "column": 1,
        "reason": "the element 'title' may not stand in 'news'",
        "path": ["news", "title"],
    }
    assert result.lines[2]["error"]["line"] == 1
    assert xylem("schema", "news.dtd", "--check", "in/1.xml", "--limit", "depth=2").code == 3


WRONG: list[tuple[tuple[str, ...], str]] = [
    (("none.dtd",), "no such file"),
    (("none.xml",), "no document can be read"),
    (("bad.dtd",), "bad.dtd:2: the DTD is not well-formed"),
    (("bad.xsd",), "bad.xsd:1: the schema is not well-formed"),
    (("news.dtd", "news.dtd", "--as", "dtd"), "a schema is one file, not 2"),
    (("news.dtd", "--root", "nobody"), "the root 'nobody' is not an element"),
    (("two.xsd", "--write-dtd", "x.dtd"), "more than one content"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_wrong_usage(xylem: Command, files: Files, arguments: tuple[str, ...], words: str) -> None:
    two = XSD.replace("</xs:schema>", XSD[XSD.index("<xs:element") : XSD.index("</xs:schema>")].replace("int", "date"))
    two = two.replace('name="r"', 'name="s"', 1) + "</xs:schema>"
    files({"news.dtd": NEWS, "bad.dtd": "<!ELEMENT a EMPTY>\n<!ELEMENT b", "bad.xsd": "<xs:schema", "two.xsd": two})
    result = xylem("schema", *arguments)
    assert (result.code, result.out) == (2, "")
    assert words in result.err


def test_output_that_cannot_be_written(xylem: Command, files: Files) -> None:
    files({"news.dtd": NEWS})
    assert xylem("schema", "news.dtd", "--svg", "no/such/folder.svg").code == 74


def test_json_of_a_name_that_is_no_text(xylem: Command, files: Files) -> None:
    files({"news.dtd": NEWS})
    Path("news.dtd").rename(b"news\xff.dtd".decode("utf-8", "surrogateescape"))
    name = b"news\xff.dtd".decode("utf-8", "surrogateescape")
    assert json.loads(xylem("schema", name, "--json").out)["schema"]
    assert xylem("schema", name, "--svg", "x.svg").code == 0
