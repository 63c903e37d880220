"""How numbers stand in tables and in JSON: one way for each kind of number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def number(value: float, digits: int = 4) -> float | None:
    """A number for JSON, which has no infinities: null for them, as for what is unknown."""
    return round(float(value), digits) + 0.0 if math.isfinite(value) else None


def points(value: float) -> str:
    """Points as chess players write them: 5½; a dash where they are unknown."""
    from assay.report import page as wording

    return "–" if math.isnan(value) else wording.points(value)


def elo(value: float, *, signed: bool = False) -> str:
    """A rating or a rating difference in whole points; infinities and unknown ones too."""
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "-∞" if value < 0 else "+∞" if signed else "∞"
    return f"{value:+z.0f}" if signed else f"{value:z.0f}"


def percent(share: float, digits: int = 0) -> str:
    """A share in percent; nothing where it is not known."""
    return "" if math.isnan(share) else f"{100 * share:.{digits}f}"


def two_places(value: float) -> str:
    """A number to two places; nothing where it is not known."""
    return "" if math.isnan(value) else f"{value:z.2f}"


def three_digits(value: float) -> str:
    """A number to three digits; nothing where it is not known."""
    return "" if math.isnan(value) else f"{value:.3g}"


def span(low: float, high: float) -> str:
    """The ends of an interval in percent; nothing where it is not known."""
    return "" if math.isnan(low) else f"{100 * low:.0f} to {100 * high:.0f}"


def forecast(one: Any) -> str:
    """A forecast in percent with its interval."""
    if one is None:
        return ""
    ends = span(one.low, one.high)
    return percent(one.expectation) + (f" ({ends})" if ends else "")


def with_interval(row: Mapping[str, Any], name: str) -> str:
    """A quantity of a row with its interval, which stands beside it as `name_low` and `name_high`."""
    value, low, high = (row.get(key, math.nan) for key in (name, f"{name}_low", f"{name}_high"))
    ends = "" if math.isnan(low) else f" ({three_digits(low)} to {three_digits(high)})"
    return three_digits(value) + ends


def duration(seconds: float) -> str:
    """A time as people say it: 12.3 s, 5 min, 2 h 10 min, 3 d 4 h."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    hours, days = minutes // 60, minutes // 1440
    if days > 1:
        return f"{days} d {hours % 24} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
