"""How large an expression may be, each bound with its reason.

Real expressions stay two orders of magnitude below these; what goes beyond is refused by name.
"""

from __future__ import annotations

MAX_CHARACTERS = 64 * 1024  # of text: the longest expression seen in the field has about two thousand
MAX_TOKENS = 4096  # of an expression: libxml2 refuses to evaluate some expressions from 10,000 on, document by document
MAX_NESTING = 64  # of brackets, parentheses and argument lists: ten frames of Python's thousand each
MAX_LEVELS = 128  # of a pattern (steps, ands, ors, nots): comparing two patterns takes six frames for each
MAX_NODES = 4096  # of a pattern that an engine gets: its work for one subscription is bounded by this
MAX_WORK = MAX_NODES  # steps of translation: rewriting may meet a step more than once
MAX_COPIED = 128  # parts of a formula that rewriting repeats: what it makes may be repeated again
MAX_COUNTED = 62  # steps of a path whose nodes are counted: an engine keeps a bit for each; longer ones are verified
