"""The checks of the whole repository that tools do: style, types, packaging. `./test --fast` leaves them out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.repository import ROOT, tracked_files

pytestmark = pytest.mark.repository

_DESK = "examples/newsdesk"


def _tool(*command: str) -> None:
    run = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"{' '.join(command)}\n{run.stdout}{run.stderr}"


def test_style() -> None:
    _tool("ruff", "check", ".")


def test_format() -> None:
    _tool("ruff", "format", "--check", ".")


def test_types() -> None:
    _tool("mypy", "--strict")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, by way of the source distribution, built from a copy of what git tracks: no build output in the
    checkout, and nothing in the wheel that only this folder has."""
    folder = tmp_path_factory.mktemp("packages")
    copy = folder / "copy"
    for path in tracked_files():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    build = "import setuptools.build_meta as build, sys; print(build.build_sdist(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=copy, stdout=subprocess.DEVNULL, check=True)
    (source,) = folder.glob("xylem-*.tar.gz")
    shutil.unpack_archive(source, folder)
    unpacked = folder / source.name.removesuffix(".tar.gz")
    build = build.replace("build_sdist", "build_wheel")
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=unpacked, stdout=subprocess.DEVNULL, check=True)
    (wheel,) = folder.glob("xylem-*.whl")
    return wheel


def test_the_wheel_has_everything_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        information = {name.partition(".dist-info/")[2] for name in archive.namelist() if ".dist-info/" in name}
        metadata = archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))).decode()
    package = ROOT / "src"
    tracked = {str(path.relative_to(package)) for path in tracked_files() if path.is_relative_to(package)}
    assert names == tracked
    assert "xylem/py.typed" in names
    assert {"licenses/LICENSE", "entry_points.txt"} <= information
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: >=3.11" in metadata


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a wheel installed into an environment of its own, which borrows the packages it depends on."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    pip = ["pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet", str(wheel)]
    subprocess.run([sys.executable, "-m", *pip], check=True)
    place = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.strip()
    Path(place, "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "xylem"


def _run(command: Path, *arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_installed_command_works(installed: Path, tmp_path: Path) -> None:
    """Without kernels, which would be compiled anew for this folder: the plain reader and the reference engine."""
    for name in ("subscribers.tsv", "documents/01-tram.xml"):
        shutil.copy(ROOT / _DESK / name, tmp_path)
    assert _run(installed, "--version", folder=tmp_path).stdout.startswith("xylem ")
    generated = _run(installed, "generate", "documents", "--count", "2", "--out", "drawn", folder=tmp_path)
    assert generated.returncode == 0, generated.stderr
    assert len(list((tmp_path / "drawn").iterdir())) == 2
    options = ["--engine", "reference", "-s", "subscribers.tsv", "--ns", "market=urn:newsdesk:market", "01-tram.xml"]
    matched = _run(installed, "match", *options, folder=tmp_path, XYLEM_READER="plain")
    assert json.loads(matched.stdout) == {"document": "01-tram.xml", "subscriptions": ["anna", "goran", "ines"]}


@pytest.mark.long
def test_the_installed_demo_works(installed: Path, tmp_path: Path) -> None:
    demo = _run(installed, "demo", folder=tmp_path)
    assert demo.returncode == 0, demo.stderr
    assert "answers agree" in demo.stdout


_OPTIONAL = (
    "pyspark", "pyarrow", "pandas", "starlette", "uvicorn", "websockets", "prometheus_client", "matplotlib", "networkx",
    "xmlschema",
)  # fmt: skip


def test_the_core_needs_no_extra(tmp_path: Path) -> None:
    """Every module of the core is imported, and a document matched, where the optional packages are missing."""
    program = f"""
import pkgutil, sys
for name in {_OPTIONAL!r}:
    sys.modules[name] = None
import xylem
for module in pkgutil.walk_packages(xylem.__path__, "xylem."):
    if module.name.split(".")[1] not in ("spark", "broker", "experiments", "__main__"):
        __import__(module.name)
matcher = xylem.Matcher()
matcher.add("alice", "//a")
assert matcher.match(b"<a/>") == ["alice"]
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
