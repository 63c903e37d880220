"""Ratings by the moves and the results of the same games: one joint posterior of all who met.

Groups (a player, or one of their years, events or games) meet in games. An opponent who is not rated here,
for want of moves, counts with the published rating and its usual error, or else as anybody.

A result is not independent of the moves of its game: whoever plays below their strength loses. If x is what
the moves of one game say of a player's Elo E, without any prior, the log odds of the result go by

    k (E_white - E_black) + b (x_white - x_black) + White's advantage,

and the posterior is prior times likelihood of the moves times that. So a win by better moves tells less
than a win against the run of play; to multiply with the odds of E alone would count the same twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array

from assay.answers.ratings import Rating
from assay.decisions.arrays import Floats, Ints
from assay.decisions.elo import POINTS_PER_LOGIT
from assay.decisions.evaluation import EVALUATED
from assay.errors import FitError, InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.group_ratings import COMBINED
from assay.rating.posterior import GRID, Normal, Prior, Range, summaries
from assay.rating.priors import RATING_ERROR
from assay.results.metrics import WHITE_ADVANTAGE, draw_parameter, log_likelihood

MOVES, RESULTS = "moves", "results"
"""What the rating by all methods without results is called, and that by results alone."""

BY_MOVES = 0.30
"""b where a calibration does not say, in shares of Elo's log odds: of 560 milepost games, whose players are
equals, 0.30 (95%: 0.26 to 0.34), by the six methods that there were then. Calibrations say their own since
(python -m research results-by-moves WORKSPACE --into CALIBRATION); bridges do not."""

GAME_ERROR = 430.0
"""Deviation of x from E in these games, for each side as if independent."""

FOLLOWS = "results"
"""What a calibration calls, among what it says of itself, how far results follow moves."""

NOTE = (
    "Results count besides the moves (--with results): White's advantage {white:.0f} points, {draws:.0%} "
    "draws between equals; moves: by all methods without results, results: without moves."
)

EVALUATED_NOTE = (
    "How much a result repeats of what the moves show was not measured with this calibration; the "
    "evaluations in the file show more of it than is allowed for, so that it counts in part twice."
)
"""For calibrations of such games that were made before b was measured with them."""

_COLOURS = {"white": WHITE_ADVANTAGE, "black": -WHITE_ADVANTAGE}
_LOGISTIC = 1.7 * POINTS_PER_LOGIT
"""Deviation of the normal that is closest to the logistic curve of Elo."""


@dataclass(frozen=True)
class Follows:
    """How far results follow the moves of their games, in games of one source of values."""

    b: float = BY_MOVES
    error: float = GAME_ERROR
    """Deviation of x from E."""

    @classmethod
    def of(cls, calibration: Calibration) -> Follows:
        """As measured with the calibration; as with an engine's options where it does not say."""
        recorded = calibration.about.get(FOLLOWS)
        return cls() if recorded is None else cls(float(recorded["b"]), float(recorded["error"]))

    def stretch(self, sides: int) -> float:
        """By how much log odds are steeper once x of so many sides is known.

        What they strayed by is no chance any more; averaged over it, the curve must be Elo's again.
        """
        return math.sqrt(1 + sides * (self.b * self.error / _LOGISTIC) ** 2)


USUAL = Follows()


def meetings_of(
    appearances: Appearances, groups: Sequence[Ints], span: Range
) -> tuple[Meetings, Ints, list[Prior]]:
    """The results of all games of some groups of rows, the rows of both sides, and priors of opponents.

    A side that is in no group has the row -1; such opponents have their places after the groups.
    """
    group_of = {int(row): place for place, rows in enumerate(groups) for row in rows}
    rows_of: dict[int, list[int]] = {}
    for row in sorted(group_of):
        rows_of.setdefault(int(appearances.game[row]), []).append(row)
    results, elos = appearances.numbers("result"), appearances.numbers("opponent_elo")
    colours, opponents = appearances.codes("colour"), appearances.codes("opponent")
    named = appearances.names("colour")
    strangers: dict[tuple[int, int], tuple[int, list[float]]] = {}
    meeting_rows: list[tuple[int, int, float, float]] = []
    sides: list[tuple[int, int]] = []
    for game, rows in rows_of.items():
        first = rows[0]
        if results[first] not in (0.0, 0.5, 1.0):
            continue
        if len(rows) == 2:
            opponent = group_of[rows[1]]
        else:
            # Nobody's name is no name: each such opponent is another.
            key = (int(opponents[first]), game if opponents[first] < 0 else -1)
            opponent, published = strangers.setdefault(key, (len(groups) + len(strangers), []))
            published += [float(elos[first])] if elos[first] > 0 else []
        ahead = _COLOURS.get(named[colours[first]], 0.0) if colours[first] >= 0 else 0.0
        meeting_rows.append((group_of[first], opponent, ahead, float(results[first])))
        sides.append((first, rows[1] if len(rows) == 2 else -1))
    table = np.array(meeting_rows, np.float64).reshape(-1, 4)
    player, opponents_ = table[:, :2].astype(np.int64).T
    meetings = Meetings(
        player,
        opponents_,
        table[:, 2],
        table[:, 3],
        draw_parameter(table[:, 3]),
        np.ones((len(meeting_rows), 2)),
    )
    priors: list[Prior] = [
        Normal(float(np.mean(published)), RATING_ERROR) if published else span
        for _, published in strangers.values()
    ]
    return meetings, np.array(sides, np.int64).reshape(-1, 2), priors


def given_moves(meetings: Meetings, elo_by_moves: Floats, follows: Follows = USUAL) -> Meetings:
    """The same results, as they are to be read beside the moves of their games.

    `elo_by_moves` has x of both sides, NaN where it is not known, shape (meetings, 2).
    """
    has_elo = np.isfinite(elo_by_moves)
    # With both known the odds are those of the module's head. What is not known is averaged over.
    steeper = follows.stretch(2)
    scale = np.array([1 / steeper, 1 / follows.stretch(1), 1.0])[has_elo.sum(axis=1)]
    shares = scale[:, None] * np.where(has_elo, steeper - follows.b, steeper)
    x = np.where(has_elo, elo_by_moves, 0.0)
    ahead = scale * (steeper * meetings.ahead + follows.b * (x[:, 0] - x[:, 1]))
    return replace(meetings, ahead=ahead, shares=shares)


def with_results(
    by_moves: Sequence[Rating | None],
    densities: Sequence[Floats],
    priors: Sequence[Prior],
    strangers: Sequence[Prior],
    meetings: Meetings,
    elo_by_moves: Floats,
    level: float,
    follows: Follows = USUAL,
) -> list[dict[str, Rating]]:
    """The ratings by moves, by results alone and, as `combined`, by both together, of each group.

    `densities` has the logarithm of each group's density by its moves and its prior.
    """
    others = [prior.log_density(GRID) for prior in strangers]
    alone = joint_posteriors([*(prior.log_density(GRID) for prior in priors), *others], meetings)
    both = joint_posteriors([*densities, *others], given_moves(meetings, elo_by_moves, follows))
    answer = [{} if moves is None else {MOVES: replace(moves, method=MOVES)} for moves in by_moves]
    for name, logs in ((RESULTS, alone), (COMBINED, both)):
        for moves, ratings, *ends in zip(by_moves, answer, *summaries(logs, level), strict=False):
            if moves is not None:
                elo, low, high = map(float, ends)
                ratings[name] = replace(moves, method=name, elo=elo, low=low, high=high, level=level)
    return answer


def notes_of(meetings: Meetings, calibration: Calibration) -> tuple[str, ...]:
    """What must be said of results that count."""
    note = NOTE.format(white=WHITE_ADVANTAGE, draws=meetings.draws / (2 + meetings.draws))
    unknown = calibration.recipe_id in EVALUATED and FOLLOWS not in calibration.about
    return (note, EVALUATED_NOTE) if unknown else (note,)


# One posterior for all who met: what moves say of each, and what results say of pairs.

MOST_PLAYERS = 2000
"""Who met each other, or others who did: their covariance is inverted some twenty times."""

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_TOLERANCE = 0.05
"""Points by which no mean moves any more at the end."""
_LIMIT = 500
_DAMPING = 0.7
_LEAST_PRECISION = 1e-9
"""Of a normal that stands for a factor: next to nothing, as it is not to be negative."""


@dataclass(frozen=True, eq=False)
class Meetings:
    """Results of games, by the places of the players."""

    player: Ints
    opponent: Ints
    ahead: Floats
    """Points of Elo that the player is ahead by colour, and by what else is known of the game."""
    result: Floats
    """Of the player: 1, 0.5 or 0."""
    draws: float
    """Davidson's nu."""
    shares: Floats
    """How much of the Elo of player and opponent counts, shape (meetings, 2): one, where nothing else is
    known of the game."""

    def __len__(self) -> int:
        return len(self.player)

    def log_likelihood(self, difference: Floats) -> Floats:
        """Of the results where what counts of the Elos differs by so much, shape (meetings, points)."""
        return log_likelihood(difference + self.ahead[:, None], self.result[:, None], self.draws)

    def among(self, places: Ints) -> Meetings:
        """Those of some players, who are then counted from zero."""
        among = np.isin(self.player, places)
        player, opponent = (np.searchsorted(places, side[among]) for side in (self.player, self.opponent))
        return Meetings(
            player, opponent, self.ahead[among], self.result[among], self.draws, self.shares[among]
        )


def joint_posteriors(densities: Sequence[Floats], meetings: Meetings) -> Floats:
    """Logarithms of each player's posterior on GRID, from those of their own densities and the results."""
    from scipy.sparse.csgraph import connected_components  # which loads slowly

    answer = np.stack(densities)
    n = len(densities)
    graph = coo_array((np.ones(len(meetings)), (meetings.player, meetings.opponent)), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    met = np.unique(np.concatenate((meetings.player, meetings.opponent)))
    for number in np.unique(component[met]):
        places: Ints = np.flatnonzero(component == number)
        if len(places) > MOST_PLAYERS:
            raise InputError(
                f"results link {len(places):,} players, and {MOST_PLAYERS:,} at most have a joint posterior: "
                "choose fewer games, or leave --with results"
            )
        answer[places] += _evidence_of_results(answer[places], meetings.among(places))
    return answer


class _Factors:
    """Normals that stand for factors, by precision and by precision times mean."""

    def __init__(self, mean: Floats, variance: Floats) -> None:
        self.precision = 1 / variance
        self.shift = mean / variance

    def without(self, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
        """Precision and shift of all the others, where all together have this mean and variance."""
        return np.maximum(1 / variance - self.precision, 0.0), mean / variance - self.shift

    def renew(self, mean: Floats, variance: Floats, precision: Floats, shift: Floats) -> None:
        """Move to what makes this mean and variance of the others' precision and shift."""
        new = np.maximum(1 / variance - precision, _LEAST_PRECISION)
        self.shift += _DAMPING * (mean * (precision + new) - shift - self.shift)
        self.precision += _DAMPING * (new - self.precision)


def _evidence_of_results(densities: Floats, meetings: Meetings) -> Floats:
    """What results say of each player: logarithms of normals on the grid, shape (players, grid)."""
    each = _moments(densities)
    players = _Factors(*each)
    games = _Factors(np.zeros(len(meetings)), np.full(len(meetings), 1 / _LEAST_PRECISION))
    before = np.full(len(densities), np.inf)
    for _ in range(_LIMIT):
        mean, covariance = _together(players, games, meetings)
        if np.abs(mean - before).max() < _TOLERANCE:
            precision, shift = players.without(mean, np.diag(covariance))
            return np.asarray(shift[:, None] * GRID - 0.5 * precision[:, None] * GRID**2)
        before = mean
        variance = np.diag(covariance)
        precision, shift = players.without(mean, variance)
        tilted = _moments(densities + shift[:, None] * GRID - 0.5 * precision[:, None] * GRID**2)
        players.renew(*tilted, precision, shift)
        _renew_games(games, mean, covariance, meetings)
    raise FitError(f"the joint posterior of moves and results did not converge in {_LIMIT} rounds")


def _together(players: _Factors, games: _Factors, meetings: Meetings) -> tuple[Floats, Floats]:
    """Mean and covariance of the product of all normals."""
    precision, shift = np.diag(players.precision), players.shift.copy()
    player, opponent, (first, second) = meetings.player, meetings.opponent, meetings.shares.T
    for side, share in ((player, first), (opponent, -second)):
        np.add.at(precision, (side, side), share**2 * games.precision)
        np.add.at(shift, side, share * games.shift)
    for pair in ((player, opponent), (opponent, player)):
        np.add.at(precision, pair, -first * second * games.precision)
    covariance = np.asarray(np.linalg.inv(precision), np.float64)
    return covariance @ shift, covariance


def _renew_games(games: _Factors, mean: Floats, covariance: Floats, meetings: Meetings) -> None:
    player, opponent, (first, second) = meetings.player, meetings.opponent, meetings.shares.T
    variance = first**2 * covariance[player, player] + second**2 * covariance[opponent, opponent]
    variance -= 2 * first * second * covariance[player, opponent]
    difference = first * mean[player] - second * mean[opponent]
    precision, shift = games.without(difference, variance)
    centre, width = shift / precision, 1 / np.sqrt(precision)
    points = centre[:, None] + width[:, None] * _NODES
    weight = _WEIGHTS * np.exp(meetings.log_likelihood(points))
    weight /= weight.sum(axis=1, keepdims=True)
    tilted = (weight * points).sum(axis=1)
    spread = (weight * np.square(points - tilted[:, None])).sum(axis=1)
    games.renew(tilted, spread, precision, shift)


def _moments(log_density: Floats) -> tuple[Floats, Floats]:
    """Means and variances of densities on the grid."""
    weight = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    mean = weight @ GRID
    return mean, np.einsum("ij,ij->i", weight, np.square(GRID - mean[:, None]))
