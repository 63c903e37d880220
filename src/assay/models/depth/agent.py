"""The agent that weighs depths: y_i = sum over d of w_d g(delta_i,d) (Regan and Haworth 2011, section 8).

g is the paper's curve ipb, (1 + delta/s)^-c, with its unit s fixed at 0.3 pawns. Probabilities are shares,
p_i = y_i / sum y: what a depth contributes to a move and to the sum is then linear in the weights, so a move
that a depth did not list counts there with the mean of g below the last line, and nothing is guessed beyond.

The weights are of few parameters. Fitted freely they have one shape at every level: a share at depth 1, what
is seen at sight, next to nothing at depths 2 to 4, then rising. So `sight` is w_1, and the rest is shared out
as d^rise over the depths from 2 on. Both are agent properties, and so is the consistency c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats
from assay.decisions.depths import DEPTHS
from assay.errors import InputError

SCALE = 30.0
"""s of the curve, in centipawns: with it fixed, c alone tells players apart."""

LIMIT = 1000.0
"""Values are clipped to so many centipawns, mates included."""


@dataclass(frozen=True)
class DepthAgent:
    """One agent: consistency, the share of what is seen at sight, and how the rest rises with depth."""

    c: float
    sight: float
    rise: float

    def __post_init__(self) -> None:
        if not (self.c >= 0 and 0 <= self.sight <= 1 and np.isfinite(self.rise)):
            raise InputError(
                f"an agent has c of 0 or more and a share at sight of 0 to 1, not {self.c:g}, {self.sight:g}"
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

    def mean_depth(self, depths: int = DEPTHS) -> float:
        """The mean of d under the weights."""
        return float(self.weights(depths) @ np.arange(1, depths + 1))


def depth_weights(sight: npt.ArrayLike, rise: npt.ArrayLike, depths: int = DEPTHS) -> Floats:
    """Weights of depths 1 to `depths`, for one agent or many: the last axis is depth."""
    share, exponent = np.broadcast_arrays(np.asarray(sight, np.float64), np.asarray(rise, np.float64))
    if depths < 2:
        return np.ones((*share.shape, 1))
    log_depth = np.log(np.arange(2, depths + 1) / depths)
    rest = np.exp(exponent[..., None] * log_depth)
    rest /= rest.sum(axis=-1, keepdims=True)
    return np.concatenate((share[..., None], (1 - share)[..., None] * rest), axis=-1)
