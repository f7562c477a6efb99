"""The examples in README and guide are run, and what they show is what comes out.

In one page, top to bottom, in an empty folder:

    ```xml story.xml        a block whose info string names a file makes that file
    ```python               is run; `expression  # -> value` is checked
    ```console              `$ command` is run by bash; the lines after it are its output, standard error included;
                            … stands for any text, a line of its own for any lines

Blocks of other kinds are only read.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.repository import ROOT, tracked_files

PAGES = [
    path
    for path in tracked_files()
    if path.suffix == ".md" and (path == ROOT / "README.md" or path.is_relative_to(ROOT / "docs" / "guide"))
]


@dataclass(frozen=True)
class Block:
    language: str
    file: str
    text: str
    line: int


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w+)(?: +(\S+))?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(found[1], found[2] or "", found[3], text.count("\n", 0, found.start()) + 1)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "xylem").symlink_to(ROOT / "xylem")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    names: dict[str, Any] = {"__name__": "example"}
    for block in _blocks(page):
        place = f"{page.name}:{block.line}"
        if block.file:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            _run_python(block, names, place)
        elif block.language == "console":
            _run_console(block, tmp_path, place)


def _run_python(block: Block, names: dict[str, Any], place: str) -> None:
    lines = block.text.splitlines()
    for node in ast.parse(block.text).body:
        last = lines[(node.end_lineno or node.lineno) - 1]
        _, arrow, expected = last.partition("# -> ")
        if arrow and isinstance(node, ast.Expr):
            got = eval(compile(ast.Expression(node.value), place, "eval"), names)
            wanted = eval(expected, names)
            assert got == wanted, f"{place}: line {node.lineno} gave {got!r}"
        else:
            exec(compile(ast.Module([node], []), place, "exec"), names)


def _run_console(block: Block, folder: Path, place: str) -> None:
    environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}", COLUMNS="80")
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, expected = _command(part)
        run = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        printed = run.stdout.decode()
        assert _agrees(printed, expected), f"{place}: $ {command}\nprinted:\n{printed}\nexpected:\n{expected}"


def _command(part: str) -> tuple[str, str]:
    """A command, with the lines that a backslash continues, and the output shown for it."""
    lines = part.split("\n")
    length = 1
    while lines[length - 1].endswith("\\"):
        length += 1
    return "\n".join(lines[:length]), "\n".join(lines[length:])


def _agrees(printed: str, expected: str) -> bool:
    """Whether the lines printed are those shown, blanks at their ends and blank lines at both ends aside."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + r"\n"
        for line in expected.strip("\n").split("\n")
    )
    got = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").split("\n"))
    return re.fullmatch(pattern, got) is not None


def test_the_first_runnable_line_comes_early() -> None:
    before = (ROOT / "README.md").read_text().partition("```")[0]
    assert len(before.split()) <= 100


def test_the_readme_shows_the_two_scripts() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "./xylem demo" in readme
    assert "./test" in readme


def test_examples_that_are_wrong_are_found() -> None:
    assert _agrees("a\nb\nc\n", "a\n…\nc\n")
    assert _agrees("a\nb\n\nb\nc\n", "a\n…\nc\n")
    assert _agrees("a\nc\n", "a\n…\nc\n")
    assert _agrees("a\nb\nc\n", "…\nc\n")
    assert _agrees("a\nb\nc\n", "a\n…\n")
    assert not _agrees("a\nb\nd\n", "a\n…\nc\n")
    assert _agrees("took 3 s\n", "took … s\n")
    assert not _agrees("a\nb\n", "a\n")
    assert not _agrees("took 3 s\nand more\n", "took … s\n")
    with pytest.raises(AssertionError):
        _run_python(Block("python", "", "1 + 1  # -> 3\n", 1), {}, "here")
