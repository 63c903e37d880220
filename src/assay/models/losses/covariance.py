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
from scipy.fft import next_fast_len

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.arrays import Floats
from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.models.losses.conformance import distribution
from assay.models.losses.counts import LossCountModel
from assay.models.losses.measure import LossKind, LossMeasure

Spectrum = npt.NDArray[np.complex128]

VectorKind = Literal["bound", "step", "tanh", "spline"]

SPLINE_END = 4.0
"""Section 4.3.1: the spline reaches 1 at four pawns; its knots are evenly spaced up to there."""


@dataclass(frozen=True)
class ResultVector:
    """e: what a difference in pawns is worth, from 0 over 0.5 to 1.

    `bound`: a win beyond `b` pawns, a draw within. `step`: the same with b = 0 (Ferreira's). `tanh`:
    0.5 (1 + tanh(a x)). `spline`: straight lines through `knots`, odd about zero, 1 from four pawns on.
    """

    kind: VectorKind = "bound"
    b: float = 2.4
    a: float = 1.16
    knots: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in get_args(VectorKind):
            raise InputError(f"vectors are {', '.join(get_args(VectorKind))}, not '{self.kind}'")
        if self.kind == "spline" and not self.knots:
            raise InputError("a spline needs the values at its knots: fit them (covariance_fit.best_spline)")

    def __str__(self) -> str:
        return {"bound": f"b={self.b:g}", "step": "step", "tanh": f"tanh a={self.a:g}"}.get(
            self.kind, f"spline of {len(self.knots)} knots"
        )

    def __call__(self, pawns: npt.ArrayLike) -> Floats:
        """Worth of each difference."""
        x = np.asarray(pawns, dtype=np.float64)
        if self.kind == "tanh":
            return np.asarray(0.5 * (1 + np.tanh(self.a * x)))
        if self.kind == "spline":
            at = np.linspace(0, SPLINE_END, len(self.knots) + 2)
            upper = np.interp(np.abs(x), at, (0.5, *self.knots, 1.0))
            return np.asarray(np.where(x >= 0, upper, 1 - upper))
        beyond = np.abs(x) > (self.b if self.kind == "bound" else 0.0) + 1e-9
        return np.asarray(0.5 * (1 + np.sign(x) * beyond))


class CovarianceModel(LossCountModel):
    """Forecasts from distributions of loss, convolved `n0` times (n0 + 1 pairs of moves).

    The default is section 4.3.3's: raw losses, n0 = 32, b = 2.4. `n0=0` with the step is Ferreira's.
    `alpha` and `beta` stretch the indicator 2 e - 1, as section 4.3.1 finds necessary for short games.
    """

    name: ClassVar[str] = "covariance"
    beyond_apart = False

    def __init__(
        self,
        kind: LossKind = "raw",
        *,
        n0: int = 32,
        vector: ResultVector | None = None,
        k1: float = 1.44,
        k2: float = -3.53,
        step: int = 10,
        top: int = 400,
        alpha: float = 0.0,
        beta: float = 1.0,
    ) -> None:
        super().__init__(LossMeasure(kind, k1, k2), step, top)
        if n0 < 0:
            raise InputError("n0, the number of convolutions, must be 0 or more")
        self.vector = vector or ResultVector()
        self.n0 = n0
        self.alpha, self.beta = alpha, beta

    def estimate(self, profile: Profile) -> Estimate:
        """Mean loss in centipawns, losses beyond the top as the top (the method itself gives pairs only)."""
        self._check(profile)
        share, loss = distribution(profile.evidence), self.class_losses()
        mean = float(share @ loss)
        deviation = float(np.sqrt(share @ (loss - mean) ** 2 / profile.decisions))
        return Estimate(self.name, {"loss": Quantity(mean, deviation)}, profile.decisions, profile.games)

    def class_losses(self) -> Floats:
        """What a loss of each class is worth: nothing, the middle of the class, and the top.

        Engines count whole centipawns, so that raw losses of the class of 10 are 1 to 10, 5.5 in the middle;
        pondered ones are any number above 0 up to 10.
        """
        behind = self.step / 2 if self.measure.kind == "pondered" else (self.step - 1) / 2
        losses = self.step * np.arange(self.shape[0]) - behind
        losses[0], losses[-1] = 0.0, self.top
        return np.asarray(losses, dtype=np.float64)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Win, draw and loss with a bound; the expectation with any vector."""
        first, second = (distribution(profile.evidence)[None] for profile in (white, black))
        middle = float(self._stretched(self._worth(first, second, self.vector))[0, 0])
        if self.vector.kind in ("tanh", "spline"):
            return Forecast(self.name, middle)
        win = float(self._worth(first, second, lambda x: self.vector(x) == 1.0)[0, 0])
        loss = float(self._worth(first, second, lambda x: self.vector(x) == 0.0)[0, 0])
        return Forecast(self.name, middle, win=win, draw=max(1 - win - loss, 0.0), loss=loss)

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black: one matrix product."""
        self._check_all((*white, *black))
        shares = [distribution(np.stack([profile.evidence for profile in side])) for side in (white, black)]
        return self._stretched(self._worth(shares[0], shares[1], self.vector))

    def _worth(self, white: Floats, black: Floats, worth: Any) -> Floats:
        return convolved_expectations(white, black, self.n0, self.step / 100, worth)

    def _stretched(self, expectation: Floats) -> Floats:
        return np.clip((1 + self.beta * (2 * expectation - 1) + self.alpha) / 2, 0.0, 1.0)


def difference_distribution(white: npt.ArrayLike, black: npt.ArrayLike) -> Floats:
    """R_{W-B}(x) = sum over m of R_W(m) R_B(m + x): what a pair of moves gains White, from -K to K.

    Section 3.3; the sum is printed there without the m.
    """
    return np.convolve(np.asarray(black, np.float64), np.asarray(white, np.float64)[::-1])


def convolved_expectations(white: Floats, black: Floats, n0: int, step: float, worth: Any) -> Floats:
    """Worth of every White (rows: distributions) against every Black after n0 + 1 pairs of moves.

    That is `difference_distribution` convolved n0 times with itself (section 4.3.1, Figure 10). In
    Fourier space a pair is a product and its n-th convolution a power, of each player apart; weighing by
    the vector is a scalar product there too (Parseval). So all pairs together are one matrix product.
    """
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
