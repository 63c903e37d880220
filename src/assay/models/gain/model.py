"""Strength from the distribution of gain (Ferreira 2012).

A player is the histogram of the gains of their moves. Two players are compared by the chance that a move
of one gains more than a move of the other, and that chance is read as an expectation on the Elo scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.answers.comparisons import Comparison
from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions import measures
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile, ProfileStack, check_same_model
from assay.decisions.rules import Rule, has_gain, rated
from assay.errors import InputError
from assay.models.base import MoveModel
from assay.models.elo_mapping import Z95
from assay.models.gain import distribution
from assay.models.intervals import (
    FEWEST_GAMES,
    equal_tailed,
    exponential_factor,
    exponential_weights,
    widened,
)

LIMIT = 3900
"""Mate is worth 39 pawns, and evaluations are clipped there (Ferreira 2012, section 3)."""

CORRELATION = {"peak": 0.018, "measured": 0.040, "pair": 0.049, "mean": 0.015}
"""Correlation of the moves of one game: of their placements against the engine's peak, its measured
distribution and a player's, and of the gains. From mileposts (docs/evidence/paper_ferreira2012.md)."""

LEAST_SHARE = 0.1
"""Of the moves from evaluated positions at least this share must have a gain."""

ENGINE_PROFILES = ("peak", "measured")

FEWEST_ENGINE_MOVES = 100
"""Fewer moves than this do not make a distribution of the engine."""


class GainModel(MoveModel):
    """Strength from the distribution of gain.

    `engine_profile` says what stands for the engine: its `peak` at zero, as in the paper, or its distribution
    `measured` from decisions in which the player chose the engine's move (`measure_engine`), which the paper
    left for later. `engine_strength` is the engine's own rating, where it is known (Algorithm 3): only then
    does an estimate hold a strength (Algorithm 4). Games with a reason in `include` count.
    """

    name = "gain"

    def __init__(
        self,
        *,
        limit: int = LIMIT,
        engine_profile: str = "peak",
        engine_strength: float | None = None,
        include: Sequence[str] = (),
    ) -> None:
        if limit <= 0:
            raise InputError(f"the limit of evaluations must be above zero, not {limit}")
        if engine_profile not in ENGINE_PROFILES:
            raise InputError(f"engine_profile is one of {', '.join(ENGINE_PROFILES)}, not '{engine_profile}'")
        self.limit = limit
        self.engine_profile = engine_profile
        self.engine_strength = engine_strength
        self.include = tuple(sorted(include))
        self.engine_: Profile | None = None

    # The contract --------------------------------------------------------------------------------------

    @property
    def settings(self) -> str:
        """The limit, and the reasons that do not count."""
        return f"limit={self.limit}" + (f",include={'+'.join(self.include)}" if self.include else "")

    def rules(self) -> tuple[Rule, ...]:
        """All moves from the first on, as far as the value before and after is known."""
        return rated(self.include), has_gain(), next_positions_known()

    @property
    def shape(self) -> tuple[int, ...]:
        """One count for each gain, at one centipawn."""
        return (distribution.n_bins(self.limit),)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Any:
        """Histograms of gain, as sparse rows."""
        return distribution.histograms(measures.gain(decisions, self.limit), group, n_groups, self.limit)

    def estimate(self, profile: Profile) -> Estimate:
        """Mean gain in pawns; expectation and rating difference against the engine; strength if known."""
        self._check(profile)
        value = distribution.expectation(profile.evidence, self.engine)
        deviation, low, high = distribution.expectation_interval(
            profile.evidence, self.engine, overdispersion=_overdispersion(profile, self.engine_profile)
        )
        point, least, most = distribution.rating_difference([value, low, high]).tolist()
        width = (most - least) / (2 * Z95)  # of a normal interval
        spread = width if math.isfinite(width) else math.nan
        quantities = {
            "mean_gain": self._mean_gain(profile),
            "expectation": Quantity(value, deviation, low, high),
            "difference": Quantity(point, spread, least, most),
        }
        if self.engine_strength is not None:
            engine = self.engine_strength
            quantities["strength"] = Quantity(point + engine, spread, least + engine, most + engine)
        return Estimate(self.name, quantities, profile.decisions, profile.games)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Eq. 2. The method knows no colours, and no draws."""
        _, low, high = distribution.expectation_interval(
            white.evidence,
            black.evidence,
            overdispersion=_overdispersion(white, "pair"),
            of_y=_overdispersion(black, "pair"),
        )
        value = distribution.expectation(white.evidence, black.evidence)
        return Forecast(self.name, value, low=low, high=high)

    # The engine ----------------------------------------------------------------------------------------

    @property
    def engine(self) -> Floats:
        """The engine's distribution of gain."""
        if self.engine_profile == "peak":
            return distribution.peak(self.limit)
        if self.engine_ is None:
            raise InputError("the engine's distribution is not measured yet: call measure_engine first")
        return self.engine_.evidence

    def measure_engine(self, decisions: Decisions) -> GainModel:
        """Learn the engine's distribution from decisions in which the player chose the engine's move."""
        agreed = decisions.filter(
            Rule("the engine's move", lambda d: (d.played_index == 0) & ~d.two_searches)
        )
        profile = self.profile(agreed) if len(agreed) else None
        moves = 0 if profile is None else round(profile.decisions)
        if profile is None or moves < FEWEST_ENGINE_MOVES:
            self.engine_ = None
            raise InputError(
                f"only {moves} decisions agree with the engine, too few for its distribution of gain "
                f"({FEWEST_ENGINE_MOVES} are needed): analyse more games, or use engine_profile='peak'"
            )
        self.engine_ = profile
        return self

    # Many at once --------------------------------------------------------------------------------------

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black: one matrix product."""
        self._check(*white, *black)
        rows, columns = (np.stack([profile.evidence for profile in side]) for side in (white, black))
        return distribution.expectations(rows, columns)

    def weighted_expectations(self, stack: ProfileStack, weights: Floats, black: Sequence[Profile]) -> Floats:
        """Eq. 2 is linear in the gains of a player: what each row of the stack wins adds up as rows do."""
        check_same_model([Profile(stack.model, np.zeros(0), 0.0, 0.0, recipe_id=stack.recipe_id), *black])
        columns = np.stack([profile.evidence for profile in black])
        return distribution.weighted_expectations(stack.evidence, weights, columns)

    def _mean_gain(self, profile: Profile) -> Quantity:
        """Mean gain in pawns; its deviation allows for the correlation of the moves of a game."""
        used = np.flatnonzero(profile.evidence)
        gains, weights = distribution.gains_of_bins(self.limit)[used] / 100, profile.evidence[used]
        mean = float(np.average(gains, weights=weights))
        # One more move, a pawn off: moves that happen to be alike do not make the mean certain.
        spread = float((weights @ (gains - mean) ** 2 + 1) / (weights.sum() + 1))
        deviation = math.sqrt(spread * _overdispersion(profile, "mean") / profile.decisions)
        return Quantity(mean, deviation, mean - Z95 * deviation, mean + Z95 * deviation)


def next_positions_known() -> Rule:
    """Leave out all decisions where hardly any position after a move was analysed.

    In files of one side's moves only the last move of a won game has a gain, which is zero for everybody.
    """

    def mask(decisions: Decisions) -> Mask:
        known = np.count_nonzero(has_gain()(decisions))
        enough = known >= LEAST_SHARE * np.count_nonzero(~np.isnan(decisions.numbers("before")))
        return np.full(len(decisions), enough)

    return Rule("next positions evaluated", mask)


def _overdispersion(profile: Profile, of: str) -> float:
    """How many moves of this profile count as one, by the mean number of moves of a game."""
    moves_per_game = profile.decisions / max(profile.games, 1e-9)
    return float(distribution.overdispersion(moves_per_game, CORRELATION[of]))


# Strength after every move of a game (section 7 and Figure 6) ---------------------------------------------


@dataclass(frozen=True, eq=False)
class RunningStrength:
    """What is known of one player after each of their moves."""

    gains: Floats
    """Gain of the move, centipawns; NaN where it is not known."""
    expectation: Floats
    """Expectation against the engine after the move; NaN before the first known gain."""
    low: Floats
    high: Floats
    """95% interval of the expectation: it always holds the expectation, and narrows as moves come."""
    engine_strength: float
    """What differences are counted from: the engine's strength, or 0 where that is not known."""

    @property
    def strength(self) -> Floats:
        """Algorithm 4; minus or plus infinity where all gains so far are on one side."""
        return self.engine_strength + distribution.rating_difference(self.expectation)

    @property
    def strength_low(self) -> Floats:
        """Lower end of the interval of the strength."""
        return self.engine_strength + distribution.rating_difference(self.low)

    @property
    def strength_high(self) -> Floats:
        """Upper end of the interval of the strength."""
        return self.engine_strength + distribution.rating_difference(self.high)


def running_strength(gains: npt.ArrayLike, model: GainModel) -> RunningStrength:
    """Algorithm 4 after every move: the distribution of gain grows by one move at a time."""
    moves = np.asarray(gains, dtype=np.float64)
    engine = model.engine
    bins = np.rint(np.nan_to_num(moves)).astype(np.int64) + 2 * model.limit
    placed = (distribution.placements(engine) / engine.sum())[bins]
    unknown = np.isnan(moves)
    n, total, squares = (
        np.cumsum(np.where(unknown, 0.0, x)) for x in (np.ones(len(moves)), placed, placed**2)
    )
    with np.errstate(invalid="ignore"):
        expectation = total / n
    together = distribution.overdispersion(n, CORRELATION[model.engine_profile])
    mean, variance = distribution.posterior(n, total, squares, together)
    low, high = distribution.beta_interval(mean, variance)
    low, high = np.fmin(low, expectation), np.fmax(high, expectation)
    return RunningStrength(moves, expectation, low, high, model.engine_strength or 0.0)


# Two players compared (Algorithm 1) ----------------------------------------------------------------------


def compare(
    first: Decisions, second: Decisions, model: GainModel, *, resamples: int = 500, seed: int = 0
) -> Comparison:
    """Algorithm 1 on the decisions of two players, or of one player at two times."""
    stacks = model.profiles_by(first), model.profiles_by(second)
    return compare_stacks(*stacks, model, resamples=resamples, seed=seed)


def compare_stacks(
    first: ProfileStack, second: ProfileStack, model: GainModel, *, resamples: int = 500, seed: int = 0
) -> Comparison:
    """The same on profiles by game."""
    stacks = first, second
    totals = stacks[0].total(), stacks[1].total()
    forecast = model.forecast(*totals)
    estimates = model.estimate(totals[0]), model.estimate(totals[1])
    resampled = resamples > 1 and all(profile.games >= FEWEST_GAMES for profile in totals)
    low, high = _resampled(stacks, totals, resamples, seed) if resampled else (forecast.low, forecast.high)
    value, least, most = distribution.rating_difference([forecast.expectation, low, high]).tolist()
    return Comparison(estimates, forecast.expectation, low, high, resampled, (value, least, most))


def _resampled(
    stacks: tuple[ProfileStack, ProfileStack], totals: tuple[Profile, Profile], resamples: int, seed: int
) -> tuple[float, float]:
    """Interval from games with exponential weights (the Bayesian bootstrap), one for a game of both."""
    keys = {key: place for place, key in enumerate(dict.fromkeys(stacks[0].keys + stacks[1].keys))}
    weights = exponential_weights(len(keys), resamples, seed)
    used = np.flatnonzero(totals[0].evidence + totals[1].evidence)
    rows = [
        np.asarray(weights[:, [keys[key] for key in stack.keys]] @ stack.evidence[:, used].toarray())
        for stack in stacks
    ]
    drawn = equal_tailed(distribution.paired_expectations(*rows))
    value = distribution.expectation(totals[0].evidence, totals[1].evidence)
    factor = exponential_factor(min(profile.games for profile in totals))
    low, high = np.clip(widened(value, drawn, factor), 0.0, 1.0).tolist()
    return low, high
