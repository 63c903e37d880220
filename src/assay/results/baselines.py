"""What every model must beat: constant, colour, Elo and Glicko-2, on the interface of the models.

Rating periods are months. Within a month the order of games is unknown (the competition of 2010 gives
months only), so all games of a month are rated from the ratings at its beginning, as FIDE does.
Glicko-2 is written here: it is a page of arithmetic, and the packages for it rate one player at a time.
"""

from collections.abc import Iterator
from typing import Protocol, Self, runtime_checkable

import numpy as np
from scipy.special import ndtr, ndtri

from assay.decisions.arrays import Floats
from assay.decisions.elo import POINTS_PER_LOGIT
from assay.errors import FitError, InputError
from assay.results.table import ResultGames

_ELO_NORMAL = 200.0 * np.sqrt(2.0)  # Elo 1978: performances spread by 200 points, their difference by this
_GLICKO_SCALE = 173.7178  # Glickman 2013, step 2


@runtime_checkable
class Forecaster(Protocol):
    """Anything that learns from earlier games and says what to expect of later ones.

    A model of moves takes part through the same two verbs: it finds its profiles by `players` (or its
    analyses by `game_id`) of the games it is given, and must use only what the training games allow.
    """

    name: str

    def fit(self, games: ResultGames) -> Self:
        """Learn from games with results."""

    def forecast(self, games: ResultGames) -> Floats:
        """White's expected result in each game, from 0 to 1; results in `games` must not be looked at."""


def months_in_order(games: ResultGames) -> Iterator[tuple[int, ResultGames]]:
    """Each month that has games, from the first to the last, with its games."""
    for month in np.unique(games.month):
        yield int(month), games.between(int(month), int(month))


class Constant:
    """One half, always."""

    name = "constant"

    def fit(self, games: ResultGames) -> Self:
        """Nothing is learned."""
        games.require_results()
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """One half for each game."""
        return np.full(len(games), 0.5)


class Colour:
    """White's average result so far, whoever plays."""

    name = "colour"

    def fit(self, games: ResultGames) -> Self:
        """Learn `white_mean_`."""
        self.white_mean_ = float(games.require_results().result.mean())
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """The same for each game."""
        return np.full(len(games), self.white_mean_)


class _RatedPlayers:
    """Ratings by player, with a value for those never seen."""

    def __init__(self, players: tuple[str, ...], values: Floats, unknown: float) -> None:
        self._players = players
        self._values = np.append(values, unknown)  # -1, the code of the unknown, finds the last

    def of(self, games: ResultGames) -> tuple[Floats, Floats]:
        """White's and Black's."""
        white, black = games.codes_in(self._players)
        return self._values[white], self._values[black]


class Elo:
    """Elo's system with the normal or the logistic curve; everybody begins with the same rating.

    White's advantage is the rating difference at which the curve gives White's average result.
    """

    def __init__(self, curve: str = "logistic", k: float = 24.0, initial: float = 1500.0) -> None:
        if curve not in ("logistic", "normal"):
            raise InputError(f"the curve of Elo is logistic or normal, not {curve!r}")
        if not 0 < k <= 1000:
            raise InputError(f"the K of Elo must be above 0 and at most 1000, not {k:g}")
        self.name = f"elo-{curve}"
        self.curve, self.k, self.initial = curve, k, initial

    def expectation(self, difference: Floats) -> Floats:
        """The expected result at a rating difference."""
        if self.curve == "normal":
            return np.asarray(ndtr(difference / _ELO_NORMAL))
        # As domain.elo has it, by exp: a power of ten is much slower, and this runs for every game and month.
        return np.asarray(1.0 / (1.0 + np.exp(-difference / POINTS_PER_LOGIT)))

    def _advantage(self, white_mean: float) -> float:
        kept = float(np.clip(white_mean, 0.01, 0.99))
        if self.curve == "normal":
            return float(ndtri(kept) * _ELO_NORMAL)
        return float(np.log(kept / (1.0 - kept)) * POINTS_PER_LOGIT)

    def fit(self, games: ResultGames) -> Self:
        """Learn `rating_` (in the order of `players_`) and `advantage_`, month after month."""
        games.require_results()
        self.players_ = games.players
        self.advantage_ = self._advantage(float(games.result.mean()))
        self.rating_ = np.full(len(games.players), self.initial)
        for _, played in months_in_order(games):
            difference = self.rating_[played.white] - self.rating_[played.black]
            surprise = played.result - self.expectation(difference + self.advantage_)
            size = len(games.players)
            self.rating_ = self.rating_ + self.k * (
                np.bincount(played.white, surprise, minlength=size)
                - np.bincount(played.black, surprise, minlength=size)
            )
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """The expected result of the last ratings."""
        white, black = _RatedPlayers(self.players_, self.rating_, self.initial).of(games)
        return self.expectation(white - black + self.advantage_)


class Glicko2:
    """Glicko-2 (Glickman 2013, "Example of the Glicko-2 system"), with White's advantage added.

    `tau` limits how fast the volatility of a player changes.
    """

    name = "glicko2"

    def __init__(self, tau: float = 0.5, deviation: float = 350.0, volatility: float = 0.06) -> None:
        if min(tau, deviation, volatility) <= 0:
            raise InputError("tau, deviation and volatility of Glicko-2 must be positive")
        self.tau, self.deviation, self.volatility = tau, deviation, volatility

    def fit(self, games: ResultGames) -> Self:
        """Learn `mu_`, `phi_`, `sigma_` (in the order of `players_`) and `advantage_`."""
        games.require_results()
        size = len(games.players)
        white_mean = float(np.clip(games.result.mean(), 0.01, 0.99))
        self.advantage_ = float(np.log(white_mean / (1.0 - white_mean)))
        self.players_ = games.players
        self.mu_ = np.zeros(size)
        self.phi_ = np.full(size, self.deviation / _GLICKO_SCALE)
        self.sigma_ = np.full(size, self.volatility)
        previous = int(games.month.min())
        for month, played in months_in_order(games):
            self._grow_uncertain(month - previous)
            self._rate(played)
            previous = month
        return self

    def _grow_uncertain(self, months: int) -> None:
        """Months without any game at all: the deviation grows, up to that of a newcomer."""
        grown = np.sqrt(self.phi_**2 + max(months - 1, 0) * self.sigma_**2)
        self.phi_ = np.minimum(grown, self.deviation / _GLICKO_SCALE)

    def _rate(self, played: ResultGames) -> None:
        size = len(self.mu_)
        player = np.concatenate([played.white, played.black])
        opponent = np.concatenate([played.black, played.white])
        result = np.concatenate([played.result, 1.0 - played.result])
        colour = np.repeat([self.advantage_, -self.advantage_], len(played))
        damping = _damping(self.phi_[opponent])
        expected = 1.0 / (1.0 + np.exp(-damping * (self.mu_[player] - self.mu_[opponent] + colour)))
        # Steps 3 and 4: the variance of the rating from these games alone, and the improvement.
        information = np.bincount(player, damping**2 * expected * (1.0 - expected), minlength=size)
        pull = np.bincount(player, damping * (result - expected), minlength=size)
        active = information > 0
        variance = 1.0 / information[active]
        self.sigma_[active] = new_volatility(
            variance * pull[active], self.phi_[active], variance, self.sigma_[active], self.tau
        )
        # Steps 6 to 8; who did not play only grows less certain.
        widened = self.phi_**2 + self.sigma_**2
        phi = np.sqrt(widened)
        phi[active] = 1.0 / np.sqrt(1.0 / widened[active] + information[active])
        self.phi_ = np.minimum(phi, self.deviation / _GLICKO_SCALE)
        self.mu_[active] += self.phi_[active] ** 2 * pull[active]

    def forecast(self, games: ResultGames) -> Floats:
        """The expected result, closer to one half the less certain both ratings are."""
        white, black = _RatedPlayers(self.players_, self.mu_, 0.0).of(games)
        unknown = self.deviation / _GLICKO_SCALE
        white_phi, black_phi = _RatedPlayers(self.players_, self.phi_, unknown).of(games)
        damping = _damping(np.hypot(white_phi, black_phi))
        return np.asarray(1.0 / (1.0 + np.exp(-damping * (white - black + self.advantage_))))


def _damping(phi: Floats) -> Floats:
    """g(phi) of Glickman 2013, step 3."""
    return np.asarray(1.0 / np.sqrt(1.0 + 3.0 * phi**2 / np.pi**2))


def new_volatility(delta: Floats, phi: Floats, variance: Floats, sigma: Floats, tau: float) -> Floats:
    """Step 5 of Glickman 2013, for many players at once: the root of f, by the Illinois method."""
    start = np.log(sigma**2)

    def f(x: Floats) -> Floats:
        grown = phi**2 + variance + np.exp(x)
        return np.asarray(np.exp(x) * (delta**2 - grown) / (2.0 * grown**2) - (x - start) / tau**2)

    low, high = start.copy(), np.log(np.maximum(delta**2 - phi**2 - variance, 1e-300))
    bracket = delta**2 <= phi**2 + variance
    high[bracket] = start[bracket] - tau
    while (outside := bracket & (f(high) < 0)).any():
        high[outside] -= tau
    f_low, f_high = f(low), f(high)
    for _ in range(100):
        if (np.abs(high - low) <= 1e-6).all():
            return np.asarray(np.exp(low / 2.0))
        gap = f_high - f_low
        middle = low + (low - high) * f_low / np.where(gap == 0.0, 1.0, gap)
        f_middle = f(middle)
        crossed = f_middle * f_high <= 0
        f_low = np.where(crossed, f_high, f_low / 2.0)
        low = np.where(crossed, high, low)
        high, f_high = middle, f_middle
    raise FitError("the volatilities of Glicko-2 did not converge")
