"""The distribution of losses of two players against each other (Alliot 2017, sections 3.3 and 4.3).

In a pair of moves the value changes by Black's loss less White's. The distribution of that difference,
convolved with itself for a longer game, is weighed by a vector e: what each difference is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import FitError, InputError
from assay.models.conformance import (
    LIMIT,
    REGRESSION_K,
    STEP,
    LossCountModel,
    LossKind,
    LossMeasure,
    PairedGames,
    count_losses,
    distribution,
    fit_line,
    pair_games,
    ponder,
    search_simplex,
)
from assay.models.intervals import correlation

Spectrum = npt.NDArray[np.complex128]

VectorKind = Literal["bound", "tanh", "spline"]

TOP = 400
"""Centipawns; larger losses count as this."""

SPLINE_END = 4.0
"""Section 4.3.1: the spline reaches 1 at four pawns; its knots are evenly spaced up to there."""


@dataclass(frozen=True)
class ResultVector:
    """e: what a difference in pawns is worth, from 0 over 0.5 to 1.

    `bound`: a win beyond `b` pawns, a draw within; Ferreira's has b = 0. `tanh`: 0.5 (1 + tanh(a x)).
    `spline`: straight lines through `knots`, odd about zero, 1 from four pawns on.
    """

    kind: VectorKind = "bound"
    b: float = 2.4
    a: float = 1.16
    knots: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in get_args(VectorKind):
            raise InputError(f"vectors are {', '.join(get_args(VectorKind))}, not '{self.kind}'")
        if self.kind == "spline" and not self.knots:
            raise InputError("a spline needs the values at its knots: fit them (best_spline)")

    def __call__(self, pawns: npt.ArrayLike) -> Floats:
        """Worth of each difference."""
        x = np.asarray(pawns, dtype=np.float64)
        if self.kind == "tanh":
            return np.asarray(0.5 * (1 + np.tanh(self.a * x)))
        if self.kind == "spline":
            at = np.linspace(0, SPLINE_END, len(self.knots) + 2)
            upper = np.interp(np.abs(x), at, (0.5, *self.knots, 1.0))
            return np.asarray(np.where(x >= 0, upper, 1 - upper))
        return np.asarray(0.5 * (1 + np.sign(x) * (np.abs(x) > self.b + 1e-9)))


class CovarianceModel(LossCountModel):
    """Forecasts from distributions of loss, convolved `n0` times (n0 + 1 pairs of moves).

    The default is section 4.3.3's: raw losses, n0 = 32, b = 2.4. `n0=0` with b = 0 is Ferreira's.
    """

    name: ClassVar[str] = "covariance"
    top, n_classes = TOP, TOP // STEP + 1

    def __init__(
        self,
        kind: LossKind = "raw",
        *,
        n0: int = 32,
        vector: ResultVector | None = None,
        k1: float = 1.44,
        k2: float = -3.53,
    ) -> None:
        super().__init__(LossMeasure(kind, k1, k2))
        if n0 < 0:
            raise InputError("n0, the number of convolutions, must be 0 or more")
        self.vector = vector or ResultVector()
        self.n0 = n0

    def estimate(self, profile: Profile) -> Estimate:
        """Mean loss in centipawns, losses beyond the top as the top (the method itself gives pairs only)."""
        self._check(profile)
        share, loss = distribution(profile.evidence), class_losses(self.measure.kind)
        mean = float(share @ loss)
        # One more move, a pawn off: moves that happen to be alike do not make the mean certain.
        n = profile.decisions
        deviation = float(np.sqrt((n * (share @ (loss - mean) ** 2) + 100**2) / (n + 1) / n))
        return Estimate(self.name, {"loss": Quantity(mean, deviation)}, profile.decisions, profile.games)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Win, draw and loss with a bound; the expectation with any vector."""
        first, second = (distribution(profile.evidence)[None] for profile in (white, black))
        middle = float(self._worth(first, second, self.vector)[0, 0])
        if self.vector.kind in ("tanh", "spline"):
            return Forecast(self.name, middle)
        win = float(self._worth(first, second, lambda x: self.vector(x) == 1.0)[0, 0])
        loss = float(self._worth(first, second, lambda x: self.vector(x) == 0.0)[0, 0])
        return Forecast(self.name, middle, win=win, draw=max(1 - win - loss, 0.0), loss=loss)

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black: one matrix product."""
        self._check(*white, *black)
        shares = [distribution(np.stack([profile.evidence for profile in side])) for side in (white, black)]
        return self._worth(shares[0], shares[1], self.vector)

    def _worth(self, white: Floats, black: Floats, worth: Any) -> Floats:
        return convolved_expectations(white, black, self.n0, STEP / 100, worth)


def class_losses(kind: LossKind) -> Floats:
    """What a loss of each class is worth in centipawns: nothing, the middle of the class, and the top.

    Engines count whole centipawns, so that raw losses of the class of 10 are 1 to 10, 5.5 in the middle;
    pondered ones are any number above 0 up to 10.
    """
    behind = STEP / 2 if kind == "pondered" else (STEP - 1) / 2
    return np.concatenate(([0.0], STEP * np.arange(1.0, TOP // STEP) - behind, [TOP]))


def convolved_expectations(white: Floats, black: Floats, n0: int, step: float, worth: Any) -> Floats:
    """Worth of every White (rows: distributions) against every Black after n0 + 1 pairs of moves.

    A pair of moves gains White R_{W-B}(x) = sum over m of R_W(m) R_B(m + x) (section 3.3; the sum is printed
    there without the m), which is convolved n0 times with itself (section 4.3.1, Figure 10). In Fourier space
    a pair is a product and its n-th convolution a power, of each player apart; weighing by the vector is a
    scalar product there too (Parseval). So all pairs together are one matrix product.
    """
    from scipy.fft import next_fast_len

    pairs, reach = n0 + 1, (n0 + 1) * (white.shape[1] - 1)
    length = next_fast_len(2 * reach + 1, real=True)
    differences = np.arange(-reach, reach + 1)
    vector = np.zeros(length)
    vector[differences % length] = worth(step * differences)
    weights = np.full(length // 2 + 1, 2.0)
    weights[0] = 1.0
    if length % 2 == 0:
        weights[-1] = 1.0
    kernel = weights * np.conj(np.fft.rfft(vector)) / length
    whites = _power(np.conj(np.fft.rfft(white, length, axis=1)), pairs)
    blacks = _power(np.fft.rfft(black, length, axis=1), pairs)
    return np.asarray(np.clip(((whites * kernel) @ blacks.T).real, 0.0, 1.0))


def _power(base: Spectrum, exponent: int) -> Spectrum:
    """A whole power above zero, by squaring: numpy takes logarithms of complex numbers, ten times as long."""
    square, answer = base, None
    while True:
        if exponent % 2:
            answer = square if answer is None else answer * square
        exponent //= 2
        if not exponent:
            assert answer is not None
            return answer
        square = square * square


# Fitting to results (section 4.3.1, Table 6, Figures 11 and 12) -------------------------------------------

N_KNOTS = 19
"""Section 4.3.1: values at 0.2, 0.4, ..., 3.8 pawns."""

BOUNDS = tuple(round(0.2 * step, 1) for step in range(40))
"""Section 4.3.1: from 0 to 7.8 pawns."""


def game_distributions(games: PairedGames, lost: Floats) -> tuple[Floats, Floats]:
    """Distributions of loss of White and of Black in each game."""
    shares = distribution(count_losses(lost, games.side, 2 * len(games), TOP // STEP + 1))
    return shares[0::2], shares[1::2]


def _after(white: Floats, black: Floats, pairs: int) -> tuple[Floats, Ints]:
    """Distribution of the difference of each game after so many pairs of moves, and those differences."""
    from scipy.fft import next_fast_len

    reach = pairs * (white.shape[1] - 1)
    length = next_fast_len(2 * reach + 1, real=True)
    spectra = np.conj(np.fft.rfft(white, length)) * np.fft.rfft(black, length)
    differences = np.arange(-reach, reach + 1)
    return np.fft.irfft(spectra**pairs, length)[:, differences % length], differences


def indicators(decisions: Decisions, model: CovarianceModel) -> tuple[Floats, Floats]:
    """The indicator 2 e - 1 of each game by itself, and its result."""
    games = pair_games(decisions.filter(*model.rules()))
    white, black = game_distributions(games, model.measure.of(games.decisions))
    after, differences = _after(white, black, model.n0 + 1)
    return 2 * (after @ model.vector(STEP / 100 * differences)) - 1, games.result


def statistics(indicator: Floats, result: Floats) -> dict[str, float]:
    """A column of Table 6: correlation with the result, mean and deviation of the indicator, the line."""
    alpha, beta = fit_line(indicator, result)
    return {
        "correlation": correlation(indicator, result),
        "mean": float(indicator.mean()),
        "deviation": float(indicator.std()),
        "alpha": alpha,
        "beta": beta,
    }


def correlation_surface(decisions: Decisions, n0s: Sequence[int], bounds: Sequence[float]) -> Floats:
    """Correlation with the result by n0 and decision bound in pawns: Figure 11, shape (n0s, bounds)."""
    games = pair_games(decisions.filter(*LossMeasure().rules()))
    white, black = game_distributions(games, LossMeasure().of(games.decisions))
    surface = np.empty((len(n0s), len(bounds)))
    for row, n0 in enumerate(n0s):
        vectors = np.empty((len(white), len(bounds)))
        for at in range(0, len(white), 500):  # games at a time, to spare memory
            after, differences = _after(white[at : at + 500], black[at : at + 500], n0 + 1)
            worth = [ResultVector(b=bound)(STEP / 100 * differences) for bound in bounds]
            vectors[at : at + 500] = after @ np.transpose(worth)
        surface[row] = [correlation(column, games.result) for column in vectors.T]
    return surface


def best_bounds(surface: Floats, bounds: Sequence[float]) -> list[tuple[float, float]]:
    """The best bound for each n0 and its correlation: Figure 12."""
    best = np.nanargmax(surface, axis=1)
    return [(float(bounds[index]), float(surface[row, index])) for row, index in enumerate(best)]


def covariance_with_results(decisions: Decisions, n0s: Sequence[int]) -> list[dict[str, Any]]:
    """For each number of convolutions the best decision bound, and the indicator's statistics with it."""
    best = best_bounds(correlation_surface(decisions, n0s, BOUNDS), BOUNDS)
    rows = []
    for n0, (bound, _) in zip(n0s, best, strict=True):
        model = CovarianceModel(n0=n0, vector=ResultVector(b=bound))
        rows.append({"n0": n0, "b": bound, **statistics(*indicators(decisions, model))})
    return rows


def fitted_vector(decisions: Decisions, kind: Literal["tanh", "spline"]) -> list[dict[str, Any]]:
    """The vector with its k1 and k2 that goes best with the results, by search, beside the paper's tanh."""
    rows: list[dict[str, Any]] = []
    if kind == "tanh":
        k1, k2, a, _ = best_tanh(decisions)
        vector = ResultVector("tanh", a=a)
        paper = CovarianceModel("pondered", n0=0, k1=1.2, k2=-3.41, vector=ResultVector("tanh"))
        about = {"vector": "tanh, paper", "k1": 1.2, "k2": -3.41, "a": 1.16}
        rows.append({**about, **statistics(*indicators(decisions, paper))})
    else:
        k1, k2, vector, _ = best_spline(decisions)
    model = CovarianceModel("pondered", n0=0, k1=k1, k2=k2, vector=vector)
    shape = {"a": vector.a} if kind == "tanh" else {"knots": [round(knot, 4) for knot in vector.knots]}
    about = {"vector": f"{kind}, found", "k1": k1, "k2": k2, **shape}
    return [*rows, {**about, **statistics(*indicators(decisions, model))}]


def best_tanh(decisions: Decisions) -> tuple[float, float, float, float]:
    """k1, k2, a and their correlation, by Nelder and Mead's simplex over all three."""
    fit = _Pondered(decisions)

    def shortfall(k1: float, minus_k2: float, a: float) -> float:
        return -correlation(fit.differences(k1, -minus_k2) @ np.tanh(a * fit.pawns), fit.games.result)

    (k1, minus_k2, a), least = search_simplex(shortfall, (*REGRESSION_K, 1.0), fatol=1e-6)
    return k1, -minus_k2, a, -least


def best_spline(decisions: Decisions) -> tuple[float, float, ResultVector, float]:
    """k1, k2, a rising spline and their correlation.

    For given k1 and k2 the best rising vector is a non-negative least-squares problem, so the simplex
    searches two variables in place of the paper's 21.
    """
    fit = _Pondered(decisions)
    (k1, minus_k2), least = search_simplex(lambda k1, k2: -fit.spline(k1, -k2)[1], REGRESSION_K, wide=True)
    rises, _ = fit.spline(k1, -minus_k2)
    values = 0.5 + 0.5 * np.cumsum(rises) / rises.sum()
    return k1, -minus_k2, ResultVector("spline", knots=tuple(values[:-1].tolist())), -least


class _Pondered:
    """Games whose losses are pondered again and again."""

    def __init__(self, decisions: Decisions) -> None:
        self.games = pair_games(decisions.filter(*LossMeasure("pondered").rules()))
        self.raw = LossMeasure("raw").of(self.games.decisions)
        self.best = np.clip(self.games.decisions.best_value, -LIMIT, LIMIT)
        self.pawns = np.arange(-TOP, TOP + 1, STEP) / 100
        # Column j rises from 0 to 1 between knots j and j + 1, odd about zero.
        at = np.linspace(0, SPLINE_END, N_KNOTS + 2)
        self.rising = np.stack(
            [np.sign(self.pawns) * np.clip((np.abs(self.pawns) - low) / at[1], 0, 1) for low in at[:-1]],
            axis=1,
        )

    def differences(self, k1: float, k2: float) -> Floats:
        """Distribution of the difference of each game."""
        lost = ponder(self.raw, self.best, k1, k2)
        sides = zip(*game_distributions(self.games, lost), strict=True)
        # Not `_after`: least squares would fit the rounding of a Fourier transform where nothing is lost.
        return np.stack([np.convolve(black, white[::-1]) for white, black in sides])

    def spline(self, k1: float, k2: float) -> tuple[Floats, float]:
        """Rises of the best vector between its knots, and its correlation."""
        from scipy.optimize import nnls

        features = self.differences(k1, k2) @ self.rising
        centred = features - features.mean(axis=0)
        rises, _ = nnls(centred, self.games.result - self.games.result.mean())
        if not rises.any():
            raise FitError("no rising vector goes with these results: use more games")
        return rises, correlation(features @ rises, self.games.result)
