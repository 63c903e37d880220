"""The Game of the Century: the difference of its players directly and through the engine.

The paper finds 113 points between Fischer and Byrne directly (section 4) and 142 through the engine's peak
(section 7). A measured distribution of the engine should bring the two together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.decisions import measures
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.models.gain import distribution
from assay.models.gain.model import LIMIT, GainModel
from assay.reproduce import facts
from assay.reproduce.ferreira2012 import game_gains
from research.markdown import PLAIN, RIGHT, table
from research.papers.ferreira2012.events import INCLUDE

RECIPES = ("standard", "ferreira2012")


def game_of_the_century(games: dict[str, Decisions], events: list[Decisions]) -> str:
    """The two differences from printed and from our evaluations, by the engine's distribution.

    `games` is the game by recipe; `events` are what else the engine is measured on, with `standard`.
    """
    gains = game_gains(facts("ferreira2012")["game_of_the_century"])
    white, black = (distribution.histogram(side, LIMIT) for side in gains)
    engines = printed_engines(games["ferreira2012"], *gains)
    rows = list(three_ways("printed (Houdini, depth 20)", white, black, engines))
    for recipe, decisions in games.items():
        white, black = (
            distribution.histogram(measures.gain(decisions.select(colour=colour), LIMIT), LIMIT)
            for colour in ("white", "black")
        )
        engines = own_engines(decisions, events if recipe == "standard" else [])
        rows += three_ways(f"`{recipe}`", white, black, engines)
    heads = ("evaluations", "engine's distribution", "direct", "through the engine", "gap")
    return table(heads, rows, (PLAIN, PLAIN, RIGHT, RIGHT, RIGHT))


def printed_engines(deep: Decisions, white: Floats, black: Floats) -> dict[str, Floats]:
    """The engine's distribution from the printed gains of moves that our engine would play too."""
    in_order = np.empty(len(white) + len(black))
    in_order[0::2], in_order[1::2] = white, black
    agreed = deep.played_index[np.argsort(deep.numbers("ply"))] == 0
    return _engines(distribution.histogram(in_order[agreed], LIMIT), int(agreed.sum()))


def own_engines(decisions: Decisions, events: list[Decisions]) -> dict[str, Floats]:
    """The engine's distribution from our gains: of this game, and of whole events where there are some."""
    agreed = decisions.played_index == 0
    own = distribution.histogram(measures.gain(decisions, LIMIT)[agreed], LIMIT)
    engines = _engines(own, int(agreed.sum()))
    if events:
        model = GainModel(engine_profile="measured", include=INCLUDE)
        measured = model.measure_engine(Decisions.concat(events)).engine
        engines[f"{measured.sum():,.0f} moves of both events"] = measured
    return engines


def _engines(own: Floats, moves: int) -> dict[str, Floats]:
    return {"peak": distribution.peak(LIMIT), f"{moves} moves of this game": own}


def three_ways(
    title: str, white: Floats, black: Floats, engines: dict[str, Floats]
) -> Iterator[tuple[str, ...]]:
    """Black's lead over White directly and through each distribution of the engine, and the gap between."""
    direct = float(distribution.rating_difference(distribution.expectation(black, white)))
    for name, profile in engines.items():
        ahead, behind = (
            float(distribution.rating_difference(distribution.expectation(side, profile)))
            for side in (black, white)
        )
        through = ahead - behind
        yield title, name, f"{direct:.0f}", f"{through:.0f}", f"{abs(through - direct):.0f}"
