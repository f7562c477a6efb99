"""`xylem explain`: what it prints, as text and as JSON, and how it ends."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import Command, Files

STORY = """<story priority="2">
  <head><keyword>city</keyword><keyword>rail</keyword></head>
  <p>One</p>
</story>
"""


@pytest.fixture(autouse=True)
def story(files: Files) -> None:
    files({"story.xml": STORY, "broken.xml": "<story>\n<p></story>", "two/a.xml": "<a/>", "two/b.xml": "<b/>"})


def test_a_match_shows_its_witnesses(xylem: Command) -> None:
    result = xylem("explain", "story.xml", "/story/head/keyword[. = 'rail']")
    assert result.code == 0
    assert result.out.splitlines() == [
        "MATCH  story.xml  /story/head/keyword[. = 'rail']",
        "",
        "✓ /story               1 candidate, line 1",
        "└─ ✓ /head             1 candidate, line 2",
        "   └─ ✓ /keyword       2 candidates, 1 witness, line 2",
        "      └─ ✓ . = \"rail\"  met 'rail'",
        "",
        "Indexed in full: the marks above decide.",
    ]


def test_no_match_shows_where_it_stops(xylem: Command) -> None:
    result = xylem("explain", "story.xml", "/story[head/byline/@name]/p")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("NO MATCH")
    assert any("✗ /byline" in line and line.endswith("no candidate") for line in lines)
    assert any("· /@name" in line for line in lines)
    assert "Reached /story/head (line 2): there is no /byline below it." in lines


@pytest.mark.parametrize(
    ("xpath", "said"),
    [
        ("/news", "Stopped at once: there is no /news below it."),
        ("/story[@priority > 2]", "Reached /story/@priority (line 1): . > 2 does not hold."),
        ("/story[not(head)]", "Reached /story (line 1): not(head) does not hold."),
        ("count(//keyword) > 2", "Stopped at once: count(.//keyword) >= 3 does not hold."),
        ("/story[string-length(p) = 4]", "does not hold."),
        ("/story[p = 'Two' or p = 'Three']", "does not hold."),
    ],
)
def test_the_last_step_is_named(xylem: Command, xpath: str, said: str) -> None:
    result = xylem("explain", "story.xml", xpath)
    assert result.code == 0
    assert said in result.out


@pytest.mark.parametrize(
    ("xpath", "mark", "indexed"),
    [
        (
            "/story/head/keyword[2][. = 'rail']",
            '✓ libxml2: boolean(/story/head/keyword[2][. = "rail"])',
            "Indexed in part",
        ),
        (
            "/story/head/keyword[1][. = 'rail']",
            '✗ libxml2: boolean(/story/head/keyword[1][. = "rail"])',
            "Indexed in part",
        ),
        (
            "/news/head/keyword[1][. = 'rail']",
            '· libxml2: boolean(/news/head/keyword[1][. = "rail"])',
            "Indexed in part",
        ),
        ("name(/*) = 'story'", "✓ libxml2", "Not indexed"),
        ("name(/*) = 'news'", "✗ libxml2", "Not indexed"),
    ],
)
def test_what_libxml2_verified(xylem: Command, xpath: str, mark: str, indexed: str) -> None:
    result = xylem("explain", "story.xml", xpath)
    assert result.code == 0
    assert mark in result.out
    assert indexed in result.out
    assert ("All that is indexed holds; the whole expression does not." in result.out) is mark.startswith("✗")


def test_json(xylem: Command) -> None:
    result = xylem("explain", "--json", "story.xml", "/story[@priority > 2]")
    assert result.code == 0
    said = json.loads(result.out)
    assert said["document"] == "story.xml"
    assert said["match"] is False
    assert said["indexed"] == "full"
    step = said["pattern"][0]
    assert (step["part"], step["mark"], step["candidates"], step["witnesses"], step["line"]) == (
        "/story",
        "fails",
        1,
        0,
        1,
    )
    assert step["parts"][0]["parts"][0]["met"] == "2"
    assert said["verification"] is None
    assert "does not hold" in said["stops"]


def test_namespaces(xylem: Command) -> None:
    document = b"<s xmlns='urn:s'><t/></s>"
    result = xylem("explain", "--ns", "n=urn:s", "-", "/n:s/n:u", stdin=document)
    assert result.code == 0
    assert "Reached /n:s (line 1): there is no /n:u below it." in result.out


def test_a_bad_expression(xylem: Command) -> None:
    result = xylem("explain", "story.xml", "//story[foo()]")
    assert result.code == 4
    assert result.out == ""
    lines = result.err.splitlines()
    assert lines[0].startswith("xylem: the expression is rejected: ")
    assert "(column 9)" in lines[0]
    assert lines[1:] == ["    //story[foo()]", "            ^"]


@pytest.mark.parametrize(("path", "said"), [("broken.xml", "line 2"), ("missing.xml", "missing.xml")])
def test_a_bad_document(xylem: Command, path: str, said: str) -> None:
    result = xylem("explain", path, "//story")
    assert result.code == 3
    assert result.out == ""
    assert result.err.startswith("xylem: the document is rejected: ")
    assert said in result.err


def test_limits(xylem: Command) -> None:
    result = xylem("explain", "--limit", "depth=1", "story.xml", "//story")
    assert result.code == 3
    assert "depth" in result.err


def test_one_document_is_explained_at_a_time(xylem: Command) -> None:
    result = xylem("explain", "two", "//a")
    assert result.code == 2
    assert "two holds several, expected one" in result.err
