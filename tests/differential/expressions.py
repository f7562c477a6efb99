"""Random subscriptions from the whole language, in a small alphabet so that matches are common.

What patterns say in full is drawn deeply: predicates in predicates, `and`, `or`, `not`, counts, first nodes. What only
libxml2 decides is drawn now and then, also inside the rest.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.differential.documents import VALUES

_NAMES = ("a", "a", "b", "c", "*", "*", "p:a", "p:*", "q:a")
_ATTRIBUTES = ("@x", "@x", "@y", "@*", "@p:x", "@p:*")
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
_NUMBERS = ("0", "1", "2", "2.0", ".5", "-1", "3", "10", "1 div 0", "0 div 0")
_AXES = (
    "child", "descendant", "parent", "ancestor", "following", "preceding", "following-sibling", "preceding-sibling",
    "self", "descendant-or-self", "ancestor-or-self",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subscription:
    xpath: str
    judged: str
    """What libxml2 is asked at the document node: a relative path is asked of every element."""


def random_subscription(rng: random.Random, rare: float = 0.06) -> Subscription:
    """`rare` is how often something is drawn that patterns do not say."""
    return _Writer(rng, rare).subscription()


class _Writer:
    def __init__(self, rng: random.Random, rare: float) -> None:
        self.rng = rng
        self.rare = rare

    def subscription(self) -> Subscription:
        draw = self.rng.random()
        if draw < 0.55:
            return self.location()
        if draw < 0.65:
            parts = [self.location() for _ in range(self.rng.randint(2, 3))]
            return Subscription(" | ".join(p.xpath for p in parts), " | ".join(p.judged for p in parts))
        text = self.truth(3, False)
        return Subscription(text, text)

    def location(self) -> Subscription:
        path = self.path(4, self.rng.randint(1, 4))
        if self.rng.random() < 0.15 and not path.startswith("."):
            return Subscription(path, f"//{path}")
        start = self.rng.choice(("/", "//", "//"))
        return Subscription(start + path, start + path)

    def path(self, depth: int, steps: int) -> str:
        """A relative path whose steps may have predicates."""
        parts = []
        for at in range(steps):
            last = at == steps - 1
            parts.append(self.step(depth, last) + (self.rng.choice(("/", "/", "//")) if not last else ""))
        return "".join(parts)

    def step(self, depth: int, last: bool) -> str:
        rng = self.rng
        if rng.random() < self.rare:
            step = f"{rng.choice(_AXES)}::{rng.choice(('a', 'b', '*', 'node()', 'p:a'))}"
        elif last and rng.random() < 0.25:
            step = rng.choice((*_ATTRIBUTES, "text()"))
        elif rng.random() < 0.04:
            return "."
        else:
            step = rng.choice(_NAMES)
        while depth > 0 and rng.random() < 0.3:
            step += f"[{self.truth(depth - 1, True)}]"
            depth -= 1
        return step

    def truth(self, depth: int, inside: bool) -> str:
        """An expression whose truth counts; `inside` a predicate paths start from a node."""
        rng = self.rng
        if rng.random() < self.rare:
            return self.seldom(depth, inside)
        if depth > 0 and rng.random() < 0.4:
            kind = rng.choice(("and", "or", "not", "and not"))
            left, right = self.truth(depth - 1, inside), self.truth(depth - 1, inside)
            if kind == "not":
                return f"not({left})"
            return f"({left} and not({right}))" if kind == "and not" else f"({left} {kind} {right})"
        return self.simple(depth, inside)

    def simple(self, depth: int, inside: bool) -> str:
        rng = self.rng
        path = self.place(depth, inside)
        draw = rng.random()
        if draw < 0.3:
            return path
        if draw < 0.65:
            return self.compared(self.seen(path), self.constant())
        if draw < 0.8:
            return self.compared(f"count({path})", str(rng.randint(0, 3)))
        if draw < 0.95:
            view = rng.choice((path, path, f"normalize-space({path})", f"string({path})"))
            return f"{rng.choice(('contains', 'starts-with'))}({view}, {self.string()})"
        return self.compared(path, self.place(0, inside))

    def place(self, depth: int, inside: bool) -> str:
        """A path from here, or from the top."""
        rng = self.rng
        draw = rng.random()
        if inside and draw < 0.2:
            return "."
        path = self.path(depth - 1, rng.randint(1, 2))
        if not inside:
            return f"//{path}" if draw < 0.9 else f"/{path}"
        if draw < 0.3:
            return f".//{path}"
        return f"//{path}" if draw > 1 - self.rare else path

    def seen(self, path: str) -> str:
        """A value as functions see it."""
        view = self.rng.choice(
            ("{}", "{}", "{}", "string-length({})", "normalize-space({})", "number({})", "string({})")
        )
        if self.rng.random() < 0.1:
            view = "string-length(normalize-space({}))"
        return view.format(path)

    def compared(self, left: str, right: str) -> str:
        if self.rng.random() < 0.2:
            left, right = right, left
        return f"{left} {self.rng.choice(_OPERATORS)} {right}"

    def constant(self) -> str:
        return self.rng.choice(_NUMBERS) if self.rng.random() < 0.5 else self.string()

    def string(self) -> str:
        return f"'{self.rng.choice(VALUES)}'"

    def seldom(self, depth: int, inside: bool) -> str:
        """What only libxml2 decides."""
        rng = self.rng
        path = self.place(depth, inside)
        kinds = [
            f"sum({path}) > {rng.randint(0, 3)}",
            f"count({path}) mod 2 = 1",
            f"local-name({path}) = 'a'",
            f"namespace-uri({path}) = 'urn:p'",
            f"name({path}) != 'b'",
            f"translate({path}, 'a', 'b') = 'b'",
            f"substring({path}, 2) = 'b'",
            f"substring-after({path}, 'a') != ''",
            f"concat({path}, '1') = 'a1'",
            f"string-length(concat({path}, {path})) > 2",
            f"floor({path}) = round({path})",
            f"({path})[2]",
            f"({path})[last()] = 'a'",
            f"boolean({path}) = true()",
            f"{path} | {self.place(0, inside)}",
            "true()" if rng.random() < 0.5 else "false()",
        ]
        if inside:
            kinds += [
                "position() = 1",
                "last()",
                "position() < last()",
                "1",
                "2",
                "lang('de')",
                "../a",
                "ancestor::a[b]",
            ]
        return rng.choice(kinds)
