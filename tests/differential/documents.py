"""Random small documents over the names and values that `expressions` asks for."""

from __future__ import annotations

import random

ELEMENTS = ("a", "b", "c", "p:a", "p:b", "q:a")
ATTRIBUTES = ("x", "y", "p:x")
VALUES = (
    "1",
    "2",
    " 2 ",
    "3",
    "10",
    "-1",
    "",
    "a",
    "ab",
    "b a",
    "1.0",
    ".5",
    "2.",
    "NaN",
    "é",
    "𝒳a",
    " a  b ",
    "0x1",
    "1e1",
)
_HEAD = '<!DOCTYPE r [<!ENTITY e "ab"><!ATTLIST c y CDATA "2">]>'
_ROOT = ' xmlns:p="urn:p" xmlns:q="urn:q"'


def random_document(rng: random.Random, most: int = 12) -> str:
    """Well-formed, of up to `most` elements; all that can split a text occurs in it."""
    if rng.random() < 0.1:
        # libxml2 gives elements in an entity the namespaces of no place, so such documents have no default one.
        return _HEAD.replace("ab", "a<b>1</b>") + _Writer(rng, rng.randint(1, most), False).element(_ROOT)
    return _HEAD + _Writer(rng, rng.randint(1, most), True).element(_ROOT)


class _Writer:
    def __init__(self, rng: random.Random, left: int, default: bool) -> None:
        self.rng = rng
        self.default = default  # whether elements may declare a default namespace
        self.left = left  # elements that may still be written

    def element(self, more: str = "") -> str:
        self.left -= 1
        name = self.rng.choice(ELEMENTS)
        attributes = "".join(
            f' {attribute}="{self.rng.choice(VALUES)}"' for attribute in ATTRIBUTES if self.rng.random() < 0.2
        )
        if self.rng.random() < 0.1:
            attributes += f' xml:lang="{self.rng.choice(("en", "de-at"))}"'
        if self.default and not more and self.rng.random() < 0.1:
            more = ' xmlns="urn:p"'
        inside = [self.content() for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3)))]
        while self.left > 0 and self.rng.random() < 0.65:
            inside.append(self.element())
            inside.append(self.content() if self.rng.random() < 0.4 else "")
        return f"<{name}{more}{attributes}>{''.join(inside)}</{name}>"

    def content(self) -> str:
        value = self.rng.choice(VALUES)
        section = f"<![CDATA[{value or 'a'}]]>"  # libxml2 makes a text node of an empty one, where XPath has none
        return self.rng.choice((value, value, value, section, "<!-- a -->", "<?a b?>", "&e;", "\n "))
