"""The news desk: its files are what the demo says, and the demo shows what is true."""

from __future__ import annotations

import json
import time

from lxml import etree

from tests.cli.command import Command
from tests.repository import ROOT
from xylem.cli.demo import ACTS
from xylem.cli.example import FOLDER, NAMESPACES, newsdesk

RECEIVED = {
    "01-tram.xml": ["anna", "goran", "ines"],
    "02-storm.xml": ["ben", "dmitri", "farida", "goran"],
    "03-shares.xml": ["ben", "chloe"],
    "04-final.xml": ["emeka"],
    "05-final-corrected.xml": ["hana"],
    "06-theatre.xml": ["kim"],
    "09-budget.xml": ["anna", "ben", "chloe", "farida", "goran", "ines"],
    "10-museum.xml": [],
}


def test_the_outcome(xylem: Command) -> None:
    result = xylem("demo", "--json")
    assert result.code == 0
    outcome = json.loads(result.out)
    assert outcome["delivered"] == RECEIVED
    assert sorted(outcome["rejects"]) == ["07-cut-off.xml", "08-bomb.xml"]
    assert list(outcome["rejected_subscriptions"]) == ["jonas"]
    assert outcome["disagreements"] == []


def test_the_story_is_told_in_plain_text_in_a_pipe(xylem: Command) -> None:
    began = time.monotonic()
    result = xylem("demo")
    assert time.monotonic() - began < 60
    assert result.code == 0
    assert "\x1b" not in result.out
    for number, (title, _) in enumerate(ACTS, 1):
        assert f"{number}. {title}" in result.out
    assert "80 of 80 answers agree" in result.out
    rows = {
        line.split()[0]: line.split()[1:] for line in result.out.splitlines() if "●" in line and "received" not in line
    }
    names = list(newsdesk().stories)
    for subscriber, cells in rows.items():
        expected = [subscriber in RECEIVED.get(name, ()) for name in names]
        assert [cell == "●" for cell in cells[: len(names)]] == expected
        assert int(cells[-1]) == sum(expected)
        assert [cell == "✗" for cell in cells[: len(names)]] == [name not in RECEIVED for name in names]
    assert sorted(rows) == sorted({subscriber for receivers in RECEIVED.values() for subscriber in receivers})


def test_the_command_shown_gives_the_same(xylem: Command) -> None:
    (namespace,) = (f"{prefix}={uri}" for prefix, uri in NAMESPACES.items())
    result = xylem("match", "-s", FOLDER / "subscribers.tsv", "--ns", namespace, FOLDER / "documents")
    assert result.code == 3
    received = {
        line["document"].rpartition("/")[2]: line["subscriptions"] for line in result.lines if "error" not in line
    }
    assert received == RECEIVED


def test_a_wrong_delivery_would_be_noticed(xylem: Command, monkeypatch: object) -> None:
    import pytest

    from xylem import Matcher

    assert isinstance(monkeypatch, pytest.MonkeyPatch)
    monkeypatch.setattr(Matcher, "match", lambda self, document: ["anna"])
    result = xylem("demo", "--json")
    assert result.code == 1
    assert json.loads(result.out)["disagreements"]


def test_the_stories_obey_their_schema() -> None:
    with (FOLDER / "newsdesk.dtd").open() as file:
        schema = etree.DTD(file)
    for name in RECEIVED:
        assert schema.validate(etree.fromstring(newsdesk().stories[name])), schema.error_log


def test_the_examples_have_one_home() -> None:
    assert (ROOT / "examples" / "newsdesk").resolve() == FOLDER.resolve()
