"""What a DTD says arrives in the schema: contents, attributes, files, and what is wrong with them."""

from __future__ import annotations

import pickle
import time
from pathlib import Path

import pytest

from tests.schema.writing import schema_of
from xylem.errors import UsageError
from xylem.schema import AttributeType, Child, ContentKind, ElementGraph, PathAutomaton, Schema, SchemaError

CONTENTS = [
    ("EMPTY", ContentKind.EMPTY, "empty", {}),
    ("ANY", ContentKind.ANY, "any", {"a": (0, None), "b": (0, None), "c": (0, None)}),
    ("(#PCDATA)", ContentKind.TEXT, "text", {}),
    ("(#PCDATA)*", ContentKind.TEXT, "text", {}),
    ("(#PCDATA | b | c)*", ContentKind.MIXED, "(b | c)*", {"b": (0, None), "c": (0, None)}),
    ("(b)", ContentKind.ELEMENTS, "(b)", {"b": (1, 1)}),
    ("(b?, c)", ContentKind.ELEMENTS, "(b?, c)", {"b": (0, 1), "c": (1, 1)}),
    ("(b, c, b)", ContentKind.ELEMENTS, "(b, c, b)", {"b": (2, 2), "c": (1, 1)}),
    ("(b | c)+", ContentKind.ELEMENTS, "(b | c)+", {"b": (0, None), "c": (0, None)}),
    ("(b | (b, b, c))", ContentKind.ELEMENTS, "(b | (b, b, c))", {"b": (1, 2), "c": (0, 1)}),
    ("(b+, (c, b?)*)", ContentKind.ELEMENTS, "(b+, (c, b?)*)", {"b": (1, None), "c": (0, None)}),
]


@pytest.mark.parametrize(("model", "kind", "written", "children"), CONTENTS)
def test_contents(
    tmp_path: Path, model: str, kind: ContentKind, written: str, children: dict[str, tuple[int, int | None]]
) -> None:
    schema = schema_of(tmp_path, f"<!ELEMENT a {model}><!ELEMENT b EMPTY><!ELEMENT c (#PCDATA)>")
    assert schema["a"].content.kind is kind
    assert str(schema["a"].content) == written
    assert {child.name: (child.least, child.most) for child in schema.children("a")} == children
    assert schema["a"].content.has_text == (kind in (ContentKind.TEXT, ContentKind.MIXED, ContentKind.ANY))


def test_attributes(tmp_path: Path) -> None:
    schema = schema_of(
        tmp_path,
        """<!NOTATION gif SYSTEM "gif"><!ENTITY logo SYSTEM "logo.gif" NDATA gif>
        <!ELEMENT a EMPTY>
        <!ATTLIST a id ID #REQUIRED to IDREF #IMPLIED all IDREFS #IMPLIED kind (one | two) "two" note CDATA #IMPLIED
                    v CDATA #FIXED "1" t NMTOKEN #IMPLIED ts NMTOKENS #IMPLIED n NOTATION (gif) #IMPLIED
                    e ENTITY #IMPLIED es ENTITIES #IMPLIED>
        <!ATTLIST a note CDATA "a later declaration does not count" x:y CDATA #IMPLIED>""",
    )
    a = {attribute.name: attribute for attribute in schema["a"].attributes}
    types = {name: attribute.type for name, attribute in a.items()}
    assert types == {
        "id": AttributeType.ID,
        "to": AttributeType.IDREF,
        "all": AttributeType.IDREFS,
        "kind": AttributeType.ENUMERATION,
        "note": AttributeType.CDATA,
        "v": AttributeType.CDATA,
        "t": AttributeType.NMTOKEN,
        "ts": AttributeType.NMTOKENS,
        "n": AttributeType.NOTATION,
        "e": AttributeType.ENTITY,
        "es": AttributeType.ENTITIES,
        "x:y": AttributeType.CDATA,
    }
    assert a["id"].required and not a["to"].required
    assert (a["kind"].values, a["kind"].default, a["kind"].fixed) == (("one", "two"), "two", False)
    assert (a["v"].fixed, a["v"].default, a["v"].required) == (True, "1", False)
    assert a["note"].default is None
    assert a["n"].values == ("gif",)
    assert schema.entities == ("logo",)
    assert schema["a"].attribute("kind") is a["kind"] and schema["a"].attribute("missing") is None


def test_roots_are_nobodys_children(tmp_path: Path) -> None:
    schema = schema_of(tmp_path, "<!ELEMENT r (s*)><!ELEMENT s (s | t)*><!ELEMENT t EMPTY><!ELEMENT u (u?)>")
    assert schema.roots == ("r", "u")
    assert schema.with_roots("s").roots == ("s",)
    with pytest.raises(UsageError, match="root 'nope'"):
        schema.with_roots("nope")


def test_every_element_is_a_root_when_all_contain_each_other(tmp_path: Path) -> None:
    assert schema_of(tmp_path, "<!ELEMENT a (b*)><!ELEMENT b (a*)>").roots == ("a", "b")


def test_parameter_entities_of_other_files(tmp_path: Path) -> None:
    schema = schema_of(
        tmp_path,
        '<!ENTITY % more SYSTEM "more.mod"> %more; <!ELEMENT a (%inside;)>',
        more_mod='<!ENTITY % inside "b | c"><!ELEMENT b EMPTY>\n<!ELEMENT c EMPTY>',
    )
    assert [child.name for child in schema.children("a")] == ["b", "c"]
    assert (Path(schema["c"].place.file).name, schema["c"].place.line) == ("more.mod", 2)
    assert schema.problems == ()


def test_a_published_name_is_found_beside_the_schema(tmp_path: Path) -> None:
    text = '<!ENTITY % more PUBLIC "-//X//Y" "http://example.org/dtd/more.mod"> %more;'
    assert list(schema_of(tmp_path, text, more_mod="<!ELEMENT a EMPTY>").elements) == ["a"]


def test_a_catalog_says_where_a_name_is(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "x.mod").write_text("<!ELEMENT a EMPTY>")
    (tmp_path / "y.mod").write_text("<!ELEMENT b EMPTY>")
    catalog = """<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
        <rewriteSystem systemIdStartString="http://example.org/" rewritePrefix="parts/"/>
        <public publicId="-//B" uri="y.mod"/></catalog>"""
    text = """<!ENTITY % x SYSTEM "http://example.org/x.mod"> %x; <!ENTITY % y PUBLIC "-//B" "urn:no-such"> %y;"""
    assert list(schema_of(tmp_path, text, catalog_xml=catalog).elements) == ["a", "b"]


@pytest.mark.parametrize(
    "name", ["http://example.org/x.mod", "ftp://example.org/x.mod", "file://far/etc/x", "no.mod", ""]
)
def test_what_is_not_local_is_passed_over_and_named(tmp_path: Path, name: str) -> None:
    schema = schema_of(tmp_path, f'<!ELEMENT a EMPTY>\n<!ENTITY % x SYSTEM "{name}">\n%x; <!ELEMENT b EMPTY>')
    assert list(schema.elements) == ["a", "b"]
    assert [problem.place.line for problem in schema.problems] == [3]
    assert f"'{name}' is not among the local files" in schema.problems[0].message


def test_declarations_after_an_unknown_entity_still_count(tmp_path: Path) -> None:
    assert list(schema_of(tmp_path, "%nobody.declares.it; <!ELEMENT a EMPTY>").elements) == ["a"]


def test_problems_name_place_and_element(tmp_path: Path) -> None:
    schema = schema_of(
        tmp_path, "<!ELEMENT a (b, c)>\n<!ELEMENT b EMPTY>\n<!ELEMENT b ANY>\n<!ATTLIST d x CDATA #IMPLIED>"
    )
    found = [(problem.element, problem.place.line, problem.message) for problem in schema.problems]
    assert found == [
        ("b", 3, "the element 'b' is declared twice; the first declaration holds"),
        ("d", 4, "attributes are declared for the element 'd', which is not"),
        ("a", 1, "the content of 'a' names the element 'c', which is not declared"),
        (
            "a",
            1,
            "no document can contain the element 'a': it needs content without end, or elements that are not declared",
        ),
    ]
    assert schema["b"].content.kind is ContentKind.EMPTY
    assert str(schema.problems[0]).startswith(f"{tmp_path / 'test.dtd'}:3: ")


REFUSED = [
    ("<!ELEMENT a (b)>\n<!-- never closed", 2, "not well-formed"),
    ("<!ELEMENT a (b>", 1, "not well-formed"),
    ("<!ELEMENT a (b,c|d)>", 1, "not well-formed"),
    ("", 0, "declares no element"),
    ("<!ENTITY % x SYSTEM 'gone.mod'> %x;", 0, "'gone.mod'"),
    ("<!ENTITY % a '&#37;b;'><!ENTITY % b '&#37;a;'> %a; <!ELEMENT x EMPTY>", 1, "recursive"),
    ("<!ENTITY % me SYSTEM 'test.dtd'> %me; <!ELEMENT x EMPTY>", 1, "recursive"),
    (f"<!ELEMENT a {'(' * 250}b{')' * 250}>", 1, "nested deeper than 200"),
    (f"<!ELEMENT a {'(' * 100_000}b{')' * 100_000}>", 1, "nested deeper than 200"),
    ("\x00\x01\x02 binary", 1, "not well-formed"),
    (b"<?xml version='1.0' encoding='UTF-7'?><!ELEMENT a EMPTY>", 1, "cannot be read"),
    (b"<?xml version='1.0' encoding='no-such'?><!ELEMENT a EMPTY>", 1, "cannot be read"),
]


@pytest.mark.parametrize(("text", "line", "words"), REFUSED, ids=range(len(REFUSED)))
def test_refused(tmp_path: Path, text: str | bytes, line: int, words: str) -> None:
    with pytest.raises(SchemaError) as caught:
        schema_of(tmp_path, text)
    assert words in str(caught.value)
    assert (Path(caught.value.file).name, caught.value.line) == ("test.dtd", line)


def test_errors_survive_pickling(tmp_path: Path) -> None:
    error = SchemaError("it is wrong", file="x.dtd", line=3, element="a")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "x.dtd:3: it is wrong" and again.element == "a"


def test_schemas_survive_pickling(tmp_path: Path) -> None:
    schema = schema_of(tmp_path, "<!ELEMENT a (b*, gone?)><!ATTLIST a x (p|q) 'p'><!ELEMENT b EMPTY>").with_roots("a")
    again = pickle.loads(pickle.dumps(schema))
    assert again == schema and again.roots == ("a",) and again.children("a") == schema.children("a")
    seen = Schema.from_documents([b"<a><b/></a>"])
    assert pickle.loads(pickle.dumps(seen)).seen == seen.seen


def test_entity_bombs_are_refused(tmp_path: Path) -> None:
    lines = ["<!ENTITY % e0 '<!-- 0123456789012345678901234567890123456789 -->'>"]
    lines += [f"<!ENTITY % e{i} '{f'&#37;e{i - 1};' * 10}'>" for i in range(1, 10)]
    with pytest.raises(SchemaError, match="amplification"):
        schema_of(tmp_path, "\n".join([*lines, "%e9;", "<!ELEMENT a EMPTY>"]))


def test_many_elements_that_admit_all_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="more than 2,000,000 pairs"):
        schema_of(tmp_path, "".join(f"<!ELEMENT e{number} ANY>" for number in range(1_500)))


def test_a_regression_long_chains_of_elements_take_no_quadratic_time(tmp_path: Path) -> None:
    text = "".join(f"<!ELEMENT e{number} (e{number + 1})>" for number in range(20_000)) + "<!ELEMENT e20000 EMPTY>"
    start = time.perf_counter()
    schema = schema_of(tmp_path, text)
    graph = ElementGraph.of(schema)
    assert graph.heights["e0"] == 20_001 == graph.height(("e0",)) and graph.cycles() == ()
    assert len(PathAutomaton.of(schema)) == 20_002
    assert time.perf_counter() - start < 10  # half a second; what is quadratic takes minutes


def test_chains_of_files_are_bounded(tmp_path: Path) -> None:
    for number in range(60):
        text = f"<!ENTITY % x{number} SYSTEM '{number + 1}.mod'> %x{number};"
        (tmp_path / f"{number}.mod").write_text(text)
    with pytest.raises(SchemaError, match="50 inside each other"):
        schema_of(tmp_path, "<!ENTITY % x SYSTEM '0.mod'> %x; <!ELEMENT a EMPTY>")


def test_a_folder_is_no_schema(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="no regular file"):
        Schema.from_dtd(tmp_path)
    with pytest.raises(SchemaError, match="no such file"):
        Schema.from_dtd(tmp_path / "nothing.dtd")


def test_namespaces_that_a_schema_fixes(tmp_path: Path) -> None:
    schema = schema_of(
        tmp_path,
        """<!ELEMENT r (p:a, b, c)><!ATTLIST r xmlns CDATA #FIXED "urn:r" xmlns:p CDATA #FIXED "urn:p">
        <!ELEMENT p:a EMPTY><!ELEMENT b EMPTY><!ELEMENT c EMPTY><!ATTLIST c xmlns CDATA #FIXED "urn:c">""",
    )
    names = {name: schema.expanded(name) for name in schema.elements}
    assert names == {"r": ("urn:r", "r"), "p:a": ("urn:p", "a"), "b": ("urn:r", "b"), "c": ("urn:c", "c")}


def test_children_of_a_name_that_is_not_declared(tmp_path: Path) -> None:
    schema = schema_of(tmp_path, "<!ELEMENT a (b)><!ELEMENT b EMPTY>")
    assert schema.children("a") == (Child("b", 1, 1),)
    with pytest.raises(UsageError, match="declares no element 'nope'"):
        schema.children("nope")


def test_a_schema_can_be_pickled(tmp_path: Path) -> None:
    schema = schema_of(tmp_path, "<!ELEMENT a (b?, gone?)><!ELEMENT b (#PCDATA)><!ATTLIST b k (x|y) 'x'>").with_roots(
        "a"
    )
    copy = pickle.loads(pickle.dumps(schema))
    assert copy == schema and copy.children("a") == schema.children("a") and copy.problems == schema.problems != ()
