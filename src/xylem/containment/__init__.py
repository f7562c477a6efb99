"""Which query contains which: the pairwise test, and documents that tell two queries apart."""

from xylem.containment.contains import DEFAULT_BUDGET, Comparison, compare, contains, unsatisfiable
from xylem.containment.linear import Linear

__all__ = ["DEFAULT_BUDGET", "Comparison", "Linear", "compare", "contains", "unsatisfiable"]
