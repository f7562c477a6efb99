"""How measured amounts are written for people: as many digits as they deserve.

This module knows nothing of what is measured.
"""

from __future__ import annotations


def amount(value: float, unit: str = "") -> str:
    """Whole numbers from a hundred on, three digits below."""
    digits = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{digits} {unit}".strip()
