"""`xylem explain`: why a document matches an expression, or the step where it stops.

This module puts into words and draws what `xylem.matching.explain` found out; it decides nothing itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from xylem.cli.options import LimitOptions, Namespaces, limits_of, namespaces_of
from xylem.cli.output import print_json, print_line, readable
from xylem.cli.process import ExitCode, say
from xylem.errors import DocumentError, UsageError, XPathError

if TYPE_CHECKING:
    from xylem.cli.wording import Prefixes
    from xylem.document import Source
    from xylem.matching.explain import Explanation, Step

EXAMPLE = """\b
Example:
  xylem explain --ns n=urn:news story.xml "/story[@priority <= 2]//n:quote"

\b
Marks: ✓ holds, ✗ fails, · was never asked, for a step above it found nothing.
Exit codes: 0 explained, matching or not; 2 wrong usage; 3 the document was
rejected; 4 the expression was rejected."""

_MARK = {"holds": "✓", "fails": "✗", "unreached": "·"}
_VERIFIED = {True: "✓", False: "✗", None: "·"}
_INDEXED = {
    "full": "Indexed in full: the marks above decide.",
    "part": "Indexed in part: what is above must hold, and libxml2 verifies the whole expression.",
    "none": "Not indexed: no part of it could be, and libxml2 evaluates the whole expression.",
}


def explain(
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="An XML file; - reads standard input.")],
    xpath: Annotated[str, typer.Argument(metavar="XPATH", help="The expression, as a subscription would have it.")],
    ns: Namespaces = None,
    limit: LimitOptions = None,
    json: Annotated[bool, typer.Option("--json", help="Says the same as one JSON object.")] = False,
) -> int:
    """Shows why a document matches an expression, or the step where it stops."""
    from xylem.matching.explain import explain_document
    from xylem.xpath import caret, parse

    bound, limits = namespaces_of(ns), limits_of(limit)
    try:
        pattern = parse(xpath, bound)
    except XPathError as error:
        say(f"xylem: the expression is rejected: {error}")
        say("".join(f"    {line}\n" for line in caret(error).splitlines()).rstrip("\n"))
        return ExitCode.REJECTED_SUBSCRIPTIONS
    source = _only(document)
    try:
        if isinstance(source.content, DocumentError):
            raise source.content
        explanation = explain_document(source.content, pattern, limits)
    except DocumentError as error:
        place = f", line {error.line}, column {error.column}" if error.line else ""
        say(f"xylem: the document is rejected: {readable(source.name)}{place}: {error.reason}")
        return ExitCode.REJECTED_DOCUMENTS
    prefixes = {uri: prefix for prefix, uri in bound.items()}
    if json:
        print_json({"document": readable(source.name), "xpath": xpath, **facts(explanation, prefixes)})
    else:
        print_line(f"{verdict(explanation)}  {readable(source.name)}  {xpath}\n")
        for line in drawing(explanation, prefixes):
            print_line(line)
    return ExitCode.FINE


def _only(path: str) -> Source:
    """The one document that a path stands for."""
    from xylem.cli.sources import sources

    found = sources([path], None, limits_of(None))
    first = next(found, None)
    if first is None or next(found, None) is not None:
        raise UsageError(f"{readable(path)} holds {'no document' if first is None else 'several'}, expected one")
    return first


def verdict(explanation: Explanation) -> str:
    return "MATCH" if explanation.match else "NO MATCH"


def drawing(explanation: Explanation, prefixes: Prefixes) -> Iterator[str]:
    """The pattern as a tree with a mark at every part, and what follows from it."""
    rows = [row for step in _visible(explanation.root) for row in _rows(step, "", "", explanation, prefixes)]
    if not rows:
        rows = [(f"{_MARK[explanation.root.mark.value]} anything", "every document has what is indexed of it")]
    width = min(max(len(left) for left, _ in rows), 60)
    for left, right in rows:
        yield f"{left:<{width}}  {right}".rstrip()
    if explanation.pattern.verification is not None:
        yield f"{_VERIFIED[explanation.verified]} libxml2: boolean({explanation.pattern.verification.expression})"
    yield ""
    if stop := stop_words(explanation, prefixes):
        yield stop
    yield _INDEXED[explanation.indexed]


def stop_words(explanation: Explanation, prefixes: Prefixes) -> str:
    """One sentence about the deepest step that was reached, where the pattern does not hold."""
    from xylem.cli.wording import part_words
    from xylem.xpath.pattern import And, PatternNode

    chain = [step for step in explanation.stops() if not isinstance(step.part, And)]
    if not chain:
        return ""
    last = chain[-1]
    steps = "".join(part_words(step.part, prefixes) for step in chain[:-1] if isinstance(step.part, PatternNode))
    reached = f"Reached {steps}" if steps else "Stopped at once"
    place = next((step.place for step in reversed(chain[:-1]) if step.place is not None), None)
    where = f" (line {explanation.line(place)})" if place is not None and steps else ""
    if isinstance(last.part, PatternNode) and not last.candidates:
        return f"{reached}{where}: there is no {part_words(last.part, prefixes)} below it."
    return f"{reached}{where}: {part_words(last.part, prefixes)} does not hold."


def facts(explanation: Explanation, prefixes: Prefixes) -> dict[str, object]:
    """An explanation as JSON has it."""
    verification = explanation.pattern.verification
    return {
        "match": explanation.match,
        "indexed": explanation.indexed,
        "pattern": [_facts(step, explanation, prefixes) for step in _visible(explanation.root)],
        "verification": None
        if verification is None
        else {"expression": verification.expression, "holds": explanation.verified},
        "stops": stop_words(explanation, prefixes) or None,
    }


def _facts(step: Step, explanation: Explanation, prefixes: Prefixes) -> dict[str, object]:
    from xylem.cli.wording import part_words

    known: dict[str, object] = {"part": part_words(step.part, prefixes), "mark": step.mark.value}
    if step.candidates is not None:
        known |= {"candidates": step.candidates, "witnesses": step.witnesses}
    if step.place is not None:
        known["line"] = explanation.line(step.place)
    if step.met is not None:
        known["met"] = step.met
    if parts := [_facts(part, explanation, prefixes) for child in step.parts for part in _visible(child)]:
        known["parts"] = parts
    return known


def _visible(step: Step) -> Iterator[Step]:
    """A part, or in place of a conjunction its own parts: standing side by side says "all of" already."""
    from xylem.xpath.pattern import And

    if isinstance(step.part, And):
        for part in step.parts:
            yield from _visible(part)
    else:
        yield step


def _rows(step: Step, lead: str, below: str, explanation: Explanation, prefixes: Prefixes) -> Iterator[tuple[str, str]]:
    """What stands left and right on the lines for a part and all that hangs below it."""
    from xylem.cli.wording import part_words

    yield f"{lead}{_MARK[step.mark.value]} {part_words(step.part, prefixes)}", _remark(step, explanation)
    children = [part for child in step.parts for part in _visible(child)]
    for child in children:
        last = child is children[-1]
        yield from _rows(
            child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "), explanation, prefixes
        )


def _remark(step: Step, explanation: Explanation) -> str:
    """What was found at a part: how many nodes, where the witness is, which value was met."""
    from xylem.cli.wording import value_words

    said = []
    if step.candidates is not None:
        said.append(_counted(step.candidates, "candidate"))
        if step.candidates > 1:
            said.append(_counted(step.witnesses or 0, "witness"))
    if step.place is not None and step.place.index + step.place.kind > 0:
        closest = "" if step.witnesses else "the closest at "
        said.append(f"{closest}line {explanation.line(step.place)}")
    if step.met is not None:
        said.append(f"met {value_words(step.met)}")
    return ", ".join(said)


def _counted(number: int, noun: str) -> str:
    plural = "witnesses" if noun == "witness" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}" if number else f"no {noun}"
