"""Random documents that use everything which a reader has to get right: mixed content, namespaces bound and bound
again, default namespaces and none, `xml:` attributes, CDATA, comments and processing instructions between text,
internal subsets with default attributes, typed attributes and entities, every way to write a character or the end of
a line, and many encodings.

All are well-formed and namespace-well-formed. `bare` ones have no internal subset, so that lines can be counted.
"""

from __future__ import annotations

import codecs
import random

_LOCALS = ("a", "b", "c", "item", "n-1", "é", "名前", "a_very_long_name_that_needs_several_words")
_PREFIXES = ("p", "q", "long-prefix", "ü")
_URIS = ("urn:a", "urn:b", "http://example.org/ns/with/a/long/name#", "relative")
_TEXTS = (
    "x", "some text", " ", "\n", "\r\n", "\r", "\t", "é", "名前", "\U0001f333", "&amp;", "&lt;", "&gt;", "&quot;",
    "&apos;", "&#10;", "&#13;", "&#x9;", "&#233;", "&#x1F333;", "]]&gt;", "]] >", "1.5", "'", '"', "\x85", "\u2028",
    "0123456789" * 7,
)  # fmt: skip
_VALUES = (
    "", "v", "two words", " lead", "trail ", "a  b", "line\nbreak", "tab\there", "cr\r\nlf", "&#10;", "&#13;", "&#9;",
    "&#32;", "&amp;", "&lt;", "&gt;", ">", "'", "é", "名前", "\U0001f333", "&#x1F333;", "longer than eight bytes " * 3,
)  # fmt: skip
_MARKUP_ENTITIES = ("<a/>", "x<b>y</b>z", "<c d='1'>w</c>", "<a><![CDATA[<]]></a>", "<!-- n -->t<?p q?>")
_DECLARATIONS = ("", "<!ELEMENT a ANY>", "<!-- in the subset -->", "<?pi in it?>", "<!NOTATION n SYSTEM 'n'>")
_SECTIONS = ("", "x", "<&", "]", "\r\n", "é", " ")

# The encodings that documents are written in, and what they can say beyond ASCII.
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-be-bom", "iso-8859-1", "us-ascii", "windows-1252", "iso-8859-15",
    "koi8-r", "shift_jis", "euc-jp", "gb18030", "big5",
)  # fmt: skip
_MARKED = {
    "utf-16-be-bom": ("utf-16-be", codecs.BOM_UTF16_BE, "UTF-16"),
    "utf-8-sig": ("utf-8", codecs.BOM_UTF8, "utf-8"),
}


class DocumentWriter:
    """Writes one random document."""

    def __init__(self, seed: int, bare: bool = False) -> None:
        self._random = random.Random(seed)
        self._bare = bare
        self._entities: list[str] = []
        self._markup_entities: list[str] = []
        self._budget = self._random.choice((3, 10, 30, 120))

    def text(self) -> str:
        """The document without an XML declaration."""
        # libxml2 counts no lines that end with a carriage return alone.
        return self._text().replace("\r", "") if self._bare else self._text()

    def _text(self) -> str:
        subset = "" if self._bare or self._random.random() < 0.4 else self._doctype()
        before, after = self._misc(), self._misc()
        return f"{before}{subset}{self._misc()}{self._element({}, 0)}{after}"

    def data(self) -> bytes:
        """The document in some encoding, declared as it must be."""
        text, encoding = self.text(), self._random.choice(ENCODINGS)
        if encoding in ("utf-8", "utf-8-sig") and self._random.random() < 0.5:
            return text.encode(encoding)
        codec, mark, name = _MARKED.get(encoding, (encoding, b"", encoding))
        standalone = self._choice("", ' standalone="no" ')
        declaration = f"<?xml version='1.0' encoding='{name}'{standalone}?>\n"
        return mark + (declaration + writable(text, codec)).encode(codec)

    def _choice(self, *options: str) -> str:
        return self._random.choice(options)

    def _misc(self) -> str:
        return "".join(
            self._choice("\n", "<!-- c -->", "<?pi data?>", "<?p?>", "<!---->")
            for _ in range(self._random.choice((0, 0, 1, 2)))
        )

    def _doctype(self) -> str:
        parts = []
        for number in range(self._random.randrange(4)):
            value = self._choice("", "text", "two words", "&#38;lt;", "&#233;", "a&#10;b", "é")
            if self._entities and self._random.random() < 0.5:
                value += f"&{self._random.choice(self._entities)};"
            parts.append(f'<!ENTITY e{number} "{value}">')
            self._entities.append(f"e{number}")
        if self._random.random() < 0.5:
            value = self._choice(*_MARKUP_ENTITIES)
            parts.append(f'<!ENTITY m "{value}">')
            self._markup_entities.append("m")
        others = [self._attlist() for _ in range(self._random.randrange(4))] + [self._choice(*_DECLARATIONS)]
        self._random.shuffle(others)
        external = self._choice("", "SYSTEM 'unread.dtd' ")
        subset = "\n".join(parts + others)
        return f"<!DOCTYPE a {external}[\n{subset}\n]>"

    def _attlist(self) -> str:
        element = self._choice("a", "b", "c", "p:a", "item")
        name = self._choice("d", "f", "xml:lang", "g")
        kind = self._choice("CDATA", "NMTOKEN", "NMTOKENS", "(yes|no)")
        fallback = self._choice("#IMPLIED", "'yes'", "#FIXED 'no'", "' yes '" if kind != "CDATA" else "' a  b '")
        return f"<!ATTLIST {element} {name} {kind} {fallback}>"

    def _element(self, scope: dict[str, str], depth: int) -> str:
        self._budget -= 1
        scope, declared = self._declared(scope)
        prefix = self._choice("", *scope)
        tag = f"{prefix}:{self._choice(*_LOCALS)}" if prefix else self._choice(*_LOCALS)
        attributes = declared + self._attributes(scope)
        self._random.shuffle(attributes)
        space = " " if self._bare else self._choice(" ", "  ", "\n", "\t", "\r\n")
        opened = tag + "".join(f"{space}{attribute}" for attribute in attributes)
        content = self._content(scope, depth)
        if not content and self._random.random() < 0.7:
            return f"<{opened}{self._choice('', ' ')}/>"
        return f"<{opened}{self._choice('', ' ')}>{content}</{tag}{self._choice('', ' ')}>"

    def _declared(self, scope: dict[str, str]) -> tuple[dict[str, str], list[str]]:
        added: dict[str, str] = {}
        if self._random.random() < 0.3:
            for prefix in self._random.sample(_PREFIXES, self._random.choice((1, 1, 2))):
                added[prefix] = self._choice(*_URIS)
        declared = [f"xmlns:{prefix}={self._quoted(uri)}" for prefix, uri in added.items()]
        if self._random.random() < 0.15:
            added[""] = self._choice("", *_URIS)
            declared.append(f"xmlns={self._quoted(added[''])}")
        return {**scope, **added}, declared

    def _attributes(self, scope: dict[str, str]) -> list[str]:
        names: dict[tuple[str, str], str] = {}
        for _ in range(self._random.choice((0, 0, 1, 2, 5))):
            prefix, local = self._choice("", "", *scope), self._choice("d", "f", *_LOCALS)
            names[(scope[prefix] if prefix else "", local)] = f"{prefix}:{local}" if prefix else local
        if self._random.random() < 0.1:
            names[("xml", "")] = self._choice("xml:lang", "xml:space", "xml:base")
        return [f"{name}={self._quoted(self._value(name))}" for name in names.values()]

    def _value(self, name: str) -> str:
        if name.startswith("xml:"):
            return "preserve" if name == "xml:space" else self._choice("en", "de")
        value = "".join(self._choice(*_VALUES) for _ in range(self._random.choice((1, 1, 2))))
        if self._entities and self._random.random() < 0.3:
            value += f"&{self._random.choice(self._entities)};"
        return value.replace("\n", " ").replace("\r", " ") if self._bare else value

    def _quoted(self, value: str) -> str:
        return (
            f"'{value}'"
            if "'" not in value and self._random.random() < 0.5
            else '"' + value.replace('"', "&quot;") + '"'
        )

    def _content(self, scope: dict[str, str], depth: int) -> str:
        parts = []
        while self._budget > 0 and self._random.random() < (0.85 if depth < 6 else 0.3):
            parts.append(self._part(scope, depth))
        return "".join(parts)

    def _part(self, scope: dict[str, str], depth: int) -> str:
        draw = self._random.random()
        self._budget -= 1
        if draw < 0.4:
            return self._element(scope, depth + 1)
        if draw < 0.75:
            return "".join(self._choice(*_TEXTS) for _ in range(self._random.choice((1, 2, 4))))
        if draw < 0.85:
            return f"<![CDATA[{self._choice(*_SECTIONS)}]]>"
        # libxml2 reads the elements of an entity outside the default namespace of the reference.
        entities = self._entities + ([] if scope.get("") else self._markup_entities)
        if draw < 0.93 or not entities:
            return self._choice("<!-- c -->", "<?pi data?>", "<!--\n-->", "<?p?>")
        return f"&{self._random.choice(entities)};"


def writable(text: str, codec: str) -> str:
    """The text with what the codec cannot write replaced: by letters, since names allow no character references."""
    return "".join(character if _can_write(character, codec) else "z" for character in text)


def _can_write(character: str, codec: str) -> bool:
    try:
        # Some codecs write what they read back as something else.
        return character.encode(codec).decode(codec) == character
    except UnicodeError:
        return False
