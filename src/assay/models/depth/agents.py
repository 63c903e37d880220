"""Agents that weigh depths: y_i = sum over d of w_d g(delta_i,d) (Regan and Haworth 2011, section 8).

g is the paper's curve ipb, (1 + delta/s)^-c, with its unit s fixed at 0.3 pawns. Probabilities are shares,
p_i = y_i / sum y: what a depth contributes to a move and to the sum is then linear in the weights, so a move
that a depth did not list counts there with the mean of g below the last line, and nothing is guessed beyond.

The weights are of few parameters. Fitted freely they have one shape at every level: a share at depth 1, what
is seen at sight, next to nothing at depths 2 to 4, then rising. So `sight` is w_1, and the rest is shared out
as d^rise over the depths from 2 on. Both are agent properties, and so is the consistency c. Here are also the
agents by Elo, which ship with calibrations, and the second look by which they play as people do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats
from assay.decisions.depths import DEPTHS
from assay.decisions.profile import Profile
from assay.errors import FitError, InputError
from assay.models.base import tail_losses

SCALE = 30.0
"""s of the curve, in centipawns: with it fixed, c alone tells players apart."""

LIMIT = 1000.0
"""Values are clipped to so many centipawns, mates included."""

AXES = (np.linspace(0.5, 9.0, 17), np.linspace(-6.0, 2.0, 10), np.linspace(-2.0, 6.0, 10))
"""The grid of agents: consistency c from 0.5 to 9; logit of the share at sight from -6 (nothing) to 2; rise
from -2 to 6."""

SHAPE = tuple(len(axis) for axis in AXES)


@dataclass(frozen=True)
class DepthAgent:
    """One agent: consistency, the share of what is seen at sight, and how the rest rises with depth."""

    c: float
    sight: float
    rise: float

    def __post_init__(self) -> None:
        if not (self.c >= 0 and 0 <= self.sight <= 1 and np.isfinite(self.rise)):
            raise InputError(
                f"c must be 0 or more and the share at sight 0 to 1, not {self.c:g}, {self.sight:g}"
            )

    @property
    def parameters(self) -> Floats:
        """c, the logit of sight, rise: where they are fitted."""
        share = np.clip(self.sight, 1e-9, 1 - 1e-9)
        return np.array([self.c, np.log(share / (1 - share)), self.rise])

    @classmethod
    def of(cls, parameters: npt.ArrayLike) -> DepthAgent:
        """The agent of c, the logit of sight and rise."""
        c, logit, rise = np.asarray(parameters, np.float64).tolist()
        return cls(c, float(1 / (1 + np.exp(-logit))), rise)

    def weights(self, depths: int = DEPTHS) -> Floats:
        """w_d for d from 1 to `depths`; their sum is one."""
        return depth_weights(self.sight, self.rise, depths)


def depth_weights(sight: npt.ArrayLike, rise: npt.ArrayLike, depths: int = DEPTHS) -> Floats:
    """Weights of depths 1 to `depths`, for one agent or many: the last axis is depth."""
    share, exponent = np.broadcast_arrays(np.asarray(sight, np.float64), np.asarray(rise, np.float64))
    if depths < 2:
        return np.ones((*share.shape, 1))
    log_depth = np.log(np.arange(2, depths + 1) / depths)
    rest = np.exp(exponent[..., None] * log_depth)
    rest /= rest.sum(axis=-1, keepdims=True)
    return np.concatenate((share[..., None], (1 - share)[..., None] * rest), axis=-1)


LINE_START = np.array([0.965, -1.04, 0.63])
LINE_STEP = np.array([0.39, -1.16, 0.89])


def line_of_agents(level: Floats) -> Floats:
    """c, the logit of sight and rise at levels: shape (levels, 3).

    A straight line in ln c, logit and rise, along which players differ: level 0 is where those of 1600 were
    found and level 1 those of 2600, with `standard`. The three of one player can lie beside it, and few moves
    do not tell; how far along it they are, they do.
    """
    points = LINE_START + np.multiply.outer(level, LINE_STEP)
    points[:, 0] = np.exp(points[:, 0])
    return np.asarray(points)


@cache
def splines() -> tuple[Any, ...]:
    """What each node of an axis contributes between the nodes."""
    from scipy.interpolate import CubicSpline

    return tuple(CubicSpline(axis, np.eye(len(axis))) for axis in AXES)


def interpolation(points: Floats) -> Floats:
    """What each agent of the grid contributes to the log-likelihood at these parameters: (points, grid)."""
    bounded = [np.clip(points[:, k], axis[0], axis[-1]) for k, axis in enumerate(AXES)]
    c, logit, rise = (spline(fine) for spline, fine in zip(splines(), bounded, strict=True))
    both = c[:, :, None, None] * logit[:, None, :, None] * rise[:, None, None, :]
    return np.asarray(both.reshape(len(points), -1))


# Moves that a depth does not list ------------------------------------------------------------------------

POINTS = 8
"""Unlisted moves are represented by so many points below the last line."""

SEEN_BENDS = (4.4, 3.4, 3.4, 3.4, 4.2)
"""The move at the fraction x of those below that another depth lists lies at x^BEND of the way from the last
line to a lost position: at depth 1, 2, 3, 4, and all deeper ones."""

UNSEEN_BEND = 1.1
"""The same of moves that no depth lists, at every depth."""

_EVEN = (np.arange(POINTS) + 0.5) / POINTS
BELOW_SEEN = _EVEN ** np.array(SEEN_BENDS)[:, None]
BELOW_UNSEEN = _EVEN[None, :] ** UNSEEN_BEND


def losses_below(best: npt.ArrayLike, last: npt.ArrayLike) -> Floats:
    """Losses of moves that nothing lists, below the last line of this loss: the last axis has points."""
    lost = np.clip(np.asarray(best, np.float64), -LIMIT, LIMIT) + LIMIT
    return tail_losses(last, lost, BELOW_UNSEEN[0])


def weights_below(below: Floats, c: npt.ArrayLike) -> Floats:
    """How an agent shares out what is below the last line among those points."""
    weight = np.exp(-np.asarray(c, np.float64)[..., None] * np.log1p(below / SCALE))
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


# Agents by Elo -------------------------------------------------------------------------------------------

LOWEST, HIGHEST = 1000.0, 3200.0
"""Beyond these the agent of the nearer end stands: no milepost is near."""

_UNIT = 400.0


@dataclass(frozen=True, eq=False)
class AgentsByElo:
    """Agents at rising Elos; between them and beyond, straight lines in ln c, the logit of sight and rise."""

    elo: Floats
    parameters: Floats
    """ln c, the logit of sight, and rise at each Elo: shape (elos, 3)."""

    def __post_init__(self) -> None:
        sound = self.elo.ndim == 1 and len(self.elo) >= 2 and (np.diff(self.elo) > 0).all()
        if not sound or self.parameters.shape != (len(self.elo), 3):
            raise InputError("simulated players by Elo need three parameters at two or more rising Elos")

    def parameters_at(self, elo: npt.ArrayLike) -> Floats:
        """c, the logit of sight and rise at any Elos, within the grid: the last axis has the three."""
        wanted = np.clip(np.asarray(elo, np.float64), LOWEST, HIGHEST)
        # Straight lines go on beyond the first and the last milepost.
        place = np.clip(np.searchsorted(self.elo, wanted) - 1, 0, len(self.elo) - 2)
        part = (wanted - self.elo[place]) / (self.elo[place + 1] - self.elo[place])
        low, high = self.parameters[place], self.parameters[place + 1]
        points = low + part[..., None] * (high - low)
        points[..., 0] = np.exp(points[..., 0])
        for k, axis in enumerate(AXES):
            points[..., k] = np.clip(points[..., k], axis[0], axis[-1])
        return np.asarray(points)

    def at(self, elo: float) -> DepthAgent:
        """The agent of one Elo."""
        return DepthAgent.of(self.parameters_at(elo))

    def agents(self, elos: npt.ArrayLike) -> list[DepthAgent]:
        """The agent of each Elo."""
        return [DepthAgent.of(point) for point in self.parameters_at(np.asarray(elos)).reshape(-1, 3)]


def fit_agents(
    elos: Sequence[float] | Floats, profiles: Sequence[Profile], above: AgentsByElo | None = None
) -> AgentsByElo:
    """The lines through mileposts of these Elos by the largest likelihood of all of their moves together.

    Each parameter is monotone in Elo, and six numbers are learned. With agents `above`, their line goes on
    downwards with other slopes: three numbers, of weaker mileposts, who differ less from each other.
    """
    from scipy.optimize import minimize

    elo = np.asarray(elos, np.float64)
    if len(elo) < 2 or len(elo) != len(profiles):
        raise InputError("simulated players by Elo need the profiles of two or more mileposts")
    evidence = np.stack([profile.evidence for profile in profiles])
    total = sum(profile.decisions for profile in profiles)
    x = (elo - float(elo.mean() if above is None else above.elo[0])) / _UNIT

    def parameters(lines: Floats) -> Floats:
        through = lines[:3] if above is None else above.parameters[0]
        return np.asarray(through + np.multiply.outer(x, lines[-3:]))

    def surprise(lines: Floats) -> float:
        points = parameters(lines)
        points[:, 0] = np.exp(points[:, 0])
        beyond = [points[:, k] - np.clip(points[:, k], axis[0], axis[-1]) for k, axis in enumerate(AXES)]
        outside = float(np.square(beyond).sum())
        return -float(np.sum(evidence * interpolation(points))) / total + outside

    start = np.array([1.1, -1.5, 1.0, 0.1, -0.3, 0.2])
    fit = minimize(surprise, start if above is None else start[-3:], method="L-BFGS-B")
    if not fit.success:
        raise FitError(
            f"the simulated players by Elo could not be fitted to {len(elo)} mileposts: give more games"
        )
    if above is None:
        return AgentsByElo(elo, parameters(fit.x))
    joined = np.concatenate((parameters(fit.x), above.parameters))
    return AgentsByElo(np.concatenate((elo, above.elo)), joined)


# A second look before a move is played -------------------------------------------------------------------
#
# Agents as fitted blunder more than people do: 2.2% of the moves of players of 2700 and 2800 would lose 1.5
# pawns or more, and 0.8% do (7.7 and 5.7% at 1500 to 1700). So whoever plays by these agents, or says what
# they lose, takes the agent 300 points beneath (`beneath`) and weighs each move once more by its loss at the
# last depth, (1 + loss / 2 pawns)^-k, and moves below the last line by OUTSIDE besides.
#
# People guard what matters: at 2700 and 2800 they lose 8.6 centipawns in an even game, 29.7 where one side is
# pawns ahead. So k falls with the distance from level, as (1 + |value| / a quarter pawn)^-0.56. In the first
# eight turns they know what was played before, and lose less than half of what such an agent would: there
# each move is weighed by (1 + loss / half a pawn)^-1.75 as well (`theory`).

UNIT = 200.0
"""Centipawns that count as one."""

LEAST, RISE, FROM = 2.1, 6.6, 3.2
"""In a level game k is LEAST for agents fitted with c up to FROM (those of 2100), then rises by RISE for a
unit of ln c."""

LEVEL_UNIT, EASING = 25.0, 0.56
"""How k falls with the distance from level, in centipawns."""

OUTSIDE = 0.7
"""People play moves below the last line so many times as often as the curve says."""

THEORY_UNIT, THEORY, OPENING_TURNS = 50.0, 1.75, 8
"""How moves are weighed by their loss in so many first turns."""

BENEATH = np.array([-0.1182, 0.3495, -0.273])
"""Change of ln c, the logit of sight and rise for 300 points less, in the shipped agents from 1800 up."""


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


def look_below(best: float, last: float, k: float, agent: DepthAgent, opening: bool = False) -> float:
    """What the probability of every move below the last line is multiplied by, for an agent as fitted."""
    below = losses_below(best, last)
    looked = second_look(below, k) * (theory(below) if opening else 1.0)
    return OUTSIDE * float((weights_below(below, beneath(agent).c) * looked).sum())
