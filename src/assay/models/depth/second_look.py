"""A second look before a move is played: agents as fitted lose more, and blunder more, than people do.

The fit is to which moves were played, by one curve that falls slowly: where it gives 2.2% of the moves of
players of 2700 and 2800 a loss of 1.5 pawns or more, it is 0.8%; 7.7% and 5.7% at 1500 to 1700. People differ
less between good moves, and more about bad ones (docs/agent.md). So whoever plays by these agents, or says
what they lose, takes the agent 300 points beneath (`beneath`) and weighs each move once more by its loss at
the last depth, (1 + loss / 2 pawns)^-k, and moves below the last line by 0.7 besides.

People guard what matters: in an even game they lose far less than where one side is pawns ahead (8.6
against 29.7 centipawns at 2700 and 2800), and one k for all positions is too careless in the first and too
careful in the second. So k falls with the distance from level, as (1 + |value| / a quarter pawn)^-0.56. With
that, losses are those of people at every level and in even and decided games alike, and their moves are more
likely.

In the first eight turns people know what was played before: at every level they lose less than half of what
such an agent would. There each move is weighed by (1 + loss / half a pawn)^-1.75 as well (`theory`), at all
levels alike.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats
from assay.models.depth.agent import LIMIT, SCALE, DepthAgent
from assay.models.depth.views import BELOW_UNSEEN, TAIL_UNIT

UNIT = 200.0
"""Centipawns that count as one."""

LEAST = 2.1
RISE = 6.6
FROM = 3.2
"""In a level game k is LEAST for agents fitted with c up to FROM (those of 2100), then rises by RISE for a
unit of ln c."""

LEVEL_UNIT = 25.0
EASING = 0.56
"""How k falls with the distance from level, in centipawns."""

OUTSIDE = 0.7
"""People play moves below the last line so many times as often as the curve says."""

THEORY_UNIT = 50.0
THEORY = 1.75
OPENING_TURNS = 8
"""How moves are weighed by their loss in so many first turns."""

BENEATH = np.array([-0.1182, 0.3495, -0.273])
"""Change of ln c, the logit of sight and rise for 300 points of Elo less, in the calibration that ships."""


def beneath(agent: DepthAgent) -> DepthAgent:
    """The agent 300 points beneath: it tells good moves apart less."""
    log_c, logit, rise = np.array([math.log(agent.c), *agent.parameters[1:]]) + BENEATH
    return DepthAgent.of([math.exp(log_c), logit, rise])


def care(c: npt.ArrayLike, value: npt.ArrayLike) -> Floats:
    """The exponent k of agents, by their consistency as fitted and what the position is worth."""
    at_level = LEAST + RISE * np.maximum(np.log(np.asarray(c, np.float64) / FROM), 0.0)
    from_level = np.minimum(np.abs(np.asarray(value, np.float64)), LIMIT)
    return np.asarray(at_level * (1 + from_level / LEVEL_UNIT) ** -EASING)


def second_look(loss: npt.ArrayLike, k: npt.ArrayLike) -> Floats:
    """What the probability of a move of this loss, in centipawns, is multiplied by, before all add to one."""
    return np.asarray((1 + np.asarray(loss, np.float64) / UNIT) ** -np.asarray(k, np.float64))


def theory(loss: npt.ArrayLike) -> Floats:
    """What the probability of a move of this loss is multiplied by in the first turns."""
    return np.asarray((1 + np.asarray(loss, np.float64) / THEORY_UNIT) ** -THEORY)


def losses_below(best: npt.ArrayLike, last: npt.ArrayLike) -> Floats:
    """Losses of moves that nothing lists, below the last line of this loss: the last axis has points."""
    top = np.clip(np.asarray(best, np.float64), -LIMIT, LIMIT)
    at_last = np.log1p(np.asarray(last, np.float64) / TAIL_UNIT)
    way = np.maximum(np.log1p((top + LIMIT) / TAIL_UNIT) - at_last, 0.0)
    return np.asarray(TAIL_UNIT * np.expm1(at_last[..., None] + way[..., None] * BELOW_UNSEEN[0]))


def weights_below(below: Floats, c: npt.ArrayLike) -> Floats:
    """How an agent shares out what is below the last line among those points."""
    weight = np.exp(-np.asarray(c, np.float64)[..., None] * np.log1p(below / SCALE))
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def look_below(best: float, last: float, k: float, agent: DepthAgent, opening: bool = False) -> float:
    """What the probability of every move below the last line is multiplied by, for an agent as fitted."""
    below = losses_below(best, last)
    looked = second_look(below, k) * (theory(below) if opening else 1.0)
    return OUTSIDE * float((weights_below(below, beneath(agent).c) * looked).sum())
