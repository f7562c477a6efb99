"""Random XPath 1.0 expressions, from the whole language, as text.

The generator is told how to choose, so that Hypothesis can draw (and shrink) what a seeded `random.Random`
draws much faster. Choices stand simplest first, because Hypothesis shrinks towards the first.

Everything that is made compiles, has the right types, and asks about the names and values that `documents` makes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

NAMESPACES = {"p": "urn:p", "q": "urn:q"}
AXES = (
    "child", "descendant", "self", "descendant-or-self", "parent", "ancestor", "ancestor-or-self", "attribute",
    "following-sibling", "preceding-sibling", "following", "preceding", "namespace",
)  # fmt: skip
DOWNWARD = ("child", "descendant", "self", "descendant-or-self", "attribute")
NAMES = ("a", "b", "c", "*", "p:a", "p:*", "é")
ATTRIBUTES = ("n", "m", "*", "p:n", "xml:lang", "id")
OTHER_TESTS = ("text()", "node()", "comment()", "processing-instruction()", "processing-instruction('t')")
STRINGS = ("''", "'x'", "'1'", "' 1 '", "'a b'", "'en'", "'é'", "'x1'", '"\'"', "'urn:p'", "'a'", "'p:a'")
NUMBERS = ("0", "1", "2", "-1", "1.5", ".5", "3", "(1 div 0)", "(0 div 0)", "-0", "1000000000000")
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")

Choose = Callable[[Sequence[T]], T]


class Subscription(str):
    """An expression, with what it asks of a document node written out: a relative location path looks everywhere."""

    asked: str

    def __new__(cls, text: str, asked: str | None = None) -> Subscription:
        made = super().__new__(cls, text)
        made.asked = text if asked is None else asked
        return made


class Writer:
    """Writes expressions; `tree_patterns` only keeps to what should be indexed in full."""

    def __init__(self, choose: Choose, *, tree_patterns: bool = False) -> None:
        self.choose = choose
        self.plain = tree_patterns

    def subscription(self, depth: int) -> Subscription:
        kind = self.choose(("path", "path", "union", "boolean", "any"))
        if kind == "path":
            return self.location(depth)
        if kind == "union":
            first, second = self.location(depth - 1), self.location(depth - 1)
            return Subscription(f"{first} | {second}", f"{first.asked} | {second.asked}")
        found = self.boolean(depth) if kind == "boolean" or self.plain else self.any(depth)
        return found if isinstance(found, Subscription) else Subscription(found)

    def any(self, depth: int) -> str:
        return self.choose((self.boolean, self.nodes, self.number, self.string))(depth)

    # Node-sets ----------------------------------------------------------------------------------------------

    def nodes(self, depth: int) -> str:
        if depth <= 0 or self.plain:
            return self.location(depth)
        kind = self.choose(("location", "location", "location", "filter", "union", "steps", "id"))
        match kind:
            case "filter":
                return f"({self.nodes(depth - 1)}){self.predicate(depth - 1)}"
            case "union":
                first, second = self.nodes(depth - 1), self.nodes(depth - 1)
                text = f"({first} | {second})"
                both = isinstance(first, Subscription) and isinstance(second, Subscription)
                return Subscription(text, f"{first.asked} | {second.asked}") if both else text
            case "steps":
                return f"({self.nodes(depth - 1)}){self.choose(('/', '//'))}{self.steps(depth - 1)}"
            case "id":
                return f"id({self.string(depth - 1)})"
        return self.location(depth)

    def location(self, depth: int) -> Subscription:
        start = self.choose(("//", "/", "", ".//", "./") if depth > 0 else ("//", "/", ""))
        if start == "/" and not self.plain and self.choose((False,) * 9 + (True,)):
            return Subscription("(/)")  # `/ and x` would be a step called `and`
        text = start + self.steps(depth)
        return Subscription(text, text if text[0] == "/" else f"//{text}")

    def steps(self, depth: int) -> str:
        text = self.step(depth)
        for _ in range(self.choose((0, 0, 1, 1, 2) if depth > 0 else (0, 0, 0, 1))):
            text += self.choose(("/", "/", "//")) + self.step(depth - 1)
        return text

    def step(self, depth: int) -> str:
        text = self.axis_and_test()
        if text in (".", ".."):
            return text
        for _ in range(self.choose((0, 0, 1, 1, 2)) if depth > 0 else 0):
            text += self.predicate(depth - 1)
        return text

    def axis_and_test(self) -> str:
        kind = self.choose(("name", "name", "name", "attribute", "text", "dot", "axis", "axis"))
        match kind:
            case "name":
                return self.choose(NAMES)
            case "attribute":
                return "@" + self.choose(ATTRIBUTES)
            case "text":
                return "text()"
            case "dot":
                return "." if self.plain else self.choose((".", ".", ".."))
        axis = self.choose(DOWNWARD[:2] if self.plain else AXES)
        if self.plain:
            return f"{axis}::{self.choose(NAMES)}"
        tests = ATTRIBUTES if axis == "attribute" else NAMES
        return f"{axis}::{self.choose((*tests, *OTHER_TESTS))}"

    def predicate(self, depth: int) -> str:
        if self.plain:
            return f"[{self.boolean(depth)}]"
        kind = self.choose(("boolean", "boolean", "boolean", "position", "any"))
        if kind == "position":
            return self.choose((
                "[1]", "[2]", "[last()]", "[position() = 2]", "[position() < 3]", "[position() != 1]", "[last() - 1]",
                "[position() = last()]", "[last() > 1]", "[0]", "[1.5]", "[position() mod 2 = 1]", "[3 > position()]",
            ))  # fmt: skip
        return f"[{self.boolean(depth) if kind == 'boolean' else self.any(depth)}]"

    # Truth values -------------------------------------------------------------------------------------------

    def boolean(self, depth: int) -> str:
        if depth <= 0:
            return self.choose((self.compared, self.located))(0)
        kinds = ("nodes", "compared", "compared", "and", "or", "not", "contains", "counted", "measured", "other")
        match self.choose(kinds[:-1] if self.plain else kinds):
            case "nodes":
                return self.located(depth - 1)
            case "compared":
                return self.compared(depth - 1)
            case "and":
                return f"({self.boolean(depth - 1)} and {self.boolean(depth - 1)})"
            case "or":
                return f"({self.boolean(depth - 1)} or {self.boolean(depth - 1)})"
            case "not":
                return f"not({self.boolean(depth - 1)})"
            case "contains":
                name = self.choose(("contains", "starts-with"))
                return f"{name}({self.viewed(depth - 1)}, {self.choose(STRINGS)})"
            case "counted":
                return f"count({self.location(depth - 1)}) {self.choose(OPERATORS)} {self.choose(NUMBERS)}"
            case "measured":
                return f"{self.measured(depth - 1)} {self.choose(OPERATORS)} {self.choose(NUMBERS)}"
        return self.other_boolean(depth - 1)

    def located(self, depth: int) -> str:
        return self.nodes(depth)

    def compared(self, depth: int) -> str:
        operator = self.choose(OPERATORS)
        subject = self.choose((".", "@n", "text()", "")) or self.nodes(depth)
        value = self.choose(self.choose((STRINGS, NUMBERS)))
        return self.choose((f"{subject} {operator} {value}", f"{value} {operator} {subject}"))

    def viewed(self, depth: int) -> str:
        subject = self.choose((".", "@n", "text()", "")) or self.nodes(depth)
        return self.choose((subject, f"string({subject})", f"normalize-space({subject})", subject))

    def measured(self, depth: int) -> str:
        subject = self.choose((".", "@n", "text()", "")) or self.nodes(depth)
        return self.choose((f"string-length({subject})", f"string-length(normalize-space({subject}))"))

    def other_boolean(self, depth: int) -> str:
        match self.choose(("compare", "compare", "equal", "true", "boolean", "lang", "contains", "context")):
            case "compare":
                return f"({self.any(depth)}) {self.choose(OPERATORS)} ({self.any(depth)})"
            case "equal":
                return f"({self.boolean(depth)}) {self.choose(('=', '!='))} ({self.any(depth)})"
            case "true":
                return self.choose(("true()", "false()"))
            case "boolean":
                return f"boolean({self.any(depth)})"
            case "lang":
                return f"lang({self.string(depth)})"
            case "contains":
                return f"{self.choose(('contains', 'starts-with'))}({self.any(depth)}, {self.any(depth)})"
        return self.choose((
            "normalize-space()", "string()", "name()", "local-name()", "namespace-uri()", "string-length()", "number()",
            "local-name() = 'a'", "name() = 'p:a'", "namespace-uri() = 'urn:p'", "normalize-space() = 'x'",
            "string-length() > 1", "number() = 1",
        ))  # fmt: skip

    # Numbers and strings ------------------------------------------------------------------------------------

    def number(self, depth: int) -> str:
        if depth <= 0:
            return self.choose(NUMBERS)
        match self.choose(("count", "sum", "number", "length", "sign", "arithmetic", "rounded", "literal")):
            case "count":
                return f"count({self.nodes(depth - 1)})"
            case "sum":
                return f"sum({self.nodes(depth - 1)})"
            case "number":
                return f"number({self.any(depth - 1)})"
            case "length":
                return f"string-length({self.any(depth - 1)})"
            case "sign":
                return f"-({self.any(depth - 1)})"
            case "arithmetic":
                return f"({self.any(depth - 1)} {self.choose(('+', '-', '*', 'div', 'mod'))} {self.any(depth - 1)})"
            case "rounded":
                return f"{self.choose(('floor', 'ceiling', 'round'))}({self.any(depth - 1)})"
        return self.choose(NUMBERS)

    def string(self, depth: int) -> str:
        if depth <= 0:
            return self.choose(STRINGS)
        some = self.any
        match self.choose(("string", "normal", "concat", "name", "substring", "around", "translate", "literal")):
            case "string":
                return f"string({some(depth - 1)})"
            case "normal":
                return f"normalize-space({some(depth - 1)})"
            case "concat":
                return f"concat({some(depth - 1)}, {some(depth - 1)})"
            case "name":
                name = self.choose(("local-name", "name", "namespace-uri"))
                return f"{name}({self.nodes(depth - 1)})"
            case "substring":
                return f"substring({some(depth - 1)}, {self.choose(('1', '2', '0', '1, 1', '0 div 0', '2, 9'))})"
            case "around":
                name = self.choose(("substring-before", "substring-after"))
                return f"{name}({some(depth - 1)}, {some(depth - 1)})"
            case "translate":
                return f"translate({some(depth - 1)}, {self.choose(STRINGS)}, {self.choose(STRINGS)})"
        return self.choose(STRINGS)


def expression(random: Random, depth: int = 3, *, tree_patterns: bool = False) -> Subscription:
    return Writer(random.choice, tree_patterns=tree_patterns).subscription(depth)


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3, *, tree_patterns: bool = False) -> Subscription:
    def choose(items: Sequence[T]) -> T:
        return items[draw(st.integers(0, len(items) - 1))]

    return Writer(choose, tree_patterns=tree_patterns).subscription(depth)
