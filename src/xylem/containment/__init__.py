"""Which query contains which: the pairwise test, and documents that tell two queries apart."""

from xylem.containment.contains import DEFAULT_BUDGET, Comparison, compare, decide, unsatisfiable
from xylem.containment.linear import Linear
from xylem.containment.witness import to_xml

__all__ = ["DEFAULT_BUDGET", "Comparison", "Linear", "compare", "decide", "to_xml", "unsatisfiable"]
