"""The table of cases: documents, expressions, and what they are (`cases.toml`)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Case:
    xpath: str
    expected: bool
    judged: str
    """The expression that libxml2 is asked at the document node."""


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    document: str
    cases: tuple[Case, ...]

    @property
    def matching(self) -> list[int]:
        return [number for number, case in enumerate(self.cases) if case.expected]


def _groups() -> tuple[Group, ...]:
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(
        Group(
            group["name"],
            group["document"],
            tuple(Case(xpath, expected, judged[0] if judged else xpath) for xpath, expected, *judged in group["cases"]),
        )
        for group in table["group"]
    )


GROUPS = _groups()
