"""`depth`: how players weigh what moves are worth at every depth (Regan and Haworth 2011, section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.depths import DEPTHS
from assay.decisions.profile import Profile
from assay.decisions.rules import (
    Rule,
    after_turn,
    choice_of_two,
    enough_lines,
    evaluated,
    rated,
    traced,
)
from assay.errors import InputError
from assay.models.appearances import OPENING_TURNS
from assay.models.base import MoveModel
from assay.models.depth.agents import (
    AXES,
    LIMIT,
    SCALE,
    SHAPE,
    depth_weights,
    interpolation,
    line_of_agents,
    splines,
)
from assay.models.depth.likelihood import in_batches, log_likelihoods

LEVELS = np.linspace(-2.5, 3.0, 551)
"""Levels on the line of agents."""


class DepthModel(MoveModel):
    """Agents that weigh depths: consistency c, the share `sight` of depth 1, and `rise` of the others.

    A profile is the log-likelihood on a grid of agents: it adds. It reads the trace of the searches.
    """

    name: ClassVar[str] = "depth"
    strength = "level"
    reads_trace: ClassVar[bool] = True

    settings = (
        f"ipb s={SCALE / 100:g}, share, limit={LIMIT:.0f}, depths 1 to {DEPTHS}, after turn {OPENING_TURNS}"
    )

    def rules(self) -> tuple[Rule, ...]:
        """No opening, a choice to be made, lines enough, a played move with a value, and a trace."""
        return (rated(), after_turn(OPENING_TURNS), evaluated(), choice_of_two(), enough_lines(), traced())

    shape = (int(np.prod(SHAPE)),)

    def none_passes(self, decisions: Decisions) -> str:
        """Why there is nothing to say; decisions read without trace have a sentence of their own."""
        if len(decisions) and not decisions.traced.any():
            return (
                "depth reads the values at every depth, and these decisions have no trace: analyse "
                "the games with assay and read them with trace=True"
            )
        return super().none_passes(decisions)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Floats:
        """Log-likelihood of the decisions at every simulated player of the grid, summed within groups."""
        total = np.zeros((n_groups, *self.shape))
        for rows, batch, positions in in_batches(decisions):
            total += log_likelihoods(positions, batch.played_index, group[rows], n_groups)
        return total

    @cached_property
    def _along(self) -> Floats:
        """What each agent of the grid contributes to the log-likelihood along the line of agents."""
        return interpolation(line_of_agents(LEVELS))

    def estimate(self, profile: Profile) -> Estimate:
        """Level, c, the share at sight, the rise, and the mean depth, as if moves were independent."""
        posterior = self.posterior(profile)
        region, mean, deviation = posterior.region(), posterior.mean, posterior.deviation
        along = self._along @ profile.evidence
        level = np.exp(along - along.max())
        level /= level.sum()
        at_level = float(level @ LEVELS)
        ends = np.interp([0.025, 0.975], np.cumsum(level) - level / 2, LEVELS).tolist()
        spread = float(np.sqrt(level @ np.square(LEVELS - at_level)))
        logit, rise = posterior.axes[1][:, None], posterior.axes[2][None, :]
        share = 1 / (1 + np.exp(-logit)) + 0 * rise
        mean_depth = depth_weights(share, rise + 0 * logit) @ np.arange(1, DEPTHS + 1)
        quantities = {
            "level": Quantity(at_level, spread, *ends),
            "c": Quantity(mean[0], deviation[0], *region[0]),
            "sight": posterior.quantity(share),
            "rise": Quantity(mean[2], deviation[2], *region[2]),
            "mean_depth": posterior.quantity(mean_depth),
        }
        note = "of independent moves, flat over the grid of simulated players"
        return Estimate(self.name, quantities, profile.decisions, profile.games, note, profile.recipe_id)

    def posterior(self, profile: Profile) -> AgentPosterior:
        """Probability of the agents from a flat prior over the grid."""
        self._check(profile)
        return resolve(profile.evidence)

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """Level of many profiles: one matrix product."""
        along = np.stack([profile.evidence for profile in profiles]) @ self._along.T
        mass = np.exp(along - along.max(axis=1, keepdims=True))
        return np.asarray(mass @ LEVELS / mass.sum(axis=1))

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """From the two ratings: the paper gives no forecast."""
        value = float(self.expectations_by_ratings([white], [black])[0, 0])
        return Forecast(self.name, value, notes=("from the ratings",))

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black; each profile is read once."""
        return self.expectations_by_ratings(white, black)


# The posterior over the parameters -----------------------------------------------------------------------
#
# The prior is flat over the grid in c, the logit of sight, and rise. The log-likelihood of any number of
# decisions is smooth on the scale of the grid, its exponential is not: the logarithm is interpolated by cubic
# splines in the box where the probability lies, which is drawn closer until it is resolved.

_NEGLIGIBLE = 10.0
"""Points whose likelihood is below exp(-10) of the largest are outside the box."""

_FINE = 41


@dataclass(frozen=True, eq=False)
class AgentPosterior:
    """Probability of the points of a box of agents."""

    axes: tuple[Floats, Floats, Floats]
    mass: Floats

    @cached_property
    def margins(self) -> tuple[Floats, Floats, Floats]:
        """Probability along each axis."""
        return self.mass.sum((1, 2)), self.mass.sum((0, 2)), self.mass.sum((0, 1))

    @property
    def mean(self) -> Floats:
        """Mean of c, the logit of sight, and rise."""
        return np.array([margin @ axis for margin, axis in zip(self.margins, self.axes, strict=True)])

    @property
    def deviation(self) -> Floats:
        """Their standard deviations."""
        pairs = zip(self.margins, self.axes, self.mean, strict=True)
        return np.sqrt([margin @ np.square(axis - mean) for margin, axis, mean in pairs])

    def region(self) -> Floats:
        """Equal-tailed 95% regions, shape (3, 2)."""
        regions = []
        for axis, margin in zip(self.axes, self.margins, strict=True):
            density = margin.copy()
            density[[0, -1]] *= 2  # the outer points stand for half a step
            reached = np.concatenate(([0.0], np.cumsum((density[1:] + density[:-1]) / 2)))
            regions.append(np.interp([0.025, 0.975], reached / reached[-1], axis))
        return np.array(regions)

    def quantity(self, values: Floats) -> Quantity:
        """Mean, deviation and 95% region of values at the points (logit of sight, rise)."""
        mass, value = self.mass.sum(axis=0).ravel(), values.ravel()
        order = np.argsort(value)
        low, high = np.interp([0.025, 0.975], np.cumsum(mass[order]), value[order]).tolist()
        mean = float(mass @ value)
        return Quantity(mean, float(np.sqrt(mass @ np.square(value - mean))), low, high)


def resolve(evidence: Floats) -> AgentPosterior:
    """The posterior from log-likelihoods on the grid, however narrow it is."""
    if not np.isfinite(evidence).all():
        raise InputError("a posterior needs a finite log-likelihood at every simulated player of the grid")
    box = [(axis[0], axis[-1]) for axis in AXES]
    for _ in range(12):
        axes = tuple(np.linspace(low, high, _FINE) for low, high in box)
        c, logit, rise = (spline(fine) for spline, fine in zip(splines(), axes, strict=True))
        logs = np.einsum("nc,ml,kr,clr->nmk", c, logit, rise, evidence.reshape(SHAPE), optimize=True)
        likely = logs >= logs.max() - _NEGLIGIBLE
        closer = []
        for k, fine in enumerate(axes):
            there = np.flatnonzero(likely.any(axis=tuple({0, 1, 2} - {k})))
            closer.append((fine[max(there[0] - 1, 0)], fine[min(there[-1] + 1, _FINE - 1)]))
        if all(b - a > 0.7 * (high - low) for (a, b), (low, high) in zip(closer, box, strict=True)):
            break
        box = closer
    weight = np.exp(logs - logs.max())
    for k in range(3):
        ends = [slice(None)] * 3
        ends[k] = np.array([0, -1])  # type: ignore[call-overload]
        weight[tuple(ends)] /= 2
    return AgentPosterior(axes, weight / weight.sum())  # type: ignore[arg-type]
