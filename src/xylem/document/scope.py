"""The namespaces in scope at an element, for a parser that reports names as they are written.

This module knows nothing of where elements are.
"""

from __future__ import annotations

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


class Scope:
    """The declarations of the open elements, innermost last."""

    def __init__(self) -> None:
        self._declared: list[dict[str, str] | None] = []

    def __len__(self) -> int:
        """The number of open elements."""
        return len(self._declared)

    def enter(self, attributes: list[str]) -> None:
        """Opens an element with these names and values, one after the other."""
        self._declared.append(declarations(attributes) or None)

    def leave(self) -> None:
        self._declared.pop()

    def namespace(self, prefix: str, attributes: list[str]) -> str:
        """What a prefix ("" for none) means on an element with these attributes inside the open ones."""
        for declared in (declarations(attributes), *reversed(self._declared)):
            if declared is not None and prefix in declared:
                return declared[prefix]
        return ""

    def inherited(self, attributes: list[str]) -> bytes:
        """The declarations that an element with these attributes inherits, as they stand in a start tag."""
        merged: dict[str, str] = {}
        for declared in self._declared:
            merged.update(declared or {})
        own = declarations(attributes)
        parts = [
            f' xmlns{":" * bool(prefix)}{prefix}="{uri.translate(_ESCAPES)}"'
            for prefix, uri in merged.items()
            if uri and prefix not in own
        ]
        return "".join(parts).encode()


def declarations(attributes: list[str]) -> dict[str, str]:
    """The namespaces that an element declares: prefix ("" for the default) to URI ("" for none)."""
    pairs = zip(attributes[::2], attributes[1::2], strict=True)
    return {name[6:]: value for name, value in pairs if name == "xmlns" or name.startswith("xmlns:")}
