"""What the tests of the command line share: the command inside this process, and files in an empty folder."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.cli.command import Command, Files, Result
from xylem.cli.process import run


@pytest.fixture
def xylem(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """`xylem("match", …)` runs the command line in this process."""

    def command(*arguments: object, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Result(code, captured.out, captured.err)

    return command


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """`files({"a.xml": "<a/>"})` makes files in the current directory, which is empty before."""
    monkeypatch.chdir(tmp_path)

    def make(contents: dict[str, str | bytes]) -> None:
        for name, content in contents.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    return make
