"""`xylem match`: input and output forms, rejects in their place, exit codes; every bad input that shows here."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.cli.command import Command, Files

SUBSCRIPTIONS = "b\t//b\na\t//a\nboth\t//a[b]\n"


@pytest.fixture(autouse=True)
def inbox(files: Files) -> None:
    files(
        {
            "s.tsv": SUBSCRIPTIONS,
            "a.xml": "<a/>",
            "ab.xml": "<a><b/></a>",
            "none.xml": "<c/>",
            "broken.xml": "<a>\n  <b></a>\n",
        }
    )


def _answer(document: str, *subscriptions: str) -> dict[str, object]:
    return {"document": document, "subscriptions": list(subscriptions)}


def test_one_line_a_document_in_the_order_given(xylem: Command) -> None:
    result = xylem("match", "--subscriptions", "s.tsv", "none.xml", "ab.xml", "a.xml")
    assert result.code == 0
    assert result.err == ""
    assert result.out == (
        '{"document": "none.xml", "subscriptions": []}\n'
        '{"document": "ab.xml", "subscriptions": ["a", "b", "both"]}\n'
        '{"document": "a.xml", "subscriptions": ["a"]}\n'
    )


def test_ids_are_sorted(xylem: Command, files: Files) -> None:
    files({"s.tsv": "".join(f"{identifier}\t//a\n" for identifier in ("zoë", "10", "9", "Z", "ä", "a"))})
    result = xylem("match", "-s", "s.tsv", "a.xml")
    assert result.lines == [_answer("a.xml", *sorted(("zoë", "10", "9", "Z", "ä", "a")))]
    assert "zoë" in result.out


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_reject_stands_in_its_place(xylem: Command, workers: int) -> None:
    paths = ["a.xml", "broken.xml", "missing.xml", "ab.xml", "missing.xml", "missing.xml"]
    result = xylem("match", "-s", "s.tsv", "--workers", workers, *paths)
    assert result.code == 3
    assert [line["document"] for line in result.lines] == paths
    assert ["error" in line for line in result.lines] == [False, True, True, False, True, True]
    error = result.lines[1]["error"]
    assert (error["line"], error["column"] > 0) == (2, True)
    assert error["reason"]
    assert result.lines[2]["error"]["line"] == 0
    assert set(error) == {"reason", "line", "column"}


def test_many_documents_and_workers(xylem: Command) -> None:
    paths = ["a.xml", "none.xml", "ab.xml", "broken.xml"] * 50
    alone = xylem("match", "-s", "s.tsv", *paths)
    together = xylem("match", "-s", "s.tsv", "--workers", 3, *paths)
    assert together == alone
    assert len(alone.lines) == 200


# What a path may be.


def test_a_directory_is_walked_and_sorted(xylem: Command, files: Files) -> None:
    files({"in/z.xml": "<a/>", "in/b/c.xml": "<b/>", "in/a.xml": "<c/>"})
    result = xylem("match", "-s", "s.tsv", "in")
    assert sorted(result.lines, key=str) == [
        _answer("in/a.xml"),
        _answer("in/b/c.xml", "b"),
        _answer("in/z.xml", "a"),
    ]
    again = xylem("match", "-s", "s.tsv", "in/")
    assert [line["document"] for line in again.lines] == [line["document"] for line in result.lines]


def test_archives(xylem: Command) -> None:
    with zipfile.ZipFile("z.zip", "w") as archive:
        archive.writestr("2.xml", "<b/>")
        archive.writestr("1.xml", "<a/>")
    with tarfile.open("t.tar.gz", "w:gz") as tar:
        member = tarfile.TarInfo("m.xml")
        member.size = 4
        tar.addfile(member, io.BytesIO(b"<a/>"))
    Path("g.xml.gz").write_bytes(gzip.compress(b"<b/>"))
    result = xylem("match", "-s", "s.tsv", "z.zip", "t.tar.gz", "g.xml.gz")
    assert result.code == 0
    assert result.lines[:3] == [
        _answer("z.zip!1.xml", "a"),
        _answer("z.zip!2.xml", "b"),
        _answer("t.tar.gz!m.xml", "a"),
    ]
    assert result.lines[3]["subscriptions"] == ["b"]


def test_records(xylem: Command, files: Files) -> None:
    files({"feed.xml": "<feed><a/><a><b/></a></feed>"})
    result = xylem("match", "-s", "s.tsv", "--record", "a", "feed.xml")
    assert result.code == 0
    assert result.lines == [_answer("feed.xml#1", "a"), _answer("feed.xml#2", "a", "b", "both")]


def test_standard_input(xylem: Command) -> None:
    assert xylem("match", "-s", "s.tsv", "-", stdin=b"<b/>").lines == [_answer("-", "b")]
    assert xylem("match", "-s", "-", "a.xml", stdin=b"x\t//a\n").lines == [_answer("a.xml", "x")]
    assert xylem("match", "-s", "-", "--format", "csv", "a.xml", stdin=b"x,//a\n").lines == [_answer("a.xml", "x")]


def test_records_of_standard_input(xylem: Command) -> None:
    result = xylem("match", "-s", "s.tsv", "--record", "b", "-", stdin=b"<a><b/><b/></a>")
    assert result.lines == [_answer("-#1", "b"), _answer("-#2", "b")]


def test_a_name_that_is_no_text(xylem: Command) -> None:
    name = os.fsdecode(b"\xff.xml")
    Path(name).write_bytes(b"<a/>")
    result = xylem("match", "-s", "s.tsv", name)
    assert result.lines == [_answer("\\xff.xml", "a")]


# Documents that are no documents.

BAD = {
    "empty": b"",
    "blank": b" \n",
    "text": b"hello",
    "truncated": b"<a><b/>",
    "two roots": b"<a/><a/>",
    "binary": bytes(range(256)),
    "wrong encoding": b"<?xml version='1.0' encoding='UTF-8'?><a>\xff</a>",
    "unknown encoding": b"<?xml version='1.0' encoding='nonsense'?><a/>",
    "utf-7": b"<?xml version='1.0' encoding='utf-7'?><a/>",
    "entity bomb": b"<!DOCTYPE a [<!ENTITY x '"
    + b"y" * 100
    + b"'>"
    + b"".join(b"<!ENTITY %c '%s'>" % (97 + n, (b"&x;" if not n else b"&%c;" % (96 + n)) * 10) for n in range(9))
    + b"]><a>&i;</a>",
    "quadratic": b"<!DOCTYPE a [<!ENTITY x '" + b"y" * 100_000 + b"'>]><a>" + b"&x;" * 100_000 + b"</a>",
    "recursive entity": b"<!DOCTYPE a [<!ENTITY x '&y;'><!ENTITY y '&x;'>]><a>&x;</a>",
    "deep": b"<a>" * 100_000 + b"</a>" * 100_000,
    "unclosed": b"<a>" * 30_000,
    "wide": b"<a " + b" ".join(b"a%d=''" % n for n in range(100_000)) + b"/>",
    "long name": b"<" + b"a" * 1_000_000 + b"/>",
    "unbound prefix": b"<p:a/>",
    "gzip": gzip.compress(b"<a/>"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_document_is_a_reject_and_the_rest_goes_on(xylem: Command, files: Files, case: str) -> None:
    files({"bad.xml": BAD[case]})
    result = xylem("match", "-s", "s.tsv", "a.xml", "bad.xml", "ab.xml")
    assert result.code == 3
    first, bad, last = result.lines
    assert first == _answer("a.xml", "a")
    assert last == _answer("ab.xml", "a", "b", "both")
    assert bad["document"] == "bad.xml"
    assert bad["error"]["reason"]
    assert len(json.dumps(bad)) < 1_000
    assert result.err == ""


@pytest.mark.parametrize(
    "entity",
    [
        "<!ENTITY x SYSTEM 'secret.txt'>",
        "<!ENTITY x SYSTEM 'http://127.0.0.1:9/x'>",
        "<!ENTITY % x SYSTEM 'secret.txt'> %x;",
    ],
)
def test_nothing_is_fetched(xylem: Command, files: Files, entity: str) -> None:
    files({"secret.txt": "<b/>", "x.xml": f"<!DOCTYPE a [{entity}]><a>&x;</a>"})
    result = xylem("match", "-s", "s.tsv", "x.xml")
    (line,) = result.lines
    assert "error" in line or line == _answer("x.xml", "a")


def test_bad_sources(xylem: Command, files: Files, tmp_path: Path) -> None:
    files({"broken.zip": b"PK\x03\x04nonsense", "broken.tar.gz": b"\x1f\x8bnonsense", "broken.xml.gz": b"nonsense"})
    with zipfile.ZipFile("nested.zip", "w") as archive:
        archive.write("broken.zip", "inner.zip")
        archive.writestr("good.xml", "<a/>")
    with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.xml", b" " * 200_000_000)
    os.mkfifo(tmp_path / "pipe")
    paths = ["broken.zip", "broken.tar.gz", "broken.xml.gz", "nested.zip", "bomb.zip", "pipe", "no/such.xml", "a.xml"]
    result = xylem("match", "-s", "s.tsv", *paths)
    assert result.code == 3
    errors = [line for line in result.lines if "error" in line]
    assert {line["document"].partition("!")[0] for line in errors} == set(paths[:-1])
    assert [line for line in result.lines if "error" not in line] == [
        _answer("nested.zip!good.xml", "a"),
        _answer("a.xml", "a"),
    ]


def test_what_may_not_be_read(xylem: Command, files: Files, tmp_path: Path) -> None:
    files({"closed/c.xml": "<a/>"})
    Path("a.xml").chmod(0)
    Path("closed").chmod(0)
    tmp_path.chmod(0o755)
    privileged = os.geteuid() == 0
    if privileged:  # root may read everything, so somebody else does the reading
        os.seteuid(65534)
    try:
        result = xylem("match", "-s", "s.tsv", "a.xml", "closed", "ab.xml")
        subscriptions = xylem("match", "-s", "a.xml", "ab.xml")
    finally:
        if privileged:
            os.seteuid(0)
        Path("closed").chmod(0o755)
    assert result.code == 3
    assert [line["document"] for line in result.lines] == ["a.xml", "closed", "ab.xml"]
    assert ["permission denied" in str(line).lower() for line in result.lines] == [True, True, False]
    assert subscriptions.code == 2
    assert subscriptions.err == "xylem: a.xml: cannot be read: Permission denied\n"


def test_an_empty_directory_has_no_documents(xylem: Command) -> None:
    Path("nothing").mkdir()
    result = xylem("match", "-s", "s.tsv", "nothing", "a.xml")
    assert _answer("a.xml", "a") in result.lines


# Subscriptions that are none.

BAD_XPATHS = {
    "variable": "//a[. = $x]",
    "unknown function": "//a[foo()]",
    "unbalanced": "//a[b",
    "empty": "",
    "unbound prefix": "//p:a",
    "long": "//" + "a" * 1_000_000,
    "nested": "//a" + "[b" * 10_000 + "]" * 10_000,
    "parentheses": "(" * 10_000 + "1" + ")" * 10_000,
    "steps": "/a" * 10_000,
}


@pytest.mark.parametrize("case", BAD_XPATHS)
def test_a_bad_subscription_is_rejected_and_the_rest_goes_on(xylem: Command, files: Files, case: str) -> None:
    files({"s.tsv": f"x\t//a\nbad\t{BAD_XPATHS[case]}\ny\t//b\n"})
    result = xylem("match", "-s", "s.tsv", "ab.xml")
    assert result.code == 4
    assert result.lines == [_answer("ab.xml", "x", "y")]
    lines = result.err.splitlines()
    assert lines[0].startswith("s.tsv:2: subscription 'bad' is rejected: ")
    assert "(column " in lines[0]
    assert lines[2].strip() == "^"
    assert len(result.err) < 1_000
    as_json = xylem("match", "-s", "s.tsv", "--json", "ab.xml")
    said = json.loads(as_json.err)
    assert said["subscription"] == "bad"
    assert said["line"] == 2
    assert said["column"] >= 1
    assert said["construct"]
    assert said["xpath"] == BAD_XPATHS[case]


def test_two_subscriptions_with_one_id(xylem: Command, files: Files) -> None:
    files({"s.tsv": "x\t//a\n\nx\t//b\ny\t//b\n"})
    result = xylem("match", "-s", "s.tsv", "ab.xml")
    assert result.code == 4
    assert result.lines == [_answer("ab.xml", "x", "y")]
    assert result.err == (
        "s.tsv:3: subscription 'x' is rejected: the id is taken: line 1 has it too, and the first one stays\n"
    )
    assert xylem("match", "-s", "s.tsv", "none.xml").lines == [_answer("none.xml")]


def test_an_id_is_free_again_when_its_first_subscription_was_rejected(xylem: Command, files: Files) -> None:
    files({"s.tsv": "x\t//a[\nx\t//b\n"})
    result = xylem("match", "-s", "s.tsv", "ab.xml")
    assert result.code == 4
    assert result.lines == [_answer("ab.xml", "x")]
    assert len(result.err.splitlines()) == 3


def test_documents_weigh_more_than_subscriptions(xylem: Command, files: Files) -> None:
    files({"s.tsv": "x\t//a[\ny\t//a\n"})
    result = xylem("match", "-s", "s.tsv", "broken.xml")
    assert result.code == 3
    assert "'x' is rejected" in result.err


def test_all_subscriptions_rejected(xylem: Command, files: Files) -> None:
    files({"s.tsv": "x\t//a[\n"})
    result = xylem("match", "-s", "s.tsv", "a.xml")
    assert result.code == 4
    assert result.lines == [_answer("a.xml")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "s.tsv: holds no subscriptions"),
        (b"# none\n", "s.tsv: holds no subscriptions"),
        (b"x\t//a\ny //b\n", "s.tsv:2: met 'y //b', expected id<TAB>xpath"),
        (b"x\t//a\n\x00\x01", "s.tsv:2: is binary"),
        (b"x\t//\xff\n", "s.tsv:1: is not UTF-8"),
    ],
)
def test_a_bad_subscription_file(xylem: Command, files: Files, content: bytes, said: str) -> None:
    files({"s.tsv": content})
    result = xylem("match", "-s", "s.tsv", "a.xml")
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith(f"xylem: {said}")


@pytest.mark.parametrize(("path", "said"), [("no.tsv", "No such file"), (".", "Is a directory")])
def test_a_subscription_file_that_cannot_be_read(xylem: Command, path: str, said: str) -> None:
    result = xylem("match", "-s", path, "a.xml")
    assert result.code == 2
    assert said in result.err


# Options.


def test_namespaces(xylem: Command, files: Files) -> None:
    files(
        {
            "s.jsonl": '{"id": "own", "xpath": "//p:a", "namespaces": {"p": "urn:q"}}\n'
            '{"id": "shared", "xpath": "//p:a"}\n{"id": "bare", "xpath": "//a"}\n',
            "n.xml": "<a xmlns='urn:q'/>",
            "m.xml": "<x:a xmlns:x='urn:p'/>",
        }
    )
    result = xylem("match", "-s", "s.jsonl", "--ns", "p=urn:p", "n.xml", "m.xml", "a.xml")
    assert result.code == 0
    assert result.lines == [_answer("n.xml", "own"), _answer("m.xml", "shared"), _answer("a.xml", "bare")]


@pytest.mark.parametrize("engine", ["auto", "tree", "reference"])
def test_engines_agree(xylem: Command, engine: str) -> None:
    result = xylem("match", "-s", "s.tsv", "--engine", engine, "ab.xml")
    assert result.lines == [_answer("ab.xml", "a", "b", "both")]


def test_an_unknown_engine_is_wrong_usage(xylem: Command) -> None:
    result = xylem("match", "-s", "s.tsv", "--engine", "fastest", "a.xml")
    assert result.code == 2
    assert result.out == ""
    assert "'fastest'" in result.err
    assert "tree" in result.err
    assert "reference" in result.err


def test_strict(xylem: Command, files: Files) -> None:
    files({"s.tsv": "x\tname(/*) = 'a'\ny\t//a\n"})
    assert xylem("match", "-s", "s.tsv", "ab.xml").lines == [_answer("ab.xml", "x", "y")]
    result = xylem("match", "-s", "s.tsv", "--strict", "ab.xml")
    assert result.code == 4
    assert result.lines == [_answer("ab.xml", "y")]
    assert "subscription 'x' is rejected" in result.err


def test_limits(xylem: Command) -> None:
    result = xylem("match", "-s", "s.tsv", "--limit", "depth=1", "--limit", "name=100", "a.xml", "ab.xml")
    assert result.code == 3
    assert result.lines[0] == _answer("a.xml", "a")
    assert "depth" in result.lines[1]["error"]["reason"]


def test_stats(xylem: Command, files: Files) -> None:
    files({"s.tsv": "x\t//a\ny\t//b[\n"})
    result = xylem("match", "-s", "s.tsv", "--stats", "a.xml", "broken.xml")
    summary = result.err.splitlines()[-4:]
    assert summary[0].split() == ["engine", "tree"]
    assert "1 taken, 1 rejected" in summary[1]
    assert "1 read, 1 rejected" in summary[2]
    assert summary[3].startswith("matches        1 ")


def test_stats_as_json(xylem: Command, files: Files) -> None:
    files({"s.tsv": "x\t//a\ny\t//b[\n"})
    result = xylem("match", "-s", "s.tsv", "--stats", "--json", "a.xml", "broken.xml")
    rejected, said = (json.loads(line) for line in result.err.splitlines())
    assert rejected["subscription"] == "y"
    stats = said["stats"]
    assert stats["engine"] == "tree"
    assert (stats["subscriptions"]["taken"], stats["subscriptions"]["rejected"]) == (1, 1)
    assert (stats["documents"]["read"], stats["documents"]["rejected"]) == (1, 1)
    assert stats["matches"] == 1


def test_the_engine_is_not_imported_for_help() -> None:
    """What is slow to import is imported by the commands that need it, when they need it."""
    import subprocess
    import sys

    program = (
        "import sys; from xylem.cli.process import run; code = run(['--help']);"
        "heavy = {'numba', 'numpy', 'lxml', 'rich', 'pyspark'} & set(sys.modules);"
        "assert not heavy, heavy; sys.exit(code)"
    )
    assert subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=False).returncode == 0
