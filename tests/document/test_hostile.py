"""Documents that want to take the machine with them: each is answered or refused by name, soon, and in little memory;
and whatever a document points at, nothing is ever fetched."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.document.readers import Reject, accepted, agreed, both_readers, outcome, rejected
from xylem.document import Document, Limits

# Of one processor: far above what any of them takes, far below what they would take without a limit.
_SECONDS = 10.0


def _bomb(levels: int, width: int) -> str:
    entities = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * width}'>" for n in range(1, levels + 1))
    return f"<!DOCTYPE a [<!ENTITY e0 'lol'>{entities}]><a>&e{levels};</a>"


def _attribute_bomb(levels: int, width: int) -> str:
    return _bomb(levels, width).replace(f"<a>&e{levels};</a>", f"<a b='&e{levels};'/>")


_COLLIDING = " ".join(f"{'AB' * n}a='' {'BA' * n}a=''" for n in range(1, 60))


def _many(template: str, count: int) -> str:
    return " ".join(template.replace("#", str(number)) for number in range(count))


# Name, document, and how the reason begins; None where it is read.
DOCUMENTS: dict[str, tuple[Callable[[], str], str | None]] = {
    "nine levels of ten": (lambda: _bomb(9, 10), "limit `amplification`"),
    "nine levels of ten in an attribute": (lambda: _attribute_bomb(9, 10), "limit `amplification`"),
    "quadratic": (
        lambda: f"<!DOCTYPE a [<!ENTITY e '{'x' * 100_000}'>]><a>{'&e;' * 100_000}</a>",
        "limit `amplification`",
    ),
    "markup": (
        lambda: f"<!DOCTYPE a [<!ENTITY e '{'<b/>' * 10_000}'>]><a>{'&e;' * 10_000}</a>",
        "limit `amplification`",
    ),
    "recursive": (lambda: "<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>", "not well-formed: recursive"),
    "a parameter entity of itself": (lambda: "<!DOCTYPE a [<!ENTITY % p '%p;'> %p;]><a/>", "not well-formed"),
    "a small one": (lambda: _bomb(3, 10), None),
    "30,000 unclosed": (lambda: "<a>" * 30_000, "limit `depth`"),
    "100,000 closed": (lambda: "<a>" * 100_000 + "</a>" * 100_000, "limit `depth`"),
    "100,000 attributes": (lambda: "<a " + _many("b#=''", 100_000) + "/>", "limit `attributes`"),
    "names that collide": (lambda: f"<a {_COLLIDING}/>", None),
    "100,000 namespaces": (lambda: "<a " + _many("xmlns:b#='u'", 100_000) + "/>", "limit `attributes`"),
    "a million siblings": (lambda: f"<a>{'<b/>' * 1_000_000}</a>", None),
    "a name of a megabyte": (lambda: f"<{'a' * 1_000_000}/>", "limit `name`"),
    "an attribute's name of a megabyte": (lambda: f"<a {'b' * 1_000_000}=''/>", "limit `name`"),
    "a namespace of a megabyte": (lambda: f"<a xmlns='{'b' * 1_000_000}'/>", "limit `name`"),
    "a value of ten megabytes": (lambda: f"<a b='{'x' * 10_000_000}'/>", None),
    "a value of forty megabytes": (lambda: f"<a b='{'x' * 40_000_000}'/>", "limit `attribute_value`"),
    "a text of ten megabytes": (lambda: f"<a>{'x' * 10_000_000}</a>", None),
    "a comment of ten megabytes": (lambda: f"<a><!--{'x' * 10_000_000}--></a>", None),
    "an instruction of ten megabytes": (lambda: f"<a><?p {'x' * 10_000_000}?></a>", None),
    "a section of ten megabytes": (lambda: f"<a><![CDATA[{'x' * 10_000_000}]]></a>", None),
    "a comment before the root": (lambda: f"<!--{'x' * 10_000_000}--><a/>", None),
    "an entity of a megabyte": (lambda: f"<!DOCTYPE a [<!ENTITY e '{'x' * 1_000_000}'>]><a>&e;</a>", None),
    "malformed only at the end": (lambda: f"<a>{'<b>c</b>' * 200_000}</b>", "not well-formed: mismatched tag"),
    "10,000 prefixed defaults": (
        lambda: (
            "<!DOCTYPE a [<!ATTLIST b " + _many("p:a# CDATA ''", 10_000) + f">]><a xmlns:p='u'>{'<b/>' * 16_000}</a>"
        ),
        "limit `amplification`",
    ),
    "10,000 prefixed defaults behind a comment": (
        lambda: (
            "<!DOCTYPE a [<!ATTLIST b "
            + _many("p:a# CDATA ''", 10_000)
            + f">]><a xmlns:p='u'><!--{'x' * 20_000}-->{'<b/>' * 20_000}</a>"
        ),
        "limit `amplification`",
    ),
    "101 defaults and an entity of elements": (
        lambda: "<!DOCTYPE a [<!ENTITY e '<b/>'><!ATTLIST b " + _many("a# CDATA ''", 101) + ">]><a>&e;</a>",
        "limit `amplification`",
    ),
    "10,000 defaults and entities of entities": (
        lambda: (
            "<!DOCTYPE a [<!ENTITY e0 '&#60;b/>'><!ENTITY e1 '"
            + "&e0;" * 1_000
            + "'><!ENTITY e2 '"
            + "&e1;" * 1_000
            + "'><!ATTLIST b "
            + _many("p:a# CDATA ''", 10_000)
            + ">]><a xmlns:p='u'>&e2;</a>"
        ),
        "limit `amplification`",
    ),
    "100 defaults and an entity of elements": (
        lambda: "<!DOCTYPE a [<!ENTITY e '<b/>'><!ATTLIST b " + _many("a# CDATA ''", 100) + ">]><a>&e;</a>",
        None,
    ),
    "101 defaults and an entity of text": (
        lambda: "<!DOCTYPE a [<!ENTITY e 'b'><!ATTLIST b " + _many("a# CDATA ''", 101) + ">]><a>&e;</a>",
        None,
    ),
    "100,000 defaults": (
        lambda: "<!DOCTYPE a [<!ATTLIST b " + _many("a# CDATA ''", 100_000) + f">]><a>{'<b/>' * 16_000}</a>",
        "limit `attributes`",
    ),
}


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Compiling is not reading."""
    accepted("<a/>")


@pytest.mark.parametrize("case", DOCUMENTS)
def test_hostile_documents(case: str) -> None:
    write, reason = DOCUMENTS[case]
    text = write()
    start = time.process_time()
    found = agreed(text)
    assert time.process_time() - start < _SECONDS
    if reason is None:
        assert isinstance(found, Document), found
    else:
        assert isinstance(found, Reject)
        assert found.reason.startswith(reason), found.reason
        assert found.line == 1
        assert found.column >= 1


def test_depth_that_is_asked_for_is_read() -> None:
    text = "<a>" * 100_000 + "</a>" * 100_000
    document = accepted(text, Limits(depth=100_000))
    assert document.arrays.depth.max() == 100_000


_MEASURE = """
import resource, sys
from xylem.document import Reader, Vocabulary
from xylem.errors import DocumentError
reader = Reader(Vocabulary(), kind=sys.argv[1])
reader.read(b"<a/>")
data = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    kept = reader.read(data)
except DocumentError:
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@both_readers
@pytest.mark.parametrize("case", ["nine levels of ten", "quadratic", "10,000 prefixed defaults", "100,000 closed"])
def test_refused_in_little_memory(case: str, kind: str) -> None:
    """A process of its own, because a process never forgets its peak."""
    command = [sys.executable, "-c", _MEASURE, kind]
    result = subprocess.run(command, input=DOCUMENTS[case][0]().encode(), capture_output=True, check=True)
    assert int(result.stdout) < 120_000, "kilobytes"


@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_memory_in_proportion(size: int) -> None:
    """What a document keeps is bounded by what it is made of."""
    document = accepted("<a>" + "<b c='d'>text</b>" * (size // 20) + "</a>")
    owned = {id(column.base): column.base for column in document.arrays if column.base is not None}
    kept = sum(block.nbytes for block in owned.values()) + len(document.data)
    assert kept < 5 * len(document.data)


class _Listener(HTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, _Listener)
        self.server.requests.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<!ELEMENT a ANY>")

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def listener() -> Iterator[_Listener]:
    server = _Listener()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


# {} is an address; the text is all that may come of the document, since nothing behind an address is read.
POINTING = {
    "a general entity": ("<!DOCTYPE a [<!ENTITY e SYSTEM '{}'>]><a>x&e;y</a>", "xy"),
    "a public entity": ("<!DOCTYPE a [<!ENTITY e PUBLIC 'p' '{}'>]><a>x&e;y</a>", "xy"),
    "a parameter entity": ("<!DOCTYPE a [<!ENTITY % p SYSTEM '{}'>%p;]><a>xy</a>", "xy"),
    "one that carries a file out": (
        "<!DOCTYPE a [<!ENTITY % f SYSTEM '{}'><!ENTITY % d SYSTEM '{}?%f;'>%d;%f;]><a>xy</a>",
        "xy",
    ),
    "an external subset": ("<!DOCTYPE a SYSTEM '{}'><a>xy</a>", "xy"),
    "a public subset": ("<!DOCTYPE a PUBLIC 'p' '{}'><a>x&unknown;y</a>", "xy"),
    "both subsets": ("<!DOCTYPE a SYSTEM '{}' [<!ENTITY e 'in'>]><a>x&e;&unknown;y</a>", "xiny"),
    "an unparsed entity": (
        "<!DOCTYPE a [<!NOTATION n SYSTEM '{}'><!ENTITY e SYSTEM '{}' NDATA n><!ATTLIST a b ENTITY #IMPLIED>]>"
        "<a b='e'>xy</a>",
        "xy",
    ),
    "XInclude": ("<a xmlns:x='http://www.w3.org/2001/XInclude'>x<x:include href='{}'/>y</a>", "xy"),
    "a schema": (
        "<a xmlns:x='http://www.w3.org/2001/XMLSchema-instance' x:schemaLocation='urn:a {}' "
        "x:noNamespaceSchemaLocation='{}'>xy</a>",
        "xy",
    ),
    "a stylesheet": ("<?xml-stylesheet type='text/xsl' href='{}'?><a>xy</a>", "xy"),
    "a model": ("<?xml-model href='{}'?><a>xy</a>", "xy"),
    "a base": ("<a xml:base='{}'>xy</a>", "xy"),
}


@pytest.mark.parametrize("case", POINTING)
def test_nothing_is_fetched_over_the_network(case: str, listener: _Listener) -> None:
    template, text = POINTING[case]
    address = f"http://127.0.0.1:{listener.server_address[1]}/secret"
    assert accepted(template.replace("{}", address)).string_value(0) == text
    assert listener.requests == []


@pytest.mark.parametrize("case", POINTING)
@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_no_file_is_opened(case: str, form: str, tmp_path: Path) -> None:
    """The file is a pipe without a writer: whoever opened it would wait, and whoever has opened it can be asked."""
    secret = tmp_path / "secret"
    os.mkfifo(secret)
    template, text = POINTING[case]
    data = template.replace("{}", form.replace("{}", str(secret)))
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    assert accepted(data).string_value(0) == text
    after = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    assert len(after) <= len(before)
    with pytest.raises(OSError, match=r"No such device|ENXIO"):
        os.close(os.open(secret, os.O_WRONLY | os.O_NONBLOCK))


def test_the_listener_listens(listener: _Listener) -> None:
    """What is asserted of silence above would be heard."""
    from urllib.request import urlopen

    with urlopen(f"http://127.0.0.1:{listener.server_address[1]}/heard") as answer:
        assert answer.read()
    assert listener.requests.pop() == "/heard"


@pytest.mark.parametrize(
    ("text", "skipped"),
    [
        ("<!DOCTYPE a SYSTEM 'x'><a>1&b;2&c;<d/>&b;</a>", 3),
        ("<!DOCTYPE a SYSTEM 'x'><a b='1&b;2'/>", 0),
        ("<!DOCTYPE a [<!ENTITY % p SYSTEM 'x'>%p;]><a>1&b;2</a>", 1),
        ("<!DOCTYPE a [<!ENTITY b SYSTEM 'x'>]><a>1&b;2</a>", 1),
        ("<!DOCTYPE a SYSTEM 'x' [<!ENTITY b 'c'>]><a>1&b;2</a>", 0),
    ],
)
def test_entities_of_an_unread_subset_stand_for_nothing(text: str, skipped: int) -> None:
    document = accepted(text)
    assert document.skipped_entities == skipped


@pytest.mark.parametrize(
    "text",
    [
        "<a>&b;</a>",
        "<a b='&c;'/>",
        "<!DOCTYPE a [<!ENTITY c 'd'>]><a>&b;</a>",
        "<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 'x'><a>&b;</a>",
    ],
)
def test_an_entity_that_nobody_could_declare_is_an_error(text: str) -> None:
    assert rejected(text).reason == "not well-formed: undefined entity"


def test_time_is_linear_in_one_huge_token() -> None:
    """Four times the token, about four times the time: a token is not scanned again from its start with every piece.
    Through pyexpat it is, with every megabyte, whatever the size of the pieces: it cuts them itself."""
    seconds = []
    for size in (8_000_000, 32_000_000):
        data = f"<a><!--{'x' * size}--></a>".encode()
        start = time.process_time()
        for _ in range(3):
            outcome(data, "kernel")
        seconds.append(time.process_time() - start)
    assert seconds[1] < 10 * seconds[0] + 0.05
