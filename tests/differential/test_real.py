"""Real queries on real documents: the YFilter release's, judged by libxml2."""

from __future__ import annotations

import gzip
import random

import pytest

from tests.differential.judge import Judge
from tests.scale import scaled
from tests.shared_data import need
from xylem import Matcher


def _queries() -> list[str]:
    with gzip.open(
        need("xpaths", "open", "yfilter", "benchmark_simple_paths", "queries-153928-d.txt.gz"), "rt"
    ) as file:
        return [line.strip() for line in file if line.strip()]


@pytest.mark.parametrize("engine", ["tree", "reference"])
def test_path_queries_on_news(engine: str) -> None:
    rng = random.Random(1)
    folder = need("docs", "nitf-yfilter-synthetic")
    paths = rng.sample(sorted(path for path in folder.rglob("*") if path.is_file()), 4)
    queries = rng.sample(_queries(), scaled(3_000 if engine == "tree" else 300))
    matcher = Matcher(engine)
    for number, query in enumerate(queries):
        matcher.add(number, query)
    judge = Judge([query if query.startswith("/") else f"//{query}" for query in queries])
    matched = 0
    for path in paths:
        expected = judge.matching(path.read_bytes())
        assert list(matcher.match(path)) == expected, path.name
        matched += len(expected)
    assert matched > 0
