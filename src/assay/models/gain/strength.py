"""Strength of players over a set of games, through an engine of known strength (Ferreira 2012, section 7).

Algorithm 3 finds the engine's strength from rated players, Algorithm 4 the players' from the engine's. What
comes out is perceived strength, on the scale of whatever the engine's strength was taken from.
"""

from __future__ import annotations

import math
from copy import copy

from assay.answers.ratings import Quantity
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.gain.model import GainModel
from assay.models.gain.tournament import cross_tables


def engine_strength_from(decisions: Decisions, model: GainModel) -> float:
    """Algorithm 3: the engine's strength by the published ratings of the players of these decisions."""
    [table] = cross_tables(decisions, model, by="career", resamples=0)
    found, _ = table.engine_strength()
    if math.isnan(found):
        raise InputError(
            "no player here has a known rating to find the engine's strength by: give it with "
            "--engine-strength"
        )
    return found


def of_strength(model: GainModel, strength: float) -> GainModel:
    """The same model with an engine of this strength."""
    if not math.isfinite(strength):
        raise InputError(f"the strength of an engine is a rating such as 2800, not {strength}")
    known = copy(model)
    known.engine_strength = float(strength)
    return known


def strengths(decisions: Decisions, model: GainModel, by: str = "player") -> dict[tuple[str, str], Quantity]:
    """Algorithm 4: strength of each player, or of each at each event, with its interval.

    By player and event; the event is empty where all games of a player count together.
    """
    if model.engine_strength is None:
        raise InputError("players' strengths need the engine's: give it with --engine-strength")
    kept, _ = model.select(decisions)
    found = {}
    for player, own in kept.by("player"):
        parts = own.by("event") if by == "event" else [("", own)]
        for event, part in parts:
            found[str(player), event or ""] = model.estimate(model.profile(part))["strength"]
    return found
