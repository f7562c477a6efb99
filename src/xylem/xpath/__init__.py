"""The subscription language: text to pattern, canonical form, printing back, the reference evaluator."""

from xylem.xpath.caret import caret
from xylem.xpath.evaluate import Node, holds, normalize_space, passes
from xylem.xpath.limits import MAX_CHARACTERS, MAX_LEVELS, MAX_NESTING, MAX_NODES, MAX_TOKENS
from xylem.xpath.normal import canonical
from xylem.xpath.numbers import string_to_number
from xylem.xpath.parse import parse
from xylem.xpath.pattern import TreePattern, Verification
from xylem.xpath.printing import spell, spell_formula, to_xpath
from xylem.xpath.share import indexed_share
from xylem.xpath.spelling import Spelled

__all__ = [
    "MAX_CHARACTERS",
    "MAX_LEVELS",
    "MAX_NESTING",
    "MAX_NODES",
    "MAX_TOKENS",
    "Node",
    "Spelled",
    "TreePattern",
    "Verification",
    "canonical",
    "caret",
    "holds",
    "indexed_share",
    "normalize_space",
    "parse",
    "passes",
    "spell",
    "spell_formula",
    "string_to_number",
    "to_xpath",
]
