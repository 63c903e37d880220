"""Conformance: the share of moves that lose at most x (Alliot 2017, sections 3.2 and 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.models.intervals import wilson
from assay.models.losses import (
    REGRESSION_K,
    LossCountModel,
    LossKind,
    LossMeasure,
    PairedGames,
    correlation,
    distribution,
    expectation_on_line,
    fit_line,
    pair_games,
    ponder,
    search_simplex,
)

PUBLISHED: dict[LossKind, tuple[int, float, float]] = {
    "raw": (30, 0.043, 4.00),
    "guid_bratko": (20, 0.067, 3.37),
    "pondered": (30, -0.007, 3.64),
}
"""Section 4.2.1: the best bound in centipawns, and alpha and beta of the line from a difference of
conformance to a result in -1..1."""

BOUNDS = (0, 10, 20, 30)
"""Section 4.2.2 prints these."""

CURVE = (0, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200)
"""Bounds of Figure 4."""


class ConformanceModel(LossCountModel):
    """Share of moves with a loss of at most `bound` centipawns; a line turns differences into results.

    The paper's bound, alpha and beta stand in for what is not given; `fit` learns alpha and beta from games.
    """

    name: ClassVar[str] = "conformance"
    strength = "conformance"
    colour_blind = False
    top, beyond_apart = 200, True

    def __init__(
        self,
        kind: LossKind = "pondered",
        *,
        k1: float = 0.75,
        k2: float = -3.30,
        bound: int | None = None,
        limit: int = 1000,
    ) -> None:
        super().__init__(LossMeasure(kind, k1, k2, limit))
        published, self.alpha_, self.beta_ = PUBLISHED[kind]
        self.bound = published if bound is None else bound
        self._class_of(self.bound)

    def _class_of(self, bound: int) -> int:
        if bound % self.step or not 0 <= bound <= self.top:
            raise InputError(f"the bound must be a multiple of {self.step} centipawns up to {self.top}")
        return bound // self.step

    def fit(self, decisions: Decisions) -> Self:
        """Learn alpha and beta from games with both players' decisions (section 4.2.1)."""
        games = pair_games(self.select(decisions)[0])
        difference = conformance_differences(self.measure.of(games.decisions), games, [self.bound])[:, 0]
        self.alpha_, self.beta_ = fit_line(difference, games.result)
        return self

    def at(self, profile: Profile, bound: int) -> Quantity:
        """R' at a bound, with Wilson's interval: moves as if independent, resample games for better."""
        return wilson(float(cumulative(profile.evidence)[self._class_of(bound)]), profile.decisions)

    def estimate(self, profile: Profile) -> Estimate:
        """Conformance at zero and at the bound."""
        self._check(profile)
        quantities = {"conformance_0": self.at(profile, 0), "conformance": self.at(profile, self.bound)}
        return Estimate(self.name, quantities, profile.decisions, profile.games)

    def strengths(self, profiles: Sequence[Profile]) -> Floats:
        """Conformance at the bound of many profiles, without intervals."""
        self._check(*profiles)
        shares = cumulative(np.stack([profile.evidence for profile in profiles]))
        return np.minimum(shares[:, self.bound // self.step], 1.0)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Expectation by the line of section 4.2.1; alpha is White's advantage."""
        return Forecast(self.name, float(self.expectations([white], [black])[0, 0]))

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black, in one go."""
        difference = self.strengths(white)[:, None] - self.strengths(black)
        return expectation_on_line(difference, self.alpha_, self.beta_)


def cumulative(counts: npt.ArrayLike) -> Floats:
    """R': the share of moves with a loss of at most each class (section 3.2.1)."""
    return np.cumsum(distribution(counts), axis=-1)


def conformance_by(
    decisions: Decisions, columns: Sequence[str], kind: LossKind, k1: float = 0.75, k2: float = -3.30
) -> list[dict[str, Any]]:
    """R' at 0, 10, 20 and 30 centipawns for each combination of the columns."""
    model = ConformanceModel(kind, k1=k1, k2=k2)
    passed, _ = model.select(decisions)
    rows = []
    for names, part in _groups(passed, list(columns)):
        profile = model.profile(part)
        shares = {str(bound): model.at(profile, bound).value for bound in BOUNDS}
        rows.append({**names, "games": int(profile.games), "moves": int(profile.decisions), **shares})
    return sorted(rows, key=lambda row: [str(row[column]) for column in columns])


def _groups(decisions: Decisions, columns: list[str]) -> Iterator[tuple[dict[str, Any], Decisions]]:
    if not columns:
        yield {}, decisions
        return
    for name, part in decisions.by(columns[0]):
        for names, rest in _groups(part, columns[1:]):
            yield {columns[0]: name, **names}, rest


# Correlation with results --------------------------------------------------------------------------------


def conformance_differences(lost: Floats, games: PairedGames, bounds: Sequence[float]) -> Floats:
    """p(x) of each game and bound: White's share of losses of at most x less Black's (section 4.2.1)."""
    within = lost[:, None] <= np.asarray(bounds, dtype=np.float64) + 1e-9
    n_sides = 2 * len(games)
    counts = np.stack([np.bincount(games.side, column, minlength=n_sides) for column in within.T], axis=1)
    share = counts / np.bincount(games.side, minlength=n_sides)[:, None]
    return np.asarray(share[0::2] - share[1::2])


def correlation_by_bound(
    decisions: Decisions, measure: LossMeasure, bounds: Sequence[float]
) -> list[tuple[float, float]]:
    """Correlation of the difference in conformance with the result, at each bound: Figure 4."""
    games = pair_games(decisions.filter(*measure.rules()))
    differences = conformance_differences(measure.of(games.decisions), games, bounds)
    rho = (correlation(column, games.result) for column in differences.T)
    return list(zip(map(float, bounds), rho, strict=True))


def best_bound(decisions: Decisions, measure: LossMeasure, bounds: Sequence[float]) -> tuple[float, float]:
    """The bound whose conformance goes best with the results, and its correlation."""
    return max(correlation_by_bound(decisions, measure, bounds), key=lambda pair: pair[1])


def conformance_with_results(
    decisions: Decisions, kind: LossKind, k1: float = 0.75, k2: float = -3.30
) -> list[dict[str, Any]]:
    """Figures 4 and 5: correlation, alpha and beta at each bound; the best bound is marked."""
    curve = correlation_by_bound(decisions, LossMeasure(kind, k1, k2), CURVE)
    best = max(curve, key=lambda pair: pair[1])[0]
    rows = []
    for bound, rho in curve:
        model = ConformanceModel(kind, k1=k1, k2=k2, bound=int(bound)).fit(decisions)
        line = {"alpha": model.alpha_, "beta": model.beta_}
        rows.append(
            {"bound": int(bound), "correlation": rho, **line, "best": "best" if bound == best else ""}
        )
    return rows


def best_k(
    decisions: Decisions, bound: float = 30, start: tuple[float, float] = REGRESSION_K, limit: int = 1000
) -> tuple[float, float, float]:
    """k1, k2 and the correlation that they reach, by Nelder and Mead's simplex (section 4.2.1)."""
    games = pair_games(decisions.filter(*LossMeasure("pondered").rules()))
    raw = LossMeasure("raw", limit=limit).of(games.decisions)
    best = np.clip(games.decisions.best_value, -limit, limit)

    def shortfall(k1: float, minus_k2: float) -> float:
        lost = ponder(raw, best, k1, -minus_k2)
        return -correlation(conformance_differences(lost, games, [bound])[:, 0], games.result)

    (k1, minus_k2), least = search_simplex(shortfall, start, wide=True)
    return k1, -minus_k2, -least
