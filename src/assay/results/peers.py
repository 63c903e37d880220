"""Other people's rating systems, from their own packages (the extra `peers`), on our interface.

Where a package knows no colours, White's advantage is added as in Ferreira 2010, Eq. 16.
"""

from importlib import import_module
from types import ModuleType
from typing import Self

import numpy as np
from scipy.special import ndtr

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError
from assay.results.fit import expected_result, with_whites_advantage
from assay.results.table import ResultGames


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
