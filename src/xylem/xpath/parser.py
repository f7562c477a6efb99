"""XPath 1.0's grammar, by recursive descent over the tokens.

Binary operators are read by precedence climbing, so a nested bracket costs four frames of Python's stack and
not one for each rule of the grammar; nesting is bounded by name (`MAX_NESTING`). Where libxml2's own
parser takes more than the grammar says (`///a`, `1e3`, `a andb`), this one does not.

Invariant: what comes out is well-typed: every call has arguments it takes, every step hangs below a node-set.

This module knows nothing of what expressions mean for subscriptions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NoReturn

from xylem.errors import XPathError
from xylem.xpath import tokens as lexer
from xylem.xpath.functions import FUNCTIONS, type_of
from xylem.xpath.limits import MAX_NESTING
from xylem.xpath.numbers import string_to_number
from xylem.xpath.pattern import Kind, NodeTest
from xylem.xpath.syntax import (
    ABOVE,
    EVERY_NODE_BELOW,
    HERE,
    Arithmetic,
    Call,
    Comparison,
    Expression,
    Filter,
    Instruction,
    Literal,
    Logic,
    Negative,
    NodeType,
    Number,
    Path,
    Start,
    Step,
    StepAxis,
    Type,
    Union,
)

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"

PRECEDENCE = {
    "or": 1, "and": 2, "=": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "div": 6, "mod": 6,
}  # fmt: skip
_AXES = {axis.value: axis for axis in StepAxis}
_NODE_TYPES = {"node", "text", "comment", "processing-instruction"}
_TEXT = NodeTest(Kind.TEXT, None, None)


@lru_cache(lexer.KEPT_NAMES)
def name_test(kind: Kind, namespace: str | None, local: str | None) -> NodeTest:
    """The node test of a name; equal tests are mostly one object."""
    return NodeTest(kind, local, namespace)


class Parser:
    """Reads one expression."""

    __slots__ = ("at", "depth", "namespaces", "predicate_depth", "text", "tokens")

    def __init__(self, text: str, namespaces: Mapping[str, str]) -> None:
        self.text = text
        self.namespaces = namespaces
        self.tokens = lexer.tokenise(text)
        self.at = 0
        self.depth = 0
        self.predicate_depth = 0

    def parse(self) -> Expression:
        if self.tokens[0] == lexer.END:
            self.fail("an empty expression: an XPath expression was expected", "expression")
        found = self.expression(1)
        if self.tokens[self.at] != lexer.END:
            self.unexpected("the end of the expression or an operator")
        return found

    # Errors -------------------------------------------------------------------------------------------------

    def column(self, at: int) -> int:
        """The 1-based column of a token."""
        return lexer.offsets(self.text)[at] + 1

    def fail(self, message: str, construct: str, at: int | None = None) -> NoReturn:
        place = self.column(self.at if at is None else at)
        raise XPathError(message, expression=self.text, column=place, construct=construct)

    def unexpected(self, expected: str) -> NoReturn:
        token = self.tokens[self.at]
        if token == lexer.END:
            self.fail(f"the expression ends where {expected} was expected", "end of expression")
        if token in "'\"":
            self.fail(f"a string literal opens with {token} and is never closed", "string literal")
        self.fail(f"met {_shown(token)} where {expected} was expected", _shown(token))

    # Expressions --------------------------------------------------------------------------------------------

    def expression(self, rank: int) -> Expression:
        """An expression of operators that bind at least as tightly as `rank`."""
        left = self.operand()
        tokens, precedence = self.tokens, PRECEDENCE
        while True:
            operator = tokens[self.at]
            binds = precedence.get(operator, 0)
            if binds < rank or not binds:
                return left
            if binds <= 2:
                left = self.chain(operator, binds, left)
                continue
            self.at += 1
            right = self.expression(binds + 1)
            left = Comparison(operator, left, right) if binds <= 4 else Arithmetic(operator, left, right)

    def chain(self, operator: str, binds: int, first: Expression) -> Expression:
        """The operands that one operator (`and`, `or`) joins."""
        items = [first]
        while self.tokens[self.at] == operator:
            self.at += 1
            items.append(self.expression(binds + 1))
        return Logic(operator, tuple(items))

    def operand(self) -> Expression:
        """Signs, and a union of paths."""
        signs = 0
        while self.tokens[self.at] == "-":
            self.at += 1
            signs += 1
        found = self.path()
        if self.tokens[self.at] == "|":
            found = self.union(found)
        # An even number of signs still makes a number of its operand.
        for _ in range(2 - signs % 2 if signs else 0):
            found = Negative(found)
        return found

    def union(self, first: Expression) -> Expression:
        items = [self.nodes(first, "the union operator |", self.at)]
        while self.tokens[self.at] == "|":
            at = self.at
            self.at += 1
            items.append(self.nodes(self.path(), "the union operator |", at))
        return Union(tuple(items))

    def nodes(self, found: Expression, what: str, at: int) -> Expression:
        if type_of(found) is not Type.NODES:
            self.fail(f"{what} needs a node-set, not a {type_of(found).name.lower()}", what, at)
        return found

    def path(self) -> Expression:
        """A location path, or a primary expression with predicates and steps behind it."""
        token = self.tokens[self.at]
        first = token[:1]
        if first == "/":
            return self.absolute()
        if token == lexer.END:
            self.unexpected("an expression")
        if first in "('\"$" or lexer.is_number(token):
            return self.filtered(self.primary())
        if lexer.is_name(token) and self.tokens[self.at + 1] == "(" and token not in _NODE_TYPES:
            return self.filtered(self.call())
        at = self.at
        return Path(Start.RELATIVE, self.steps([]), at)

    def absolute(self) -> Path:
        at = self.at
        self.at += 1
        if self.tokens[at] == "//":
            return Path(Start.ABSOLUTE, self.steps([EVERY_NODE_BELOW]), at)
        token = self.tokens[self.at]
        if lexer.is_name(token) or token in ("*", "@", ".", ".."):
            return Path(Start.ABSOLUTE, self.steps([]), at)
        return Path(Start.ABSOLUTE, (), at)

    def filtered(self, primary: Expression) -> Expression:
        """What stands behind a primary expression."""
        at = self.at
        if self.tokens[at] == "[":
            self.nodes(primary, "a predicate", at)
            primary = Filter(primary, self.predicates())
        at = self.at
        if self.tokens[at] not in ("/", "//"):
            return primary
        self.nodes(primary, "a step", at)
        steps = [EVERY_NODE_BELOW] if self.tokens[at] == "//" else []
        self.at += 1
        return Path(primary, self.steps(steps), at)

    def primary(self) -> Expression:
        token = self.tokens[self.at]
        if token == "(":
            self.open()
            found = self.expression(1)
            self.close(")")
            return found
        if lexer.is_literal(token):
            self.at += 1
            return Literal(token[1:-1])
        if lexer.is_number(token):
            self.at += 1
            return Number(string_to_number(token))
        if token == "$":
            name = self.tokens[self.at + 1]
            self.fail(f"the variable ${name}: variables are not supported", f"variable ${name}")
        self.unexpected("an expression")

    def open(self) -> None:
        """Goes into a bracket."""
        self.at += 1
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.fail(f"nested more than {MAX_NESTING} brackets deep", "nesting", self.at - 1)

    def close(self, bracket: str) -> None:
        if self.tokens[self.at] != bracket:
            self.unexpected(f"{bracket} or an operator")
        self.at += 1
        self.depth -= 1

    def call(self) -> Expression:
        at = self.at
        name = self.tokens[at]
        signature = FUNCTIONS.get(name)
        if signature is None:
            self.fail(f"the function {name}() is none of XPath 1.0's", f"function {name}()")
        self.at += 1
        self.open()
        arguments: list[Expression] = []
        if self.tokens[self.at] != ")":
            arguments.append(self.expression(1))
            while self.tokens[self.at] == ",":
                self.at += 1
                arguments.append(self.expression(1))
        self.close(")")
        if not signature.fewest <= len(arguments) <= signature.most:
            count = signature.fewest if len(arguments) < signature.fewest else signature.most
            bound = (
                "" if signature.fewest == signature.most else " at least" if count == signature.fewest else " at most"
            )
            given = "1 argument" if len(arguments) == 1 else f"{len(arguments) or 'no'} arguments"
            self.fail(f"{name}() has {given}, takes{bound} {count or 'none'}", f"function {name}()", at)
        if signature.nodes_only and arguments:
            self.nodes(arguments[0], f"function {name}()", at)
        if name in ("position", "last") and not self.predicate_depth:
            self.fail(f"{name}() outside a predicate has no meaning", f"function {name}()", at)
        return Call(name, tuple(arguments))

    # Steps --------------------------------------------------------------------------------------------------

    def steps(self, found: list[Step]) -> tuple[Step, ...]:
        """Steps from here on, behind those found already."""
        tokens = self.tokens
        while True:
            found.append(self.step())
            token = tokens[self.at]
            if token == "/":
                self.at += 1
            elif token == "//":
                self.at += 1
                found.append(EVERY_NODE_BELOW)
            else:
                return tuple(found)

    def step(self) -> Step:
        token = self.tokens[self.at]
        if token == ".":
            self.at += 1
            return HERE
        if token == "..":
            self.at += 1
            return ABOVE
        axis = StepAxis.CHILD
        if token == "@":
            self.at += 1
            axis = StepAxis.ATTRIBUTE
        elif self.tokens[self.at + 1 : self.at + 2] == ["::"] and token in _AXES:
            self.at += 2
            axis = _AXES[token]
        test = self.node_test(axis)
        return Step(axis, test, self.predicates() if self.tokens[self.at] == "[" else ())

    def node_test(self, axis: StepAxis) -> NodeTest | NodeType | Instruction:
        at = self.at
        token = self.tokens[at]
        kind = Kind.ATTRIBUTE if axis is StepAxis.ATTRIBUTE else Kind.ELEMENT
        if token == "*":
            self.at += 1
            return name_test(kind, None, None)
        if not lexer.is_name(token):
            self.unexpected("a step")
        self.at += 1
        if self.tokens[self.at] == "(":
            return self.node_type(token)
        if self.tokens[self.at] == "::":
            self.fail(f"{_shown(token)} is none of XPath's axes", f"axis {_shown(token)}", at)
        prefix, colon, local = token.partition(":")
        if not colon:
            return name_test(kind, "", token)
        return name_test(kind, self.bound(prefix, at), None if local == "*" else local)

    def bound(self, prefix: str, at: int) -> str:
        """The namespace of a prefix."""
        if prefix == "xml":
            return XML_NAMESPACE
        namespace = self.namespaces.get(prefix)
        if not namespace:
            self.fail(f"the prefix {prefix} is bound to no namespace", f"unbound prefix {prefix}", at)
        return namespace

    def node_type(self, name: str) -> NodeTest | NodeType | Instruction:
        at = self.at - 1
        if name not in _NODE_TYPES:
            self.fail(f"{name}() is no node test", f"{name}()", at)
        self.at += 1
        target = None
        if name == "processing-instruction" and lexer.is_literal(self.tokens[self.at]):
            target = self.tokens[self.at][1:-1]
            self.at += 1
        if self.tokens[self.at] != ")":
            self.unexpected(")")
        self.at += 1
        if name == "processing-instruction":
            return Instruction(target)
        return _TEXT if name == "text" else NodeType(name)

    def predicates(self) -> tuple[Expression, ...]:
        found = []
        while self.tokens[self.at] == "[":
            self.open()
            self.predicate_depth += 1
            found.append(self.expression(1))
            self.predicate_depth -= 1
            self.close("]")
        return tuple(found)


def _shown(token: str) -> str:
    return token if len(token) <= 40 else token[:39] + "…"
