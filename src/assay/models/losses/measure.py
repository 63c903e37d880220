"""Losses as Alliot 2017 counts them (section 3.2): raw, within two pawns, or pondered by value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.decisions.rules import Rule, after_turn, evaluated, loss_known, not_forced, rated, within
from assay.errors import InputError

LossKind = Literal["raw", "guid_bratko", "pondered"]

OPENING_TURNS = 9
"""Section 2.4: evaluation starts at turn 10."""

GUID_BRATKO_BOUND = 200
"""Section 3.2.2: positions beyond two pawns, either way, are not considered."""


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


def ponder(lost: npt.ArrayLike, best: npt.ArrayLike, k1: float, k2: float) -> Floats:
    """Loss over 1 + v/k1 above zero, over 1 + v/k2 below (section 3.2.3); values in centipawns."""
    value = np.asarray(best, dtype=np.float64) / 100
    weight = 1 + np.where(value >= 0, value / k1, value / k2)
    return np.asarray(np.asarray(lost, dtype=np.float64) / weight)


def loss_classes(lost: npt.ArrayLike, step: float, last: int) -> Ints:
    """Class 0 is no loss at all, class j is above (j-1) steps up to j steps; `last` takes all beyond."""
    # Pondered losses are quotients: a loss on a boundary must not cross it by rounding.
    classes = np.ceil(np.asarray(lost, dtype=np.float64) / step - 1e-9)
    classes = np.where((classes < 1) & (np.asarray(lost) > 0), 1, classes)
    return np.clip(classes, 0, last).astype(np.int64)


def count_classes(classes: Ints, group: Ints, n_groups: int, n_classes: int) -> Floats:
    """How many losses of each class each group has, shape (groups, classes)."""
    counts = np.bincount(group * n_classes + classes, minlength=n_groups * n_classes)
    return counts.reshape(n_groups, n_classes).astype(np.float64)


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
