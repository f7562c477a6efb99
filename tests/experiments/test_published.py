"""The published figures: the file says where each comes from, and agrees with itself and with the papers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.repository import ROOT
from xylem.experiments.harness.published import Claim, Table, parse, published

_PAPERS = ROOT / ".." / "shared" / "papers"
_TEXTS = {"hou2008": "000", "moro2007": "001", "chand2004": "002", "li2010": "003", "ni2007": "004"}

_ENTRIES: dict[str, Claim | Table] = {**published().claims, **published().tables}


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("id", _ENTRIES)
def test_the_words_stand_in_the_paper(id: str) -> None:
    entry = _ENTRIES[id]
    texts = sorted(_PAPERS.glob(f"{_TEXTS[entry.paper]}_*.txt"))
    if not texts:
        pytest.skip("no papers beside this checkout")
    assert _plain(entry.words) in _plain(texts[0].read_text(encoding="utf-8"))


@pytest.mark.parametrize("id", published().tables)
def test_the_numbers_of_a_table_stand_in_the_paper(id: str) -> None:
    table = published().tables[id]
    texts = sorted(_PAPERS.glob(f"{_TEXTS[table.paper]}_*.txt"))
    if not texts:
        pytest.skip("no papers beside this checkout")
    numbers = {float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", Path(texts[0]).read_text())}
    assert {value for row in table.rows.values() for value in row} <= numbers


def _row(id: str, row: str) -> dict[object, float]:
    table = published().table(id)
    return dict(zip(table.columns, table.rows[row], strict=True))


def _saved(id: str, row: str) -> float:
    values = _row(id, row)
    return 1 - values["covering"] / values["no covering"]


def _kept(id: str, of: str, after: str) -> float:
    values = _row(id, "messages")
    return values[after] / values[of]


# What the texts say of their own tables, so that a digit that was copied wrongly would show.
_SAID = [
    (_saved("li2010/table-1.1", "set A"), published().claim("li2010/table-1.1/set-a").number),
    (_saved("li2010/table-1.1", "set B"), published().claim("li2010/table-1.1/set-b").number),
    (_kept("li2010/table-1.2/messages", "none", "both"), published().claim("li2010/traffic/both-7").number),
    (_kept("li2010/table-1.3/messages", "none", "both"), published().claim("li2010/traffic/both-127").number),
    (_kept("li2010/table-1.2/messages", "none", "advertisements"), 0.685),
    (_kept("li2010/table-1.2/messages", "covering", "both"), 0.756),
    (_kept("li2010/table-1.2/messages", "both + perfect merging", "both + imperfect merging"), 1.0138),
    (_kept("li2010/table-1.3/messages", "both + perfect merging", "both + imperfect merging"), 1.0104),
    (_kept("hou2008/traffic", "none", "covering"), 1 - 0.124),
    (_kept("hou2008/traffic", "advertisements", "both"), 1 - 0.034),
]


@pytest.mark.parametrize(("computed", "said"), _SAID)
def test_tables_agree_with_what_the_texts_say_of_them(computed: float, said: float) -> None:
    assert computed == pytest.approx(said, abs=0.0006)


def test_every_reading_is_named() -> None:
    assert {entry.read for entry in _ENTRIES.values()} <= {"text", "table", "plot"}
    assert all(entry.says and entry.place for entry in _ENTRIES.values())


_GOOD = """
[papers.p]
authors = "A"
title = "T"
venue = "V"
[[claim]]
id = "p/x"
paper = "p"
place = "here"
says = "so"
read = "text"
words = "so"
"""


@pytest.mark.parametrize(
    "text",
    [
        _GOOD.replace('paper = "p"', 'paper = "q"'),
        _GOOD.replace('id = "p/x"', 'id = "q/x"'),
        _GOOD.replace('read = "text"', 'read = "hearsay"'),
        _GOOD.replace('words = "so"', 'words = ""'),
        _GOOD + _GOOD.partition("[[claim]]")[1] + _GOOD.partition("[[claim]]")[2],
        _GOOD + '[[table]]\nid="p/t"\npaper="p"\nplace="t"\nsays="s"\nread="table"\nunit="ms"\nalong="n"\n'
        'columns=[1, 2]\nwords="w"\nrows={a=[1.0]}\n',
    ],
)
def test_an_entry_without_a_source_is_refused(text: str) -> None:
    assert parse(_GOOD).claim("p/x").value is None
    with pytest.raises(ValueError):
        parse(text)


def test_a_shape_in_words_has_no_number() -> None:
    with pytest.raises(ValueError, match="says no number"):
        parse(_GOOD).claim("p/x").number  # noqa: B018
