"""The agent of an Elo: parameters as straight lines over Elo, fitted on mileposts, shipped with calibrations.

Straight lines in ln c, the logit of sight and rise, by the largest likelihood of all mileposts together: each
parameter is monotone, and six numbers are learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from assay.decisions.arrays import Floats
from assay.decisions.profile import Profile
from assay.errors import FitError, InputError
from assay.models.depth.agent import DepthAgent
from assay.models.depth.grid import AXES, interpolation

LOWEST, HIGHEST = 1000.0, 3200.0
"""Beyond these the agent of the nearer end stands: no milepost is near."""

_UNIT = 400.0


@dataclass(frozen=True, eq=False)
class AgentsByElo:
    """Agents at some Elos, rising; between them and beyond, straight lines."""

    elo: Floats
    parameters: Floats
    """ln c, the logit of sight, and rise at each Elo: shape (elos, 3)."""

    def __post_init__(self) -> None:
        sound = self.elo.ndim == 1 and len(self.elo) >= 2 and (np.diff(self.elo) > 0).all()
        if not sound or self.parameters.shape != (len(self.elo), 3):
            raise InputError("agents by Elo need three parameters at two or more rising Elos")

    def parameters_at(self, elo: npt.ArrayLike) -> Floats:
        """c, the logit of sight and rise at any Elos, within the grid: the last axis has the three."""
        wanted = np.clip(np.asarray(elo, np.float64), LOWEST, HIGHEST)
        # Straight lines go on beyond the first and the last milepost.
        place = np.clip(np.searchsorted(self.elo, wanted) - 1, 0, len(self.elo) - 2)
        part = (wanted - self.elo[place]) / (self.elo[place + 1] - self.elo[place])
        low, high = self.parameters[place], self.parameters[place + 1]
        found = low + part[..., None] * (high - low)
        found[..., 0] = np.exp(found[..., 0])
        for k, axis in enumerate(AXES):
            found[..., k] = np.clip(found[..., k], axis[0], axis[-1])
        return np.asarray(found)

    def at(self, elo: float) -> DepthAgent:
        """The agent of one Elo."""
        return DepthAgent.of(self.parameters_at(elo))

    def agents(self, elos: npt.ArrayLike) -> list[DepthAgent]:
        """The agent of each Elo."""
        return [DepthAgent.of(one) for one in self.parameters_at(np.asarray(elos)).reshape(-1, 3)]


def fit_agents(elos: Sequence[float] | Floats, profiles: Sequence[Profile]) -> AgentsByElo:
    """The lines through mileposts of these Elos, by the likelihood of their moves."""
    elo = np.asarray(elos, np.float64)
    if len(elo) < 2 or len(elo) != len(profiles):
        raise InputError("agents by Elo need the profiles of two or more mileposts")
    evidence = np.stack([profile.evidence for profile in profiles])
    total = sum(profile.decisions for profile in profiles)
    middle = float(elo.mean())
    x = (elo - middle) / _UNIT

    def parameters(lines: Floats) -> Floats:
        return lines[:3] + np.multiply.outer(x, lines[3:])

    def lost(lines: Floats) -> float:
        points = parameters(lines)
        points[:, 0] = np.exp(points[:, 0])
        beyond = [points[:, k] - np.clip(points[:, k], axis[0], axis[-1]) for k, axis in enumerate(AXES)]
        outside = float(np.square(beyond).sum())
        return -float(np.sum(evidence * interpolation(points))) / total + outside

    found = minimize(lost, np.array([1.1, -1.5, 1.0, 0.1, -0.3, 0.2]), method="L-BFGS-B")
    if not found.success:
        raise FitError(f"the agents by Elo could not be fitted to {len(elo)} mileposts: give more games")
    return AgentsByElo(elo, parameters(found.x))
