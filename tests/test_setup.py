"""What `./xylem` and `./test` do before they run: set up what is missing, once, and leave nothing half done.

The steps that need a network or a minute (installing packages, compiling kernels) are replaced by a line of output in
most tests; environments are real ones. The long tests leave nothing out.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.repository import ROOT, tracked_files

_STUBS = 'source "$1/scripts/setup.sh"; install() { echo "install $*"; }; warm() { echo warm; }; '
_USUAL = ["/usr/bin", "/bin"]

Prepare = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that set-up reads, in a folder with a blank in its name."""
    folder = tmp_path / "a check out"
    (folder / "scripts").mkdir(parents=True)
    for name in ("scripts/setup.sh", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture
def prepare(checkout: Path) -> Prepare:
    """`prepare("core")` sets up without network."""

    def run(group: str = "core", folder: Path = checkout, **more: str) -> Any:
        command = ["bash", "-uo", "pipefail", "-c", f"{_STUBS}prepare {group}; echo fit", "-", str(folder)]
        return subprocess.run(command, env=_environment(**more), capture_output=True, text=True, check=False)

    return run


def _environment(**more: str) -> dict[str, str]:
    """What a login on a new machine has: a path with this Python on it, and a home that cannot be written."""
    path = [str(Path(sys.base_prefix, "bin")), *_USUAL]
    return {"PATH": ":".join(path), "HOME": "/nonexistent", **more}


_DONE = ["install setuptools", "warm", "fit"]


def _steps(run: subprocess.CompletedProcess[str]) -> list[str]:
    """What was done, in order; where the package itself is installed from is left out."""
    return [line for line in run.stdout.splitlines() if "--editable" not in line]


def test_once_and_not_twice(prepare: Prepare, checkout: Path) -> None:
    first = prepare()
    assert first.returncode == 0, first.stderr
    assert _steps(first) == _DONE
    assert f"install --no-build-isolation --editable {checkout}\n" in first.stdout
    assert (checkout / ".venv" / "bin" / "python").exists()
    second = prepare()
    assert (second.stdout, second.stderr) == ("fit\n", "")
    developers = prepare("dev")
    assert f"--editable {checkout}[dev]\n" in developers.stdout
    assert "making .venv" not in developers.stderr
    assert prepare("dev").stdout == "fit\n"
    assert prepare("core").stdout == "fit\n"


def test_what_makes_an_environment_stale(prepare: Prepare, checkout: Path) -> None:
    """Each change, whether the environment is made anew, and what is done again."""
    prepare()
    venv = checkout / ".venv"
    python = next(path for path in (venv / "bin").iterdir() if path.is_symlink() and path.readlink().is_absolute())

    def pins() -> None:
        with (checkout / "constraints.txt").open("a") as file:
            file.write("# another\n")

    def no_python() -> None:
        python.unlink()
        python.symlink_to("/nonexistent/python3")

    changes: list[tuple[Callable[[], object], bool, list[str]]] = [
        (pins, False, _DONE),
        ((venv / ".cold").touch, False, ["warm", "fit"]),
        ((venv / ".unfinished").touch, True, _DONE),
        (no_python, True, _DONE),
        ((venv / ".ready-core").unlink, False, _DONE),
    ]
    for change, anew, steps in changes:
        change()
        run = prepare()
        assert run.returncode == 0, run.stderr
        assert ("starting it over" in run.stderr) is anew, run.stderr
        assert _steps(run) == steps
        assert prepare().stdout == "fit\n"


def test_what_changes_while_packages_are_installed_has_not_been_installed(prepare: Prepare, checkout: Path) -> None:
    script = f'{_STUBS}install() {{ echo "# meanwhile" >>"$root/constraints.txt"; }}; prepare core'
    subprocess.run(["bash", "-uo", "pipefail", "-c", script, "-", str(checkout)], env=_environment(), check=True)
    assert _steps(prepare()) == _DONE
    assert prepare().stdout == "fit\n"


def test_a_moved_checkout_is_set_up_anew(prepare: Prepare, checkout: Path) -> None:
    prepare()
    moved = checkout.with_name("moved")
    checkout.rename(moved)
    run = prepare(folder=moved)
    assert "starting it over" in run.stderr
    assert _steps(run) == _DONE


@pytest.mark.parametrize("step", ["install", "warm"])
def test_an_interrupt_is_one_line_and_the_next_start_goes_on(prepare: Prepare, checkout: Path, step: str) -> None:
    script = f"{_STUBS}{step}() {{ echo waiting; sleep 60; }}; prepare core; echo fit"
    running = subprocess.Popen(
        ["bash", "-c", script, "-", str(checkout)],
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
    )
    assert running.stdout is not None
    while running.stdout.readline() != "waiting\n":
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    rest, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "fit" not in rest
    assert said.splitlines()[-1] == "xylem: the set-up was interrupted; the next start goes on with it"
    run = prepare()
    assert _steps(run) == (_DONE if step == "install" else ["warm", "fit"])


def test_two_at_once_wait_for_each_other(prepare: Prepare, checkout: Path) -> None:
    script = f"{_STUBS}warm() {{ echo warm; sleep 1; }}; prepare core; echo fit"
    command = ["bash", "-c", script, "-", str(checkout)]
    both = [
        subprocess.Popen(command, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [running.communicate(timeout=120)[0].splitlines() for running in both]
    assert sorted(lines.count("warm") for lines in outputs) == [0, 1]
    assert all(lines[-1] == "fit" for lines in outputs)


def test_without_a_python_it_says_what_to_install(checkout: Path, tmp_path: Path) -> None:
    """Neither a Python nor a way to get one: here, a path with the usual tools and nothing else."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("bash", "dirname", "readlink", "cat", "cksum", "id", "rm", "mkdir", "env", "tail"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    script = _STUBS + "try_pythons() { return 1; }; prepare core; echo fit"
    run = subprocess.run(
        ["bash", "-c", script, "-", str(checkout)],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "fit" not in run.stdout
    assert "needs Python 3.11 or later" in run.stderr
    assert "apt-get install python3 python3-venv" in run.stderr
    assert not (checkout / ".venv").exists()


def test_a_python_that_is_too_old_or_has_no_venv_is_passed_over(prepare: Prepare, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "python3").write_text("#!/bin/sh\nexit 1\n")
    (bad / "python3").chmod(0o755)
    run = prepare(PATH=f"{bad}:{_environment()['PATH']}")
    assert run.returncode == 0, run.stderr
    assert f"({bad}" not in run.stderr


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("ERROR: No space left on device", "the disk is full"),
        ("Failed to establish a new connection: [Errno -3] Temporary failure in name resolution", "cannot be reached"),
        ("ERROR: No matching distribution found for numba", "does not offer a version"),
        ("ERROR: Could not install: Permission denied", "belongs to another user"),
        ("ERROR: something else", "could not be installed"),
    ],
)
def test_a_failure_says_why_and_where_the_log_is(checkout: Path, log: str, said: str) -> None:
    pip = f'#!/bin/bash\necho "{log}"\nexit 1\n'
    stubs = (
        'source "$1/scripts/setup.sh"; usable() { return 0; }; '
        'mkdir -p "$venv/bin"; printf %s "$2" >"$python"; chmod +x "$python"; '
    )
    run = subprocess.run(
        ["bash", "-c", stubs + "prepare core; echo fit", "-", str(checkout), pip],
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert said in run.stderr
    assert "setup.log" in run.stderr
    assert "fit" not in run.stdout


@pytest.mark.long
def test_from_a_clean_clone(tmp_path: Path) -> None:
    """The whole of it, from the package index: `./xylem` twice, and a document matched without further compiling."""
    clone = tmp_path / "clean clone"
    for path in tracked_files():
        copy = clone / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    command = [str(clone / "xylem"), "--version"]
    first = subprocess.run(command, env=_environment(), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("xylem ")
    assert "compiling kernels" in first.stderr
    began = time.monotonic()
    second = subprocess.run(command, env=_environment(), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (second.stdout, second.stderr) == (first.stdout, "")
    demo = subprocess.run([str(clone / "xylem"), "demo"], env=_environment(), cwd=tmp_path, check=False)
    assert demo.returncode == 0
    assert time.monotonic() - began < 60
