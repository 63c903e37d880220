"""`choice`: sensitivity and consistency from the values of all moves (Regan and Haworth 2011)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from assay.answers.ratings import Estimate, Forecast, Quantity, Rating
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
from assay.errors import FitError, InputError, MappingError
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
from assay.models.choice.probabilities import CONVERSIONS, CURVES, log_units, probabilities
from assay.models.choice.reference_positions import POSITIONS
from assay.models.choice.spreads import Scaling, Spreads, differences, extended, spreads_of
from assay.models.choice.sums import (
    AGREEMENT,
    DIFFERENCE,
    N_PAIRS,
    N_ROWS,
    PERCENTILES,
    Summaries,
    up_products,
)
from assay.models.elo_mapping import Z95, ScalarMapping, no_mapping
from assay.models.intervals import FEWEST_GAMES, resample_weights

DISPERSION = 1.7
"""How much more estimates vary over games than with independent turns, as a ratio of variances: the mean over
the mileposts 1600 to 2700 (docs/reproduction/choice.md). For profiles whose games cannot be resampled."""


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
        game_turns: int = 40,
        mapping: ScalarMapping | None = None,
    ) -> None:
        self.curve, self.conversion = curve, conversion
        unit_c = float(log_units(curve, conversion)[1])
        self.scaling = Scaling() if scaling is None else scaling
        self.pull = Pull(0.5, Pull.intercept + unit_c) if pull is None else pull
        self.opening_turns, self.max_advantage = opening_turns, max_advantage
        self.game_turns = game_turns
        self.mapping = mapping
        self.grid = ChoiceGrid(curve=curve, conversion=conversion)
        self.layout = EvidenceLayout(self.grid)

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
        """One long row: see EvidenceLayout."""
        return (self.layout.size,)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Floats:
        """Percentile counts, expected agreement and difference on the grid, and what was played."""
        return self.layout.collect(self.summaries(decisions), group, n_groups)

    def estimate(self, profile: Profile) -> Estimate:
        """Sensitivity and consistency from the grid; intervals from independent turns and DISPERSION."""
        self._check(profile)
        fits = self._fit_rows(profile.evidence[None], np.array([profile.decisions]))
        self._require(fits, profile.decisions)
        covariance = self.layout.covariance(profile.evidence, fits.points[0])
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
        """By the ratings where there is a mapping; otherwise by a virtual game on the reference positions."""
        if self.mapping is not None:
            ahead = self.rate(white).elo - self.rate(black).elo
            return Forecast(self.name, float(expectation(ahead)), notes=("from the ratings",))
        ours, theirs = (self.reference_loss(one) for one in (white, black))
        share = expectation_of_match(ours, theirs, self.game_turns)
        return Forecast(self.name, share, notes=(f"who loses less over {self.game_turns} reference turns",))

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black; each profile is fitted once."""
        if self.mapping is not None:
            first, second = (self.mapping.elos(self, side) for side in (white, black))
            return expectation(first[:, None] - second)
        ours, theirs = (self._reference_losses_of(side) for side in (white, black))
        return np.array(
            [[expectation_of_match(one, other, self.game_turns) for other in theirs] for one in ours]
        )

    def _reference_losses_of(self, profiles: Sequence[Profile]) -> list[ExpectedLoss]:
        points = self._fit_many(profiles).points
        return [
            expected_loss(self.reference, float(s), float(c), self.curve, self.conversion)
            for s, c in np.exp(points)
        ]

    # On decisions --------------------------------------------------------------------------------------

    def summaries(self, decisions: Decisions) -> Summaries:
        """The sums of decisions that have passed the rules, at any (s, c)."""
        return Summaries(spreads_of(decisions, self.scaling), self.curve, self.conversion)

    def fit(
        self, decisions: Decisions, method: str = "percentile", *, c: float | None = None, pull: bool = True
    ) -> ChoiceFit:
        """The continuous fit on the decisions that pass the rules; with `c` given, of s alone."""
        kept, _ = self.select(decisions)
        if not len(kept):
            raise InputError(self.none_passes(decisions))
        towards = self.pull if pull and c is None else replace(self.pull, weight=0.0)
        return fit_choice(self.summaries(kept), method, c=c, pull=towards)

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

    def rate_games(self, stack: ProfileStack, resamples: int = 400, seed: int = 0) -> Rating:
        """Rating of all games of a stack, its interval from resampling the games."""
        return self.rate_estimate(self.resampled(stack, resamples, seed))

    def rate_estimate(self, estimate: Estimate) -> Rating:
        """Rating from an estimate, through the mapping."""
        if not isinstance(self.mapping, ScalarMapping):
            raise MappingError(no_mapping(self.name))
        self.mapping.check(self.identity, estimate.recipe_id)
        return self.mapping.rate_estimate(self.name, estimate)

    def reference_loss(self, profile: Profile) -> ExpectedLoss:
        """What the player's agent is expected to lose per turn on the reference positions."""
        fits = self._fit_rows(profile.evidence[None], np.array([profile.decisions]))
        self._require(fits, profile.decisions)
        s, c = np.exp(fits.points[0])
        return expected_loss(self.reference, float(s), float(c), self.curve, self.conversion)

    @property
    def reference(self) -> Spreads:
        """The fixed reference positions, scaled as this model scales."""
        return reference_spreads(self.scaling)

    @cached_property
    def _reference_summaries(self) -> Summaries:
        return Summaries(self.reference, self.curve, self.conversion)

    def _fit_rows(self, evidence: Floats, decisions: Floats) -> GridFits:
        counts = self.layout.grids(evidence)[:, : len(PERCENTILES)]
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
        at_grid = self.grid.at(self.layout.grids(profile.evidence[None]), point[None])[0] / profile.decisions
        first, lost = self.layout.played(profile.evidence) / profile.decisions
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


# What a `choice` profile holds: one long additive row, and where its parts lie.

PRODUCT_NODES: Floats = np.log([[0.05, 0.5], [0.1, 0.5], [0.2, 0.5], [0.4, 0.5]])
"""Points (ln s, ln c), in units of the curve, at which products of up-shares are kept: these vary little
with s and hardly with c."""


@dataclass(frozen=True)
class EvidenceLayout:
    """Summaries on the grid; products of up-shares; number of first choices, sum of scaled differences."""

    grid: ChoiceGrid

    @property
    def _n_grid(self) -> int:
        return N_ROWS * self.grid.n_s * self.grid.n_c

    @cached_property
    def size(self) -> int:
        """Length of the row."""
        return self._n_grid + len(PRODUCT_NODES) * N_PAIRS + 2

    @cached_property
    def nodes(self) -> Floats:
        """Points at which products are kept."""
        return PRODUCT_NODES + log_units(self.grid.curve, self.grid.conversion)

    def collect(self, summaries: Summaries, group: Ints, n_groups: int) -> Floats:
        """One row for each group of turns."""
        turns = summaries.spreads
        first = np.bincount(group, (turns.played == 0).astype(np.float64), minlength=n_groups)
        lost = np.bincount(group, turns.lost, minlength=n_groups)
        counts = summaries.on_grid(self.grid.log_s, self.grid.log_c, group, n_groups)
        products = up_products(summaries, self.nodes, group, n_groups)
        return np.column_stack((counts.reshape(n_groups, -1), products.reshape(n_groups, -1), first, lost))

    def grids(self, evidence: Floats) -> Floats:
        """The summaries on the grid of a batch of rows: (batch, rows, n_s, n_c)."""
        return evidence[:, : self._n_grid].reshape(len(evidence), N_ROWS, self.grid.n_s, self.grid.n_c)

    def covariance(self, evidence: Floats, point: Floats) -> Floats:
        """Covariance of the up-shares of one turn at a point: straight lines in ln s between the nodes."""
        log_s = self.nodes[:, 0]
        place = np.clip(point[0], log_s[0], log_s[-1])
        after = min(int(np.searchsorted(log_s, place, side="right")), len(log_s) - 1)
        share = float((place - log_s[after - 1]) / (log_s[after] - log_s[after - 1]))
        return (1 - share) * self._at_node(evidence, after - 1) + share * self._at_node(evidence, after)

    def _at_node(self, evidence: Floats, node: int) -> Floats:
        kept = evidence[self._n_grid : -2].reshape(len(PRODUCT_NODES), N_PAIRS)[node]
        n = len(PERCENTILES) + 1
        matrix = np.zeros((n, n))
        matrix[np.tril_indices(n)] = kept
        # The last share is one in every turn: its products are the sums, and the number of turns.
        mean = matrix[-1, :-1] / matrix[-1, -1]
        lower = matrix[:-1, :-1] / matrix[-1, -1]
        both: Floats = lower + np.tril(lower, -1).T - np.outer(mean, mean)
        return both

    def played(self, evidence: Floats) -> Floats:
        """Number of first choices and sum of scaled differences of what was played."""
        return evidence[-2:]


# The fixed reference set of positions on which players are compared.


@cache
def reference_spreads(scaling: Scaling) -> Spreads:
    """Spreads of the bundled reference positions (research/calibration/make_choice_reference.py)."""
    legal, values = zip(*POSITIONS, strict=True)
    lines = np.array([len(one) for one in values])
    offsets = np.concatenate(([0], np.cumsum(lines)))
    delta = differences(np.concatenate(values), offsets, scaling)
    spreads = Spreads(delta, offsets, np.zeros(len(POSITIONS), np.int64))
    if scaling.unlisted == "tail":
        return extended(spreads, lines, np.array(legal))
    return spreads


@dataclass(frozen=True)
class ExpectedLoss:
    """What an agent loses per turn on the reference positions: mean and variance of the scaled difference."""

    mean: float
    variance: float


def expected_loss(spreads: Spreads, s: float, c: float, curve: str, conversion: str) -> ExpectedLoss:
    """Mean and variance, over positions and choices, of the scaled difference of the agent (s, c)."""
    p = probabilities(spreads, s, c, curve, conversion)
    mean = float(p @ spreads.delta) / len(spreads)
    square = float(p @ np.square(spreads.delta)) / len(spreads)
    return ExpectedLoss(mean, square - mean**2)


def expectation_of_match(ours: ExpectedLoss, theirs: ExpectedLoss, turns: int) -> float:
    """Chance of losing less than the opponent over so many reference turns each: a virtual game."""
    spread = math.sqrt(turns * (ours.variance + theirs.variance))
    if spread == 0:
        return 0.5
    return 0.5 * math.erfc(-(theirs.mean - ours.mean) * turns / spread / math.sqrt(2))
