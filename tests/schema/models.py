"""Small schemas, exhausted or drawn, and what follows from them by the plain definitions: words of content models by a
regular expression, paths by enumeration."""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

from tests.schema.writing import schema_of
from xylem.schema import Schema

LONGEST_WORD = 4

# What an element may contain, of the elements X and Y; Z is declared nowhere.
SHAPES = (
    "EMPTY", "(#PCDATA)", "ANY", "(#PCDATA | X)*", "(X)", "(X?)", "(X*)", "(X+)", "(X, Y)", "(X | Y)", "(X?, Y)",
    "(X, Y?)", "((X, Z) | Y)", "((X | Z)+, Y?)", "(X | (Y, Z)?)", "((X, Y)*)", "(X, Z?)", "(Z)", "((X?, Z) | Y)+",
)  # fmt: skip


def small_schemas() -> list[str]:
    """All schemas of a root `r` above `a` and `b` whose contents are of the shapes, up to exchanging X and Y."""
    return [
        f"<!ELEMENT r (a | b)><!ELEMENT a {_filled(first, 'b', 'a')}><!ELEMENT b {_filled(second, 'a', 'b')}>"
        for first, second in product(SHAPES, SHAPES)
    ]


def _filled(shape: str, x: str, y: str) -> str:
    return re.sub(r"\b[XYZ]\b", lambda found: {"X": x, "Y": y, "Z": "z"}[found[0]], shape)


def random_text(seed: int) -> str:
    """A DTD of up to eight elements with flat models."""
    random = Random(seed)
    names = [f"e{number}" for number in range(random.randint(1, 8))]
    lines = []
    for name in names:
        parts = [random.choice(names) + random.choice(["", "?", "*", "+"]) for _ in range(random.randint(0, 3))]
        between = random.choice([", ", " | "])
        lines.append(f"<!ELEMENT {name} {'(' + between.join(parts) + ')' if parts else 'EMPTY'}>")
    return "\n".join(lines)


def random_schema(folder: Path, seed: int) -> Schema:
    return schema_of(folder, random_text(seed))


def declared(text: str) -> dict[str, str]:
    """The content models of a DTD by element."""
    return dict(re.findall(r"<!ELEMENT (\w+) ([^>]+)>", text))


@cache
def _words(model: str, alphabet: str) -> frozenset[str]:
    """The sequences of children, one letter each, that a content model allows, up to the longest."""
    every = ("".join(letters) for length in range(LONGEST_WORD + 1) for letters in product(alphabet, repeat=length))
    if model in ("EMPTY", "(#PCDATA)"):
        return frozenset({""})
    if model == "ANY":
        return frozenset(every)
    pattern = re.compile(re.sub(r"[#, ]|PCDATA \|", "", model))
    return frozenset(word for word in every if pattern.fullmatch(word))


def possible_children(text: str) -> dict[str, tuple[set[str], bool]]:
    """By element that some finite valid document has: the children it has in one, and whether it may have none."""
    models = declared(text)
    alphabet = "".join(sorted({*models, "z"}))
    words = {name: _words(model, alphabet) for name, model in models.items()}
    possible: set[str] = set()
    while found := {name for name in models if name not in possible and any(set(w) <= possible for w in words[name])}:
        possible |= found
    usable = {name: [word for word in words[name] if set(word) <= possible] for name in possible}
    return {name: ({letter for word in usable[name] for letter in word}, "" in usable[name]) for name in possible}


def enumerated_paths(children: dict[str, tuple[set[str], bool]], roots: set[str], depth: int) -> set[tuple[str, ...]]:
    """All paths from a root to a leaf of at most so many elements."""
    found: set[tuple[str, ...]] = set()
    level = {(root,) for root in roots if root in children}
    for _ in range(depth):
        found |= {path for path in level if children[path[-1]][1]}
        level = {(*path, child) for path in level for child in children[path[-1]][0]}
    return found
