"""Clocks that count besides the moves, where that is asked for: through which scale, and what is said."""

from __future__ import annotations

from collections.abc import Sequence

from assay.answers.ratings import PlayerRating
from assay.errors import InputError
from assay.models.traits.clock_model import CLOCKS
from assay.rating.calibration import Calibration
from assay.rating.files import with_clocks

NOTE = "The clocks count besides the moves (--with clocks): how fast moves are made, and with how much left."
_SHOWN = 3
"""Players without clocks who are named."""


def timed_calibration(recipe_id: str, given: Calibration | None) -> Calibration:
    """The calibration of a source of values by which clocks count; an InputError where there is none."""
    if given is not None:
        raise InputError("--with clocks brings a calibration of its own: leave --calibration out")
    return with_clocks(recipe_id)


def clock_notes(found: Sequence[PlayerRating]) -> tuple[str, ...]:
    """What must be said where the clocks count; an InputError where no game has them."""
    without = [one.player for one in found if CLOCKS not in one.ratings]
    if len(without) == len(found):
        raise InputError(
            "these games have no clocks, or too few ([%clk] behind the moves): leave --with clocks out"
        )
    if not without:
        return (NOTE,)
    more = f" and {len(without) - _SHOWN:,} more" if len(without) > _SHOWN else ""
    shown = ", ".join(without[:_SHOWN])
    return (f"{NOTE} Too few moves of {shown}{more} have a clock: theirs count alone.",)
