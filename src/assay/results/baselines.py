"""Forecasters of results by name: colour, Elo, Glicko-2, other packages, which every model must beat.

Rating periods are months. Within a month the order of games is unknown (the competition of 2010 gives
months only), so all games of a month are rated from the ratings at its beginning, as FIDE does.
Glicko-2 is written here: it is a page of arithmetic, and the packages for it rate one player at a time.
Where a package (the extra `peers`) has no colours, White's advantage is added as in Ferreira 2010, Eq. 16.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from scipy.special import logit, ndtr, ndtri

from assay.answers.answer import Rows
from assay.answers.results import result_strengths
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
_BEGINNER = 1500.0

# Glickman 2013, steps 1 and 2: the scale, what a newcomer has, and how fast a volatility changes.
_GLICKO_SCALE = 173.7178
_DEVIATION, _VOLATILITY, _TAU = 350.0 / _GLICKO_SCALE, 0.06, 0.5


@runtime_checkable
class Forecaster(Protocol):
    """Learns from earlier games and forecasts later ones.

    A model of moves finds its profiles by `players` (or its analyses by `game_id`) of the games it is given,
    and must use only what the training games allow.
    """

    name: str

    def fit(self, games: ResultGames) -> Self:
        """Learn from games with results."""

    def forecast(self, games: ResultGames) -> Floats:
        """White's expected result in each game, from 0 to 1; results in `games` must not be looked at."""


def _of_both(games: ResultGames, players: tuple[str, ...], values: Floats, unknown: float) -> Floats:
    """Look up a value of White and of Black; `unknown` for players who are not in the list."""
    # -1, the code of the unknown, finds the last place.
    return np.asarray(np.append(values, unknown)[np.stack(games.codes_in(players))])


class Colour:
    """White's average result so far, whoever plays."""

    name = "colour"

    def fit(self, games: ResultGames) -> Self:
        """Learn `white_mean_`."""
        self.white_mean_ = float(games.require_results().result.mean())
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """White's expected result: the same for each game."""
        return np.full(len(games), self.white_mean_)


class Constant(Colour):
    """One half, always."""

    name = "constant"

    def forecast(self, games: ResultGames) -> Floats:
        """One half for each game."""
        return np.full(len(games), 0.5)


class Elo:
    """Elo's system with the normal or the logistic curve; everybody begins with the same rating.

    White's advantage is the rating difference at which the curve gives White's average result.
    """

    def __init__(self, curve: str = "logistic", k: float = 24.0) -> None:
        if curve not in ("logistic", "normal"):
            raise InputError(f"the curve of Elo is logistic or normal, not {curve!r}")
        if not 0 < k <= 1000:
            raise InputError(f"the K of Elo must be above 0 and at most 1000, not {k:g}")
        self.name = f"elo-{curve}"
        self.curve, self.k = curve, k

    def expectation(self, difference: Floats) -> Floats:
        """The expected result at a rating difference."""
        if self.curve == "normal":
            return np.asarray(ndtr(difference / _ELO_NORMAL))
        # By exp: a power of ten is much slower, and this runs for every game and month.
        return np.asarray(1.0 / (1.0 + np.exp(-difference / POINTS_PER_LOGIT)))

    def fit(self, games: ResultGames) -> Self:
        """Learn `rating_` (in the order of `players_`) and `advantage_`, month after month."""
        games.require_results()
        self.players_, size = games.players, len(games.players)
        mean = float(np.clip(games.result.mean(), 0.01, 0.99))
        normal = self.curve == "normal"
        self.advantage_ = float(ndtri(mean) * _ELO_NORMAL if normal else logit(mean) * POINTS_PER_LOGIT)
        self.rating_ = np.full(size, _BEGINNER)
        for month in np.unique(games.month).tolist():
            played = games.between(month, month)
            difference = self.rating_[played.white] - self.rating_[played.black]
            surprise = played.result - self.expectation(difference + self.advantage_)
            self.rating_ = self.rating_ + self.k * (
                np.bincount(played.white, surprise, minlength=size)
                - np.bincount(played.black, surprise, minlength=size)
            )
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """The expected result of the last ratings."""
        white, black = _of_both(games, self.players_, self.rating_, _BEGINNER)
        return self.expectation(white - black + self.advantage_)


class Glicko2:
    """Glicko-2 (Glickman 2013, "Example of the Glicko-2 system"), with White's advantage added."""

    name = "glicko2"

    def fit(self, games: ResultGames) -> Self:
        """Learn `mu_`, `phi_`, `sigma_` (in the order of `players_`) and `advantage_`."""
        games.require_results()
        self.players_, size = games.players, len(games.players)
        self.advantage_ = float(logit(np.clip(games.result.mean(), 0.01, 0.99)))
        self.mu_ = np.zeros(size)
        self.phi_ = np.full(size, _DEVIATION)
        self.sigma_ = np.full(size, _VOLATILITY)
        previous = int(games.month.min())
        for month in np.unique(games.month).tolist():
            # Over months without any game the deviation grows, up to that of a newcomer.
            grown = np.sqrt(self.phi_**2 + max(month - previous - 1, 0) * self.sigma_**2)
            self.phi_ = np.minimum(grown, _DEVIATION)
            self._rate(games.between(month, month))
            previous = month
        return self

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
            variance * pull[active], self.phi_[active], variance, self.sigma_[active], _TAU
        )
        # Steps 6 to 8; who did not play only grows less certain.
        widened = self.phi_**2 + self.sigma_**2
        phi = np.sqrt(widened)
        phi[active] = 1.0 / np.sqrt(1.0 / widened[active] + information[active])
        self.phi_ = np.minimum(phi, _DEVIATION)
        self.mu_[active] += self.phi_[active] ** 2 * pull[active]

    def forecast(self, games: ResultGames) -> Floats:
        """The expected result, closer to one half the less certain both ratings are."""
        white, black = _of_both(games, self.players_, self.mu_, 0.0)
        damping = _damping(np.hypot(*_of_both(games, self.players_, self.phi_, _DEVIATION)))
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


_PACKAGES = {"whr": "whole-history-rating"}
"""Modules whose packages have another name."""


def _package(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(
            f"this forecaster needs the package {name}: pip install {_PACKAGES.get(name, name)}"
        ) from error


class BradleyTerry:
    """Bradley and Terry's model without time, by minorisation and maximisation (package `choix`).

    The package knows wins only: a win is entered twice, a draw as one win for each.
    """

    name = "bradley-terry"

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
            logs = choix.mm_pairwise(len(games.players), pairs, alpha=1.0, tol=1e-5)
        except RuntimeError as error:
            raise FitError(f"choix did not converge: {error}") from error
        self.players_ = games.players
        self.strength_ = np.exp(logs)
        self.white_mean_ = float(games.result.mean())
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """Eq. 1 of Bradley and Terry, and White's advantage; players never seen are average."""
        average = float(np.exp(np.log(self.strength_).mean()))
        white, black = _of_both(games, self.players_, self.strength_, average)
        return with_whites_advantage(expected_result(white, black), self.white_mean_)


class TrueSkillThroughTime:
    """TrueSkill through time (Dangauthier and others 2007; package `trueskillthroughtime`)."""

    name = "trueskill-through-time"
    sigma, gamma = 1.0, 0.05
    """The spread of newcomers, and what a month adds, in units of one performance."""

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
        history.convergence(iterations=4, verbose=False)
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
        white, black = _of_both(games, self.players_, self.mu_, 0.0)
        white_deviation, black_deviation = _of_both(games, self.players_, self.deviation_, self.sigma)
        spread = np.sqrt(white_deviation**2 + black_deviation**2 + 2.0)
        wins, not_lost = (ndtr((white - black + side * self.margin_) / spread) for side in (-1.0, 1.0))
        return with_whites_advantage((wins + not_lost) / 2.0, self.white_mean_)


class WholeHistoryRating:
    """Whole-history rating (Coulom 2008; package `whole-history-rating`), draws after Davidson 1970.

    A month adds a variance of 100 squared Elo points. White's advantage is learned by the package, as the
    "komi" of Go.
    """

    name = "whole-history"

    def fit(self, games: ResultGames) -> Self:
        """Learn `strength_` (in the order of `players_`), `advantage_` and `draws_`."""
        package = _package("whr")
        games.require_results()
        base = package.WHR({"w2": 100.0})
        winner = np.select([games.result == 1.0, games.result == 0.5], ["W", "D"], "B")
        columns = (games.black, games.white, winner, games.month)
        for black, white, letter, month in zip(*(column.tolist() for column in columns), strict=True):
            base.create_game(str(black), str(white), letter, month, 0, "white")
        base.iterate(15)
        self.players_ = games.players
        self.strength_ = np.ones(len(games.players))
        for player in np.unique(np.concatenate([games.white, games.black])).tolist():
            self.strength_[player] = base.player_by_name(str(player)).days[-1].gamma()
        self.advantage_ = float(base.komi_gamma["white"])
        self.draws_ = float(base.nu)
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """Davidson's probability of winning plus half that of a draw."""
        white, black = _of_both(games, self.players_, self.strength_, 1.0)
        white = white * self.advantage_
        drawn = self.draws_ * np.sqrt(white * black)
        return np.asarray((white + drawn / 2.0) / (white + black + drawn))


# The registry --------------------------------------------------------------------------------------------

DEFAULT_K = 24.0

_TUNED = (
    "settings tuned on months 1 to 100 of the 2010 competition, so its errors on those games are too small"
)
_SCHEDULE = "uses who meets whom in the games to be forecast, which the others do not"


class _Row(NamedTuple):
    make: Callable[[float, Beta], Forecaster]
    """From the K of Elo and the settings of the model of Ferreira 2010."""
    caveat: str = ""
    """What a reader who compares it with others must know."""
    usual: bool = True
    """Whether a backtest has it unless asked otherwise: those of other packages take minutes."""


_ROWS = {
    "company": _Row(lambda k, beta: CompanyModel(), f"{_SCHEDULE}; {_TUNED}"),
    "company-alone": _Row(lambda k, beta: CompanyModel(ALONE, name="company-alone"), _TUNED),
    "ferreira2010": _Row(lambda k, beta: ResultsModel(beta), _TUNED),
    "ferreira2010-after": _Row(
        lambda k, beta: ResultsModel(AFTER_THE_FACT, name="ferreira2010-after"),
        "settings chosen when the results of the 2010 competition were known",
        usual=False,
    ),
    "glicko2": _Row(lambda k, beta: Glicko2()),
    "elo-normal": _Row(lambda k, beta: Elo("normal", k)),
    "elo-logistic": _Row(lambda k, beta: Elo("logistic", k)),
    "colour": _Row(lambda k, beta: Colour()),
    "constant": _Row(lambda k, beta: Constant()),
    "bradley-terry": _Row(lambda k, beta: BradleyTerry(), usual=False),
    "trueskill-through-time": _Row(lambda k, beta: TrueSkillThroughTime(), usual=False),
    "whole-history": _Row(lambda k, beta: WholeHistoryRating(), usual=False),
}
NAMES = tuple(_ROWS)
USUAL = tuple(name for name, row in _ROWS.items() if row.usual)


def forecaster(name: str, *, k: float = DEFAULT_K, beta: Beta = SUBMITTED) -> Forecaster:
    """Make a forecaster by its name; `k` is that of Elo, `beta` that of the model of Ferreira 2010."""
    if name not in _ROWS:
        raise InputError(f"there is no model {name!r}: choose one of {', '.join(NAMES)}")
    return _ROWS[name].make(k, beta)


def caveats(names: Sequence[str], *, beta: Beta = SUBMITTED) -> list[str]:
    """Return a line for each of these forecasters that does not compare as an equal."""
    rows = {name: _ROWS[name].caveat for name in names if name in _ROWS}
    return [
        f"{name}: {caveat}"
        for name, caveat in rows.items()
        if caveat and (name != "ferreira2010" or beta == SUBMITTED)
    ]


def strengths(games: ResultGames, model: str, beta: Beta = SUBMITTED, *, limit: int = 0) -> Rows:
    """Fit a model with one number per player. Prints the `limit` strongest; 0: all."""
    played = games.games_per_player()
    last = month_text(int(games.month.max()))
    about: dict[str, Any] = {"model": model, "games": len(games), "last_month": last}
    if model == "ferreira2010":
        fitted = ResultsModel(beta).fit(games)
        about |= {"white_mean": round(fitted.white_mean_, 6), "iterations": fitted.iterations_}
        column, strength = "strength", fitted.strength_
    elif model == "company":
        ratings = CompanyModel(ALONE).rate(games)
        about |= {"white": ratings.white}
        column, strength = "rating", ratings.rating * POINTS_PER_LOGIT
    else:
        raise InputError(f"fit shows the models ferreira2010 and company, not {model!r}")
    order = [index for index in np.argsort(-strength, kind="stable").tolist() if played[index]]
    columns = ("rank", "player", "games", column)
    values = ((games.players[index], int(played[index]), float(strength[index])) for index in order)
    players = [dict(zip(columns, (rank, *row), strict=True)) for rank, row in enumerate(values, start=1)]
    return result_strengths(players, about, limit)
