"""The experiments themselves: their definitions hang together, and what they report is what others find."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import pytest
from lxml import etree

from tests.repository import ROOT
from xylem.experiments.harness.experiment import SCALES, Experiment, Point
from xylem.experiments.harness.published import published
from xylem.experiments.harness.setting import Setting
from xylem.experiments.harness.store import load_all
from xylem.experiments.harness.turn import Place, take
from xylem.experiments.registry import experiments
from xylem.experiments.studies.workload_shares import shares

_ALL = experiments()


def _ids(made: Experiment) -> str:
    return made.name


def test_names_are_distinct() -> None:
    assert len({made.name for made in _ALL}) == len({made.title for made in _ALL}) == len(_ALL)


@pytest.mark.parametrize("made", _ALL, ids=_ids)
def test_definitions_hang_together(made: Experiment) -> None:
    assert tuple(made.scales) == SCALES
    assert made.baseline is None or made.baseline in made.variants
    assert set(made.agree) <= set(made.measures)
    for scale in made.scales.values():
        assert all(point["schema"] == "wire" for point in made.scales["small"].points), "small scale runs anywhere"
        for chart in made.charts:
            assert chart.measure in made.measures
            assert chart.against is None or chart.against in made.variants
            shown = [point for point in scale.points if chart.where.items() <= point.items()]
            assert len({point[chart.along] for point in shown}) == len(shown) > 1


@pytest.mark.parametrize("made", _ALL, ids=_ids)
def test_verdicts_speak_of_published_claims(made: Experiment) -> None:
    runs = load_all(made, ROOT / "docs" / "experiments")
    for results in runs:
        verdict = made.judge(results, published())
        assert verdict.headline and verdict.found
        for comparison in verdict.comparisons:
            assert comparison.claim in published().claims
        assert bool(made.reproduces) == bool(verdict.comparisons)


# A point of each experiment that is small enough for a test.
_POINTS: dict[str, Point] = {
    "language": {"schema": "wire", "queries": 20, "kind": "all of these"},
    "reading": {"schema": "wire", "size": 2_000},
    "workload-shares": {"schema": "wire", "documents": 5, "queries": 20},
    "engines-growth": {"schema": "wire", "axis": "queries", "queries": 40, "documents": 8},
}


@pytest.mark.parametrize("made", _ALL, ids=_ids)
def test_every_variant_reports_every_measure(made: Experiment) -> None:
    point = _POINTS[made.name]
    turn = take(Place(point, 1, 0), made.trial(point, Setting(1)), made.measures, made.agree)
    assert list(turn.values) == list(made.variants)
    for values in turn.values.values():
        assert set(values) == set(made.measures)
        assert min(values.values()) >= 0


def test_engines_are_left_out_where_there_are_too_many_questions() -> None:
    made = next(made for made in _ALL if made.name == "engines-growth")
    point = {"schema": "wire", "axis": "queries", "queries": 600, "documents": 20}
    assert list(made.trial(point, Setting(1))) == ["tree", "lxml"]


def test_shares_are_those_that_libxml2_counts() -> None:
    documents = [b"<a><b/></a>", b"<a><c x='1'/></a>", b"<z/>"]
    queries = ["/a", "/a/b", "//c[@x = 1]", "/a/d", "b"]
    trees = [etree.fromstring(document) for document in documents]
    absolute = [query if query.startswith("/") else f"//{query}" for query in queries]
    holds = {(d, q): bool(trees[d].xpath(absolute[q])) for d, q in product(range(3), range(5))}
    assert shares(queries, documents, {}) == {
        "documents": sum(any(holds[d, q] for q in range(5)) for d in range(3)) / 3,
        "subscriptions": sum(any(holds[d, q] for d in range(3)) for q in range(5)) / 5,
        "pairs": sum(holds.values()) / 15,
    }
    assert shares(queries, documents, {})["documents"] == pytest.approx(2 / 3)


def test_importing_everything_needs_no_matplotlib() -> None:
    program = (
        "import sys, pkgutil; sys.modules['matplotlib'] = None\n"
        "import xylem.experiments as room\n"
        "for module in pkgutil.walk_packages(room.__path__, 'xylem.experiments.'): __import__(module.name)\n"
        "from xylem.experiments.registry import experiments; assert experiments()"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
