"""`xylem explain`: why a document matches an expression, or the step where it stops.

This module knows nothing of how an explanation is found, nor of how it is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from xylem.cli.options import LimitOptions, Namespaces, limits_of, namespaces_of
from xylem.cli.output import print_json, print_line, readable
from xylem.cli.process import ExitCode, say
from xylem.cli.sources import sources
from xylem.errors import DocumentError, UsageError, XPathError

if TYPE_CHECKING:
    from xylem.document import Limits, Source

EXAMPLE = """\b
Example:
  xylem explain --ns n=urn:news story.xml "/story[@priority <= 2]//n:quote"

\b
Marks: ✓ holds, ✗ fails, · was never asked, for a step above it found nothing.
Exit codes: 0 explained, matching or not; 2 wrong usage; 3 the document was
rejected; 4 the expression was rejected."""


def explain(
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="An XML file; - reads standard input.")],
    xpath: Annotated[str, typer.Argument(metavar="XPATH", help="The expression, as a subscription would have it.")],
    ns: Namespaces = None,
    limit: LimitOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Says the same as one JSON object.")] = False,
) -> int:
    """Shows why a document matches an expression, or the step where it stops."""
    from xylem.cli.explanation import drawing, facts, verdict
    from xylem.matching.explain import explain_document
    from xylem.xpath import caret, parse

    bound, limits = namespaces_of(ns), limits_of(limit)
    try:
        pattern = parse(xpath, bound)
    except XPathError as error:
        say(f"xylem: the expression is rejected: {error}")
        say("".join(f"    {line}\n" for line in caret(error).splitlines()).rstrip("\n"))
        return ExitCode.REJECTED_SUBSCRIPTIONS
    source = _only(document, limits)
    try:
        if isinstance(source.content, DocumentError):
            raise source.content
        explanation = explain_document(source.content, pattern, limits)
    except DocumentError as error:
        place = f", line {error.line}, column {error.column}" if error.line else ""
        say(f"xylem: the document is rejected: {readable(source.name)}{place}: {error.reason}")
        return ExitCode.REJECTED_DOCUMENTS
    if json:
        print_json({"document": readable(source.name), "xpath": xpath, **facts(explanation, bound)})
    else:
        print_line(f"{verdict(explanation)}  {readable(source.name)}  {xpath}\n")
        for line in drawing(explanation, bound):
            print_line(line)
    return ExitCode.FINE


def _only(path: str, limits: Limits) -> Source:
    """The one document that a path stands for."""

    found = sources([path], None, limits)
    first = next(found, None)
    if first is None or next(found, None) is not None:
        raise UsageError(f"{readable(path)} holds {'no document' if first is None else 'several'}, expected one")
    return first
