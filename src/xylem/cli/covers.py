"""`xylem covers`: does every document that matches one expression match the other, and if not, which does not.

This module knows nothing of how that is decided.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xylem.cli.generate import read_schema
from xylem.cli.options import Namespaces, namespaces_of
from xylem.cli.output import print_json, print_line
from xylem.cli.process import ExitCode, say
from xylem.errors import UsageError, XPathError

if TYPE_CHECKING:
    from xylem.containment import Comparison
    from xylem.xpath import TreePattern

EXAMPLE = """\b
Example:
  xylem covers "//story[@priority <= 3]" "/news/story[@priority = 1]"

\b
Answers:
  yes        every document that matches the second matches the first
  no         a document that matches only the second is printed
  not known  neither a proof nor a document was found in the time allowed;
             take it as a no
Exit codes: 0 yes; 1 no, or not known; 2 wrong usage; 4 an expression was
rejected."""


def covers(
    first: Annotated[str, typer.Argument(metavar="XPATH", help="The expression that may contain the other.")],
    second: Annotated[str, typer.Argument(metavar="XPATH", help="The expression that may be contained.")],
    ns: Namespaces = None,
    dtd: Annotated[
        Path | None, typer.Option("--dtd", metavar="FILE", help="Only documents that are valid against it count.")
    ] = None,
    root: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --dtd: the root element, where it is left open.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Says the same as one JSON object.")] = False,
) -> int:
    """Tells whether the first expression contains the second: whether all that matches the second matches the first."""
    from xylem.containment import compare

    bound = namespaces_of(ns)
    patterns = [_parsed(xpath, bound) for xpath in (first, second)]
    outer, inner = patterns
    if outer is None or inner is None:
        return ExitCode.REJECTED_SUBSCRIPTIONS
    if root is not None and dtd is None:
        raise UsageError("--root says which element of a schema documents start with: it needs --dtd")
    schema = read_schema(dtd, root) if dtd is not None else None
    answer = compare(outer, inner, schema=schema)
    if json:
        print_json(_facts(answer, first, second))
    else:
        for line in _lines(answer):
            print_line(line)
    return ExitCode.FINE if answer.contains else ExitCode.FAILED


def _parsed(xpath: str, namespaces: dict[str, str]) -> TreePattern | None:
    """The pattern of an expression; one that is refused is named."""
    from xylem.xpath import caret, parse

    try:
        return parse(xpath, namespaces)
    except XPathError as error:
        say(f"xylem: the expression is rejected: {error}")
        say("".join(f"    {line}\n" for line in caret(error).splitlines()).rstrip("\n"))
        return None


def _facts(answer: Comparison, first: str, second: str) -> dict[str, object]:
    witness = None if answer.witness is None else answer.witness.decode()
    return {"first": first, "second": second, "contains": answer.contains, "witness": witness}


def _lines(answer: Comparison) -> list[str]:
    if answer.contains is None:
        return ["not known"]
    if answer.contains:
        return ["yes"]
    return ["no"] if answer.witness is None else ["no", answer.witness.decode()]
