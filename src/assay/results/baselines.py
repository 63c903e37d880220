"""What every model must beat: constant, colour, Elo and Glicko-2, on the interface of the models.

Rating periods are months. Within a month the order of games is unknown (the competition of 2010 gives
months only), so all games of a month are rated from the ratings at its beginning, as FIDE does.
Glicko-2 is written here: it is a page of arithmetic, and the packages for it rate one player at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from scipy.special import ndtr, ndtri

from assay.decisions.arrays import Floats
from assay.decisions.elo import POINTS_PER_LOGIT
from assay.errors import FitError, InputError
from assay.results.company import ALONE, CompanyModel
from assay.results.ferreira import (
    AFTER_THE_FACT,
    SUBMITTED,
    Beta,
    ResultsModel,
    expected_result,
    with_whites_advantage,
)
from assay.results.games import ResultGames, month_text

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


# Other people's rating systems, from their own packages (the extra `peers`), on our interface.


def _package(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(
            f"this forecaster needs the package {name}: install it with pip install 'assay-chess[peers]'"
        ) from error


class BradleyTerry:
    """Bradley and Terry's model without time, by minorisation and maximisation (package `choix`).

    The package knows wins only: a win is entered twice, a draw as one win for each.
    """

    name = "bradley-terry"

    def __init__(self, alpha: float = 1.0, tolerance: float = 1e-5) -> None:
        self.alpha, self.tolerance = alpha, tolerance

    def fit(self, games: ResultGames) -> Self:
        """Learn `strength_` (in the order of `players_`) and `white_mean_`."""
        choix = _package("choix")
        games.require_results()
        lost = games.result == 0.0
        first = np.column_stack([games.white, games.black])
        first[lost] = first[lost][:, ::-1]
        second = first.copy()
        drawn = games.result == 0.5
        second[drawn] = second[drawn][:, ::-1]
        pairs = np.concatenate([first, second]).tolist()
        try:
            logs = choix.mm_pairwise(len(games.players), pairs, alpha=self.alpha, tol=self.tolerance)
        except RuntimeError as error:
            raise FitError(f"choix did not converge: {error}") from error
        self.players_ = games.players
        self.strength_ = np.exp(logs)
        self.white_mean_ = float(games.result.mean())
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """Eq. 1 of Bradley and Terry, and White's advantage; players never seen are average."""
        strength = np.append(self.strength_, np.exp(np.log(self.strength_).mean()))
        white, black = games.codes_in(self.players_)
        return with_whites_advantage(expected_result(strength[white], strength[black]), self.white_mean_)


class TrueSkillThroughTime:
    """TrueSkill through time (Dangauthier and others 2007; package `trueskillthroughtime`).

    `sigma` is the spread of newcomers and `gamma` what a month adds, both in units of one performance.
    """

    name = "trueskill-through-time"

    def __init__(self, sigma: float = 1.0, gamma: float = 0.05, iterations: int = 4) -> None:
        self.sigma, self.gamma, self.iterations = sigma, gamma, iterations

    def fit(self, games: ResultGames) -> Self:
        """Learn `mu_`, `deviation_` (in the order of `players_`), `margin_` and `white_mean_`."""
        package = _package("trueskillthroughtime")
        games.require_results()
        drawn = float(np.clip((games.result == 0.5).mean(), 0.01, 0.99))
        history = package.History(
            composition=[[[w], [b]] for w, b in zip(games.white.tolist(), games.black.tolist(), strict=True)],
            results=[[result, 1.0 - result] for result in games.result.tolist()],
            times=games.month.tolist(),
            sigma=self.sigma,
            gamma=self.gamma,
            p_draw=drawn,
        )
        history.convergence(iterations=self.iterations, verbose=False)
        self.players_ = games.players
        self.mu_ = np.zeros(len(games.players))
        self.deviation_ = np.full(len(games.players), self.sigma)
        last = int(games.month.max())
        for player, curve in history.learning_curves().items():
            month, belief = curve[-1]
            self.mu_[player] = belief.mu
            self.deviation_[player] = np.sqrt(belief.sigma**2 + (last - month) * self.gamma**2)
        self.margin_ = float(package.compute_margin(drawn, np.sqrt(2.0)))
        self.white_mean_ = float(games.result.mean())
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """Probability of winning plus half that of a draw, and White's advantage."""
        white, black = games.codes_in(self.players_)
        mu = np.append(self.mu_, 0.0)
        deviation = np.append(self.deviation_, self.sigma)
        spread = np.sqrt(deviation[white] ** 2 + deviation[black] ** 2 + 2.0)
        difference = mu[white] - mu[black]
        wins, not_lost = (ndtr((difference + side * self.margin_) / spread) for side in (-1.0, 1.0))
        return with_whites_advantage((wins + not_lost) / 2.0, self.white_mean_)


class WholeHistoryRating:
    """Whole-history rating (Coulom 2008; package `whole-history-rating`), draws after Davidson 1970.

    `w2` is the variance that a month adds, in squared Elo points. White's advantage is learned by the
    package, as the "komi" of Go.
    """

    name = "whole-history"

    def __init__(self, w2: float = 100.0, iterations: int = 15) -> None:
        self.w2, self.iterations = w2, iterations

    def fit(self, games: ResultGames) -> Self:
        """Learn `strength_` (in the order of `players_`), `advantage_` and `draws_`."""
        package = _package("whr")
        games.require_results()
        base = package.WHR({"w2": self.w2})
        winner = np.select([games.result == 1.0, games.result == 0.5], ["W", "D"], "B")
        columns = (games.black, games.white, winner, games.month)
        for black, white, letter, month in zip(*(column.tolist() for column in columns), strict=True):
            base.create_game(str(black), str(white), letter, month, 0, "white")
        base.iterate(self.iterations)
        self.players_ = games.players
        self.strength_ = np.ones(len(games.players))
        for player in np.unique(np.concatenate([games.white, games.black])).tolist():
            self.strength_[player] = base.player_by_name(str(player)).days[-1].gamma()
        self.advantage_ = float(base.komi_gamma["white"])
        self.draws_ = float(base.nu)
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """Davidson's probability of winning plus half that of a draw."""
        strength = np.append(self.strength_, 1.0)
        white_code, black_code = games.codes_in(self.players_)
        white, black = strength[white_code] * self.advantage_, strength[black_code]
        drawn = self.draws_ * np.sqrt(white * black)
        return np.asarray((white + drawn / 2.0) / (white + black + drawn))


# Every forecaster from results alone by its name, for `--model` and for the backtest.

DEFAULT_K = 24.0

# The peers are left out of it: each takes minutes on the games of the competition.
USUAL = (
    "company",
    "company-alone",
    "ferreira2010",
    "glicko2",
    "elo-normal",
    "elo-logistic",
    "colour",
    "constant",
)


def _factories(k: float, beta: Beta) -> dict[str, Callable[[], Forecaster]]:
    return {
        "company": CompanyModel,
        "company-alone": lambda: CompanyModel(ALONE, name="company-alone"),
        "ferreira2010": lambda: ResultsModel(beta),
        "ferreira2010-after": lambda: ResultsModel(AFTER_THE_FACT, name="ferreira2010-after"),
        "glicko2": Glicko2,
        "elo-normal": lambda: Elo("normal", k),
        "elo-logistic": lambda: Elo("logistic", k),
        "colour": Colour,
        "constant": Constant,
        "bradley-terry": BradleyTerry,
        "trueskill-through-time": TrueSkillThroughTime,
        "whole-history": WholeHistoryRating,
    }


_SCHEDULE = "uses who meets whom in the games to be forecast, which the others do not"
_TUNED = (
    "settings tuned on months 1 to 100 of the 2010 competition, so its errors on those games are too small"
)
CAVEATS = {
    "company": f"{_SCHEDULE}; {_TUNED}",
    "company-alone": _TUNED,
    "ferreira2010": _TUNED,
    "ferreira2010-after": "settings chosen when the results of the 2010 competition were known",
}
"""What must be said of a forecaster beside others."""


NAMES = tuple(_factories(DEFAULT_K, SUBMITTED))


def forecaster(name: str, *, k: float = DEFAULT_K, beta: Beta = SUBMITTED) -> Forecaster:
    """A new forecaster of that name; `k` is that of Elo, `beta` that of the model of Ferreira 2010."""
    factories = _factories(k, beta)
    if name not in factories:
        raise InputError(f"there is no model {name!r}: choose one of {', '.join(NAMES)}")
    return factories[name]()


def caveats(names: Sequence[str], *, beta: Beta = SUBMITTED) -> list[str]:
    """A line for each of these forecasters that does not compare as an equal."""
    said = [name for name in names if name in CAVEATS and (name != "ferreira2010" or beta == SUBMITTED)]
    return [f"{name}: {CAVEATS[name]}" for name in said]


# Everyone's strength after the last game, by the models that have one number for each player.


def strengths(games: ResultGames, model: str, beta: Beta) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """One row per player, strongest first, and what the fit learned besides."""
    played = games.games_per_player()
    about: dict[str, Any] = {
        "model": model,
        "games": len(games),
        "last_month": month_text(int(games.month.max())),
    }
    if model == "ferreira2010":
        fitted = ResultsModel(beta).fit(games)
        about |= {"white_mean": round(fitted.white_mean_, 6), "iterations": fitted.iterations_}
        column, strength = "strength", fitted.strength_
    elif model == "company":
        known = CompanyModel(ALONE).rate(games)
        about |= {"white": known.white}
        column, strength = "rating", known.rating * POINTS_PER_LOGIT
    else:
        raise InputError(f"fit shows the models ferreira2010 and company, not {model!r}")
    order = [index for index in np.argsort(-strength, kind="stable").tolist() if played[index]]
    rows = [
        {
            "rank": rank,
            "player": games.players[index],
            "games": int(played[index]),
            column: float(strength[index]),
        }
        for rank, index in enumerate(order, start=1)
    ]
    return rows, about
