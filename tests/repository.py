"""The repository as the tidy tests see it: its files, its modules, and who imports whom.

Imports are read from the syntax, without running anything. An import inside a function or under
TYPE_CHECKING counts like any other: it is the direction that matters, not the moment.
"""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src"


@cache
def tracked_files() -> tuple[Path, ...]:
    """All files of the repository, ignored ones left out; from git where there is git."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, capture_output=True, check=False)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if ".venv" not in path.parts]
    files = (ROOT / name for name in names)
    return tuple(sorted(path for path in files if path.is_file() and not path.is_symlink()))


@cache
def modules() -> dict[str, Path]:
    """The package's modules by dotted name."""
    found = {}
    for path in sorted((SOURCES / "xylem").rglob("*.py")):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def imports(path: Path) -> frozenset[str]:
    """The package's modules that a file imports; `from xylem.a import b` is module `xylem.a.b` where there is one."""
    found: set[str] = set()
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            found.update(_module(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            base = node.module or ""
            found.update(_module(f"{base}.{alias.name}") for alias in node.names)
    return frozenset(name for name in found if name)


def _module(name: str) -> str:
    """The module that a dotted name lives in, or "" if it is none of the package's."""
    while name and name not in modules():
        name = name.rpartition(".")[0]
    return name


def room(module: str) -> str:
    """The room that a module belongs to; "" for the modules that stand beside the rooms."""
    parts = module.split(".")
    folder = SOURCES / "xylem" / parts[1] if len(parts) > 1 else SOURCES
    return parts[1] if len(parts) > 1 and folder.is_dir() else ""
