"""Losses as Alliot 2017 counts them (section 3.2), and how an indicator of both players goes with results.

Losses are raw, within two pawns, or pondered by value. Results are +1, 0, -1 for White; indicators are
White's less Black's (sections 4.2.1 and 4.3.1).
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.decisions.rules import Rule, after_turn, evaluated, loss_known, not_forced, rated, within
from assay.errors import FitError, InputError
from assay.models.base import MoveModel

LossKind = Literal["raw", "guid_bratko", "pondered"]

STEP = 10
"""Centipawns of a class of losses."""

OPENING_TURNS = 9
"""Section 2.4: evaluation starts at turn 10."""

GUID_BRATKO_BOUND = 200
"""Section 3.2.2: positions beyond two pawns, either way, are not considered."""

REGRESSION_K = (1.44, -3.53)
"""k1 and k2 of section 3.2.3, as published."""


@dataclass(frozen=True)
class LossMeasure:
    """Which losses are counted, and how they are pondered.

    `k1` and `k2` are in pawns, for positions above and below zero: 0.75 and -3.30 correlate best with results
    in the paper (section 4.2.1; printed once without the sign), 1.44 and -3.53 come from its regression.
    """

    kind: LossKind = "raw"
    k1: float = 0.75
    k2: float = -3.30
    limit: int = 1000
    """Values are clipped to this many centipawns, mates included."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(LossKind):
            raise InputError(f"losses are {', '.join(get_args(LossKind))}, not '{self.kind}'")
        if not (self.k1 > 0 > self.k2):
            raise InputError("k1 must be above zero and k2 below: they are pawns on either side")

    def __str__(self) -> str:
        pondering = f" k1={self.k1:g} k2={self.k2:g}" if self.kind == "pondered" else ""
        return f"{self.kind}{pondering} limit={self.limit}"

    def rules(self) -> tuple[Rule, ...]:
        """From turn 10 on, moves that were not forced; within two pawns for Guid and Bratko."""
        rules = (rated(), after_turn(OPENING_TURNS), evaluated(), loss_known(), not_forced())
        return (*rules, within(GUID_BRATKO_BOUND)) if self.kind == "guid_bratko" else rules

    def of(self, decisions: Decisions) -> Floats:
        """Loss of each decision in centipawns."""
        lost = loss(decisions, self.limit)
        if self.kind != "pondered":
            return lost
        return ponder(lost, evaluation.clip(decisions.best_value, self.limit), self.k1, self.k2)


class LossCountModel(MoveModel, ABC):
    """A method on counts of losses: none, each `step` centipawns up to `top`."""

    step: ClassVar[int] = STEP
    top: ClassVar[int]
    beyond_apart: ClassVar[bool]
    """Whether losses beyond the top are a class of their own, or count as the top."""

    def __init__(self, measure: LossMeasure) -> None:
        self.measure = measure

    @property
    def settings(self) -> str:
        """Losses and their classes: what the counts mean."""
        return f"{self.measure}, {self.step} to {self.top}"

    def rules(self) -> tuple[Rule, ...]:
        """Those of the losses."""
        return self.measure.rules()

    @property
    def shape(self) -> tuple[int, ...]:
        """One count per class."""
        return (self.top // self.step + (2 if self.beyond_apart else 1),)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Any:
        """Counts of losses by class."""
        return count_losses(self.measure.of(decisions), group, n_groups, self.shape[0])


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


def regression_k(
    decisions: Decisions, *, published: bool = False, limit: int = 1000, n_classes: int = 20
) -> tuple[float, float]:
    """k1 and k2 from the mean loss by the position's value, avg(v) = a v + b (section 3.2.3).

    Losses of zero are left out, positions pooled into classes of equal size on either side. The k that makes
    the pondered mean flat is b/a; `published` gives a/b, as printed (1.44 and -3.53 there).
    """
    lost = loss(decisions, limit)
    value = evaluation.clip(decisions.best_value, limit) / 100
    answer = []
    for side in (value > 0, value < 0):
        chosen = np.flatnonzero(side & (lost > 0))
        if len(chosen) < 2 * n_classes:
            raise InputError(f"too few losses ({len(chosen)}) to fit their mean by the position's value")
        order = chosen[np.argsort(value[chosen], kind="stable")]
        pools = np.array_split(order, n_classes)
        x = np.array([value[pool].mean() for pool in pools])
        y = np.array([lost[pool].mean() / 100 for pool in pools])
        slope, base = np.polyfit(x, y, 1)
        answer.append(float(slope / base if published else base / slope))
    return answer[0], answer[1]


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
        raise InputError("this needs three or more games with both players' decisions and a result")
    rows = np.flatnonzero(usable & np.isin(game, both))
    index = np.searchsorted(both, game[rows])
    white_result = np.where(black[rows], 1 - result[rows], result[rows])
    of_game = np.empty(len(both))
    of_game[index] = 2 * white_result - 1
    return PairedGames(decisions.take(rows), 2 * index + black[rows], of_game)


def correlation(indicator: npt.ArrayLike, result: npt.ArrayLike) -> float:
    """Pearson's rho; NaN where either does not vary."""
    x, y = np.asarray(indicator, dtype=np.float64), np.asarray(result, dtype=np.float64)
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def fit_line(indicator: npt.ArrayLike, result: npt.ArrayLike) -> tuple[float, float]:
    """Alpha and beta of result = beta * indicator + alpha, by least squares."""
    beta, alpha = np.polyfit(np.asarray(indicator, np.float64), np.asarray(result, np.float64), 1)
    return float(alpha), float(beta)


def expectation_on_line(indicator: npt.ArrayLike, alpha: float, beta: float) -> Floats:
    """Expectation in 0..1 from an indicator, through the line for results in -1..1."""
    return np.clip((1 + beta * np.asarray(indicator, dtype=np.float64) + alpha) / 2, 0.0, 1.0)


def search_simplex(
    shortfall: Any, start: tuple[float, ...], *, wide: bool = False, fatol: float = 1e-5
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
