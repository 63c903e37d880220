"""Decisions simulated from known transition matrices, which the Markov forecast must find again.

Players are drawn from a Dirichlet population about known rows, their decisions from their matrices. The
expectation between two of them is then known, and the interval of the forecast must hold it at its rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay.decisions.arrays import Floats, make_lists
from assay.decisions.decisions import Decisions
from assay.models.markov.chains import mirrored, outcomes, stationary
from assay.models.markov.dirichlet import draw_each, shares
from assay.models.markov.levels import tilted
from assay.models.markov.model import MarkovModel
from assay.models.markov.value_classes import ValueClasses


@dataclass(frozen=True)
class Recovery:
    """How a forecast found known expectations again."""

    pairs: int
    coverage: float
    """Share of the intervals that hold the truth."""
    error: float
    """Mean absolute error of the expectation."""
    raw_error: float
    """The same from raw counts, where they give an answer."""
    strength: float
    """Strength of the prior that was found."""


def simulate_players(
    rows: Floats,
    strength: float,
    classes: ValueClasses,
    players: int,
    moves: int,
    seed: int,
    spread: float = 0,
) -> tuple[Decisions, Floats]:
    """Decisions of players drawn about known rows at levels of this spread, and their true matrices."""
    generator = np.random.default_rng(seed)
    levels = spread * generator.normal(size=players)
    matrices = draw_each(strength * tilted(rows, levels), generator)
    visits = stationary(rows @ mirrored(rows))
    before = generator.choice(len(classes), size=(players, moves), p=visits / visits.sum())
    steps = np.cumsum(matrices, axis=-1)
    who = np.repeat(np.arange(players)[:, None], moves, axis=1)
    after = (generator.random((players, moves, 1)) > steps[who, before]).sum(axis=-1)
    return as_decisions(classes, np.minimum(before, after).ravel(), before.ravel(), who.ravel()), matrices


def as_decisions(
    classes: ValueClasses,
    after: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
    who: npt.NDArray[np.int64],
) -> Decisions:
    """Decisions with two options: one in the class before, one in the class after; the latter is played."""
    middles = np.round(classes.middles()).astype(np.int32)
    return with_values(np.stack((middles[before], middles[after]), axis=1), who)


def with_values(values: npt.NDArray[np.int32], who: npt.NDArray[np.int64]) -> Decisions:
    """Decisions of these players with two options, rows of their values; the second is played."""
    offsets = np.arange(len(values) + 1, dtype=np.int64) * 2
    names = pa.array([f"player {index}" for index in range(int(who.max()) + 1)])
    table = pa.table(
        {
            "player": names.take(pa.array(who)),
            "ply": pa.array(np.full(len(values), 40, np.int16)),
            "moves": make_lists(offsets, pa.array(["best", "other"] * len(values))),
            "cp": make_lists(offsets, pa.array(values.ravel())),
            "played": pa.array(["other"] * len(values)),
            "played_index": pa.array(np.ones(len(values), np.int16)),
        }
    )
    return Decisions.from_table(table)


def recovery(
    rows: Floats,
    classes: ValueClasses,
    *,
    pairs: int,
    moves: int = 1500,
    strength: float = 500.0,
    seed: int = 1,
    spread: float = 0.3,
    prior: Literal["level", "pooled"] = "level",
) -> Recovery:
    """Forecast every pair of simulated players, with the prior learned from all of them."""
    decisions, matrices = simulate_players(rows, strength, classes, 2 * pairs, moves, seed, spread)
    model = MarkovModel(classes, seed=seed, prior=prior)
    stack = model.profiles_by(decisions, "player")
    by_player = dict(zip(stack.keys, stack.weighted(np.eye(len(stack))), strict=True))
    profiles = [by_player[f"player {index}"] for index in range(2 * pairs)]
    model.learn(profiles)
    first, second = np.arange(0, 2 * pairs, 2), np.arange(1, 2 * pairs, 2)
    truth = _expectations(matrices, first, second)
    raw = _expectations(shares(np.stack([profile.evidence for profile in profiles])), first, second)
    forecasts = [model.forecast(profiles[i], profiles[j]) for i, j in zip(first, second, strict=True)]
    held = [one.low <= true <= one.high for one, true in zip(forecasts, truth, strict=True)]
    errors = np.abs([one.expectation for one in forecasts] - truth)
    learned = model.prior_
    assert learned is not None
    return Recovery(
        pairs,
        float(np.mean(held)),
        float(errors.mean()),
        float(np.nanmean(np.abs(raw - truth))),
        float(np.ravel(learned.strength)[0]),
    )


def _expectations(matrices: Floats, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Floats:
    known = outcomes(matrices, matrices, first, second)
    return np.asarray(known[:, 0] + known[:, 1] / 2)
