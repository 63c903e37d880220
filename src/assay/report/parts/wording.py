"""Numbers as people read them."""

from __future__ import annotations

import math

from assay.answers.ratings import Measure, Rating
from assay.decisions import evaluation

MINUS = "\N{MINUS SIGN}"


def elo(value: float) -> str:
    """A rating, whole; a dash where it is not known."""
    return f"{value:.0f}".replace("-", MINUS) if math.isfinite(value) else "–"


def interval(rating: Rating) -> str:
    """The ends of an interval; says so where there is none."""
    if not (math.isfinite(rating.low) and math.isfinite(rating.high)):
        return "no interval"
    return f"{elo(rating.low)} to {elo(rating.high)}"


def range_of(rating: Rating) -> str:
    """A rating with its interval."""
    return f"{elo(rating.elo)} ({interval(rating)})"


def measured(found: Measure) -> str:
    """What a method measures, three digits."""
    return f"{found.value:.3g}".replace("-", MINUS)


def measured_interval(found: Measure) -> str:
    """The ends of its interval; says so where there are too few games for one."""
    if not math.isfinite(found.low):
        return "no interval"
    return f"{found.low:.3g} to {found.high:.3g}".replace("-", MINUS)


def pawns(centipawns: float, digits: int = 2) -> str:
    """Centipawns as pawns with a sign."""
    value = round(centipawns / 100, digits)
    return f"{value:+.{digits}f}".replace("-", MINUS) if value else f"{0:.{digits}f}"


def value(evaluated: float) -> str:
    """An evaluation: pawns, or the moves to mate."""
    if math.isnan(evaluated):
        return "?"
    if abs(evaluated) < evaluation.MATE_BOUND:
        return pawns(evaluated)
    distance = round(evaluation.MATE - abs(evaluated))
    return f"mate in {distance}" if evaluated > 0 else f"mated in {distance}"


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def points(total: float) -> str:
    """Points of results: halves as people write them."""
    whole, half = divmod(round(2 * total), 2)
    return ("½" if whole == 0 else f"{whole}½") if half else str(whole)
