"""Pages: what they show, and that the committed ones are what the harness writes from the committed results."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.experiments.tiny import experiment
from tests.repository import ROOT
from xylem.errors import UsageError
from xylem.experiments.harness.results import Results
from xylem.experiments.harness.running import Order, run
from xylem.experiments.harness.store import load_all, save
from xylem.experiments.pages.tables import markdown, measure_table, value_words
from xylem.experiments.pages.writing import overview_text, page_text, write_pages
from xylem.experiments.registry import experiments

_COMMITTED = ROOT / "docs" / "experiments"
_NAMES = [made.name for made in experiments()]


@pytest.fixture
def results(tmp_path: Path) -> Results:
    results = run(experiment(), Order(), tmp_path / "journal")
    save(results, tmp_path / "out")
    return results


def test_a_page_says_what_was_measured(results: Results, tmp_path: Path) -> None:
    page = page_text(results.experiment, [results], tmp_path / "out")
    assert "**Verdict at small scale: holds.** linear grows with exponent 1.00" in page
    assert "| place |" not in page  # the same everywhere: it stands above the tables
    assert "place here" in page
    assert "| 10 | 20 | 100 | 5 |" in page
    assert "| 100 | 200 | – | – |" in page
    assert "section 5.2, figures 9 and 10" in page
    assert "xylem experiment run tiny --scale small\n" in page
    assert results.description.machine.processor in page
    assert "small.svg" not in page  # there is none yet


def test_what_all_agree_on_has_no_ratio(results: Results) -> None:
    assert "square ÷ linear" in measure_table(results, "time")
    assert "÷" not in measure_table(results, "found")


def test_another_seed_and_number_of_turns_are_said(tmp_path: Path) -> None:
    results = run(experiment(), Order(seed=4, repeats=1), tmp_path)
    page = page_text(results.experiment, [results], tmp_path)
    assert "xylem experiment run tiny --scale small --seed 4 --repeats 1\n" in page
    assert "1 turn at each point with each of the seeds 4 to 5" in page


def test_the_largest_scale_is_judged_and_stands_first(results: Results, tmp_path: Path) -> None:
    paper = run(results.experiment, Order(scale="paper"), tmp_path)
    page = page_text(results.experiment, [results, paper], tmp_path)
    assert "Verdict at paper scale" in page
    assert page.index("Measured at paper scale") < page.index("Measured at small scale")


def test_the_overview_lists_what_was_not_run(results: Results, tmp_path: Path) -> None:
    other = replace(results.experiment, name="other", title="Other")
    text = overview_text([results.experiment, other], {"tiny": [results]}, tmp_path)
    assert (
        r"| [Tiny things \| and pipes](tiny.md) | nobody |  | linear grows with exponent 1.00 | holds (small scale) |"
        in text
    )
    assert "| Other | nobody |  |  | not run yet |" in text


def test_pages_come_without_figures_where_matplotlib_is_missing(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    from xylem.experiments.pages.figures import draw

    with pytest.raises(UsageError, match="figures need matplotlib"):
        draw(results)
    stale = tmp_path / "out" / "tiny" / "small.svg"
    stale.write_text("<svg/>")
    pages = write_pages(tmp_path / "out", [results.experiment])
    assert [page.name for page in pages] == ["tiny.md", "README.md"]
    assert not stale.exists()
    assert "svg" not in pages[0].read_text() + pages[1].read_text()


def test_figures_are_the_same_bytes_in_every_process(results: Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    program = (
        "import sys; from pathlib import Path; from tests.experiments.tiny import experiment\n"
        "from xylem.experiments.pages.writing import write_pages\n"
        "write_pages(Path(sys.argv[1]), [experiment()])"
    )
    written = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "out", folder)
        environment = {"PYTHONHASHSEED": str(number), "SOURCE_DATE_EPOCH": str(number)}
        subprocess.run([sys.executable, "-c", program, str(folder)], cwd=ROOT, env=environment, check=True)
        written.append({path.name: path.read_bytes() for path in sorted((folder / "tiny").iterdir())})
    assert written[0] == written[1]
    assert {"small.svg", "small.png"} <= set(written[0])
    svg = written[0]["small.svg"].decode()
    assert "Along size" in svg and "square" in svg  # text stays text
    assert "<dc:date>" not in svg and "matplotlib.org" not in svg.partition("<defs>")[2]
    assert written[0]["small.png"].startswith(b"\x89PNG")


@pytest.mark.parametrize("name", _NAMES)
def test_the_committed_page_is_what_the_harness_writes(name: str) -> None:
    made = next(made for made in experiments() if made.name == name)
    runs = load_all(made, _COMMITTED)
    assert runs, f"{name} has no committed results"
    assert (_COMMITTED / f"{name}.md").read_text() == page_text(made, runs, _COMMITTED)
    assert {(_COMMITTED / name / f"small.{ending}").exists() for ending in ("svg", "png")} == {True}


def test_the_committed_overview_is_what_the_harness_writes() -> None:
    runs = {made.name: load_all(made, _COMMITTED) for made in experiments()}
    assert (_COMMITTED / "README.md").read_text() == overview_text(experiments(), runs, _COMMITTED)


@pytest.mark.parametrize("name", _NAMES)
def test_the_committed_figure_is_what_the_harness_draws(name: str) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="figures need matplotlib")
    if f"matplotlib=={matplotlib.__version__}\n" not in (ROOT / "constraints.txt").read_text():
        pytest.skip("another matplotlib than the one that drew the committed figures")
    from xylem.experiments.pages.figures import draw

    made = next(made for made in experiments() if made.name == name)
    for results in load_all(made, _COMMITTED):
        committed = _COMMITTED / name / f"{results.description.scale}.svg"
        assert committed.read_bytes() == draw(results)["svg"]


def test_markdown_tables() -> None:
    assert markdown(["a", "b"], [["x|y", "1"]], numbers=1) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |"
    assert [value_words(value) for value in (1000, 0.25, 2.0, "nitf-2.5")] == ["1,000", "0.25", "2", "nitf-2.5"]
