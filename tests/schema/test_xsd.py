"""XML Schemas: what each construct becomes, the same schema said as a DTD, lxml's verdict, and bad input."""

from __future__ import annotations

import socket
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.scale import scaled
from tests.schema.models import declared, random_text, small_schemas
from tests.schema.writing import schema_of
from xylem.schema import (
    AttributeType,
    ContentKind,
    ElementGraph,
    Others,
    PathAutomaton,
    Schema,
    SchemaError,
    first_impossible,
    xsd_types,
)

HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" {0}>\n'


def xsd_of(folder: Path, body: str, head: str = "", **others: str) -> Schema:
    """The schema that an XSD says; `others` are files beside it, by name with `_` for the dot."""
    for name, content in others.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
    path = folder / "test.xsd"
    path.write_text(f"{HEAD.format(head)}{body}\n</xs:schema>", encoding="utf-8")
    return Schema.from_xsd(path)


def element(inside: str, name: str = "r", **attributes: str) -> str:
    more = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f'<xs:element name="{name}"{more}><xs:complexType>{inside}</xs:complexType></xs:element>'


def ref(name: str, least: int = 1, most: int | str = 1) -> str:
    return f'<xs:element ref="{name}" minOccurs="{least}" maxOccurs="{most}"/>'


def group(kind: str, *parts: str, most: int | str = 1) -> str:
    times = f' maxOccurs="{most}"' if most != 1 else ""
    return f"<xs:{kind}{times}>{''.join(parts)}</xs:{kind}>"


LEAVES = '<xs:element name="a" type="xs:string"/><xs:element name="b" type="xs:int"/>'

CONTENTS = [
    ("", "empty", {}),
    (group("sequence", ref("a"), ref("b", 0)), "(a, b?)", {"a": (1, 1), "b": (0, 1)}),
    (group("choice", ref("a"), ref("b"), most="unbounded"), "(a | b)+", {"a": (0, None), "b": (0, None)}),
    (group("sequence", ref("a", 2, 4), most=3), "(a{2,4}){1,3}", {"a": (2, 12)}),
    (group("all", ref("a"), ref("b", 0)), "(a & b?)", {"a": (1, 1), "b": (0, 1)}),
    (group("sequence", ref("a", 0, 0), ref("b")), "(b)", {"b": (1, 1)}),
    (group("choice", "<xs:sequence/>", ref("a")), "(() | a)", {"a": (0, 1)}),
    ('<xs:group ref="g"/>', "((a, b))", {"a": (1, 1), "b": (1, 1)}),
]


@pytest.mark.parametrize(("inside", "written", "children"), CONTENTS)
def test_contents(tmp_path: Path, inside: str, written: str, children: dict[str, tuple[int, int | None]]) -> None:
    named = f'<xs:group name="g">{group("sequence", ref("a"), ref("b"))}</xs:group>'
    schema = xsd_of(tmp_path, element(inside) + LEAVES + named)
    assert schema.problems == ()
    assert str(schema["r"].content) == written
    assert {child.name: (child.least, child.most) for child in schema.children("r")} == children
    assert [schema[name].content.kind for name in "ab"] == [ContentKind.TEXT] * 2
    assert (schema["a"].datatype, schema["b"].datatype) == ("string", "int")
    assert schema["r"].place.line == 2 and Path(schema["r"].place.file).name == "test.xsd"


def test_attributes(tmp_path: Path) -> None:
    schema = xsd_of(
        tmp_path,
        element(
            '<xs:attribute name="id" type="xs:ID" use="required"/><xs:attribute name="n" type="xs:int" default="3"/>'
            '<xs:attribute name="k"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="x"/>'
            '<xs:enumeration value="y"/></xs:restriction></xs:simpleType></xs:attribute>'
            '<xs:attribute name="v" type="xs:string" fixed="1"/><xs:attribute name="w" use="prohibited"/>'
            '<xs:anyAttribute processContents="lax"/>'
        ),
    )
    found = {a.name: (a.type, a.values, a.default, a.required, a.fixed, a.datatype) for a in schema["r"].attributes}
    assert found == {
        "id": (AttributeType.ID, (), None, True, False, "ID"),
        "n": (AttributeType.CDATA, (), "3", False, False, "int"),
        "k": (AttributeType.ENUMERATION, ("x", "y"), None, False, False, "token"),
        "v": (AttributeType.CDATA, (), "1", False, True, "string"),
    }


def test_one_tag_with_several_types(tmp_path: Path) -> None:
    inner = '<xs:sequence><xs:element name="t" type="{}"/></xs:sequence>'
    person = '<xs:complexType name="P"><xs:sequence><xs:element name="x"/></xs:sequence></xs:complexType>'
    body = f"<xs:sequence>{element(inner.format('xs:int'), 'a')}{element(inner.format('P'), 'b')}</xs:sequence>"
    schema = xsd_of(tmp_path, element(body) + person)
    assert [child.name for child in schema.children("a")] == ["t"]
    assert [child.name for child in schema.children("b")] == ["t~2"]
    assert schema["t~2"].tag == "t" and schema["t~2"].local and schema.roots == ("r",)
    paths = PathAutomaton.of(schema)
    assert first_impossible(paths, b"<r><a><t>1</t></a><b><t><x/></t></b></r>") is None
    found = first_impossible(paths, b"<r><a><t><x/></t></a></r>")
    assert found is not None and found.path == ("r", "a", "t", "x")


def test_namespaces(tmp_path: Path) -> None:
    other = HEAD.format('targetNamespace="urn:o"') + '<xs:element name="o"/></xs:schema>'
    schema = xsd_of(
        tmp_path,
        '<xs:import namespace="urn:o" schemaLocation="o.xsd"/>'
        + element('<xs:sequence><xs:element name="a"/><xs:element ref="o:o" xmlns:o="urn:o"/></xs:sequence>'),
        'targetNamespace="urn:t"',
        o_xsd=other,
    )
    names = {name: schema.expanded(name) for name in schema.elements}
    assert names == {"t:r": ("urn:t", "r"), "o:o": ("urn:o", "o"), "a": ("", "a")}
    paths = PathAutomaton.of(schema)
    assert first_impossible(paths, b"<r xmlns='urn:t'><a xmlns=''/><o xmlns='urn:o'/></r>") is None
    found = first_impossible(paths, b"<r xmlns='urn:t'><a/></r>")
    assert found is not None and found.element == "{urn:t}a"


FAMILY = (
    '<xs:element name="head" type="Base" {0}/><xs:element name="one" type="Base" substitutionGroup="head"/>'
    '<xs:element name="two" type="More" substitutionGroup="one"/>'
    '<xs:complexType name="Base"><xs:sequence><xs:element name="x"/></xs:sequence></xs:complexType>'
    '<xs:complexType name="More"><xs:complexContent><xs:extension base="Base"><xs:sequence><xs:element name="y"/>'
    "</xs:sequence></xs:extension></xs:complexContent></xs:complexType>"
) + element('<xs:sequence><xs:element ref="head"/></xs:sequence>')

WILD = element(
    '<xs:sequence><xs:element name="k" type="xs:int"/><xs:any processContents="{0}" minOccurs="0"/></xs:sequence>'
)

# A schema, a document, whether it is valid (for lxml to confirm), and whether all its paths are possible.
VERDICTS = [
    (FAMILY.format(""), "<r><head><x/></head></r>", True, True),
    (FAMILY.format(""), "<r><one><x/></one></r>", True, True),
    (FAMILY.format(""), "<r><two><x/><y/></two></r>", True, True),
    (FAMILY.format(""), "<r><three/></r>", False, False),
    (FAMILY.format('abstract="true"'), "<r><head><x/></head></r>", False, False),
    (FAMILY.format('abstract="true"'), "<r><one><x/></one></r>", True, True),
    (FAMILY.format('block="substitution"'), "<r><one><x/></one></r>", False, False),
    (FAMILY.format(""), "<r><head {xsi} xsi:type='More'><x/><y/></head></r>", True, True),
    (FAMILY.format('block="extension"'), "<r><head {xsi} xsi:type='More'><x/><y/></head></r>", False, False),
    (FAMILY.format(""), "<r><head><x/><z/></head></r>", False, False),
    (WILD.format("strict") + LEAVES, "<r><k>1</k><a>x</a></r>", True, True),
    (WILD.format("strict") + LEAVES, "<r><k>1</k><zz/></r>", False, False),
    (WILD.format("lax") + LEAVES, "<r><k>1</k><zz><any/></zz></r>", True, True),
    (WILD.format("lax") + LEAVES, "<r><k>1</k><a><any/></a></r>", False, False),
    (WILD.format("skip") + LEAVES, "<r><k>1</k><a><any/></a></r>", True, True),
    (WILD.format("lax") + LEAVES, "<r><k>1</k></r>", True, True),
    ('<xs:element name="r"/>', "<r><b><c>x</c></b>text</r>", True, True),
    ('<xs:element name="r" type="xs:anyType"/>' + LEAVES, "<r><a><any/></a></r>", False, False),
    (element(group("sequence", ref("a")), nillable="true") + LEAVES, "<r {xsi} xsi:nil='true'/>", True, True),
    (element(group("sequence", ref("a"))) + LEAVES, "<r/>", False, False),
    (element(group("sequence", ref("r", 0))), "<r><r><r/></r></r>", True, True),
    (element("<xs:simpleContent><xs:extension base='xs:int'/></xs:simpleContent>"), "<r>1</r>", True, True),
    (element(group("all", ref("a"), ref("b"))) + LEAVES, "<r><b>1</b><a/></r>", True, True),
]  # fmt: skip

XSI = "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"


@pytest.mark.parametrize(("body", "document", "valid", "possible"), VERDICTS)
def test_verdicts(tmp_path: Path, body: str, document: str, valid: bool, possible: bool) -> None:
    schema = xsd_of(tmp_path, body)
    assert schema.problems == ()
    text = document.replace("{xsi}", XSI).encode()
    assert etree.XMLSchema(etree.parse(str(tmp_path / "test.xsd"))).validate(etree.parse(BytesIO(text))) is valid
    assert (first_impossible(PathAutomaton.of(schema), text) is None) is possible


def test_wildcards_open_the_content(tmp_path: Path) -> None:
    kinds = {name: xsd_of(tmp_path, WILD.format(name))["r"].content.others for name in ("strict", "lax", "skip")}
    assert kinds == {"strict": Others.DECLARED, "lax": Others.LAX, "skip": Others.SKIPPED}


def test_the_state_of_anything_takes_no_edges(tmp_path: Path) -> None:
    paths = PathAutomaton.of(xsd_of(tmp_path, WILD.format("skip") + LEAVES))
    anything = paths.follow([("", "r"), ("urn:x", "unknown")])
    assert paths.states[anything] == () and list(paths.edges(anything)) == []
    assert paths.other[anything] == anything and paths.accepting[anything]


def test_sets_of_declarations_are_bounded(tmp_path: Path) -> None:
    """Types that `xsi:type` may choose among, whose sets of contents double with each level."""
    from xylem.schema.subsets import path_automaton

    schema = xsd_of(tmp_path, FAMILY.format(""))
    with pytest.raises(SchemaError, match="more than 3 states"):
        path_automaton(schema, max_states=3)


def as_xsd(text: str) -> str:
    """The same schema as a DTD of names, sequences and choices."""
    return "".join(_global(name, model) for name, model in declared(text).items())


def _global(name: str, model: str) -> str:
    if model == "EMPTY":
        return element("", name)
    mixed = model.startswith("(#PCDATA")
    model = model.replace("#PCDATA | ", "").replace("(#PCDATA)", "()")
    inside, _ = _particle(model.replace(" ", ""), 0)
    return (
        f'<xs:element name="{name}"><xs:complexType mixed="{str(mixed).lower()}">{inside}</xs:complexType></xs:element>'
    )


def _particle(model: str, at: int) -> tuple[str, int]:
    if model[at] != "(":
        end = at
        while end < len(model) and model[end].isalnum():
            end += 1
        occurs, end = _times(model, end)
        return f'<xs:element ref="{model[at:end].rstrip("?*+")}"{occurs}/>', end
    parts, kind, at = [], "sequence", at + 1
    while model[at] != ")":
        if model[at] in ",|":
            kind = "choice" if model[at] == "|" else "sequence"
            at += 1
            continue
        part, at = _particle(model, at)
        parts.append(part)
    occurs, at = _times(model, at + 1)
    return f"<xs:{kind}{occurs}>{''.join(parts)}</xs:{kind}>", at


def _times(model: str, at: int) -> tuple[str, int]:
    mark = model[at : at + 1]
    least = ' minOccurs="0"' if mark in ("?", "*") and mark else ""
    most = ' maxOccurs="unbounded"' if mark in ("*", "+") and mark else ""
    return least + most, at + 1 if least or most else at


def _check_twins(folder: Path, text: str) -> None:
    ours, theirs = ElementGraph.of(xsd_of(folder, as_xsd(text))), ElementGraph.of(schema_of(folder, text))
    assert ours.heights == theirs.heights, text
    assert {name: set(children) for name, children in ours.children.items()} == {
        name: set(children) for name, children in theirs.children.items()
    }, text


@pytest.mark.parametrize("seed", range(scaled(12)))
def test_an_xsd_and_a_dtd_that_say_the_same_are_the_same(tmp_path: Path, seed: int) -> None:
    _check_twins(tmp_path, random_text(seed))


def test_small_xsds_are_what_the_dtds_are(tmp_path: Path) -> None:
    # Names that are not declared, and ANY, mean something else in an XSD.
    same = [text for text in small_schemas() if "z" not in text and "ANY" not in text]
    for text in same[:: max(1, len(same) // scaled(30))]:
        _check_twins(tmp_path, text)


def test_what_is_missing_is_passed_over_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **named: Any) -> Any:
        raise AssertionError("something was fetched")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    schema = xsd_of(
        tmp_path,
        """<xs:import namespace="urn:far" schemaLocation="http://example.org/far.xsd"/>
        <xs:include schemaLocation="gone.xsd"/>
        <xs:import namespace="urn:ftp" schemaLocation="ftp://example.org/x.xsd"/>
        <xs:element name="r"><xs:complexType><xs:sequence>
        <xs:element ref="nobody"/>
        <xs:element ref="a"/>
        </xs:sequence></xs:complexType></xs:element>"""
        + LEAVES,
    )
    said = [(problem.place.line, problem.element, problem.message) for problem in schema.problems]
    assert [line for line, _, _ in said] == [2, 3, 4, 6]
    for (_, _, message), location in zip(
        said, ("http://example.org/far.xsd", "gone.xsd", "ftp://example.org/x.xsd"), strict=False
    ):
        assert message == f"the schema document '{location}' is not among the local files; it is passed over"
    assert said[3][1] == "nobody" and "unknown element" in said[3][2]
    assert {"r", "a", "b"} <= set(schema.elements)


def test_errors_name_file_line_and_element(tmp_path: Path) -> None:
    body = element(f'{group("sequence", """<xs:element name="x" type="nope"/>""")}')
    schema = xsd_of(tmp_path, '<xs:include schemaLocation="bad.xsd"/>\n' + body, bad_xsd="<xs:schema")
    assert [str(problem).rpartition("/")[2] for problem in schema.problems] == [
        "test.xsd:2: can't include schema 'bad.xsd': invalid XML syntax: unclosed token: line 1, column 0",
        "test.xsd:3: unknown type 'nope' (in the element 'x')",
    ]
    # What has an unknown type may contain anything.
    assert first_impossible(PathAutomaton.of(schema), b"<r><x><y/></x></r>") is None


def test_a_published_location_is_found_beside_the_schema(tmp_path: Path) -> None:
    far = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="far"/></xs:schema>'
    schema = xsd_of(tmp_path, '<xs:include schemaLocation="http://example.org/dir/far.xsd"/>', far_xsd=far)
    assert list(schema.elements) == ["far"] and schema.problems == ()
    assert Path(schema["far"].place.file).name == "far.xsd"


def test_an_element_without_end_is_named(tmp_path: Path) -> None:
    schema = xsd_of(tmp_path, element('<xs:sequence>\n<xs:element ref="r"/></xs:sequence>') + LEAVES)
    assert [(problem.element, problem.place.line) for problem in schema.problems] == [("r", 2)]
    assert len(PathAutomaton.of(schema)) == 3


BOMB = "<!DOCTYPE x [<!ENTITY a '0123456789'>" + "".join(
    f"<!ENTITY {chr(98 + i)} '{f'&{chr(97 + i)};' * 10}'>" for i in range(9)
) + "]>"  # fmt: skip

XS = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>"

REFUSED = [
    (f"{XS}\n<xs:element", 2, "not well-formed"),
    ("", 1, "not well-formed"),
    ("<a/>", 1, "no XML Schema"),
    ("<schema xmlns='urn:other'/>", 1, "no XML Schema"),
    (f"{XS}</xs:schema>", 0, "declares no element"),
    (f"{BOMB}{XS}<xs:annotation>&j;</xs:annotation></xs:schema>", 1, "amplification"),
    (f"<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>\n{XS}&e;</xs:schema>", 2, "undefined entity"),
]


@pytest.mark.parametrize(("text", "line", "words"), REFUSED, ids=range(len(REFUSED)))
def test_refused(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = tmp_path / "test.xsd"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        Schema.from_xsd(path)
    assert words in str(caught.value)
    assert (Path(caught.value.file).name, caught.value.line) == ("test.xsd", line)


def test_groups_that_double_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xsd_types, "MAX_PARTICLES", 5_000)
    body = f'<xs:group name="g0">{group("sequence", ref("a"))}</xs:group>'
    for number in range(1, 40):
        twice = f'<xs:group ref="g{number - 1}"/>' * 2
        body += f'<xs:group name="g{number}">{group("sequence", twice)}</xs:group>'
    with pytest.raises(SchemaError, match="more than 5,000 parts"):
        xsd_of(tmp_path, element('<xs:group ref="g39"/>') + body + LEAVES)


def test_models_of_any_depth_end_with_a_message(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="recursion depth"):
        xsd_of(tmp_path, element("<xs:sequence>" * 400 + ref("a") + "</xs:sequence>" * 400) + LEAVES)


def test_groups_that_hold_themselves_are_named(tmp_path: Path) -> None:
    body = f'<xs:group name="g">{group("sequence", """<xs:group ref="g"/>""")}</xs:group>'
    schema = xsd_of(tmp_path, element('<xs:group ref="g"/>') + body)
    assert "circular" in schema.problems[0].message and schema.problems[0].place.line == 2


def test_a_schema_of_version_1_1(tmp_path: Path) -> None:
    opened = '<xs:openContent><xs:any processContents="lax"/></xs:openContent>'
    schema = xsd_of(tmp_path, element(f'{opened}{group("sequence", ref("a"))}<xs:assert test="a"/>') + LEAVES)
    assert schema.problems == () and schema["r"].content.others is Others.LAX
    assert first_impossible(PathAutomaton.of(schema), b"<r><x/><a/></r>") is None


def test_no_file_and_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SchemaError, match="no such file"):
        Schema.from_xsd(tmp_path / "none.xsd")
    (tmp_path / "test.xsd").write_text("<a/>")
    monkeypatch.setitem(__import__("sys").modules, "xmlschema", None)
    with pytest.raises(SchemaError, match="pip install xmlschema"):
        Schema.from_xsd(tmp_path / "test.xsd")
