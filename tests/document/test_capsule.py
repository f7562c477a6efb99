"""Which reader is used, and that nothing of expat's capsule is believed which was not checked."""

from __future__ import annotations

import ctypes
import platform
import pyexpat
import subprocess
import sys
from collections.abc import Iterator

import pytest

from xylem.document import Reader, Vocabulary
from xylem.document import capsule as module
from xylem.document.capsule import Expat, expat
from xylem.errors import UsageError


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """What is found out once is forgotten before and after."""
    expat.cache_clear()
    yield
    expat.cache_clear()


def _kind() -> str:
    return Reader(Vocabulary()).kind


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="the kernel reader knows two machines")
def test_the_kernel_reader_is_what_reads_here() -> None:
    assert platform.python_implementation() != "CPython" or _kind() == "kernel"


def test_versions_are_those_of_pyexpat() -> None:
    found = expat()
    assert found is not None
    assert found.version == pyexpat.version_info
    assert found.message(4) == pyexpat.ErrorString(4)


def _struct(**changes: object) -> module._Capsule:
    """A copy of the real struct with some fields changed."""
    prototype = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    address = prototype(("PyCapsule_GetPointer", ctypes.pythonapi))(pyexpat.expat_CAPI, b"pyexpat.expat_CAPI")
    copied = module._Capsule()
    ctypes.memmove(ctypes.addressof(copied), address, ctypes.sizeof(copied))
    for name, value in changes.items():
        setattr(copied, name, value)
    return copied


def test_a_struct_as_it_should_be_is_believed() -> None:
    assert isinstance(module._checked(_struct()), Expat)
    # It only ever grows at its end.
    assert isinstance(module._checked(_struct(size=ctypes.sizeof(module._Capsule) + 8)), Expat)


@pytest.mark.parametrize(
    "changes",
    [
        {"magic": b"pyexpat.expat_CAPI 1.0"},
        {"magic": b""},
        {"size": ctypes.sizeof(module._Capsule) - 8},
        {"size": 0},
        {"parse": None},
        {"set_hash_salt": None},
    ],
)
def test_another_struct_is_not(changes: dict[str, object]) -> None:
    assert module._checked(_struct(**changes)) is None


@pytest.mark.parametrize("replacement", [None, object(), "missing"])
def test_without_the_capsule_the_plain_reader_reads(replacement: object, monkeypatch: pytest.MonkeyPatch) -> None:
    if replacement == "missing":
        monkeypatch.delattr(pyexpat, "expat_CAPI")
    else:
        monkeypatch.setattr(pyexpat, "expat_CAPI", replacement)
    assert _kind() == "plain"
    with pytest.raises(UsageError, match="kernel reader"):
        Reader(Vocabulary(), kind="kernel")


def test_on_an_unknown_machine_the_plain_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "s390x")
    assert _kind() == "plain"


def test_the_environment_can_ask_for_the_plain_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XYLEM_READER", "plain")
    assert _kind() == "plain"


def test_the_plain_reader_needs_no_compiler() -> None:
    """Who reads plainly, or only lists documents, does not wait for Numba."""
    code = (
        "import sys; from xylem.document import Reader, Vocabulary, documents; "
        "Reader(Vocabulary(), kind='plain').read(b'<a/>'); list(documents([])); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
