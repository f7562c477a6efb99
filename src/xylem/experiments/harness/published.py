"""What the papers published, as data: `published.toml` beside this module, each figure with its source.

    claim  one number, or a shape in words
    table  rows of numbers along a parameter

Invariant: every entry names a paper, a place in it, how it was read, and words that stand there.

This module knows nothing of what is measured here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from xylem.errors import UsageError

READINGS = ("text", "table", "plot")


@dataclass(frozen=True, slots=True)
class Paper:
    id: str
    authors: str
    title: str
    venue: str


@dataclass(frozen=True, slots=True)
class Claim:
    """`words` stand in the paper; `value` is what they say as a number, where they say one."""

    id: str
    paper: str
    place: str
    says: str
    read: str
    words: str
    value: float | None = None
    unit: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)

    @property
    def number(self) -> float:
        """The value; raises ValueError for a claim that is a shape in words."""
        if self.value is None:
            raise ValueError(f"{self.id} says no number")
        return self.value


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` hold one number for each entry of `columns`, which are values of the parameter `along`."""

    id: str
    paper: str
    place: str
    says: str
    read: str
    unit: str
    along: str
    columns: tuple[object, ...]
    rows: Mapping[str, tuple[float, ...]]
    words: str
    parameters: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, values in self.rows.items():
            if len(values) != len(self.columns):
                raise ValueError(f"{self.id}: row '{name}' has {len(values)} numbers for {len(self.columns)} columns")


@dataclass(frozen=True, slots=True)
class Published:
    papers: Mapping[str, Paper]
    claims: Mapping[str, Claim]
    tables: Mapping[str, Table]

    def claim(self, id: str) -> Claim:
        if id not in self.claims:
            raise UsageError(f"there is no published claim '{id}'")
        return self.claims[id]

    def table(self, id: str) -> Table:
        if id not in self.tables:
            raise UsageError(f"there is no published table '{id}'")
        return self.tables[id]


@cache
def published() -> Published:
    """The data file, read and checked."""
    return parse(files("xylem.experiments.harness").joinpath("published.toml").read_text(encoding="utf-8"))


def parse(text: str) -> Published:
    """Raises ValueError for an entry that has no source, has one twice, or contradicts itself."""
    plain = tomllib.loads(text)
    papers = {id: Paper(id, **facts) for id, facts in plain["papers"].items()}
    claims = [Claim(**entry) for entry in plain.get("claim", [])]
    tables = [
        Table(**{**entry, "columns": tuple(entry["columns"]), "rows": {k: tuple(v) for k, v in entry["rows"].items()}})
        for entry in plain.get("table", [])
    ]
    seen: set[str] = set()
    entries: list[Claim | Table] = [*claims, *tables]
    for entry in entries:
        if entry.id in seen:
            raise ValueError(f"{entry.id} stands there twice")
        seen.add(entry.id)
        if entry.paper not in papers or not entry.id.startswith(f"{entry.paper}/"):
            raise ValueError(f"{entry.id}: its id does not begin with its paper, or the paper is not described")
        if entry.read not in READINGS or not entry.place or not entry.words:
            raise ValueError(f"{entry.id}: how and where it was read is missing")
    return Published(papers, {claim.id: claim for claim in claims}, {table.id: table for table in tables})
