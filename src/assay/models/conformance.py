"""Conformance: the share of moves that lose at most x (Alliot 2017, sections 3.2 and 4.2).

Losses are raw, within two pawns, or pondered by value (section 3.2). Results are +1, 0, -1 for White;
indicators are White's less Black's (sections 4.2.1 and 4.3.1). `covariance` counts the same losses.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.decisions.profile import Profile
from assay.decisions.rules import (
    MORE_LINES,
    Rule,
    after_turn,
    evaluated,
    loss_known,
    not_forced,
    rated,
    within,
)
from assay.errors import FitError, InputError
from assay.models.base import MoveModel
from assay.models.intervals import correlation, wilson

LossKind = Literal["raw", "guid_bratko", "pondered"]

STEP = 10
"""Centipawns of a class of losses."""

LIMIT = 1000
"""Centipawns to which values are clipped, mates included."""

OPENING_TURNS = 9
"""Section 2.4: evaluation starts at turn 10."""

GUID_BRATKO_BOUND = 200
"""Section 3.2.2: positions beyond two pawns, either way, are not considered."""

REGRESSION_K = (1.44, -3.53)
"""k1 and k2 of section 3.2.3, as published."""

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


@dataclass(frozen=True)
class LossMeasure:
    """Which losses are counted, and how they are pondered.

    `k1` and `k2` are in pawns, for positions above and below zero: 0.75 and -3.30 correlate best with results
    in the paper (section 4.2.1; printed once without the sign), 1.44 and -3.53 come from its regression.
    """

    kind: LossKind = "raw"
    k1: float = 0.75
    k2: float = -3.30

    def __post_init__(self) -> None:
        if self.kind not in get_args(LossKind):
            raise InputError(f"losses are {', '.join(get_args(LossKind))}, not '{self.kind}'")
        if not (self.k1 > 0 > self.k2):
            raise InputError("k1 must be above zero and k2 below: they are pawns on either side")

    def __str__(self) -> str:
        pondering = f" k1={self.k1:g} k2={self.k2:g}" if self.kind == "pondered" else ""
        return f"{self.kind}{pondering} limit={LIMIT}"

    def rules(self) -> tuple[Rule, ...]:
        """From turn 10 on, moves that were not forced; within two pawns for Guid and Bratko."""
        rules = (rated(), after_turn(OPENING_TURNS), not_forced(), evaluated(), loss_known())
        return (*rules, within(GUID_BRATKO_BOUND)) if self.kind == "guid_bratko" else rules

    def of(self, decisions: Decisions) -> Floats:
        """Loss of each decision in centipawns."""
        lost = loss(decisions, LIMIT)
        if self.kind != "pondered":
            return lost
        return ponder(lost, evaluation.clip(decisions.best_value, LIMIT), self.k1, self.k2)


class LossCountModel(MoveModel, ABC):
    """A method on counts of losses: none, each STEP centipawns up to `top`."""

    top: ClassVar[int]
    n_classes: ClassVar[int]
    """With a class of its own for losses beyond the top, or without: they then count as the top."""

    def __init__(self, measure: LossMeasure) -> None:
        self.measure = measure

    @property
    def settings(self) -> str:
        """Losses and their classes: what the counts mean."""
        return f"{self.measure}, {STEP} to {self.top}"

    def rules(self) -> tuple[Rule, ...]:
        """Those of the losses."""
        return self.measure.rules()

    @property
    def shape(self) -> tuple[int, ...]:
        """One count per class."""
        return (self.n_classes,)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Any:
        """Counts of losses by class."""
        return count_losses(self.measure.of(decisions), group, n_groups, self.n_classes)


class ConformanceModel(LossCountModel):
    """Share of moves with a loss of at most `bound` centipawns; a line turns differences into results.

    The paper's bound, alpha and beta stand in for what is not given; `fit` learns alpha and beta from games.
    """

    name: ClassVar[str] = "conformance"
    strength = "conformance"
    colour_blind = False
    top, n_classes = 200, 22

    def __init__(
        self,
        kind: LossKind = "pondered",
        *,
        k1: float = 0.75,
        k2: float = -3.30,
        bound: int | None = None,
    ) -> None:
        super().__init__(LossMeasure(kind, k1, k2))
        published, self.alpha_, self.beta_ = PUBLISHED[kind]
        self.bound = published if bound is None else bound
        self._class_of(self.bound)

    def _class_of(self, bound: int) -> int:
        if bound % STEP or not 0 <= bound <= self.top:
            raise InputError(f"the bound must be a multiple of {STEP} centipawns up to {self.top}")
        return bound // STEP

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
        return np.minimum(shares[:, self.bound // STEP], 1.0)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Expectation by the line of section 4.2.1; alpha is White's advantage."""
        return Forecast(self.name, float(self.expectations([white], [black])[0, 0]))

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black, in one go."""
        difference = self.strengths(white)[:, None] - self.strengths(black)
        return expectation_on_line(difference, self.alpha_, self.beta_)


def ponder(lost: npt.ArrayLike, best: npt.ArrayLike, k1: float, k2: float) -> Floats:
    """Loss over 1 + v/k1 above zero, over 1 + v/k2 below (section 3.2.3); values in centipawns."""
    value = np.asarray(best, dtype=np.float64) / 100
    weight = 1 + np.where(value >= 0, value / k1, value / k2)
    return np.asarray(np.asarray(lost, dtype=np.float64) / weight)


def loss_classes(lost: npt.ArrayLike, last: int) -> Ints:
    """Class 0 is no loss at all, class j is above (j-1) steps up to j steps; `last` takes all beyond."""
    # Pondered losses are quotients: a loss on a boundary must not cross it by rounding.
    classes = np.ceil(np.asarray(lost, dtype=np.float64) / STEP - 1e-9)
    classes = np.where((classes < 1) & (np.asarray(lost) > 0), 1, classes)
    return np.clip(classes, 0, last).astype(np.int64)


def count_losses(lost: Floats, group: Ints, n_groups: int, n_classes: int) -> Floats:
    """How many losses of each class each group has, shape (groups, classes)."""
    classes = loss_classes(lost, n_classes - 1)
    counts = np.bincount(group * n_classes + classes, minlength=n_groups * n_classes)
    return counts.reshape(n_groups, n_classes).astype(np.float64)


def distribution(counts: npt.ArrayLike) -> Floats:
    """R: the share of each class (section 3.2.1)."""
    s = np.asarray(counts, dtype=np.float64)
    return np.asarray(s / s.sum(axis=-1, keepdims=True))


def regression_k(decisions: Decisions) -> tuple[float, float]:
    """k1 and k2 from the mean loss by the position's value, avg(v) = a v + b (section 3.2.3).

    Losses of zero are left out, positions pooled into classes of equal size on either side. The k that makes
    the pondered mean flat is b/a; printed is a/b (1.44 and -3.53 there).
    """
    lost, value = loss(decisions, LIMIT), evaluation.clip(decisions.best_value, LIMIT) / 100
    answer, n_classes = [], 20
    for side in (value > 0, value < 0):
        chosen = np.flatnonzero(side & (lost > 0))
        if len(chosen) < 2 * n_classes:
            raise InputError(f"too few losses ({len(chosen)}) to fit their mean by the position's value")
        order = chosen[np.argsort(value[chosen], kind="stable")]
        pools = np.array_split(order, n_classes)
        x = np.array([value[pool].mean() for pool in pools])
        y = np.array([lost[pool].mean() / 100 for pool in pools])
        slope, base = np.polyfit(x, y, 1)
        answer.append(float(base / slope))
    return answer[0], answer[1]


def cumulative(counts: npt.ArrayLike) -> Floats:
    """R': the share of moves with a loss of at most each class (section 3.2.1)."""
    return np.cumsum(distribution(counts), axis=-1)


def conformance_by(
    decisions: Decisions, columns: Sequence[str], kind: LossKind, k1: float = 0.75, k2: float = -3.30
) -> list[dict[str, Any]]:
    """R' at 0, 10, 20 and 30 centipawns for each combination of the columns."""
    model = ConformanceModel(kind, k1=k1, k2=k2)
    passed, _ = model.select(decisions)
    if not len(passed):
        raise InputError(model.none_passes(decisions))
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


# Indicators and results ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PairedGames:
    """Decisions of games in which both players decided and the result is known.

    `side` is twice the game's index for White's decisions, and one more for Black's.
    """

    decisions: Decisions
    side: Ints
    result: Floats

    def __len__(self) -> int:
        return len(self.result)


def pair_games(decisions: Decisions) -> PairedGames:
    """The games that can be compared with their results."""
    game, colours, names = decisions.codes("game_id"), decisions.codes("colour"), decisions.names("colour")
    black = np.isin(colours, [code for code, name in enumerate(names) if name == "black"])
    result = decisions.numbers("result")
    usable = (colours >= 0) & ~np.isnan(result)
    both = np.intersect1d(game[usable & ~black], game[usable & black])
    if len(both) < 3:
        raise InputError(
            "this needs three or more games with a result, of which it is known what both players' moves "
            f"lost: give more games, or {MORE_LINES}"
        )
    rows = np.flatnonzero(usable & np.isin(game, both))
    index = np.searchsorted(both, game[rows])
    white_result = np.where(black[rows], 1 - result[rows], result[rows])
    of_game = np.empty(len(both))
    of_game[index] = 2 * white_result - 1
    return PairedGames(decisions.take(rows), 2 * index + black[rows], of_game)


def fit_line(indicator: npt.ArrayLike, result: npt.ArrayLike) -> tuple[float, float]:
    """Alpha and beta of result = beta * indicator + alpha, by least squares."""
    beta, alpha = np.polyfit(np.asarray(indicator, np.float64), np.asarray(result, np.float64), 1)
    return float(alpha), float(beta)


def expectation_on_line(indicator: npt.ArrayLike, alpha: float, beta: float) -> Floats:
    """Expectation in 0..1 from an indicator, through the line for results in -1..1."""
    return np.clip((1 + beta * np.asarray(indicator, dtype=np.float64) + alpha) / 2, 0.0, 1.0)


def search_simplex(
    shortfall: Callable[..., float], start: tuple[float, ...], *, wide: bool = False, fatol: float = 1e-5
) -> tuple[list[float], float]:
    """Nelder and Mead's simplex over the logarithms of positive parameters: these, and the least value.

    `wide`: the first simplex has steps of one half, for indicators that change in steps.
    """
    from scipy.optimize import minimize

    centre = np.log(np.abs(start))
    options: dict[str, Any] = {"xatol": 1e-3, "fatol": fatol, "maxiter": 800}
    if wide:
        options["initial_simplex"] = centre + np.vstack((np.zeros(len(centre)), 0.5 * np.eye(len(centre))))
    fit = minimize(lambda logs: shortfall(*np.exp(logs)), centre, method="Nelder-Mead", options=options)
    if not fit.success:
        raise FitError(f"no parameters were found that go best with the results: {fit.message}")
    return np.exp(fit.x).tolist(), float(fit.fun)


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


def best_k(decisions: Decisions) -> tuple[float, float, float]:
    """k1, k2 and the correlation of a bound of 30 with them, by Nelder and Mead's simplex (section 4.2.1)."""
    games = pair_games(decisions.filter(*LossMeasure("pondered").rules()))
    raw = LossMeasure("raw").of(games.decisions)
    best = np.clip(games.decisions.best_value, -LIMIT, LIMIT)

    def shortfall(k1: float, minus_k2: float) -> float:
        lost = ponder(raw, best, k1, -minus_k2)
        return -correlation(conformance_differences(lost, games, [30])[:, 0], games.result)

    (k1, minus_k2), least = search_simplex(shortfall, REGRESSION_K, wide=True)
    return k1, -minus_k2, -least
