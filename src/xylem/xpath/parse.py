"""The front door: the text of a subscription to its pattern.

Plain linear paths, which most subscriptions are, take a short way past the grammar (`lane`); the
patterns are the same objects' equals either way.
"""

from __future__ import annotations

from collections.abc import Mapping

from xylem.errors import XPathError
from xylem.xpath import tokens
from xylem.xpath.lane import linear
from xylem.xpath.limits import MAX_CHARACTERS
from xylem.xpath.parser import Parser
from xylem.xpath.pattern import TreePattern, Verification
from xylem.xpath.spelling import spell_expression
from xylem.xpath.translate import anchored, translate


def parse(text: str, namespaces: Mapping[str, str] | None = None, *, strict: bool = False) -> TreePattern:
    """The pattern of an expression; raises XPathError with construct and column when there is none.

    `namespaces` binds prefixes; a name without prefix is in no namespace. With `strict`, an expression that
    a pattern cannot say in full is refused too. O(length) for paths; rewriting is bounded by `limits`.
    """
    if len(text) > MAX_CHARACTERS:
        message = f"an expression of {len(text)} characters: the limit is {MAX_CHARACTERS}"
        raise XPathError(message, expression=text, column=MAX_CHARACTERS + 1, construct="length")
    short = linear(text)
    if short is not None:
        return short
    bad = tokens.forbidden(text)
    if bad is not None:
        message = f"the character U+{ord(text[bad]):04X}, which no XML document can hold"
        raise XPathError(message, expression=text, column=bad + 1, construct="character")
    try:
        return _parsed(text, namespaces or {}, strict)
    except RecursionError:
        message = "nested too deep for what is left of the stack"
        raise XPathError(message, expression=text, column=1, construct="nesting") from None


def _parsed(text: str, namespaces: Mapping[str, str], strict: bool) -> TreePattern:
    expression = anchored(Parser(text, namespaces).parse())
    said = translate(expression, text)
    if said.exact:
        return TreePattern(said.upper)
    if strict:
        raise XPathError("a part of this cannot be indexed", expression=text, column=1, construct="expression")
    return TreePattern(said.upper, Verification(*spell_expression(expression)))
