"""After warming, nothing is left to compile, whatever is matched.

Whether a kernel was compiled or came from the cache, its process knows for which types it has it: what a run of
matching has and warming has not would be compiled by the first who needs it.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository import ROOT, modules, syntax

_DESK = ROOT / "examples" / "newsdesk"

# What a process has compiled or loaded, by name: the types of each version of each kernel that Python itself calls.
_KNOWN = """
import json, sys
from numba.core.dispatcher import Dispatcher
known = {}
for name, module in list(sys.modules.items()):
    for value in vars(module).values() if name.startswith("xylem.") else ():
        if isinstance(value, Dispatcher):
            known[f"{value.py_func.__module__}.{value.__name__}"] = sorted(map(str, value.signatures))
print(json.dumps(known))
"""

_WARMING = "from xylem.matching.warming import warm_reading, warm_matching; warm_reading(); warm_matching()"

# Every kind of document through every way in, by two threads; subscriptions that come and go in between.
_MATCHING = f"""
import sys
from pathlib import Path
from xylem import DocumentError, Limits, Matcher, XPathError
documents = sorted(Path({str(_DESK)!r}, "documents").glob("*.xml"))
lines = Path({str(_DESK)!r}, "subscribers.tsv").read_text().splitlines()
questions = [line.split("\\t")[1] for line in lines if line[:1] not in ("", "#")]
for limits in (Limits(), Limits(depth=2)):
    matcher = Matcher(namespaces={{"market": "urn:newsdesk:market"}}, limits=limits)
    for number in range(3000):
        matcher.add(number, f"//n{{number}}[. > {{number}} and contains(., 'v{{number}}')] | /a{{number}}[not(b)]")
    for number, question in enumerate(questions):
        try:
            matcher.add(-number - 1, question)
        except XPathError:
            continue
    for workers in (1, 2):
        answers = list(matcher.match_many(documents, workers=workers))
        assert any(not isinstance(answer, DocumentError) and len(answer) for answer in answers) or limits.depth == 2
    for number in range(3000):
        matcher.remove(number)
        if number % 100 == 0:
            matcher.add(10_000 + number, f"//m{{number}}/@x")
            list(matcher.match_many(documents))
    list(matcher.match_many(["<a>\\u00e9</a>", "<a/>".encode("utf-16"), b"<a b='" + b"x" * 40_000_000 + b"'/>"]))
"""


def _known(program: str, **environment: str) -> dict[str, list[str]]:
    run = subprocess.run(
        [sys.executable, "-c", program + _KNOWN],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        timeout=600,
        check=True,
    )
    found = json.loads(run.stdout)
    assert isinstance(found, dict)
    return found


_COMPILING = {"kernel", "quick_kernel", "allocating_kernel", "inlined"}


def _entered() -> set[str]:
    """The kernels that only Python calls. One that kernels call, too, is compiled into them, and a process that loads
    those from the cache does not see it."""
    kernels: dict[str, str] = {}
    called_by_kernels: set[str] = set()
    for module, path in modules().items():
        for node in syntax(path).body:
            decorators = (
                {ast.unparse(item) for item in node.decorator_list} if isinstance(node, ast.FunctionDef) else set()
            )
            if isinstance(node, ast.FunctionDef) and decorators & {
                "kernel",
                "quick_kernel",
                "allocating_kernel",
                "inlined",
            }:
                called_by_kernels |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                if "inlined" not in decorators:
                    kernels[node.name] = module
    return {f"{module}.{name}" for name, module in kernels.items() if name not in called_by_kernels}


def test_every_kernel_is_warmed_for_every_type() -> None:
    warmed, matched = _known(_WARMING), _known(_MATCHING)
    entered = _entered()
    assert len(entered) > 10
    assert sorted(name for name in entered if not warmed.get(name)) == []
    for name, types in matched.items():
        assert set(types) <= set(warmed[name]), f"{name} is compiled again by matching"


@pytest.mark.long
def test_nothing_is_compiled_after_warming_an_empty_cache(tmp_path: Path) -> None:
    """The same without the assumption that types tell all: a cache that was empty before."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    warming = [sys.executable, "-m", "xylem.matching.warming"]
    assert b"compiling" in subprocess.run(warming, env=environment, stdout=subprocess.PIPE, check=True).stdout
    assert subprocess.run(warming, env=environment, stdout=subprocess.PIPE, check=True).stdout == b""
    watching = """
from xylem.kernels import on_first_compile
compiled = []
on_first_compile(lambda: compiled.append(True))
"""
    program = watching + _MATCHING + "\nsys.exit(bool(compiled))"
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 0
