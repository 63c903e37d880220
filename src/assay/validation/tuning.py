"""Tuning: the settings of a model that forecast several validation sets best (Ferreira 2010, section 5)."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

from assay.domain.results import Floats
from assay.errors import AssayError, InputError
from assay.models.results import (
    INITIAL,
    Beta,
    Meetings,
    expected_result,
    strengths,
    with_whites_advantage,
)
from assay.validation.metrics import month_rmse
from assay.validation.splits import Split

PRECISION = 1e-6  # Algorithm 2: 0.0001%
_FIRST_STEP = 0.5  # Algorithm 2: 50%
# Below the paper's tolerance: its last steps change the error by less than strengths off by 1e-6 would.
_FIT_TOLERANCE = 1e-9

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
    stride: bool = True,
    report: Report | None = None,
) -> Tuned:
    """Algorithm 2: change one value after the other by a share of itself; halve the share when stuck.

    The values move along a narrow curved valley, where single steps creep. With `stride`, each circle that
    improved is repeated as one joint step, ever longer while that helps (Hooke and Jeeves 1961). Where the
    search may end is the same: where no single step of the paper improves.
    `report` is called with the step, the error and the number of evaluations after each circle.
    """
    if not 0 < precision <= step:
        raise InputError("the precision of the search must be positive and not above its first step")
    search = _Search(objective, np.array(start, dtype=float))
    if not np.isfinite(search.error):
        raise InputError(f"the search cannot start from {tuple(start)}: the error there is not a number")
    while step >= precision:
        before = search.values
        improved = search.circle(step)
        if improved and stride:
            search.stride(search.values / before)
        if report is not None:
            report(step, search.error, search.evaluations)
        if not improved:
            step /= 2.0
    return Tuned(tuple(search.values.tolist()), search.error, search.evaluations)


class _Search:
    """The best values so far."""

    def __init__(self, objective: Objective, values: Floats) -> None:
        self._objective = objective
        self.values = values
        self.error = objective(tuple(values.tolist()))
        self.evaluations = 1

    def _attempt(self, candidate: Floats) -> bool:
        error = self._objective(tuple(candidate.tolist()))
        self.evaluations += 1
        if error < self.error:
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

    def stride(self, ratio: Floats) -> None:
        """The change of the last circle once more, then twice as much of it, ..."""
        power = 1.0
        while self._attempt(self.values * ratio**power):
            power *= 2.0


class BetaObjective:
    """The average month-aggregated RMSE of the model of Ferreira 2010 over several splits.

    Each fit starts from the strengths of the last one of its split: neighbouring settings have
    neighbouring strengths, and a fit is then a few iterations.
    """

    def __init__(self, splits: Iterable[Split], executor: Executor | None = None) -> None:
        self._cases = [_Case(split) for split in splits]
        self._executor = executor

    def __call__(self, values: tuple[float, ...]) -> float:
        try:
            beta = Beta(*values).check()
        except AssayError:
            return float("inf")  # outside the model: never an improvement
        run = map if self._executor is None else self._executor.map
        return float(np.mean(list(run(lambda case: case.error(beta), self._cases))))


class _Case:
    """One split, with everything prepared that no setting changes."""

    def __init__(self, split: Split) -> None:
        self._meetings = Meetings.of(split.training)
        self._white_mean = float(split.training.result.mean())
        self._validation = split.validation
        self._strength: Floats | None = None

    def error(self, beta: Beta) -> float:
        self._strength, _ = strengths(self._meetings, beta, tolerance=_FIT_TOLERANCE, start=self._strength)
        games = self._validation
        even = expected_result(self._strength[games.white], self._strength[games.black])
        return month_rmse(games, with_whites_advantage(even, self._white_mean))


def tune_beta(
    splits: Sequence[Split],
    *,
    start: Beta = INITIAL,
    precision: float = PRECISION,
    jobs: int = 1,
    report: Report | None = None,
) -> Tuned:
    """The five settings that make the average error over the splits smallest (Algorithm 2)."""
    with ThreadPoolExecutor(jobs) if jobs > 1 else nullcontext() as executor:
        return circular_search(
            BetaObjective(splits, executor), tuple(start), precision=precision, report=report
        )
