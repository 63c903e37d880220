"""Fitting the covariance indicator to results (Alliot 2017, section 4.3.1, Table 6, Figures 11 and 12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.fft import next_fast_len
from scipy.optimize import minimize, nnls

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.errors import FitError
from assay.models.losses.conformance import REGRESSION_K, distribution, simplex_k
from assay.models.losses.covariance import SPLINE_END, CovarianceModel, ResultVector, difference_distribution
from assay.models.losses.measure import LossMeasure, count_classes, loss_classes, ponder
from assay.models.outcomes import PairedGames, correlation, fit_line, pair_games

N_KNOTS = 19
"""Section 4.3.1: values at 0.2, 0.4, ..., 3.8 pawns."""


@dataclass(frozen=True)
class IndicatorStatistics:
    """A column of Table 6: correlation with the result, mean and deviation of the indicator, the line."""

    rho: float
    mean: float
    deviation: float
    beta: float
    alpha: float


def game_distributions(games: PairedGames, lost: Floats, step: int, top: int) -> tuple[Floats, Floats]:
    """Distributions of loss of White and of Black in each game."""
    size = top // step + 1
    counts = count_classes(loss_classes(lost, step, size - 1), games.side, 2 * len(games), size)
    shares = distribution(counts)
    return shares[0::2], shares[1::2]


def indicators(decisions: Decisions, model: CovarianceModel) -> tuple[Floats, Floats]:
    """The indicator 2 e - 1 of each game by itself, and its result."""
    games = pair_games(decisions.filter(*model.rules()))
    white, black = game_distributions(games, model.measure.of(games.decisions), model.step, model.top)
    worth = _worth_of_games(white, black, model)
    return 2 * worth - 1, games.result


def _worth_of_games(white: Floats, black: Floats, model: CovarianceModel) -> Floats:
    spectra, length = _spectra(white, black, model.n0 + 1)
    reach = (model.n0 + 1) * (white.shape[1] - 1)
    after = np.fft.irfft(spectra ** (model.n0 + 1), length)
    differences = np.arange(-reach, reach + 1)
    return np.asarray(after[:, differences % length] @ model.vector(model.step / 100 * differences))


def _spectra(white: Floats, black: Floats, pairs: int) -> tuple[npt.NDArray[np.complex128], int]:
    length = next_fast_len(2 * pairs * (white.shape[1] - 1) + 1, real=True)
    return np.conj(np.fft.rfft(white, length)) * np.fft.rfft(black, length), length


def statistics(indicator: Floats, result: Floats) -> IndicatorStatistics:
    """A column of Table 6."""
    alpha, beta = fit_line(indicator, result)
    return IndicatorStatistics(
        correlation(indicator, result), float(indicator.mean()), float(indicator.std()), beta, alpha
    )


def correlation_surface(
    decisions: Decisions,
    n0s: Sequence[int],
    bounds: Sequence[float],
    model: CovarianceModel | None = None,
) -> Floats:
    """Correlation with the result by n0 and decision bound in pawns: Figure 11, shape (n0s, bounds)."""
    chosen = model or CovarianceModel()
    games = pair_games(decisions.filter(*chosen.rules()))
    white, black = game_distributions(games, chosen.measure.of(games.decisions), chosen.step, chosen.top)
    surface = np.empty((len(n0s), len(bounds)))
    for row, n0 in enumerate(n0s):
        worth = np.concatenate(
            [
                _worth_by_bound(white[part], black[part], n0 + 1, bounds, chosen.step)
                for part in _parts(len(white))
            ]
        )
        surface[row] = [correlation(column, games.result) for column in worth.T]
    return surface


def best_bounds(surface: Floats, bounds: Sequence[float]) -> list[tuple[float, float]]:
    """The best bound for each n0 and its correlation: Figure 12."""
    best = np.nanargmax(surface, axis=1)
    return [(float(bounds[index]), float(surface[row, index])) for row, index in enumerate(best)]


def _parts(n_games: int, size: int = 500) -> list[slice]:
    return [slice(start, start + size) for start in range(0, n_games, size)]


def _worth_by_bound(white: Floats, black: Floats, pairs: int, bounds: Sequence[float], step: int) -> Floats:
    """Win plus half the draws for each game and bound, from the cumulated distribution."""
    spectra, length = _spectra(white, black, pairs)
    reach = pairs * (white.shape[1] - 1)
    after = np.fft.irfft(spectra**pairs, length)[:, np.arange(-reach, reach + 1) % length]
    below = np.concatenate((np.zeros((len(after), 1)), np.cumsum(after, axis=1)), axis=1)
    steps = np.minimum(np.floor(100 * np.asarray(bounds) / step + 1e-9).astype(np.int64), reach)
    win, not_lost = 1 - below[:, reach + steps + 1], 1 - below[:, reach - steps]
    return np.asarray((win + not_lost) / 2)


def best_tanh(
    decisions: Decisions,
    start: tuple[float, float, float] = (*REGRESSION_K, 1.0),
    step: int = 10,
    top: int = 400,
) -> tuple[float, float, float, float]:
    """k1, k2, a and their correlation, by Nelder and Mead's simplex over all three."""
    fit = _Pondered(decisions, step, top)

    def shortfall(logs: Floats) -> float:
        k1, k2, a = np.exp(logs) * (1, -1, 1)
        return -correlation(fit.differences(k1, k2) @ np.tanh(a * fit.pawns), fit.games.result)

    found = minimize(
        shortfall,
        np.log(np.abs(start)),
        method="Nelder-Mead",
        options={"xatol": 1e-3, "fatol": 1e-6, "maxiter": 800},
    )
    if not found.success:
        raise FitError(f"k1, k2 and a were not found: {found.message}")
    k1, k2, a = np.exp(found.x) * (1, -1, 1)
    return float(k1), float(k2), float(a), float(-found.fun)


def best_spline(
    decisions: Decisions, start: tuple[float, float] = REGRESSION_K, step: int = 10, top: int = 400
) -> tuple[float, float, ResultVector, float]:
    """k1, k2, a rising spline and their correlation.

    For given k1 and k2 the best rising vector is a non-negative least-squares problem, so the simplex
    searches two variables in place of the paper's 21.
    """
    fit = _Pondered(decisions, step, top)
    k1, k2, rho = simplex_k(
        lambda logs: -fit.spline(float(np.exp(logs[0])), -float(np.exp(logs[1])))[1], start
    )
    rises, _ = fit.spline(k1, k2)
    values = 0.5 + 0.5 * np.cumsum(rises) / rises.sum()
    return k1, k2, ResultVector("spline", knots=tuple(values[:-1].tolist())), rho


class _Pondered:
    """Games whose losses are pondered again and again."""

    def __init__(self, decisions: Decisions, step: int, top: int) -> None:
        self.step, self.top = step, top
        self.games = pair_games(decisions.filter(*LossMeasure("pondered").rules()))
        self.raw = LossMeasure("raw").of(self.games.decisions)
        self.best = np.clip(self.games.decisions.best_value, -LossMeasure().limit, LossMeasure().limit)
        self.pawns = np.arange(-top, top + 1, step) / 100
        # Column j rises from 0 to 1 between knots j and j + 1, odd about zero.
        at = np.linspace(0, SPLINE_END, N_KNOTS + 2)
        self.rising = np.stack(
            [np.sign(self.pawns) * np.clip((np.abs(self.pawns) - low) / at[1], 0, 1) for low in at[:-1]],
            axis=1,
        )

    def differences(self, k1: float, k2: float) -> Floats:
        """Distribution of the difference of each game."""
        lost = ponder(self.raw, self.best, k1, k2)
        white, black = game_distributions(self.games, lost, self.step, self.top)
        return np.stack([difference_distribution(w, b) for w, b in zip(white, black, strict=True)])

    def spline(self, k1: float, k2: float) -> tuple[Floats, float]:
        """Rises of the best vector between its knots, and its correlation."""
        features = self.differences(k1, k2) @ self.rising
        centred = features - features.mean(axis=0)
        rises, _ = nnls(centred, self.games.result - self.games.result.mean())
        if not rises.any():
            raise FitError("no rising vector goes with these results: use more games")
        return rises, correlation(features @ rises, self.games.result)
