"""Conformance: the share of moves that lose at most x (Alliot 2017, sections 3.2 and 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import FitError, InputError
from assay.models.elo_mapping import Z95
from assay.models.losses.counts import LossCountModel
from assay.models.losses.measure import LossKind, LossMeasure, ponder
from assay.models.outcomes import PairedGames, correlation, expectation_on_line, fit_line, pair_games


@dataclass(frozen=True)
class Line:
    """Bound in centipawns, and the line from a difference of conformance to a result in -1..1."""

    bound: int
    alpha: float
    beta: float


PUBLISHED: dict[LossKind, Line] = {
    "raw": Line(30, 0.043, 4.00),
    "guid_bratko": Line(20, 0.067, 3.37),
    "pondered": Line(30, -0.007, 3.64),
}
"""Section 4.2.1: the best bound, alpha and beta of each kind."""

REGRESSION_K = (1.44, -3.53)
"""Section 3.2.3, as published."""


class ConformanceModel(LossCountModel):
    """Share of moves with a loss of at most `bound` centipawns; a line turns differences into results.

    The paper's bound, alpha and beta stand in for what is not given; `fit` learns alpha and beta from games.
    """

    name: ClassVar[str] = "conformance"
    strength = "conformance"
    colour_blind = False
    beyond_apart = True

    def __init__(
        self,
        kind: LossKind = "pondered",
        *,
        k1: float = 0.75,
        k2: float = -3.30,
        bound: int | None = None,
        step: int = 10,
        top: int = 200,
        limit: int = 1000,
    ) -> None:
        super().__init__(LossMeasure(kind, k1, k2, limit), step, top)
        published = PUBLISHED[kind]
        self.bound = published.bound if bound is None else bound
        if self.bound % step or not 0 <= self.bound <= top:
            raise InputError(f"the bound must be a multiple of the step, {step} centipawns, up to {top}")
        self.alpha_, self.beta_ = published.alpha, published.beta

    def fit(self, decisions: Decisions) -> Self:
        """Learn alpha and beta from games with both players' decisions (section 4.2.1)."""
        games = pair_games(self.select(decisions)[0])
        difference = conformance_differences(self.measure.of(games.decisions), games, [self.bound])[:, 0]
        self.alpha_, self.beta_ = fit_line(difference, games.result)
        return self

    def at(self, profile: Profile, bound: int) -> Quantity:
        """R' at a bound, with Wilson's interval: moves as if independent, resample games for better."""
        if bound % self.step or not 0 <= bound <= self.top:
            raise InputError(f"the bound must be a multiple of {self.step} centipawns up to {self.top}")
        return wilson(float(cumulative(profile.evidence)[bound // self.step]), profile.decisions)

    def estimate(self, profile: Profile) -> Estimate:
        """Conformance at zero and at the bound."""
        self._check(profile)
        quantities = {"conformance_0": self.at(profile, 0), "conformance": self.at(profile, self.bound)}
        return Estimate(self.name, quantities, profile.decisions, profile.games)

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """Conformance at the bound of many profiles, without intervals."""
        self._check_all(profiles)
        found = cumulative(np.stack([profile.evidence for profile in profiles]))
        return np.minimum(found[:, self.bound // self.step], 1.0)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Expectation by the line of section 4.2.1; alpha is White's advantage."""
        difference = self.at(white, self.bound).value - self.at(black, self.bound).value
        return Forecast(self.name, float(expectation_on_line(difference, self.alpha_, self.beta_)))

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black, in one go."""
        sides = []
        for profiles in (white, black):
            for profile in profiles:
                self._check(profile)
            sides.append(np.array([self.at(profile, self.bound).value for profile in profiles]))
        return expectation_on_line(sides[0][:, None] - sides[1][None, :], self.alpha_, self.beta_)


def distribution(counts: npt.ArrayLike) -> Floats:
    """R: the share of each class (section 3.2.1)."""
    s = np.asarray(counts, dtype=np.float64)
    return np.asarray(s / s.sum(axis=-1, keepdims=True))


def cumulative(counts: npt.ArrayLike) -> Floats:
    """R': the share of moves with a loss of at most each class (section 3.2.1)."""
    return np.cumsum(distribution(counts), axis=-1)


def wilson(share: float, n: float) -> Quantity:
    """A share of n with its deviation and Wilson's 95% interval."""
    z2 = Z95**2
    share = min(share, 1.0)  # a cumulative sum of shares ends at one but for rounding
    middle, spread = share + z2 / (2 * n), Z95 * np.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low, high = (middle - spread) / (1 + z2 / n), (middle + spread) / (1 + z2 / n)
    return Quantity(share, float(np.sqrt(share * (1 - share) / n)), max(float(low), 0), min(float(high), 1))


# Correlation with results -------------------------------------------------------------------------------


def conformance_differences(lost: Floats, games: PairedGames, bounds: Sequence[float]) -> Floats:
    """p(x) of each game and bound: White's share of losses of at most x less Black's (section 4.2.1)."""
    within = lost[:, None] <= np.asarray(bounds, dtype=np.float64) + 1e-9
    moves = np.bincount(games.side, minlength=2 * len(games))
    counts = np.stack(
        [np.bincount(games.side, column, minlength=2 * len(games)) for column in within.T], axis=1
    )
    share = counts / moves[:, None]
    return np.asarray(share[0::2] - share[1::2])


def correlation_by_bound(
    decisions: Decisions, measure: LossMeasure, bounds: Sequence[float]
) -> list[tuple[float, float]]:
    """Correlation of the difference in conformance with the result, at each bound: Figure 4."""
    games = pair_games(decisions.filter(*measure.rules()))
    differences = conformance_differences(measure.of(games.decisions), games, bounds)
    return [
        (float(bound), correlation(column, games.result))
        for bound, column in zip(bounds, differences.T, strict=True)
    ]


def best_bound(decisions: Decisions, measure: LossMeasure, bounds: Sequence[float]) -> tuple[float, float]:
    """The bound whose conformance goes best with the results, and its correlation."""
    return max(correlation_by_bound(decisions, measure, bounds), key=lambda pair: pair[1])


def best_k(
    decisions: Decisions, bound: float = 30, start: tuple[float, float] = REGRESSION_K, limit: int = 1000
) -> tuple[float, float, float]:
    """k1, k2 and the correlation that they reach, by Nelder and Mead's simplex (section 4.2.1)."""
    games = pair_games(decisions.filter(*LossMeasure("pondered").rules()))
    raw = LossMeasure("raw", limit=limit).of(games.decisions)
    best = np.clip(games.decisions.best_value, -limit, limit)

    def shortfall(logs: Floats) -> float:
        lost = ponder(raw, best, float(np.exp(logs[0])), float(-np.exp(logs[1])))
        return -correlation(conformance_differences(lost, games, [bound])[:, 0], games.result)

    return simplex_k(shortfall, start)


def simplex_k(shortfall: Any, start: tuple[float, float]) -> tuple[float, float, float]:
    """Minimise over k1 > 0 > k2, searched on a log scale; shares are steps, so the first simplex is wide."""
    centre = np.log(np.abs(start))
    simplex = centre + np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]])
    found = minimize(
        shortfall,
        centre,
        method="Nelder-Mead",
        options={"initial_simplex": simplex, "xatol": 1e-3, "fatol": 1e-5, "maxiter": 400},
    )
    if not found.success:
        raise FitError(f"k1 and k2 were not found: {found.message}")
    return float(np.exp(found.x[0])), float(-np.exp(found.x[1])), float(-found.fun)
