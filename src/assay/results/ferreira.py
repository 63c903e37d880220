"""Strength from results alone (Ferreira 2010, "Predicting the outcome of chess games").

The strength of a player X is the expected score P(X > Z) against a reference player Z whose own strength
is never computed (Eq. 6). It follows from the average result of X and the average strength of their
opponents, by iteration (Eq. 10), with priors on both and with weights that fade with time.

In odds, o(p) = p / (1 - p), Eq. 5 and Eq. 10 are one product: o(X > Z) = o(Y > Z) o(X > Y). All of the
iteration below works with the logarithms of these odds, where the product is a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.sparse import csr_array
from scipy.special import expit, logit

from assay.decisions.arrays import Floats, Ints
from assay.errors import FitError, InputError
from assay.results.games import ResultGames, Split
from assay.results.metrics import month_errors

# Algorithm 1, step 4 has 1e-6, at which the plain iteration is still 25 times as far from its end. For tuning
# too: its last steps change the error by less than strengths off by 1e-6 would.
TOLERANCE = 1e-9
_MEMORY = 6  # earlier iterates that the acceleration combines


class Beta(NamedTuple):
    """The five settings of the model (Eq. 11 to 13)."""

    b0: float  # weight of the prior on the average result, in games
    b1: float  # the average result in those games
    b2: float  # weight of the prior on the opponents' strength, in games
    b3: float  # the strength of the opponent in those games
    b4: float  # how fast the weight of a game fades with its age

    def check(self) -> Self:
        """The same settings, if they can be used."""
        if not all(np.isfinite(self)):
            raise InputError("every beta must be a finite number")
        if self.b0 <= 0 or self.b2 <= 0 or self.b4 < 0:
            raise InputError(
                "beta 0 and beta 2 are weights and must be positive, beta 4 must not be negative"
            )
        if not (0 < self.b1 < 1 and 0 < self.b3 < 1):
            raise InputError("beta 1 and beta 3 are expected scores and must lie between 0 and 1")
        return self


INITIAL = Beta(1.0, 0.5, 1.0, 0.5, 1.0)  # Algorithm 2, step 1
SUBMITTED = Beta(8.389310, 0.455593, 1.681413, 0.012007, 7.444683)  # Eq. 17
AFTER_THE_FACT = Beta(12.73497, 0.455120, 0.656719, 0.000269, 8.211413)  # Eq. 18


def expected_result(gamma_x: Floats, gamma_y: Floats) -> Floats:
    """P(X > Y) of two strengths (Eq. 1; Eq. 7 where the strength is the expected score against Z)."""
    return np.asarray(1.0 / (1.0 + gamma_y / gamma_x), dtype=float)


def transitive(x_over_y: Floats, y_over_z: Floats) -> Floats:
    """P(X > Z) from P(X > Y) and P(Y > Z) (Eq. 5)."""
    return np.asarray(1.0 / (1.0 + (1.0 / y_over_z - 1.0) * (1.0 / x_over_y - 1.0)), dtype=float)


def time_weight(age: Floats | Ints, b4: float) -> Floats:
    """The weight of a game that is `age` months older than the latest (Eq. 13)."""
    return np.asarray(1.0 / (1.0 + b4 * np.asarray(age) / 100.0), dtype=float)


def with_whites_advantage(expectation: Floats, white_mean: float) -> Floats:
    """The expected result of X when X has White (Eq. 16)."""
    favoured = white_mean * expectation
    return np.asarray(favoured / (favoured + (1.0 - white_mean) * (1.0 - expectation)), dtype=float)


@dataclass(frozen=True)
class Meetings:
    """Who met whom, seen from each player: the part of a fit that no setting changes.

    Every game appears twice, once for each of its players. Tuning fits the same games a thousand times,
    so that the order of the rows is found only once.
    """

    start: NDArray[np.int32]  # where the rows of each player begin
    opponent: NDArray[np.int32]
    age: Ints  # months before the latest month
    result: Floats  # of the player, not of White

    @classmethod
    def of(cls, games: ResultGames) -> Self:
        """The meetings of all games; M of Eq. 13 is their latest month."""
        player = np.concatenate([games.white, games.black])
        order = np.argsort(player, kind="stable")
        age = games.month.max() - games.month
        return cls(
            # 32 bits are enough and make the products of the iteration twice as fast.
            start=np.concatenate([[0], np.cumsum(games.games_per_player())]).astype(np.int32),
            opponent=np.concatenate([games.black, games.white])[order].astype(np.int32),
            age=np.concatenate([age, age])[order],
            result=np.concatenate([games.result, 1.0 - games.result])[order],
        )

    def weighted(self, weight: Floats) -> csr_array:
        """Row x times a column of strengths: the weighted sum over the opponents of x."""
        size = len(self.start) - 1
        return csr_array((weight, self.opponent, self.start), shape=(size, size))


def strengths(
    meetings: Meetings,
    beta: Beta,
    *,
    tolerance: float = TOLERANCE,
    start: Floats | None = None,
    limit: int = 20_000,
) -> tuple[Floats, int]:
    """Find the strength P(X > Z) of every player (Algorithm 1). Returns them and the number of iterations.

    The last few iterates are combined (Anderson 1965), which reaches the same fixed point in a fraction of
    the iterations. `start` is where to begin instead of 0.5 for everyone. It ends when the relative change
    of every strength is below `tolerance`.
    """
    weight = time_weight(meetings.age, beta.b4)
    opponents = meetings.weighted(weight)
    total = opponents @ np.ones(opponents.shape[1])
    earned = meetings.weighted(weight * meetings.result) @ np.ones(opponents.shape[1])
    log_odds_of_results = logit((beta.b0 * beta.b1 + earned) / (beta.b0 + total))  # Eq. 14

    def improve(log_odds: Floats) -> Floats:
        average = (beta.b2 * beta.b3 + opponents @ expit(log_odds)) / (beta.b2 + total)  # Eq. 15
        return np.asarray(logit(average) + log_odds_of_results)  # Eq. 10

    current = np.zeros(len(total)) if start is None else logit(start)
    history = _Anderson(_MEMORY, len(total))
    for iteration in range(1, limit + 1):
        following = improve(current)
        # The relative change of p is the change of its log odds times (1 - p).
        if np.max(np.abs(following - current) * expit(-following), initial=0.0) < tolerance:
            return expit(following), iteration
        current = history.combine(current, following)
    raise FitError(f"the strengths did not converge in {limit} iterations with beta {tuple(beta)}")


class _Anderson:
    """Anderson acceleration: the combination of recent iterates whose residual is smallest.

    Walker and Ni 2011, "Anderson acceleration for fixed-point iterations", in its difference form.
    """

    def __init__(self, memory: int, size: int) -> None:
        # The oldest difference is overwritten by the newest; their order does not matter.
        self._images = np.zeros((memory, size))
        self._residuals = np.zeros((memory, size))
        self._gram = np.zeros((memory, memory))
        self._seen = 0
        self._last: tuple[Floats, Floats] | None = None

    def combine(self, point: Floats, image: Floats) -> Floats:
        """The next iterate, given the latest point and its image."""
        residual = image - point
        if self._last is not None:
            place = self._seen % len(self._gram)
            self._images[place], self._residuals[place] = image - self._last[0], residual - self._last[1]
            self._gram[place] = self._gram[:, place] = self._residuals @ self._residuals[place]
            self._seen += 1
        self._last = image, residual
        held = min(self._seen, len(self._gram))
        if held == 0:
            return image
        # Normal equations of at most six unknowns; iterates that nearly coincide are cut off by lstsq.
        steps = self._residuals[:held]
        mix = np.linalg.lstsq(self._gram[:held, :held], steps @ residual, rcond=1e-12)[0]
        return np.asarray(image - mix @ self._images[:held])


class ResultsModel:
    """The model of Ferreira 2010: `fit` finds strengths, `forecast` gives White's expected result.

    Learned: `players_`, `strength_` (in the order of `players_`), `white_mean_`, `iterations_`.
    Players never seen are forecast from the prior, which is what Eq. 10 gives for no games.
    """

    def __init__(
        self,
        beta: Beta = SUBMITTED,
        *,
        name: str = "ferreira2010",
    ) -> None:
        self.name, self.beta = name, Beta(*beta).check()

    def fit(self, games: ResultGames) -> Self:
        """Learn the strength of every player from games with results."""
        games.require_results()
        self.players_, self.white_mean_ = games.players, float(games.result.mean())
        self.strength_, self.iterations_ = strengths(Meetings.of(games), self.beta)
        return self

    @property
    def prior_(self) -> float:
        """The strength of a player without games."""
        return float(transitive(np.array(self.beta.b1), np.array(self.beta.b3)))

    def forecast(self, games: ResultGames) -> Floats:
        """White's expected result in each game (Eq. 7 and 16); results in `games` are not looked at."""
        # The last place is that of everybody unknown: -1 finds it.
        strength = np.append(self.strength_, self.prior_)
        white, black = games.codes_in(self.players_)
        return with_whites_advantage(expected_result(strength[white], strength[black]), self.white_mean_)


# Tuning: the settings that forecast several validation sets best (section 5).

PRECISION = 1e-6  # Algorithm 2: 0.0001%
_GAIN = 1e-10  # what such strengths can tell apart; a value that belongs at 0 would else be halved for ever
_FIT_LIMIT = 1000  # iterations: settings for which that is not enough are as good as none

# Where to search. With next to no prior the level of all strengths is not determined, and no fit converges.
_LOWEST = Beta(1e-2, 1e-3, 1e-2, 1e-6, 1e-4)
_HIGHEST = Beta(1e3, 0.999, 1e3, 0.999, 1e3)

Objective = Callable[[tuple[float, ...]], float]
Report = Callable[[float, float, int], None]


class Tuned(NamedTuple):
    """Where the search ended."""

    values: tuple[float, ...]
    error: float
    evaluations: int


def circular_search(
    objective: Objective,
    start: Sequence[float],
    *,
    precision: float = PRECISION,
    gain: float = 0.0,
    report: Report | None = None,
) -> Tuned:
    """Algorithm 2: change one value after the other by a share of itself; halve the share when stuck.

    A step counts as an improvement when it lowers the error by more than `gain`; the paper's is 0.
    `report` is called with the step, the error and the number of evaluations after each circle.
    """
    step = 0.5  # Algorithm 2: 50%
    if not 0 < precision <= step:
        raise InputError("the precision of the search must be positive and not above its first step")
    values = tuple(float(value) for value in start)
    error, evaluations = objective(values), 1
    if not np.isfinite(error):
        raise InputError(f"the search cannot start from {tuple(start)}: the error there is not a number")
    while step >= precision:
        improved = False
        # Algorithm 2, a: one round through the values, each a step up and a step down.
        for index, change in product(range(len(values)), (1.0 + step, 1.0 - step)):
            candidate = (*values[:index], values[index] * change, *values[index + 1 :])
            candidate_error = objective(candidate)
            evaluations += 1
            if candidate_error < error - gain:
                values, error, improved = candidate, candidate_error, True
        if report is not None:
            report(step, error, evaluations)
        if not improved:
            step /= 2.0
    return Tuned(values, error, evaluations)


class BetaObjective:
    """The average month-aggregated RMSE of the model of Ferreira 2010 over several splits.

    Each fit starts from the strengths of the last one of its split: neighbouring settings have
    neighbouring strengths, and a fit is then a few iterations.
    """

    def __init__(self, splits: Iterable[Split]) -> None:
        self._cases = [(split, Meetings.of(split.training)) for split in splits]
        self._strengths: list[Floats | None] = [None] * len(self._cases)
        self.evaluations = 0

    def __call__(self, values: tuple[float, ...]) -> float:
        """The average error of one candidate; infinite where the model cannot take it."""
        self.evaluations += 1
        if not all(low <= value <= high for low, value, high in zip(_LOWEST, values, _HIGHEST, strict=True)):
            return float("inf")
        try:
            return float(np.mean([np.sqrt(np.mean(e**2)) for e in self._errors(values)]))
        except FitError:
            return float("inf")  # no fit: never an improvement

    def _errors(self, values: Sequence[float]) -> list[Floats]:
        """Return for each split the error of each player in each month of its validation set."""
        errors = []
        for index, (split, meetings) in enumerate(self._cases):
            strength, _ = strengths(
                meetings,
                Beta(*values),
                start=self._strengths[index],
                limit=_FIT_LIMIT,
            )
            self._strengths[index] = strength
            games = split.validation
            even = expected_result(strength[games.white], strength[games.black])
            forecast = with_whites_advantage(even, float(split.training.result.mean()))
            errors.append(month_errors(games, forecast).error)
        return errors

    def residuals(self, values: Sequence[float]) -> Floats:
        """Errors whose sum of squares has its minimum, nearly, where the average RMSE has its own.

        A set counts by the inverse of its RMSE: the derivative of a root. Which RMSE hardly matters, so
        that the present one is taken.
        """
        self.evaluations += 1
        return np.concatenate(
            [error / np.sqrt(len(error) * np.sqrt(np.mean(error**2))) for error in self._errors(values)]
        )


def descend(objective: BetaObjective, start: Beta) -> Beta:
    """Down the valley of the errors by least squares in the logarithms of the settings.

    The valley is long, narrow and curved (many games against weak artificial opponents are much like few
    against weaker ones): single steps of Algorithm 2 creep along it for thousands of evaluations, while
    Levenberg's and Marquardt's, which know the slope of every error, need a few dozen.
    """
    try:
        lowest = least_squares(
            lambda logs: objective.residuals(np.exp(logs).tolist()),
            np.clip(np.log(start), np.log(_LOWEST) + 0.01, np.log(_HIGHEST) - 0.01),
            bounds=(np.log(_LOWEST), np.log(_HIGHEST)),
            diff_step=1e-5,
            xtol=1e-10,
            ftol=1e-12,
            max_nfev=60,
        )
    except FitError:
        return start  # the descent has left the settings that can be fitted: the search must do without it
    return Beta(*np.exp(lowest.x).tolist())


def tune_beta(
    splits: Sequence[Split],
    *,
    start: Beta = INITIAL,
    precision: float = PRECISION,
    plain: bool = False,
    report: Report | None = None,
) -> Tuned:
    """The five settings that make the average error over the splits smallest (Algorithm 2).

    Unless `plain`, the search begins at the end of a descent by least squares, if that is lower. Where it
    may end is the same: where no single step of the paper improves, down to `precision`.
    """
    objective = BetaObjective(splits)
    begin = Beta(*start).check()
    if not plain:
        begin = min(begin, descend(objective, begin), key=objective)
    tuned = circular_search(objective, begin, precision=precision, gain=_GAIN, report=report)
    return tuned._replace(evaluations=objective.evaluations)
