"""The Markov method in the paper's own tables: matrices of transitions, and pairs of players.

Alliot 2017, section 3.4: Tables 2 and 3 are one player's matrix with White and another's with Black; section
4.4.2 puts everyone against everyone.
"""

from __future__ import annotations

from typing import Any, Literal

from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import FitError, InputError
from assay.models.markov.model import MarkovModel


def pairs(model: MarkovModel, decisions: Decisions) -> list[dict[str, Any]]:
    """Win, draw and loss of every player with White against every other, with the interval."""
    known = _learned(model, decisions)
    rows = []
    for white, first in known.items():
        for black, second in known.items():
            if white != black:
                rows.append({"white": white, "black": black, **_outcome(model, first, second)})
    return rows


def _outcome(model: MarkovModel, white: Profile, black: Profile) -> dict[str, Any]:
    """What the chain of two players says; nothing where raw counts have no single stationary vector."""
    names = ("win", "draw", "loss", "expectation", "low", "high")
    try:
        found = model.expectation(white, black)
    except FitError:
        return dict.fromkeys(names, float("nan"))
    return {name: getattr(found, name) for name in names}


def matrices(model: MarkovModel, decisions: Decisions) -> list[dict[str, Any]]:
    """One row for each player, colour and class of the value before: the shares of the classes after."""
    sides: tuple[Literal["white", "black"], ...] = ("white", "black")
    middles = [f"{middle / 100:+.2f}" for middle in model.classes.middles()]
    rows = []
    for player, profile in _learned(model, decisions).items():
        for colour in sides if model.colours == "apart" else sides[:1]:
            about = {"player": player} | ({"colour": colour} if model.colours == "apart" else {})
            for before, shares in zip(middles, model.matrix(profile, colour), strict=True):
                rows.append({**about, "before": before, **dict(zip(middles, shares.tolist(), strict=True))})
    return rows


def _learned(model: MarkovModel, decisions: Decisions) -> dict[str, Profile]:
    """Profiles of the players, in order of their names; the model has learned its prior from them."""
    kept, _ = model.select(decisions)
    known = {str(player): model.profile(own) for player, own in sorted(kept.by("player"))}
    if not known:
        raise InputError("none of these moves can be used by markov: choose other games")
    if not model.learned:
        model.learn(list(known.values()))
    return known
