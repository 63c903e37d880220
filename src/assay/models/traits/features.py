"""The features that `traits` sums over decisions, as plain functions of arrays: one column per name.

`features` reads an engine's analysis (ranks, smaller depths, other options), `line_features` its last depth
alone, `value_features` one value per ply, `clock_features` the clock. Values are taken as expectations of the
mover (decisions.measures.expectation), so that a pawn counts for less where a game is decided.
"""

from __future__ import annotations

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.depths import DepthValues
from assay.decisions.measures import expectation, loss, loss_between
from assay.models.depth.agents import LINE_START, LINE_STEP, line_of_agents
from assay.models.depth.likelihood import Positions, log_probabilities

LIMIT = 1000
"""Losses in centipawns are taken between values of at most ten pawns."""

DEPTHS = (1, 2, 4, 6, 8)
"""Depths at which the loss of the played move is read."""

SWINGS = (2, 4, 6, 8)
"""Depths from which on the value of the played move is followed to the last."""

BOUNDS = (10, 30, 60, 100, 200)
"""Bounds of losses, in centipawns."""

_RANKS = (1, 2, 3, 5)
_NEAR = 0.02

OF_LOSSES = (
    "loss",
    "root of loss",
    "logarithm of loss",
    "no loss",
    *(f"loss within {b} cp" for b in BOUNDS),
)
OF_RANKS = (*(f"among the first {rank}" for rank in _RANKS), "logarithm of rank", "outside the lines")
OF_DEPTHS = tuple(f"{what} at depth {depth}" for depth in DEPTHS for what in ("loss", "no loss"))
OF_SWINGS = tuple(f"{what} from depth {depth}" for depth in SWINGS for what in ("fall", "swing"))
OF_OPTIONS = (
    "gap to the second",
    "decided",
    "expectation",
    "logarithm of legal moves",
    "mean loss of the options",
    "options as good as the best",
)
OF_POSITIONS = (
    *OF_OPTIONS,
    "complexity",
    "changes of the best",
    *(f"best move's loss at depth {depth}" for depth in (2, 4, 8)),
    "change of value from depth 4",
)
_OPTIONS_WEIGH = ("gap to the second", "decided", "mean loss of the options")
_WEIGHED_BY = (*_OPTIONS_WEIGH, "complexity")
OF_BOTH = tuple(f"{what}, by {by}" for by in _WEIGHED_BY for what in ("root of loss", "first"))

AGENTS = line_of_agents((np.log(np.linspace(1.8, 7.0, 8)) - LINE_START[0]) / LINE_STEP[0])
"""Agents of `depth` at equal steps of c, from the weakest players to the strongest."""

_MIDDLE = len(AGENTS) // 2
OF_AGENTS = (
    f"log-likelihood of agent {_MIDDLE}",
    *(f"log-likelihood of agent {k} less agent {k - 1}" for k in range(1, len(AGENTS))),
)
"""What `depth` says of a move: all but the first compare agents of neighbouring strength."""

FEATURES = (*OF_LOSSES, *OF_RANKS, *OF_DEPTHS, *OF_SWINGS, *OF_POSITIONS, *OF_BOTH, *OF_AGENTS)
"""Names of the columns of `features`."""

LINE_FEATURES = (*OF_LOSSES, *OF_RANKS, *OF_OPTIONS, *OF_BOTH[: 2 * len(_OPTIONS_WEIGH)])
"""Names of the columns of `line_features`."""

OPENING = (*OF_LOSSES, *OF_RANKS)
"""The features that are read in the opening: what theory knows by heart has no depth and no difficulty."""


def features(decisions: Decisions, analysed: Positions) -> Floats:
    """Features of each decision from an engine's analysis: shape (decisions, features).

    Decisions have more than one legal move and a known loss (the rules of `traits`). Where a depth does not
    hold a move, its value is that of the depth's last line (assay.decisions.depths): it was worth no more.
    """
    starts, by_depth = decisions.offsets[:-1], analysed.by_depth
    played = starts + decisions.played_index
    best, reached = expectation(decisions.best_value), expectation(decisions.played_value)
    losses, ranks, options = _last_depth(decisions)

    first, of_played = expectation(by_depth.best), expectation(by_depth.values[played])
    at = [_column(by_depth, depth) for depth in DEPTHS]
    lost_at = np.maximum(first[:, at] - of_played[:, at], 0.0)
    depths = np.stack((lost_at, lost_at == 0), axis=2).reshape(len(played), -1).astype(np.float64)
    fall = of_played[:, [_column(by_depth, depth) for depth in SWINGS]] - reached[:, None]
    swings = np.stack((fall, np.abs(fall)), axis=2).reshape(len(played), -1)

    changed = _changes(by_depth, starts, len(decisions.values))
    late = [_column(by_depth, depth) for depth in (2, 4, 8)]
    positions = np.column_stack(
        (
            options,
            (changed * np.abs(np.diff(first, axis=1))).sum(axis=1),
            changed.sum(axis=1),
            np.maximum(first[:, late] - expectation(by_depth.values[starts][:, late]), 0.0),
            np.abs(first[:, _column(by_depth, 4)] - best),
        )
    )
    both = _weighed(positions[:, [OF_POSITIONS.index(name) for name in _WEIGHED_BY]], losses, ranks)
    logs = log_probabilities(analysed, decisions.played_index, AGENTS)
    agents = np.column_stack((logs[:, _MIDDLE], np.diff(logs, axis=1)))
    return np.concatenate((losses, ranks, depths, swings, positions, both, agents), axis=1)


def line_features(decisions: Decisions) -> Floats:
    """Features of each decision from the lines of the last depth: shape (decisions, features)."""
    losses, ranks, options = _last_depth(decisions)
    both = _weighed(options[:, [OF_OPTIONS.index(name) for name in _OPTIONS_WEIGH]], losses, ranks)
    return np.concatenate((losses, ranks, options, both), axis=1)


def _last_depth(decisions: Decisions) -> tuple[Floats, Floats, Floats]:
    """The columns OF_LOSSES, OF_RANKS and OF_OPTIONS."""
    starts, options = decisions.offsets[:-1], decisions.n_options
    best = expectation(decisions.best_value)
    lost = best - expectation(decisions.played_value)
    within = loss(decisions, LIMIT)[:, None] <= np.array((0, *BOUNDS))
    losses = np.column_stack((lost, np.sqrt(lost), np.log1p(loss(decisions, LIMIT)), within))
    rank = decisions.played_index
    outside = rank >= decisions.numbers("n_lines")
    ranks = np.column_stack((rank[:, None] < np.array(_RANKS), np.log1p(rank), outside)).astype(np.float64)
    behind = np.repeat(best, options) - expectation(decisions.values)
    of_options = np.column_stack(
        (
            np.where(options > 1, behind[np.minimum(starts + 1, len(behind) - 1)], 0.0),
            np.abs(best - 0.5),
            best,
            np.log(np.maximum(np.nan_to_num(decisions.numbers("n_legal"), nan=1.0), options)),
            np.add.reduceat(behind, starts) / options,
            np.add.reduceat((behind <= _NEAR).astype(np.float64), starts),
        )
    )
    return losses, ranks, of_options


def _weighed(by: Floats, losses: Floats, ranks: Floats) -> Floats:
    """Root of loss, and whether the first line was played, each times the columns of `by`."""
    both = by[:, :, None] * np.stack((losses[:, 1], ranks[:, 0]), axis=1)[:, None, :]
    return np.asarray(both.reshape(len(losses), -1))


def _changes(by_depth: DepthValues, starts: Ints, n_options: int) -> Floats:
    """Where the best move is another than one depth before (Guid and Bratko's complexity sums these)."""
    rows = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, n_options)))
    is_best = (by_depth.values == by_depth.best[rows]) & ~by_depth.censored
    place = np.where(is_best, np.arange(n_options)[:, None], n_options)
    leader = np.minimum.reduceat(place, starts, axis=0)
    return np.asarray(np.diff(leader, axis=1) != 0, dtype=np.float64)


def _column(by_depth: DepthValues, depth: int) -> int:
    return min(depth, by_depth.depths) - 1


# One value per ply ---------------------------------------------------------------------------------------

CLIP = 1500
"""Values beyond fifteen pawns, mates included, count as these: the expectation is nearly one."""

UNCHANGED = 5.0
"""A value that changes by less, in centipawns, has not changed: searches differ by as much."""

STRETCHES = (0.02, 0.05, 0.1, 0.2, 0.35)
"""Bounds between stretches of how decided a game is, in expectation away from one half."""

_OF_VALUES = ("decided", "expectation", "root of loss, by decided", "no loss, by decided")
_OF_CHANGES = ("rise", "change", "unchanged", "even", "stays even")
_OF_STRETCHES = tuple(
    f"{what} where decided by {_low:g} to {_high:g}"
    for _low, _high in zip((0.0, *STRETCHES), (*STRETCHES, 0.5), strict=True)
    for what in ("moves", "root of loss", "loss within 30 cp")
)

VALUE_FEATURES = (*OF_LOSSES, *_OF_VALUES, *_OF_CHANGES, *_OF_STRETCHES)
"""Names of the columns of `value_features`."""

OF_PHASES = ("root of loss", "logarithm of loss", "loss within 30 cp", "decided")
"""The features that are read in each phase of the game by itself."""

_EXPECTATIONS = expectation(np.arange(-CLIP, CLIP + 1))


def value_features(before: Floats, after: Floats) -> Floats:
    """Features of each move from the values around it, mover's view: shape (moves, features).

    The two values are of two searches (assay.decisions.measures). Plain arithmetic on flat arrays, for
    games by the million.
    """
    expected, reached = (
        _EXPECTATIONS[np.clip(value, -CLIP, CLIP).astype(np.int64) + CLIP] for value in (before, after)
    )
    lost = np.maximum(expected - reached, 0.0)
    root = np.sqrt(lost)
    centipawns = loss_between(before, after, LIMIT)
    decided = np.abs(expected - 0.5)
    none = centipawns <= 0
    columns = (
        *(lost, root, np.log1p(centipawns), none),
        *(centipawns <= bound for bound in BOUNDS),
        *(decided, expected, root * decided, none * decided),
        *(np.maximum(reached - expected, 0.0), np.abs(reached - expected)),
        *(np.abs(after - before) < UNCHANGED, before == 0, (before == 0) & (after == 0)),
    )
    table = np.zeros((len(before), len(VALUE_FEATURES)))
    for place, column in enumerate(columns):
        table[:, place] = column
    # Each move is in one stretch: three columns of it are written, the others stay zero.
    stretch = len(columns) + 3 * np.searchsorted(STRETCHES, decided, side="right")
    rows = np.arange(len(before))
    for place, column in enumerate((np.ones(len(rows)), root, centipawns <= 30)):
        table[rows, stretch + place] = column
    return table


# The clock -----------------------------------------------------------------------------------------------

_AT_ONCE = (1.0, 2.0, 5.0)
_SHORT = (10.0, 30.0)

CLOCK_FEATURES = (
    *("logarithm of seconds", "square of logarithm of seconds"),
    *(f"within {seconds:g} s" for seconds in _AT_ONCE),
    *("share of the clock", "logarithm of clock"),
    *(f"clock below {seconds:g} s" for seconds in _SHORT),
)
"""Names of the columns of `clock_features`."""


def clock_features(spent: Floats, before: Floats) -> Floats:
    """Features of each move from the seconds that it took and those on the clock: (moves, features)."""
    took = np.log1p(spent)
    columns = (
        *(took, np.square(took)),
        *(spent <= seconds for seconds in _AT_ONCE),
        *(np.minimum(spent / np.maximum(before, 1.0), 1.0), np.log1p(before)),
        *(before < seconds for seconds in _SHORT),
    )
    return np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
