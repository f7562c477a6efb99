"""Real expressions and documents, from the shared data.

What counts is what the project promises about: expressions that libxml2 compiles as XPath 1.0, without variables and
without functions that XPath 1.0 lacks. Where the data give no namespace for a prefix, one is made up.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from xylem.xpath.functions import FUNCTIONS
from xylem.xpath.parser import Parser
from xylem.xpath.tokens import offsets, tokenise
from xylem.xpath.translate import is_location

_STRING = re.compile(r"""'[^']*'|"[^"]*\"""")
_CALL = re.compile(r"([\w.\-:]+)\s*\(")
_PREFIX = re.compile(r"(?<![\w.\-])([A-Za-z_][\w.\-]*):(?=[A-Za-z_*])")
_NODE_TYPES = {"node", "text", "comment", "processing-instruction"}
_OPERATORS = {"and", "or", "div", "mod"}


class Expression(NamedTuple):
    text: str
    namespaces: dict[str, str]


def expressions(folder: Path) -> dict[str, list[Expression]]:
    """The distinct expressions of each collection that count."""
    found: dict[str, list[Expression]] = {}
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        distinct = {}
        for record in records:
            text = record["expr"]
            namespaces = bindings(text, record.get("ns") or {})
            if counts(text, namespaces):
                distinct[text, tuple(sorted(namespaces.items()))] = Expression(text, namespaces)
        found[path.name.removesuffix(".jsonl.gz")] = list(distinct.values())
    return found


def bindings(text: str, given: dict[str, str]) -> dict[str, str]:
    used = set(_PREFIX.findall(_STRING.sub("''", text))) - {"xml"}
    return {prefix: given.get(prefix) or f"urn:{prefix}" for prefix in used}


def counts(text: str, namespaces: dict[str, str]) -> bool:
    bare = _STRING.sub("''", text)
    if "$" in bare or set(_CALL.findall(bare)) - set(FUNCTIONS) - _NODE_TYPES - _OPERATORS - axes_before_tests(bare):
        return False
    try:
        etree.XPath(text, namespaces=namespaces)
    except (etree.XPathSyntaxError, ValueError):
        return False
    return True


def axes_before_tests(bare: str) -> set[str]:
    """`child::text(` and the like, where a node test follows an axis."""
    return {call for call in _CALL.findall(bare) if call.rpartition("::")[2] in _NODE_TYPES}


def documents(folder: Path, largest: int) -> Iterator[Path]:
    """The XML documents up to a size, in order."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".xml", ".xhtml", ".rss", ".atom") and path.stat().st_size <= largest:
            yield path


def asked(expression: Expression) -> str:
    """What an expression asks of a document node: a relative location path, or one in a union, looks everywhere."""
    tree = Parser(expression.text, expression.namespaces).parse()
    return everywhere(expression.text) if is_location(tree) else expression.text


def everywhere(text: str) -> str:
    text = text.strip(" \t\r\n")
    cuts, depth, closed = [], 0, []
    starts = offsets(text)
    for start, token in zip(starts, tokenise(text), strict=True):
        depth += (token in ("(", "[")) - (token in (")", "]"))
        closed += [start] if depth == 0 and token == ")" else []
        cuts += [start] if depth == 0 and token == "|" else []
    if cuts:
        bounds = zip([-1, *cuts], [*cuts, len(text)], strict=True)
        return " | ".join(everywhere(text[start + 1 : end]) for start, end in bounds)
    if text[0] == "(" and closed[0] == len(text) - 1:
        return everywhere(text[1:-1])
    return text if text[0] == "/" else f"//{text}"
