"""`xylem generate`: files that the other commands read, whole or not at all."""

from __future__ import annotations

import json
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from xylem.cli.collecting import write_whole
from xylem.cli.process import OutputFailed, run


def test_subscriptions_as_tsv(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    command = ["generate", "subscriptions", "--count", "50", "--seed", "7", "--branch", "0.3", "--predicate", "0.3"]
    assert run(command) == 0
    first = capsysbinary.readouterr().out
    assert run(command) == 0
    assert capsysbinary.readouterr().out == first
    lines = [line.split("\t") for line in first.decode().splitlines()]
    assert [identifier for identifier, _ in lines] == [f"s{number}" for number in range(1, 51)]
    for _, xpath in lines:
        etree.XPath(xpath)


def test_subscriptions_as_json_lines(tmp_path: Path) -> None:
    dtd, out = tmp_path / "a.dtd", tmp_path / "subscriptions.jsonl"
    dtd.write_text('<!ELEMENT a (b*)><!ATTLIST a xmlns CDATA #FIXED "urn:a"><!ELEMENT b EMPTY>')
    assert run(["generate", "subscriptions", "--dtd", str(dtd), "--count", "2", "--out", str(out)]) == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["namespaces"] for line in lines] == [{"n1": "urn:a"}] * 2
    assert [path.name for path in tmp_path.iterdir()].count("subscriptions.jsonl") == 1


def test_documents(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "inbox"
    assert run(["generate", "documents", "--count", "3", "--out", str(out), "--max-bytes", "3000"]) == 0
    files = sorted(out.iterdir())
    assert [path.name for path in files] == [f"document-00000{number}.xml" for number in (1, 2, 3)]
    assert all(etree.parse(path) is not None and path.stat().st_size <= 3_000 for path in files)


REFUSED = [
    (["subscriptions", "--dtd", "nothing.dtd"], "nothing.dtd: there is no such file"),
    (["subscriptions", "--wildcard", "2"], "wildcard is a probability"),
    (["subscriptions", "--count", "10", "--max-depth", "1", "--wildcard", "0", "--descendant", "0"], "1 distinct"),
    (["subscriptions", "--root", "nope"], "the root 'nope'"),
    (["subscriptions", "--count", "many"], "valid integer"),
    (["documents"], "--out"),
    (["documents", "--out", "x", "--max-levels", "1"], "at least"),
    (["documents", "--out", "x", "--min-bytes", "9", "--max-bytes", "1"], "largest size"),
]


@pytest.mark.parametrize(("options", "words"), REFUSED)
def test_wrong_usage(
    options: list[str], words: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["generate", *options]) == 2
    captured = capfd.readouterr()
    assert captured.out == "" and words in captured.err and "Traceback" not in captured.err


def test_a_schema_without_documents_is_wrong_usage(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    dtd = tmp_path / "a.dtd"
    dtd.write_text("<!ELEMENT b EMPTY>\n<!ELEMENT a (a)>")
    assert run(["generate", "documents", "--dtd", str(dtd), "--root", "a", "--out", str(tmp_path / "x")]) == 2
    assert f"{dtd}:2: the element 'a' needs content without end" in capfd.readouterr().err


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    def chunks() -> object:
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputFailed, match="No space left"):
        write_whole(tmp_path / "out", chunks())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert run(["generate", "documents", "--count", "1", "--out", str(tmp_path / "file" / "x")]) == 74
    assert "could not be written" in capfd.readouterr().err


def test_an_archive_is_the_folder_in_one_file(tmp_path: Path) -> None:
    command = ["generate", "documents", "--count", "4", "--max-bytes", "3000", "--out"]
    for name in ("folder", "a.zip", "b.zip", "a.tar.gz", "b.tar.gz", "a.tar"):
        assert run([*command, str(tmp_path / name)]) == 0
    files = {path.name: path.read_bytes() for path in (tmp_path / "folder").iterdir()}
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
    for name in ("a.tar.gz", "a.tar"):
        with tarfile.open(tmp_path / name) as packed:
            assert {m.name: packed.extractfile(m).read() for m in packed} == files  # type: ignore[union-attr]
    for ending in ("zip", "tar.gz"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_parquet(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra xylem[spark] is not installed")
    documents, subscriptions = tmp_path / "d.parquet", tmp_path / "s.parquet"
    assert run(["generate", "documents", "--count", "3", "--out", str(documents)]) == 0
    assert run(["generate", "subscriptions", "--count", "1500", "--out", str(subscriptions)]) == 0
    assert run(["generate", "subscriptions", "--count", "1500"]) == 0
    lines = [line.split("\t") for line in capsysbinary.readouterr().out.decode().splitlines()]
    table = parquet.read_table(subscriptions).to_pydict()
    assert [list(pair) for pair in zip(table["id"], table["xpath"], strict=True)] == lines
    made = parquet.read_table(documents).to_pydict()
    assert made["document"] == [f"document-00000{number}.xml" for number in (1, 2, 3)]
    assert all(etree.fromstring(data) is not None for data in made["xml"])


@pytest.mark.parametrize(("module", "command"), [("pyarrow", "x.parquet"), ("pyspark", "x.zip")])
def test_what_is_not_installed_is_named(
    module: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in (module, f"{module}.sql", f"{module}.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    spark = ["--spark"] if module == "pyspark" else []
    assert run(["generate", "documents", "--count", "1", "--out", str(tmp_path / command), *spark]) == 2
    assert f"needs {module}, which is not installed: pip install 'xylem[spark]'" in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_values_from_a_file(tmp_path: Path) -> None:
    dtd, values = tmp_path / "a.dtd", tmp_path / "values.json"
    dtd.write_text("<!ELEMENT r (p+)><!ELEMENT p (#PCDATA)><!ATTLIST p a CDATA #REQUIRED>")
    values.write_text('{"p": {"weights": {"x": 1, "y": 2}}, "@a": {"numbers": {"least": 1, "most": 3}}}')
    command = ["generate", "documents", "--dtd", str(dtd), "--count", "5", "--values", str(values), "--min-bytes", "1"]
    assert run([*command, "--out", str(tmp_path / "out")]) == 0
    paragraphs = [p for path in (tmp_path / "out").iterdir() for p in etree.parse(path).getroot()]
    assert {p.text for p in paragraphs} == {"x", "y"} and {p.get("a") for p in paragraphs} == {"1", "2", "3"}


WRONG_VALUES = [
    ("{", "Input data was truncated"),
    ('{"p": []}', "the vocabulary of 'p' is empty"),
    ('{"p": {}}', "one of `weights` and `numbers`"),
    ('{"p": {"numbers": {"least": 3, "most": 1}}}', "from a least to a largest"),
    ('{"p": {"more": 1}}', "more"),
]


@pytest.mark.parametrize(("text", "words"), WRONG_VALUES)
def test_wrong_files_of_values(text: str, words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "v.json").write_text(text)
    command = ["generate", "subscriptions", "--count", "1", "--values"]
    assert run([*command, str(tmp_path / "v.json")]) == 2
    captured = capfd.readouterr()
    assert words in captured.err and captured.out == "" and "Traceback" not in captured.err
    assert run([*command, str(tmp_path / "nothing.json")]) == 2


def test_pairs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "pairs"
    assert run(["generate", "pairs", "--documents", "12", "--subscriptions", "20", "--out", str(out)]) == 0
    measured = json.loads((out / "measured.json").read_text())
    roots = [etree.parse(path) for path in sorted((out / "documents").iterdir())]
    texts = [line.split("\t")[1] for line in (out / "subscriptions.tsv").read_text().splitlines()]
    hits = [[text for text in texts if root.xpath(f"boolean({text})")] for root in roots]
    assert measured["matching_documents"] == sum(map(bool, hits)) / 12
    assert measured["matching_subscriptions"] == len({text for texts in hits for text in texts}) / 20 == 0.25
    assert "25.0% of the subscriptions match something" in capfd.readouterr().err
