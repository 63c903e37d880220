"""`choice`: sensitivity and consistency from the values of all moves (Regan and Haworth 2011)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property

import numpy as np

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.profile import Profile, ProfileStack
from assay.decisions.rules import (
    Rule,
    after_turn,
    choice_of_two,
    enough_lines,
    evaluated,
    not_repeated,
    rated,
    within,
)
from assay.errors import FitError, InputError
from assay.models.base import MoveModel
from assay.models.choice.fit import (
    ChoiceFit,
    ChoiceGrid,
    GridFits,
    Pull,
    by_games,
    fit_choice,
    fit_grids,
    hidden,
    sandwich,
)
from assay.models.choice.probabilities import CONVERSIONS, CURVES, log_units
from assay.models.choice.spreads import (
    Scaling,
    Spreads,
    reference_positions,
    spreads_from,
    spreads_of,
)
from assay.models.choice.sums import AGREEMENT, DIFFERENCE, PERCENTILES, Summaries
from assay.models.elo_mapping import Z95, ScalarMapping
from assay.models.intervals import FEWEST_GAMES, resample_weights

DISPERSION = 1.7
"""How much more estimates vary over games than with independent turns, as a ratio of variances: the mean over
the mileposts 1500 to 2800. For profiles whose games cannot be resampled."""


class ChoiceModel(MoveModel):
    """Agents that choose among all options by a curve of two parameters, fitted by percentiles.

    Profiles hold percentile counts on a grid of (q, s, c); `fit` works on the decisions themselves.
    """

    name = "choice"
    strength = "strength"

    def __init__(
        self,
        *,
        curve: str = CURVES[0],
        conversion: str = CONVERSIONS[0],
        scaling: Scaling | None = None,
        pull: Pull | None = None,
        opening_turns: int = 8,
        max_advantage: int = 300,
        mapping: ScalarMapping | None = None,
    ) -> None:
        self.curve, self.conversion = curve, conversion
        unit_c = float(log_units(curve, conversion)[1])
        self.scaling = Scaling() if scaling is None else scaling
        self.pull = Pull(0.5, Pull.intercept + unit_c) if pull is None else pull
        self.opening_turns, self.max_advantage = opening_turns, max_advantage
        self.mapping = mapping
        self.grid = ChoiceGrid(curve=curve, conversion=conversion)

    # Hooks ---------------------------------------------------------------------------------------------

    @property
    def settings(self) -> str:
        """Curve, conversion, scaling, pull and selection."""
        chosen = f"{self.curve}, {self.conversion}, {self.scaling}, {self.pull}"
        return f"{chosen}, after turn {self.opening_turns}, within {self.max_advantage} cp"

    def rules(self) -> tuple[Rule, ...]:
        """Section 5: turns 1 to 8, repetitions, positions beyond three pawns; and too few lines."""
        return (
            rated(),
            after_turn(self.opening_turns),
            not_repeated(),
            evaluated(),
            choice_of_two(),
            enough_lines(),
            within(self.max_advantage),
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """One long row: see ChoiceGrid."""
        return (self.grid.size,)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Floats:
        """Percentile counts, expected agreement and difference on the grid, and what was played."""
        return self.grid.collect(self.summaries(decisions), group, n_groups)

    def estimate(self, profile: Profile) -> Estimate:
        """Sensitivity and consistency from the grid; intervals from independent turns and DISPERSION."""
        self._check(profile)
        fits = self._fit_many([profile])
        self._require(fits, profile.decisions)
        covariance = self.grid.covariance(profile.evidence, fits.points[0])
        spread = sandwich(fits.rows[0], covariance, profile.decisions, self.pull)
        note = f"variance of independent turns, times {DISPERSION:g}"
        return self._estimate(profile, fits.points[0], DISPERSION * spread, Z95, note)

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """Strength of many profiles: fitted together, also where a fit ended at its bounds.

        The reference loss is interpolated on the grid, which is within two per cent.
        """
        fits = self._fit_many(profiles)
        tables = np.broadcast_to(self._reference_losses, (len(profiles), 1, self.grid.n_s, self.grid.n_c))
        return -np.exp(self.grid.at(tables, fits.points)[:, 0, 0])

    @cached_property
    def _reference_losses(self) -> Floats:
        """Logarithm of the expected loss on the reference positions at the nodes of the grid."""
        nodes = [
            [self._reference_summaries.at(s, c)[DIFFERENCE][0] for c in self.grid.log_c]
            for s in self.grid.log_s
        ]
        return np.log(np.array(nodes) / len(self.reference))

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """By the ratings: the paper gives no forecast."""
        ahead = self.rate(white).elo - self.rate(black).elo
        return Forecast(self.name, float(expectation(ahead)), notes=("from the ratings",))

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black; each profile is fitted once."""
        first, second = (np.array([self.rate(profile).elo for profile in side]) for side in (white, black))
        return expectation(first[:, None] - second)

    # On decisions --------------------------------------------------------------------------------------

    def summaries(self, decisions: Decisions) -> Summaries:
        """The sums of decisions that have passed the rules, at any (s, c)."""
        return Summaries(spreads_of(decisions, self.scaling), self.curve, self.conversion)

    def fit(
        self, decisions: Decisions, method: str = "percentile", *, c: float | None = None, pull: bool = True
    ) -> ChoiceFit:
        """The continuous fit on the decisions that pass the rules; with `c` given, of s alone."""
        passed, _ = self.select(decisions)
        if not len(passed):
            raise InputError(self.none_passes(decisions))
        towards = self.pull if pull and c is None else replace(self.pull, weight=0.0)
        return fit_choice(self.summaries(passed), method, c=c, pull=towards)

    # On profiles ---------------------------------------------------------------------------------------

    def resampled(self, stack: ProfileStack, resamples: int = 400, seed: int = 0) -> Estimate:
        """Estimate from all games of a stack, with intervals from resampling the games.

        With fewer than FEWEST_GAMES games the interval is that of `estimate`, and the note says so.
        """
        total = stack.total()
        used = np.flatnonzero(stack.decisions > 0)
        if len(used) < FEWEST_GAMES:
            return self.estimate(total)
        self._check(total)
        weights = np.zeros((resamples + 1, len(stack)))
        weights[0] = 1.0
        weights[1:, used] = resample_weights(len(used), resamples, seed)
        fits = self._fit_rows(np.asarray(weights @ stack.evidence), weights @ stack.decisions)
        self._require(fits, total.decisions)
        spread, reach = by_games(fits, len(used))
        spread += hidden(fits.rows[0], total.decisions, self.pull)
        return self._estimate(total, fits.points[0], spread, reach, f"{len(used)} games resampled")

    @property
    def reference(self) -> Spreads:
        """The fixed reference positions, scaled as this model scales."""
        return reference_spreads(self.scaling)

    @cached_property
    def _reference_summaries(self) -> Summaries:
        return Summaries(self.reference, self.curve, self.conversion)

    def _fit_rows(self, evidence: Floats, decisions: Floats) -> GridFits:
        counts = self.grid.tables(evidence)[:, : len(PERCENTILES)]
        return fit_grids(self.grid, counts, decisions, self.pull)

    def _fit_many(self, profiles: Sequence[Profile]) -> GridFits:
        evidence = np.stack([profile.evidence for profile in profiles])
        return self._fit_rows(evidence, np.array([profile.decisions for profile in profiles]))

    def _require(self, fits: GridFits, decisions: float) -> None:
        """The first fit of a batch is the answer: it must have converged away from the bounds."""
        if not (fits.converged[0] and fits.inside[0]):
            raise FitError(
                f"the fit of s and c did not settle within its bounds on {decisions:.0f} decisions: give more"
            )

    def _estimate(self, profile: Profile, point: Floats, spread: Floats, reach: float, note: str) -> Estimate:
        """Quantities at a fitted point; `spread` is the covariance of (ln s, ln c), `reach` the quantile."""
        at_grid = self.grid.at(self.grid.tables(profile.evidence[None]), point[None])[0] / profile.decisions
        first, lost = profile.evidence[-2:] / profile.decisions
        reference = self._reference_summaries.at(*point)[DIFFERENCE] / len(self.reference)
        loss = _logarithmic(math.log(reference[0]), reference[1:] / reference[0], spread, reach)
        quantities = {
            "s": _logarithmic(point[0], np.array([1.0, 0.0]), spread, reach),
            "c": _logarithmic(point[1], np.array([0.0, 1.0]), spread, reach),
            "mm_projected": Quantity(float(at_grid[AGREEMENT, 0])),
            "mm_actual": Quantity(float(first)),
            "ad_projected": Quantity(float(at_grid[DIFFERENCE, 0])),
            "ad_actual": Quantity(float(lost)),
            "reference_ad": loss,
            "strength": Quantity(-loss.value, loss.deviation, -loss.high, -loss.low),
        }
        return Estimate(self.name, quantities, profile.decisions, profile.games, note, profile.recipe_id)


def _logarithmic(log_value: float, gradient: Floats, spread: Floats, reach: float) -> Quantity:
    """A quantity whose logarithm has this gradient by (ln s, ln c)."""
    deviation = math.sqrt(max(float(gradient @ spread @ gradient), 0.0))
    value = math.exp(log_value)
    low, high = (math.exp(log_value + sign * reach * deviation) for sign in (-1, 1))
    return Quantity(value, value * deviation, low, high)


# The fixed reference positions on which players are compared ---------------------------------------------
#
# A player's (s, c) becomes one number through the scaled difference that the agent is expected to lose per
# turn on these positions: the same for everyone, however hard the player's own positions were.


@cache
def reference_spreads(scaling: Scaling) -> Spreads:
    """Spreads of the reference positions."""
    legal, values = zip(*reference_positions(), strict=True)
    lines = np.array([len(row) for row in values])
    offsets, first = np.concatenate(([0], np.cumsum(lines))), np.zeros(len(lines), np.int64)
    return spreads_from(np.concatenate(values), offsets, first, lines, np.array(legal), scaling)
