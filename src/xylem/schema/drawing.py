"""The element graph of a schema as an SVG picture.

Columns are distances from the root. Dark lines form a tree in which every element hangs below a nearest parent, with
how often it may stand there; light lines are all other edges, orange ones those that recursion goes through. Pointing
at an element shows its content model and attributes.

Invariant: what is not drawn is counted in the caption. The same schema gives the same bytes.

This module knows nothing of how schemas are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from xylem.schema.content import ContentKind, Occurs
from xylem.schema.graph import ElementGraph
from xylem.schema.layout import Layout, laid_out
from xylem.schema.model import Element, Schema

# A picture with more lines besides its tree than this is a blot.
MAX_FURTHER_EDGES = 1_200
MAX_TITLE = 600  # characters of a content model in a tooltip

_ROW, _HEIGHT, _GAP, _MARGIN, _TOP = 24, 18, 70, 24, 78
_LETTER, _NARROW, _WIDE = 7.4, 4.2, 11.8  # of 12 px DejaVu Sans, which is wider than most
_STYLE = """
text { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: #1d2b36 }
.head { font-size: 16px; font-weight: bold } .note { fill: #5b6b77 } .times { font-size: 10px; fill: #5b6b77 }
rect { fill: #eef3f7; stroke: #8aa0b2 } .text { fill: #e9f4ea; stroke: #86b08a }
.root { fill: #dce8f5; stroke: #33658a }
.open { fill: #f6edf8; stroke: #a679b0 } .loop { stroke: #d9822b; stroke-width: 1.6 }
path { fill: none; stroke: #7d93a5 } .further { stroke: #9fb2c1; stroke-width: .7; opacity: .7 }
.back { stroke: #d9822b; stroke-width: .8; opacity: .5 }
"""
_LEGEND = (
    ("root", "root"),
    ("", "without text"),
    ("text", "with text"),
    ("open", "ANY or wildcard"),
    ("loop", "recursive"),
)


def svg(schema: Schema) -> str:
    """The picture as a whole SVG document."""
    return _Picture.of(schema).text()


@dataclass(frozen=True, slots=True)
class _Picture:
    schema: Schema
    graph: ElementGraph
    layout: Layout
    left: tuple[float, ...]  # of each column
    width: dict[str, float]
    cycle: dict[str, int]  # of a recursive element

    @staticmethod
    def of(schema: Schema) -> _Picture:
        graph = ElementGraph.of(schema)
        layout = laid_out(graph, schema.roots)
        width = {name: _width(schema[name].tag) + 16 for name in layout.column}
        left = [float(_MARGIN)]
        for column in range(max(layout.column.values(), default=0) + 1):
            left.append(left[-1] + max((width[n] for n, c in layout.column.items() if c == column), default=0) + _GAP)
        cycle = {name: number for number, names in enumerate(graph.cycles()) for name in names}
        return _Picture(schema, graph, layout, tuple(left), width, cycle)

    def text(self) -> str:
        width = max(self.left[-1] - _GAP + _MARGIN, 660.0)
        height = _TOP + max(self.layout.rows, 1) * _ROW + _MARGIN
        further = list(self._further())
        drawn = further if len(further) <= MAX_FURTHER_EDGES else []
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
            f'viewBox="0 0 {width:.0f} {height}" role="img">',
            f"<title>{_xml(self.schema.name)}</title><style>{_STYLE}</style>",
            f'<path style="fill:#fff;stroke:none" d="M0 0H{width:.0f}V{height}H0Z"/>',
            *self._heading(len(further) - len(drawn)),
            *(self._edge(first, second, kind) for first, second, kind in drawn),
            *(self._edge(parent, name, "") for name, parent in self.layout.parent.items() if parent),
            *(self._times(parent, name) for name, parent in self.layout.parent.items() if parent),
            *(self._node(self.schema[name]) for name in self.layout.column),
            "</svg>\n",
        ]
        return "\n".join(part for part in parts if part)

    def _further(self) -> Iterator[tuple[str, str, str]]:
        """The edges outside the tree."""
        for name in self.layout.column:
            for child in self.graph.children[name]:
                if self.layout.parent[child] != name:
                    recursive = name in self.cycle and self.cycle[name] == self.cycle.get(child, -1)
                    yield name, child, "back" if recursive else "further"

    def _heading(self, undrawn: int) -> Iterator[str]:
        yield f'<text class="head" x="{_MARGIN}" y="28">{_xml(self.schema.name)}</text>'
        notes = [f"{len(self.layout.column):,} elements, {sum(map(len, self.graph.children.values())):,} edges"]
        if missing := len(self.schema) - len(self.layout.column):
            notes.append(f"{missing:,} elements that no document from the roots has are left out")
        if undrawn:
            notes.append(f"{undrawn:,} edges beside the tree are left out")
        yield f'<text class="note" x="{_MARGIN}" y="46">{"; ".join(notes)}</text>'
        x = float(_MARGIN)
        for kind, label in _LEGEND:
            yield f'<rect class="{kind}" x="{x:.0f}" y="55" width="14" height="11" rx="3"/>'
            yield f'<text class="note" x="{x + 19:.0f}" y="65">{label}</text>'
            x += 40 + _width(label)

    def _edge(self, first: str, second: str, kind: str) -> str:
        x1, y1 = self._x(first) + self.width[first], self._y(first)
        x2, y2 = self._x(second), self._y(second)
        bend = max(30.0, abs(x2 - x1) / 2)
        curve = f"M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
        return f'<path class="{kind}" d="{curve}"/>' if kind else f'<path d="{curve}"/>'

    def _times(self, parent: str, name: str) -> str:
        child = next(child for child in self.schema.children(parent) if child.name == name)
        times = Occurs(child.least, child.most).value
        x, y = self._x(name) - 4, self._y(name) - 4
        return f'<text class="times" text-anchor="end" x="{x:.1f}" y="{y:.1f}">{times}</text>' if times else ""

    def _node(self, element: Element) -> str:
        x, y, name = self._x(element.name), self._y(element.name), element.name
        attributes = ", ".join(f"@{attribute.name}" for attribute in element.attributes)
        title = "\n".join(filter(None, (name, _short(str(element.content)), _short(attributes))))
        classes = _kind(element, name in self.schema.roots) + (" loop" if name in self.cycle else "")
        return (
            f'<g><title>{_xml(title)}</title><rect class="{classes.strip()}" x="{x:.1f}" y="{y - _HEIGHT / 2:.1f}" '
            f'width="{self.width[name]:.1f}" height="{_HEIGHT}" rx="5"/>'
            f'<text x="{x + 8:.1f}" y="{y + 4:.1f}">{_xml(element.tag)}</text></g>'
        )

    def _x(self, name: str) -> float:
        return self.left[self.layout.column[name]]

    def _y(self, name: str) -> float:
        return _TOP + self.layout.row[name] * _ROW + _ROW / 2


def _kind(element: Element, is_root: bool) -> str:
    if is_root:
        return "root"
    if element.content.others.value != "none":
        return "open"
    return "text" if element.content.kind in (ContentKind.TEXT, ContentKind.MIXED) else ""


def _width(text: str) -> float:
    """About how wide a text comes out, rather too wide than too narrow."""
    return sum(_NARROW if c in "fijlrt.:,-'|I" else _WIDE if c in "mwMW@" or c > "\u2e7f" else _LETTER for c in text)


def _short(text: str) -> str:
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1] + "…"


def _xml(text: str) -> str:
    """Text as it may stand in the picture; a file's name may hold what XML may not."""
    printable = "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
    return escape(printable.encode("utf-8", "replace").decode())
