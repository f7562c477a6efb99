"""The engine `tree` keeps every engine's promises."""

from __future__ import annotations

from typing import Any

from tests.matching.contract import EngineContract
from xylem import Matcher


class TestTree(EngineContract):
    @staticmethod
    def make(**options: Any) -> Matcher:
        return Matcher("tree", **options)
