"""Rows of the milepost table of `choice` with numbers that are easy to know again."""

from typing import Any


def milepost(elo: int, s: float = 0.1) -> dict[str, Any]:
    """A milepost whose fitted sensitivity is s; half of the moves agree, as projected or nearly so."""
    row = {"elo": elo, "games": 10, "decisions": 100, "s": 0.1, "c": 0.5, "c_fit": 0.51, "s_fit": s}
    row |= {"mm_projected": 50.0, "mm_actual": 55.0, "ad_projected": 0.07, "ad_actual": 0.08, "q_fit": 0.55}
    return row
