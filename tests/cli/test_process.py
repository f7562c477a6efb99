"""What the command owes to the process around it, whatever a command does: exit codes, one sentence, no trace-back."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from tests.cli.command import Command, Files, start
from xylem.cli import process
from xylem.cli.process import ExitCode


def test_no_arguments_show_an_overview(xylem: Command) -> None:
    result = xylem()
    assert result.code == ExitCode.FINE
    assert "xylem demo" in result.out
    assert "--help" in result.out
    assert result.err == ""


def test_version(xylem: Command) -> None:
    result = xylem("--version")
    assert result.code == ExitCode.FINE
    assert result.out.startswith("xylem 0.")


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ("match", "--help"), ("explain", "-h")])
def test_help(xylem: Command, arguments: tuple[str, ...]) -> None:
    result = xylem(*arguments)
    assert result.code == ExitCode.FINE
    assert result.out.startswith("Usage: xylem")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nonsense",), "No such command"),
        (("match",), "Missing argument"),
        (("match", "a.xml"), "--subscriptions"),
        (("match", "--subscriptions", "s.tsv"), "PATH"),
        (("match", "--nonsense", "a.xml"), "--nonsense"),
        (("match", "-s", "s.tsv", "--workers", "0", "a.xml"), "--workers"),
        (("match", "-s", "s.tsv", "--format", "xls", "a.xml"), "xls"),
        (("match", "-s", "s.tsv", "--ns", "urn:a", "a.xml"), "expected prefix=URI"),
        (("match", "-s", "s.tsv", "--limit", "size=3", "a.xml"), "depth"),
        (("match", "-s", "s.tsv", "--limit", "depth=many", "a.xml"), "a whole number"),
        (("match", "-s", "s.tsv", "--limit", "depth=0", "a.xml"), "depth"),
        (("match", "-s", "-", "-"), "expected it once"),
        (("explain", "a.xml"), "XPATH"),
        (("explain", "a.xml", "//a", "--ns", "=u"), "expected prefix=URI"),
    ],
)
def test_wrong_usage_is_one_sentence(xylem: Command, arguments: tuple[str, ...], said: str) -> None:
    result = xylem(*arguments)
    assert result.code == ExitCode.USAGE
    assert result.out == ""
    assert result.err.startswith("xylem: ")
    assert said in result.err


def _raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def dispatch(arguments: object) -> int:
        raise error

    monkeypatch.setattr(process, "_dispatch", dispatch)


def test_an_unforeseen_error_asks_for_a_report(xylem: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XYLEM_DEBUG", raising=False)
    _raising(monkeypatch, ZeroDivisionError("one\n  two"))
    result = xylem()
    assert result.code == ExitCode.FAILED
    assert result.err.splitlines()[0] == "xylem: an unexpected error: ZeroDivisionError: one two"
    assert "XYLEM_DEBUG=1" in result.err


def test_debugging_shows_the_trace(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XYLEM_DEBUG", "1")
    _raising(monkeypatch, ZeroDivisionError("one"))
    assert process.run([]) == ExitCode.FAILED
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (MemoryError(), ExitCode.FAILED),
        (process.OutputFailed("no space"), ExitCode.OUTPUT),
        (process.OutputClosed(), ExitCode.CLOSED),
    ],
)
def test_each_end_has_its_code(
    xylem: Command, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: ExitCode
) -> None:
    _raising(monkeypatch, error)
    monkeypatch.setattr(process, "_silence", lambda name: None)
    assert xylem().code == code


@pytest.fixture
def many(files: Files) -> list[str]:
    """Arguments for a run that prints a few megabytes."""
    ids = "".join(f"subscriber-{number:05}\t//a\n" for number in range(2_000))
    files({"s.tsv": ids, "a.xml": "<a/>"})
    return ["match", "-s", "s.tsv", *["a.xml"] * 100]


def test_a_closed_pipe_is_quiet(many: list[str]) -> None:
    running = start(*many, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    running.stdout.readline()
    running.stdout.close()
    assert running.stderr is not None
    assert running.stderr.read() == b""
    assert running.wait(60) == ExitCode.CLOSED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["match"], ["demo"]])
def test_a_full_disk_is_named(many: list[str], arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        running = start(*(many if arguments == ["match"] else arguments), stdout=full, stderr=subprocess.PIPE)
        _, said = running.communicate(timeout=120)
    assert running.returncode == ExitCode.OUTPUT
    assert said.decode().splitlines() == ["xylem: the output could not be written: No space left on device"]


def test_a_closed_output_is_named(many: list[str]) -> None:
    command = ["bash", "-c", '"$0" -m xylem "$@" >&-', sys.executable, *many]
    run = subprocess.run(command, stderr=subprocess.PIPE, timeout=120, check=False)
    assert run.returncode == ExitCode.OUTPUT
    assert b"Traceback" not in run.stderr
    assert b"could not be written" in run.stderr


def test_an_interrupt_leaves_whole_lines(files: Files, tmp_path: Path) -> None:
    files({"s.tsv": "x\t//a\n", "a.xml": "<a/>"})
    command = ("match", "-s", "s.tsv", "a.xml", "-")
    running = start(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    first = running.stdout.readline()
    running.send_signal(signal.SIGINT)
    rest, said = running.communicate(timeout=60)
    assert (first + rest) == b'{"document": "a.xml", "subscriptions": ["x"]}\n'
    assert said.decode().splitlines() == ["xylem: interrupted"]
    assert running.returncode == ExitCode.INTERRUPTED


def _pieces(text: bytes) -> list[object]:
    """Standard output as JSON Lines; fails where a line is cut."""
    assert not text or text.endswith(b"\n")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("workers", [1, 3])
def test_an_interrupt_while_matching(many: list[str], workers: int, unbuffered: str) -> None:
    """The threads stop, every line that was printed is whole, and nothing but one line is said. The reader is slow, so
    that the interrupt comes in the middle of a line."""
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = start(*many, "--workers", workers, *["a.xml"] * 5_000, bufsize=0, env=environment, **pipes)
    assert running.stdout is not None
    first = running.stdout.read(1_000)
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    time.sleep(0.2)
    rest, said = running.communicate(timeout=60)
    assert running.returncode == ExitCode.INTERRUPTED
    assert said.decode().splitlines() == ["xylem: interrupted"]
    assert 1 <= len(_pieces(first + rest)) < 5_100


def test_a_second_interrupt_does_not_wait_for_the_reader(many: list[str]) -> None:
    running = start(*many, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.read(1_000)
    for _ in range(2):
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
    assert running.wait(30) == ExitCode.INTERRUPTED  # nobody has read on
    assert running.stderr.read().decode().splitlines() == ["xylem: interrupted"]


def test_nothing_is_cut_off_where_output_is_not_buffered(many: list[str]) -> None:
    """PYTHONUNBUFFERED, which containers often set, makes standard output a file that may take part of a line."""
    outputs = []
    for unbuffered in ("", "1"):
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        command = ["bash", "-c", '"$0" -m xylem "$@" | (sleep 1; cat); exit ${PIPESTATUS[0]}', sys.executable, *many]
        run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, timeout=120, check=True)
        outputs.append(run.stdout)
    assert len(_pieces(outputs[0])) == 100
    assert outputs[0] == outputs[1]


def test_an_interrupt_while_adding(files: Files, tmp_path: Path) -> None:
    """Subscriptions come through a pipe that stays open, so that the command is surely at them."""
    files({"a.xml": "<a/>"})
    running = start("match", "-s", "-", "a.xml", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdin is not None
    running.stdin.write(b"x\t//a\n" * 20_000)  # more than a pipe holds: it returns when the command reads
    running.stdin.flush()
    running.send_signal(signal.SIGINT)
    printed, said = running.communicate(timeout=60)
    assert running.returncode == ExitCode.INTERRUPTED
    assert printed == b""
    assert said.decode().splitlines() == ["xylem: interrupted"]


@pytest.mark.parametrize("arguments", [["match"], ["demo"], ["generate", "subscriptions", "--count", "5000"]])
def test_head_is_enough(many: list[str], arguments: list[str]) -> None:
    """`xylem … | head -1`: one line, the code of a closed pipe, and not a word."""
    words = many if arguments == ["match"] else arguments
    command = ["bash", "-c", '"$0" -m xylem "$@" | head -1; exit ${PIPESTATUS[0]}', sys.executable, *words]
    run = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert len(run.stdout.splitlines()) == 1
    assert run.stderr == b""
    # The whole demo may be in the pipe before its reader leaves.
    assert run.returncode in (ExitCode.CLOSED, *([ExitCode.FINE] if arguments == ["demo"] else []))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for 64 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_leaves_no_file_that_looks_whole(xylem: Command, small_disk: Path) -> None:
    for arguments, whole in (
        (("generate", "subscriptions", "--count", 5_000, "--out", small_disk / "s.tsv"), []),
        (("generate", "documents", "--count", 100, "--out", small_disk / "d"), None),
    ):
        result = xylem(*arguments)
        assert result.code == ExitCode.OUTPUT
        assert "No space left on device" in result.err
        assert len(result.err.splitlines()) == 1
        left = [path for path in small_disk.rglob("*") if path.is_file()]
        assert not [path for path in left if path.name.endswith(".partial")]
        if whole is not None:
            assert left == whole
        for path in left:
            etree.parse(path)


def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(many: list[str]) -> None:
    """Standard error is a terminal, standard output a pipe: the bar goes to the one, whole lines to the other."""
    ours, theirs = pty.openpty()
    with open(theirs, "wb", buffering=0) as terminal:
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
        running = start(*many, "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=terminal, env=environment)
    assert running.stdin is not None
    assert running.stdout is not None
    printed = running.stdout.readline()
    time.sleep(1.5)  # the bar has a second's patience
    running.stdin.write(b"<a/>")
    running.stdin.close()
    printed += running.stdout.read()
    assert running.wait(60) == ExitCode.FINE
    assert len(_pieces(printed)) == 101
    drawn = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "documents" in drawn
    assert "101" in drawn


@pytest.mark.parametrize("delay_s", [2.0, 4.0])
def test_an_interrupt_while_compiling(files: Files, tmp_path: Path, delay_s: float) -> None:
    """Numba makes another error of it, which is not to be reported as one."""
    files({"s.tsv": "x\t//a\n", "a.xml": "<a/>"})
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cold")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = start("match", "-s", "s.tsv", "a.xml", env=environment, **pipes)
    time.sleep(delay_s)
    running.send_signal(signal.SIGINT)
    printed, said = running.communicate(timeout=60)
    assert running.returncode == ExitCode.INTERRUPTED
    assert printed == b""
    assert said.decode().splitlines() == ["xylem: interrupted"]


def test_an_interrupt_at_the_start_leaves_no_trace() -> None:
    """Whatever is being imported when the interrupt comes, there is one line at most."""
    for delay_s in (0.05, 0.1, 0.2, 0.4):
        running = start("demo", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            running.wait(delay_s)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=120)
        # Before Python itself is up nothing of ours can answer; from then on the code is ours.
        assert running.returncode in (ExitCode.INTERRUPTED, ExitCode.FINE, -signal.SIGINT)
        assert b"xylem/cli" not in said
