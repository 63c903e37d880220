"""Legal moves that the engine did not list: where their values are taken to lie.

An agent chooses among all legal moves, and an engine that gives ten lines values ten of them. What the agent
could have chosen besides counts in its partition sum, so it is modelled: on the scale of ln(1 + loss / 0.1
pawns) the unlisted moves lie between the last line and a lost position (ten pawns behind), a little denser
near the last line. How much denser was fitted to positions whose legal moves all have values (`python -m
research.papers.difatta2009.unlisted`). The guess is the same whatever was played: a list of options that
depends on the choice makes the likelihood wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions

BEND = 1.3
"""The move at the fraction x of the unlisted ones lies at the fraction x^BEND of the way from the last line
to a lost position. Fitted by the partition sums of positions read as 5, 10 and 20 lines."""

POINTS = 8
"""Unlisted moves are represented by so many, each with an equal part of their number as its weight."""

_UNIT = 10.0
_LOST = 1000.0


@dataclass(frozen=True, eq=False)
class WeighedOptions:
    """Lines and representatives of unlisted moves, flat, with the number of moves that each stands for."""

    exponent: Floats
    weight: Floats
    starts: Ints
    unlisted: Mask
    """Which of the flat options stand for unlisted moves."""
    played: Floats
    """Exponent of the played move, by its own value; NaN where it has none."""
    outside: Mask
    """Whether the played move of each decision is outside the lines."""


def unlisted_losses(best: npt.ArrayLike, last: npt.ArrayLike) -> Floats:
    """Losses in centipawns of the POINTS representatives, for the best value and the last line's loss."""
    lost = np.clip(np.asarray(best, np.float64), -_LOST, _LOST) + _LOST
    at_last = np.log1p(np.asarray(last, np.float64) / _UNIT)
    way = np.maximum(np.log1p(lost / _UNIT) - at_last, 0.0)
    fraction = ((np.arange(POINTS) + 0.5) / POINTS) ** BEND
    losses: Floats = _UNIT * np.expm1(at_last[..., None] + way[..., None] * fraction)
    return losses


def lines_of(decisions: Decisions) -> Ints:
    """Number of lines of each decision: options that are there whatever was played."""
    lines = np.nan_to_num(decisions.numbers("n_lines"), nan=0.0).astype(np.int64)
    return np.clip(np.where(lines > 0, lines, decisions.n_options), 1, decisions.n_options)


def legal_of(decisions: Decisions) -> Ints:
    """Number of legal moves of each decision; as many as have values where it is not known."""
    return np.nan_to_num(decisions.numbers("n_legal"), nan=0.0).astype(np.int64)


def weighed_options(
    values: npt.ArrayLike,
    starts: Ints,
    lines: Ints,
    legal: Ints,
    played: Ints,
    offset: float,
    limit: int | None,
) -> WeighedOptions:
    """The options of E(c) among all legal moves; `played` is an index, or -1 where it has no value."""
    value = np.asarray(values, dtype=np.float64)
    if limit is not None:
        value = evaluation.clip(value, limit)
    options, first = np.diff(starts), starts[:-1]
    listed = np.arange(len(value)) - np.repeat(first, options) < np.repeat(lines, options)
    kept = value[listed]
    begin = np.concatenate(([0], np.cumsum(lines)))
    best = np.maximum.reduceat(kept, begin[:-1]) if len(kept) else np.zeros(0)
    last = best - (np.minimum.reduceat(kept, begin[:-1]) if len(kept) else best)
    # A move that was searched alone is one of the unlisted, also where the number of legal moves is unknown.
    outside = (played < 0) | (played >= lines)
    more = np.maximum(np.maximum(legal - lines, options - lines), outside.astype(np.int64))
    some = np.flatnonzero(more > 0)
    losses = unlisted_losses(best[some], last[some])
    if limit is not None:
        losses = np.minimum(losses, np.maximum(best[some] + limit, 0.0)[:, None])
    counts = lines + POINTS * (more > 0)
    ends = np.concatenate(([0], np.cumsum(counts)))
    place = ends[:-1][some][:, None] + lines[some][:, None] + np.arange(POINTS)
    unlisted = np.zeros(ends[-1], dtype=bool)
    unlisted[place] = True
    loss, weight = np.empty(ends[-1]), np.ones(ends[-1])
    loss[~unlisted] = np.repeat(best, lines) - kept
    loss[place] = losses
    weight[place] = more[some][:, None] / POINTS
    own = np.full(len(options), np.nan)
    known = played >= 0
    # A move searched alone can come out above the best line: it loses nothing then.
    own[known] = np.maximum(best[known] - value[first[known] + played[known]], 0.0)
    scale = 100 * offset
    return WeighedOptions(-np.log1p(loss / scale), weight, ends, unlisted, -np.log1p(own / scale), outside)


def log_unlisted(options: WeighedOptions, rows: Ints, grid: Floats) -> Floats:
    """Logarithm of the weight of all unlisted moves of some decisions at every c: shape (rows, grid)."""
    place = options.starts[rows + 1][:, None] - POINTS + np.arange(POINTS)
    exponent, weight = options.exponent[place], options.weight[place]
    shift = exponent.max(axis=1, keepdims=True)
    total = np.zeros((len(rows), len(grid)))
    for point in range(POINTS):
        total += weight[:, point, None] * np.exp(np.multiply.outer(exponent[:, point] - shift[:, 0], grid))
    found: Floats = np.log(total) + shift * grid
    return found
