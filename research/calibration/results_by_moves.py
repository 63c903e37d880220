"""How far the result of a game follows the moves that were played in it, beyond the players' Elo.

    python -m research results-by-moves WORKSPACE [--recipe standard] [--into CALIBRATION]

measures b of assay.rating.with_results, in a minute. WORKSPACE holds analysed games of players with published
ratings, such as the mileposts. --into adds it to the file of a calibration, which then says so of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from assay.decisions.arrays import Floats, Ints
from assay.errors import FitError, InputError
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.group_ratings import Rater
from assay.rating.with_results import FOLLOWS, Follows, meetings_of
from assay.results.metrics import log_likelihood
from assay.workspace import Workspace
from research import command_on_workspace

MOST_GAMES = 1500
"""A calibration's b is of no more games than so many."""

FEWEST_GAMES = 200
"""Of fewer games nothing is said: b would stray by a tenth."""


@dataclass(frozen=True)
class ByMoves:
    """How results hang on the moves of their game."""

    games: int
    b: float
    low: float
    high: float
    """The 95% interval of b, from games drawn anew."""
    white: float
    draws: float
    """Davidson's nu."""
    error: float
    """Deviation of what moves of one game say from the Elo, each side as if independent."""

    def __str__(self) -> str:
        return (
            f"{self.games} games: b {self.b:.2f} ({self.low:.2f} to {self.high:.2f}), White ahead by "
            f"{self.white:.0f}, nu {self.draws:.2f}; the moves of one game stray by {self.error:.0f}"
        )


def fit_by_moves(ahead: Floats, by_moves: Floats, result: Floats) -> tuple[float, float, float]:
    """b, White's advantage and nu that make the results likeliest, read as ratings read them.

    `ahead` is by how much White's Elo is larger, `said` by how much larger the moves of the game say it is.
    """
    error = error_of(ahead, by_moves)

    def unlikely(parameters: Floats) -> float:
        b, white, log_nu = parameters
        steeper = Follows(b, error).stretch(2)
        difference = (steeper - b) * ahead + b * by_moves + steeper * white
        return float(-log_likelihood(difference, result, float(np.exp(log_nu))).sum())

    fit = minimize(unlikely, np.array([0.2, 33.0, 0.0]), method="Nelder-Mead", options={"maxiter": 2000})
    if not fit.success:
        raise FitError(f"how results follow moves could not be fitted: {fit.message}")
    b, white, log_nu = fit.x
    return float(b), float(white), float(np.exp(log_nu))


def error_of(ahead: Floats, by_moves: Floats) -> float:
    """Deviation of what the moves of one game say from the Elo, for each side as if independent."""
    return float((by_moves - ahead).std() / np.sqrt(2))


def measure(ahead: Floats, by_moves: Floats, result: Floats, *, resamples: int = 100) -> ByMoves:
    """How results follow moves: b with its interval, from games drawn anew."""
    rng = np.random.default_rng(0)
    drawn = (rng.integers(0, len(result), len(result)) for _ in range(resamples))
    again = [fit_by_moves(ahead[rows], by_moves[rows], result[rows])[0] for rows in drawn]
    b, white, draws = fit_by_moves(ahead, by_moves, result)
    low, high = np.quantile(again, [0.025, 0.975])
    return ByMoves(len(result), b, float(low), float(high), white, draws, error_of(ahead, by_moves))


def games_of(appearances: Appearances) -> tuple[Floats, Floats, Floats]:
    """What `leads_of` has of all games, through the calibration that is found for them."""
    calibration = find_calibration(appearances.recipe_id)
    if calibration is None:
        raise InputError("these games have no calibration: what their moves say is not known")
    return leads_of(Rater(appearances, calibration), np.arange(len(appearances)))


def leads_of(rater: Rater, rows: Ints) -> tuple[Floats, Floats, Floats]:
    """Of each game of which both sides are among the rows: White's lead by Elo and by moves, the result."""
    appearances = rater.appearances
    assert isinstance(appearances, Appearances)
    groups = [np.array([row]) for row in rows]
    meetings, sides, _ = meetings_of(appearances, groups, rater.calibration.range)
    by_moves, elo = rater.elo_in_games(sides), np.append(appearances.elo, np.nan)[sides]
    complete = np.isfinite(by_moves).all(axis=1) & np.isfinite(elo).all(axis=1) & (meetings.ahead != 0)
    sign = np.sign(meetings.ahead)
    leads = [sign * (pair[:, 0] - pair[:, 1]) for pair in (elo, by_moves)]
    white = np.where(sign > 0, meetings.result, 1 - meetings.result)
    return leads[0][complete], leads[1][complete], white[complete]


def follows_of(rater: Rater, rows: Ints) -> dict[str, float] | None:
    """What a calibration says of results, from some of the games of these rows; None of too few games."""
    assert isinstance(rater.appearances, Appearances)
    game = rater.appearances.game[rows]
    games, sides = np.unique(game, return_counts=True)
    chosen = np.random.default_rng(0).permutation(games[sides == 2])[:MOST_GAMES]
    ahead, by_moves, result = leads_of(rater, rows[np.isin(game, chosen)])
    if len(result) < FEWEST_GAMES:
        return None
    b, _, _ = fit_by_moves(ahead, by_moves, result)
    return {"b": round(max(b, 0.0), 3), "error": round(error_of(ahead, by_moves), 1), "games": len(result)}


def main(words: Sequence[str]) -> None:
    """Measure on one workspace, and print."""
    parser = command_on_workspace("results-by-moves", __doc__)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args(words)
    workspace = Workspace(given.workspace)
    # With trace: all methods speak of the moves, as they do where games are rated.
    appearances = Appearances.of(workspace.decisions(workspace.recipe_id(given.recipe), trace=True))
    print(measure(*games_of(appearances)))
    if given.into is not None:
        calibration = Calibration.read(given.into)
        follows = follows_of(Rater(appearances, calibration), np.arange(len(appearances)))
        if follows is not None:
            replace(calibration, about={**calibration.about, FOLLOWS: follows}).write(given.into)
