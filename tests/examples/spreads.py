"""Raw ratings of simulated players whose errors are known."""

import numpy as np

from assay.rating.spread import RawRatings, Spread, fit_spread

TRUE_UNIT = np.array([[250_000.0, 150_000.0], [150_000.0, 400_000.0]])
"""Covariance of the raw ratings of one game by two methods."""

TRUE_FORM = 120.0


def simulated_errors(rng: np.random.Generator, players: int, games: int) -> tuple[np.ndarray, ...]:
    """Raw ratings of two methods, linear in weights: means over games of Elo, form and noise."""
    elo = np.repeat(np.tile(np.arange(1500.0, 2900, 100), players // 14), games)
    player = np.repeat(np.arange(len(elo) // games), games)
    form = np.repeat(rng.normal(0, TRUE_FORM, len(elo) // games), games)
    noise = rng.multivariate_normal([0, 0], TRUE_UNIT - TRUE_FORM**2, len(elo))
    return elo, player, elo[:, None] + form[:, None] + noise


def fitted(rng: np.random.Generator, players: int = 700, games: int = 6) -> Spread:
    elo, player, raw = simulated_errors(rng, players, games)
    return fit_spread(
        ("one", "two"),
        lambda weights: weights @ raw / weights.sum(axis=1, keepdims=True),
        elo,
        np.full(len(elo), 30.0),
        player,
        ((elo - 1500) // 100).astype(np.int64),
    )


def plain_spread(deviation: float = 520.0, form: float = 50.0) -> Spread:
    """The spread of one method whose raw ratings are unbiased and whose curve is exact."""
    games = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    return Spread(
        channels=("all",),
        centre=2150.0,
        game_size=35.0,
        knots=np.array([1500.0, 2800.0]),
        games=games,
        curve=np.tile([1500.0, 2800.0], (len(games), 1, 1)),
        variance=np.full((len(games), 1), deviation**2),
        tilt=np.zeros(1),
        form=np.array([form]),
        milepost_games=np.inf,
    )


def raw_of(values: np.ndarray, size: np.ndarray, games: int = 1, players: float = 1.0) -> RawRatings:
    """Raw ratings of groups of so many games of one length; values of shape (groups, channels)."""
    n = len(values)
    return RawRatings(values, size, size**2 / games, np.full(n, games), np.full(n, players))
