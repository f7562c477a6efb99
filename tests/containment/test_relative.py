"""Containment for the valid documents of a schema: yes against many of them, no with one that libxml2 validates."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from lxml import etree

from tests.containment.judge import check_witness
from tests.scale import scaled
from tests.shared_data import need
from tests.xpath.tree import document, read
from xylem.containment import compare, contains
from xylem.schema import Schema
from xylem.workload import DocumentParameters, SubscriptionParameters, documents, subscriptions
from xylem.xpath import holds, parse

NEWS = """
<!ELEMENT news (story+, note?)>
<!ELEMENT story (head, body)>
<!ATTLIST story id ID #REQUIRED desk (home | world) "home" by CDATA #IMPLIED>
<!ELEMENT head (#PCDATA)>
<!ELEMENT body (p | list)*>
<!ELEMENT p (#PCDATA | b)*>
<!ELEMENT b (#PCDATA)>
<!ELEMENT list (item+)>
<!ELEMENT item (p*, list?)>
<!ELEMENT note EMPTY>
"""


@pytest.fixture
def news(tmp_path: Path) -> Schema:
    path = tmp_path / "news.dtd"
    path.write_text(NEWS)
    return Schema.from_dtd(path)


# Contained for valid documents, and not for all.
RELATIVE = [
    ("/news/story", "//story"),
    ("/news/story", "/news//head"),
    ("/news/story/body", "//b"),
    ("//p/b", "//b"),
    ("//list/item", "//item"),
    ("//body/*", "//list/item"),
    ("/news/story/@desk", "//@desk"),
    ("/news/story/@by", "//*/@by"),
    ("/never", "//head/p"),
    ("/never", "/story"),
    ("/never", "//note/text()"),
    ("/never", "//p/@id"),
]
NOT_RELATIVE = [
    ("//story/body/p", "//p"),
    ("/news/note", "//story"),
    ("//story/@by", "//story"),
    ("//list//list", "//list"),
    ("//item/p/b", "//item/p"),
]


@pytest.mark.parametrize(("outer", "inner"), RELATIVE)
def test_contained_for_valid_documents(news: Schema, outer: str, inner: str) -> None:
    assert contains(parse(outer), parse(inner)) is False
    assert contains(parse(outer), parse(inner), schema=news) is True


@pytest.mark.parametrize(("outer", "inner"), NOT_RELATIVE)
def test_not_contained_for_valid_documents(news: Schema, tmp_path: Path, outer: str, inner: str) -> None:
    answer = compare(parse(outer), parse(inner), schema=news)
    assert answer.contains is False
    check_witness(answer, parse(outer), parse(inner))
    assert answer.witness is not None
    dtd = etree.DTD(str(tmp_path / "news.dtd"))
    assert dtd.validate(etree.fromstring(answer.witness)), (answer.witness, dtd.error_log)


def test_what_a_schema_never_has_is_contained_in_all(news: Schema) -> None:
    assert contains(parse("/x"), parse("//zzz"), schema=news) is True


def test_required_neighbours_are_no_counterexample(news: Schema) -> None:
    """Every story has a head, although the path to its body does not say so."""
    assert contains(parse("//head"), parse("//story/body"), schema=news) is not False


def test_open_namespaces_are_not_known(tmp_path: Path) -> None:
    path = tmp_path / "open.dtd"
    path.write_text("<!ELEMENT a (b*)><!ATTLIST a xmlns CDATA #IMPLIED><!ELEMENT b EMPTY>")
    assert contains(parse("/a/b"), parse("//b"), schema=Schema.from_dtd(path)) is None


def test_random_paths_and_valid_documents(news: Schema) -> None:
    parameters = SubscriptionParameters(count=scaled(150), seed=3, max_depth=5, wildcard=0.3, descendant=0.4)
    patterns = [parse(xpath) for _, xpath in subscriptions(news, parameters)]
    made = [document(read(data)) for data in documents(news, DocumentParameters(count=scaled(60), seed=4))]
    random = Random(5)
    more = 0
    for _ in range(scaled(2_000)):
        outer, inner = random.choice(patterns), random.choice(patterns)
        if contains(outer, inner, schema=news):
            more += not contains(outer, inner)
            for node in made:
                assert holds(outer.condition, node) or not holds(inner.condition, node), (outer, inner)
    assert more > scaled(2_000) // 50


def test_a_large_published_schema() -> None:
    """NITF: an answer for every pair of a sample, and more of them contained than without the schema."""
    schema = Schema.from_dtd(next(need("dtd", "nitf-2.5").glob("*.dtd")))
    parameters = SubscriptionParameters(count=60, seed=1, max_depth=8, descendant=0.5)
    patterns = [parse(xpath) for _, xpath in subscriptions(schema, parameters)]
    answers = [contains(outer, inner, schema=schema) for outer in patterns[:12] for inner in patterns]
    plain = [contains(outer, inner) for outer in patterns[:12] for inner in patterns]
    assert answers.count(True) > plain.count(True)
