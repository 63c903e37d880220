"""Whether a calibration rests on enough: one that does not is provisional, and not believed too much.

A spread learned from few games may come out too small by chance. So intervals through a provisional
calibration are at least as wide as those that the shipped kind gives to as many decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.answers.ratings import Rating
from assay.errors import InputError
from assay.rating.calibration import Calibration
from assay.rating.files import REFERENCE, shipped
from assay.rating.posterior import Prior, RawRatings, elo_posterior
from assay.rating.scale import bridge_note

FEWEST_APPEARANCES = 200
"""Players in games. By simulation intervals hold the truth as often with 88 (docs/coverage); but that leaves
out the curves from evidence to raw ratings, which want more games: a judgement, on the safe side."""

MANY_APPEARANCES = 2000
"""From so many on a method that says nothing is known to say nothing, and weighs nothing: bullet games have
such. Of fewer it may be chance, and the rest no better."""

FEWEST_MILEPOSTS = 5
"""By simulation intervals from three hold the truth a little less often than from eleven; no sharp limit."""

STRAYS = 2000.0
"""A method whose rating of one game strays by more than any scale is wide says nothing: a flat prior over
1600 to 2600 has a deviation of 290."""


def one_game(calibration: Calibration) -> dict[str, float]:
    """Deviation in Elo of each method's rating of one typical game, before anything else is known."""
    spread = calibration.spread
    _, _, slope, unit = spread.at(spread.game_size)
    return {name: float(unit[k, k] ** 0.5 / slope[k]) for k, name in enumerate(spread.methods)}


def shortcomings(calibration: Calibration) -> tuple[str, ...]:
    """Why a calibration is provisional; nothing where it is not."""
    found = []
    n_mileposts = len(calibration.mileposts)
    appearances = round(calibration.spread.milepost_games * n_mileposts)
    if appearances < FEWEST_APPEARANCES:
        found.append(f"{appearances} players in games, below {FEWEST_APPEARANCES}")
    if n_mileposts < FEWEST_MILEPOSTS:
        found.append(f"{n_mileposts} mileposts, below {FEWEST_MILEPOSTS}")
    mute = [name for name, deviation in one_game(calibration).items() if not deviation <= STRAYS]
    if mute and appearances < MANY_APPEARANCES:
        found.append(f"{', '.join(mute)} says nothing: one game strays by more than {STRAYS:.0f} points")
    return tuple(found)


def provisional_note(calibration: Calibration) -> str:
    """What is said wherever a provisional calibration is used; empty for one that is not."""
    found = shortcomings(calibration)
    if not found:
        return ""
    why = "; ".join(found)
    return f"The calibration is provisional ({why}): intervals are at least as wide as by the shipped kind."


def caveats_of(calibration: Calibration | None) -> list[str]:
    """What is said wherever ratings on a scale are printed: that it is by a bridge, or provisional."""
    if calibration is None:
        return []
    return [said for said in (bridge_note(calibration), provisional_note(calibration)) if said]


def check_usable(calibration: Calibration) -> None:
    """Refuse a calibration by which no method says anything."""
    if not any(deviation <= STRAYS for deviation in one_game(calibration).values()):
        raise InputError(
            "these games make no calibration: by every method one game strays by more than "
            f"{STRAYS:.0f} points; give more games of players with ratings, over a wider range"
        )


def never_narrower(
    rating: Rating, raw: RawRatings, methods: Sequence[str], prior: Prior | None = None
) -> Rating:
    """A rating whose interval reaches at least as far as that of the shipped kind would.

    With a prior of the player's own, that is one who plays as they are rated, with the same prior.
    """
    model = _shipped_kind()
    if model is None:
        return rating
    names = model.spread.methods
    places = [names.index(name) for name in methods if name in names]
    # A player in the middle of the flat scale: its ends would cut the interval.
    middle = float(np.mean(model.mileposts)) if prior is None else rating.elo
    _, offset, slope, _ = model.spread.at(raw.amount(model.spread))
    usual = replace(raw, values=offset + slope * middle, own=None)
    posterior = elo_posterior(usual, model.spread, prior or model.range, places)
    if posterior is None:
        return rating
    low, high = posterior.region(rating.level)
    half = (high - low) / 2
    return replace(rating, low=min(rating.low, rating.elo - half), high=max(rating.high, rating.elo + half))


def _shipped_kind() -> Calibration | None:
    """The calibration that ships of the most games: the kind whose intervals were checked."""
    return shipped(REFERENCE)
