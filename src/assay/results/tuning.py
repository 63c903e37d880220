"""Tuning: the settings of a model that forecast several validation sets best (Ferreira 2010, section 5)."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError
from assay.results.fit import (
    INITIAL,
    Beta,
    Meetings,
    expected_result,
    strengths,
    with_whites_advantage,
)
from assay.results.metrics import month_errors
from assay.results.splits import Split

PRECISION = 1e-6  # Algorithm 2: 0.0001%
_FIRST_STEP = 0.5  # Algorithm 2: 50%
# Below the paper's tolerance: its last steps change the error by less than strengths off by 1e-6 would.
_FIT_TOLERANCE = 1e-9
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
    step: float = _FIRST_STEP,
    precision: float = PRECISION,
    gain: float = 0.0,
    report: Report | None = None,
) -> Tuned:
    """Algorithm 2: change one value after the other by a share of itself; halve the share when stuck.

    A step counts as an improvement when it lowers the error by more than `gain`; the paper's is 0.
    `report` is called with the step, the error and the number of evaluations after each circle.
    """
    if not 0 < precision <= step:
        raise InputError("the precision of the search must be positive and not above its first step")
    search = _Search(objective, np.array(start, dtype=float), gain)
    if not np.isfinite(search.error):
        raise InputError(f"the search cannot start from {tuple(start)}: the error there is not a number")
    while step >= precision:
        improved = search.circle(step)
        if report is not None:
            report(step, search.error, search.evaluations)
        if not improved:
            step /= 2.0
    return Tuned(tuple(search.values.tolist()), search.error, search.evaluations)


class _Search:
    """The best values so far."""

    def __init__(self, objective: Objective, values: Floats, gain: float) -> None:
        self._objective = objective
        self._gain = gain
        self.values = values
        self.error = objective(tuple(values.tolist()))
        self.evaluations = 1

    def _attempt(self, candidate: Floats) -> bool:
        error = self._objective(tuple(candidate.tolist()))
        self.evaluations += 1
        if error < self.error - self._gain:
            self.values, self.error = candidate, error
            return True
        return False

    def circle(self, step: float) -> bool:
        """One round through the values, each a step up and a step down (Algorithm 2, a)."""
        improved = False
        for index in range(len(self.values)):
            for change in (1.0 + step, 1.0 - step):
                factor = np.ones(len(self.values))
                factor[index] = change
                improved |= self._attempt(self.values * factor)
        return improved


class BetaObjective:
    """The average month-aggregated RMSE of the model of Ferreira 2010 over several splits.

    Each fit starts from the strengths of the last one of its split: neighbouring settings have
    neighbouring strengths, and a fit is then a few iterations.
    """

    def __init__(self, splits: Iterable[Split]) -> None:
        self._cases = [_Case(split) for split in splits]
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
        return [case.errors(Beta(*values)) for case in self._cases]

    def residuals(self, values: Sequence[float]) -> Floats:
        """Errors whose sum of squares has its minimum, nearly, where the average RMSE has its own.

        A set counts by the inverse of its RMSE: the derivative of a root. Which RMSE hardly matters, so
        that the present one is taken.
        """
        self.evaluations += 1
        return np.concatenate(
            [error / np.sqrt(len(error) * np.sqrt(np.mean(error**2))) for error in self._errors(values)]
        )


class _Case:
    """One split, with everything prepared that no setting changes."""

    def __init__(self, split: Split) -> None:
        self._meetings = Meetings.of(split.training)
        self._white_mean = float(split.training.result.mean())
        self._validation = split.validation
        self._strength: Floats | None = None

    def errors(self, beta: Beta) -> Floats:
        """The error of each player in each month of the validation set."""
        self._strength, _ = strengths(
            self._meetings, beta, tolerance=_FIT_TOLERANCE, start=self._strength, limit=_FIT_LIMIT
        )
        games = self._validation
        even = expected_result(self._strength[games.white], self._strength[games.black])
        return month_errors(games, with_whites_advantage(even, self._white_mean)).error


def descend(objective: BetaObjective, start: Beta) -> Beta:
    """Down the valley of the errors by least squares in the logarithms of the settings.

    The valley is long, narrow and curved (many games against weak artificial opponents are much like few
    against weaker ones): single steps of Algorithm 2 creep along it for thousands of evaluations, while
    Levenberg's and Marquardt's, which know the slope of every error, need a few dozen.
    """
    try:
        found = least_squares(
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
    return Beta(*np.exp(found.x).tolist())


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
    found = circular_search(objective, begin, precision=precision, gain=_GAIN, report=report)
    return found._replace(evaluations=objective.evaluations)
