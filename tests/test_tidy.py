"""The house rules that no tool checks: who may import whom, no dead files, no undocumented command, no stray words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.repository import ROOT, SOURCES, imports, modules, room, syntax, tracked_files

# Each room may use the rooms above it, never the ones below.
ROOMS = (
    "xpath",
    "document",
    "schema",
    "workload",
    "matching",
    "containment",
    "piggyback",
    "fragments",
    "rewriting",
    "routing",
    "simulation",
    "spark",
    "broker",
    "experiments",
    "cli",
)  # fmt: skip

# What a room knows nothing of although it stands above it, or although it is no room at all.
UNKNOWN_TO = {
    "document": {"xpath"},
    "broker": {"simulation", "spark"},
}
UNKNOWN_MODULES = {
    "xpath": {"numba", "lxml"},
    "routing": {"asyncio", "socket", "threading", "time", "random"},
    "simulation": {"asyncio", "socket", "threading", "time"},
}

# Modules beside the rooms, and what of the package each may use. The front door shows what the rooms offer.
BESIDE = {
    "xylem.errors": set[str](),
    "xylem.kernels": set[str](),
    "xylem.frames": set[str](),
    "xylem.__main__": {"cli"},
    "xylem": {"xpath", "document", "matching", "containment"},
}
# Below this room, `from xylem import …` would go round in a circle.
FIRST_BEHIND_THE_DOOR = "spark"

ENTRY_POINTS = {"xylem", "xylem.__main__", "xylem.cli", "xylem.matching.warming"}

MOST_LINES = 600


@pytest.mark.parametrize("module", modules())
def test_imports_point_one_way(module: str) -> None:
    own = room(module)
    for imported in imports(modules()[module]):
        other = room(imported)
        if not own:
            allowed = BESIDE[module]
            assert not other or other in allowed, f"{module} imports {imported}"
        elif other and other != own:
            assert ROOMS.index(other) < ROOMS.index(own), f"{module} imports {imported}, a room below"
            assert other not in UNKNOWN_TO.get(own, ()), f"{module} imports {imported}, which it is to know nothing of"
        elif imported == "xylem":
            behind = ROOMS.index(own) >= ROOMS.index(FIRST_BEHIND_THE_DOOR)
            assert behind, f"{module} imports the front door, which stands below it"


@pytest.mark.parametrize("module", modules())
def test_rooms_know_nothing_of(module: str) -> None:
    foreign = {name.partition(".")[0] for name in _imported_names(modules()[module])}
    assert not foreign & UNKNOWN_MODULES.get(room(module), set())


def test_every_folder_is_a_room() -> None:
    folders = {path.name for path in (SOURCES / "xylem").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= set(ROOMS)


def test_engines_do_not_know_each_other() -> None:
    engines = _engine_modules()
    for module, path in modules().items():
        own = next((engine for engine in engines if module == engine or module.startswith(f"{engine}.")), None)
        if own is None:
            continue
        for imported in imports(path):
            others = engines - {own}
            assert not any(imported == other or imported.startswith(f"{other}.") for other in others), (
                f"{module} imports {imported}, another engine"
            )


def _engine_modules() -> set[str]:
    from xylem.matching.registry import ENGINES

    engines = {f"xylem.matching.{name}" for name in ENGINES}
    assert engines <= set(modules()), "an engine is a module or a folder of its own name"
    return engines


def test_modules_import_in_no_circle() -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, f"a circle: {' → '.join((*path, module))}"
        if module in done:
            return
        for imported in sorted(_imported_at_once(module)):
            visit(imported, (*path, module))
        done.add(module)

    for module in modules():
        visit(module, ())


def _imported_at_once(module: str) -> set[str]:
    """What is imported when a module is loaded: neither in functions nor for type checkers only. A package that
    re-exports its own modules is no circle."""
    path = modules()[module]
    at_once = ast.Module(body=[node for node in syntax(path).body if not _for_types(node)], type_ignores=[])
    names: set[str] = set()
    for node in at_once.body:
        for part in ast.walk(node) if not isinstance(node, ast.FunctionDef | ast.ClassDef) else ():
            if isinstance(part, ast.ImportFrom) and part.module in modules():
                names.update(
                    f"{part.module}.{alias.name}" if f"{part.module}.{alias.name}" in modules() else part.module
                    for alias in part.names
                )
    return names - {module}


def _for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def test_no_module_is_dead() -> None:
    used = set(ENTRY_POINTS)
    for path in modules().values():
        used |= imports(path)
    for module in list(used):
        while module := module.rpartition(".")[0]:
            used.add(module)
    assert sorted(set(modules()) - used) == []


def test_no_test_file_is_dead() -> None:
    files = [path for path in tracked_files() if path.suffix == ".py" and path.is_relative_to(ROOT / "tests")]
    imported = {name for path in files for name in _imported_names(path)}
    for path in files:
        dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        collected = path.name.startswith("test_") or path.name in ("__init__.py", "conftest.py")
        assert collected or dotted in imported, f"{dotted} is neither collected nor imported"


def _imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_name_is_dead() -> None:
    """What a module defines at its top is used somewhere, by the package or by what measures and tests it."""
    folders = ("src", "tests", "bench")
    everything = "\n".join(
        path.read_text(encoding="utf-8")
        for path in tracked_files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders
    )
    words: dict[str, int] = {}
    for word in re.findall(r"\w+", everything):
        words[word] = words.get(word, 0) + 1
    dead = []
    for module, path in modules().items():
        for node in syntax(path).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                registered = bool(node.decorator_list) and (room(module) == "cli" or module == "xylem.frames")
                called = registered or node.name == "__getattr__"
                if words[node.name] < 2 and not called:
                    dead.append(f"{module}.{node.name}")
    assert dead == []


@pytest.mark.parametrize("module", modules())
def test_modules_say_what_they_are(module: str) -> None:
    path = modules()[module]
    body = syntax(path).body
    if path.name != "__init__.py":
        assert ast.get_docstring(syntax(path)), f"{module} has no head that says its idea"
        return
    for node in body:
        constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        named = isinstance(node, ast.Assign | ast.AnnAssign | ast.FunctionDef) and module == "xylem"
        exported = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        imported = isinstance(node, ast.Import | ast.ImportFrom) or _for_types(node)
        assert constant or exported or imported or named, f"{path}:{node.lineno}: more than re-exports"


@pytest.mark.parametrize("module", modules())
def test_no_error_is_swallowed(module: str) -> None:
    for node in ast.walk(syntax(modules()[module])):
        if isinstance(node, ast.ExceptHandler) and (node.type is None or ast.unparse(node.type).endswith("Exception")):
            assert not all(isinstance(item, ast.Pass) for item in node.body), f"{module}:{node.lineno}: swallowed"


def test_no_file_swallows_the_middle() -> None:
    for path in tracked_files():
        if path.suffix == ".py":
            lines = path.read_text(encoding="utf-8").count("\n")
            assert lines <= MOST_LINES, f"{path.relative_to(ROOT)} has {lines} lines: which second noun hides in it?"


# In pieces, so that this file does not find itself.
FORBIDDEN = re.compile(
    "|".join(
        (
            r"/wo" + r"rk/(?:main|shared)",
            r"/home/\w",
            r"/root/\.",
            r"\b" + "TO" + r"DO\b",
            r"\b" + "FIX" + r"ME\b",
            r"py" + r"pi\.org",
            r"python" + r"hosted",
            r"arti" + r"factory",
            r"--(?:extra-)?index" + r"-url",
            r"--trusted" + r"-host",
        )
    )
)


def test_no_stray_words() -> None:
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found = FORBIDDEN.search(text)
        assert found is None, f"{path.relative_to(ROOT)} says {found.group() if found else ''}"


def test_constraints_pin_versions_and_name_no_host() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9][a-z0-9.-]*==[0-9][\w.]*", line), line


@cache
def _commands() -> dict[str, Any]:
    """Every command by its full name, groups and their commands included."""
    import typer

    from xylem.cli.app import app

    found: dict[str, Any] = {}

    def walk(command: Any, name: str) -> None:
        for part, inner in getattr(command, "commands", {}).items():
            full = f"{name} {part}"
            if not getattr(inner, "commands", None):
                found[full] = inner
            walk(inner, full)

    walk(typer.main.get_command(app), "xylem")
    return found


def _command_names() -> list[str]:
    return sorted(_commands())


@pytest.mark.parametrize("name", _command_names())
def test_every_command_is_documented(name: str) -> None:
    guide = (ROOT / "docs" / "guide" / "command-line.md").read_text()
    heading = f"## `{name}`"
    assert heading in guide, f"docs/guide/command-line.md has no section {heading}"
    section = guide.partition(heading)[2].partition("\n## ")[0]
    for parameter in _commands()[name].params:
        spelled = [option for option in parameter.opts if option.startswith("--")]
        for option in spelled:
            assert option == "--help" or f"`{option}" in section, f"the guide says nothing of {name} {option}"


@pytest.mark.parametrize("name", _command_names())
def test_every_command_shows_an_example(name: str) -> None:
    command = _commands()[name]
    said = f"{command.help or ''}\n{command.epilog or ''}"
    assert re.search(rf"Example.*\n\s+{name}\b", said), f"{name} --help shows no example"
    assert command.help, f"{name} --help does not say what it does"


def test_every_command_is_in_the_overview() -> None:
    from xylem.cli.app import OVERVIEW

    for name in _command_names():
        assert " ".join(name.split()[:2]) in OVERVIEW


def test_every_public_name_is_documented() -> None:
    import xylem

    guide = (ROOT / "docs" / "guide" / "library.md").read_text()
    for name in xylem.__all__:
        assert f"`{name}" in guide, f"docs/guide/library.md says nothing of {name}"
        assert getattr(xylem, name).__doc__, f"xylem.{name} has no docstring"


def test_guide_and_notes_can_be_reached() -> None:
    """Every page is linked from another one, and every link between files leads somewhere."""
    pages = [path for path in tracked_files() if path.suffix == ".md"]
    linked = {ROOT / "README.md"}
    for page in pages:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            path = (page.parent / target).resolve()
            assert path.exists(), f"{page.relative_to(ROOT)} links to {target}, which is not there"
            linked.add(path)
            linked |= set(path.glob("*.md")) if path.is_dir() else set()
    assert sorted(str(page.relative_to(ROOT)) for page in pages if page not in linked) == []
