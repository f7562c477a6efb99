"""`xylem generate`: files that the other commands read, whole or not at all."""

from __future__ import annotations

import json
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
