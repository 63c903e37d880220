"""How numbers are written on the page: percent, and decimals; nothing where there is no number."""

import math


def percent(value: float, digits: int = 0) -> str:
    """A share as percent."""
    return "" if math.isnan(value) else f"{100 * value:.{digits}f}"


def two(value: float) -> str:
    """With two decimals."""
    return "" if math.isnan(value) else f"{value:.2f}"


def three(value: float) -> str:
    """With three decimals."""
    return "" if math.isnan(value) else f"{value:.3f}"
