"""Tuning of the company model: settings by circular search, coefficients by least squares.

For each candidate of the settings, the coefficients are learned from all validation sets but one and
tried on that one, in turn; so the error that the search sees is that of forecasts of games which the
coefficients have not seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from scipy.special import expit

from assay.decisions.arrays import Floats
from assay.errors import AssayError, FitError, InputError
from assay.results.company import EVIDENCE, CompanySettings, evidence, ratings
from assay.results.metrics import month_rmse
from assay.results.splits import Split
from assay.results.table import ResultGames
from assay.results.tuning import Report, circular_search

_SEARCHED = ("fade", "company_fade", "pull", "pull_by_games", "anchor", "schedule", "few")
_SCHEDULE = ("schedule", "few")
_ALONE = ("difference", "doubt")
_SETTLED = 1e-12
"""A fit is done where a step changes the coefficients, or the error, by less than this share."""
# Round numbers to begin from: the search, not this line, decides.
START = CompanySettings(
    fade=8.0,
    company_fade=3.0,
    pull=3.0,
    pull_by_games=0.1,
    anchor=5.0,
    schedule=1.0,
    few=3.0,
    doubt_floor=0.15,
    white=0.2,
    coefficients=(1.0, 0.0, 0.0, 0.0, 0.0),
)
# A search this coarse is enough: the error is flat around the minimum, and a finer one fits its noise.
PRECISION = 0.1
_GAIN = 2e-5


@dataclass(frozen=True)
class TunedCompany:
    """The settings found, and the error they had on sets left out, one after the other."""

    settings: CompanySettings
    errors: tuple[float, ...]
    evaluations: int

    @property
    def error(self) -> float:
        """The average over the sets."""
        return float(np.mean(self.errors))


def tune_company(
    splits: Sequence[Split],
    *,
    start: CompanySettings = START,
    schedule: bool = True,
    precision: float = PRECISION,
    report: Report | None = None,
) -> TunedCompany:
    """The settings whose forecasts of left-out validation sets are best, with coefficients from all sets."""
    if len(splits) < 2:
        raise InputError("the company model needs at least two validation sets: one to learn, one to try")
    start = start if schedule else replace(start, schedule=0.0)
    names = tuple(name for name in _SEARCHED if schedule or name not in _SCHEDULE)
    used = np.array([schedule or name in _ALONE for name in EVIDENCE])

    def settings_of(values: Sequence[float]) -> CompanySettings:
        changes: dict[str, Any] = dict(zip(names, values, strict=True))
        return replace(start, **changes)

    def objective(values: tuple[float, ...]) -> float:
        try:
            return float(np.mean(left_out_errors(splits, settings_of(values).check(), used)))
        except AssayError:
            return float("inf")

    found = circular_search(
        objective, [getattr(start, name) for name in names], precision=precision, gain=_GAIN, report=report
    )
    settings = settings_of(found.values)
    cases = [_columns(split, settings, used) for split in splits]
    best = least_squares(cases, [split.validation for split in splits])
    coefficients = np.zeros(len(EVIDENCE))
    coefficients[used] = best[1:]
    settings = replace(settings, white=float(best[0]), coefficients=tuple(coefficients.tolist()))
    return TunedCompany(settings, tuple(left_out_errors(splits, settings, used)), found.evaluations)


def left_out_errors(
    splits: Sequence[Split], settings: CompanySettings, used: NDArray[np.bool_]
) -> list[float]:
    """The month-aggregated RMSE of each set, with coefficients learned from the others."""
    cases = [_columns(split, settings, used) for split in splits]
    games = [split.validation for split in splits]
    errors = []
    for index, (columns, played) in enumerate(zip(cases, games, strict=True)):
        coefficients = least_squares(
            [*cases[:index], *cases[index + 1 :]], [*games[:index], *games[index + 1 :]]
        )
        errors.append(month_rmse(played, expit(columns @ coefficients)))
    return errors


def _columns(split: Split, settings: CompanySettings, used: NDArray[np.bool_]) -> Floats:
    """A column of ones for White's advantage, then the evidence that is used."""
    schedule = split.validation.without_results()
    known = evidence(ratings(split.training, schedule, settings), schedule, settings)[:, used]
    return np.column_stack([np.ones(len(known)), known])


def least_squares(cases: Sequence[Floats], games: Sequence[ResultGames]) -> Floats:
    """The coefficients whose expected results are closest to the results, game by game."""
    columns = np.concatenate(cases)
    result = np.concatenate([played.result for played in games])

    def residuals(coefficients: Floats) -> Floats:
        return np.asarray(expit(columns @ coefficients) - result)

    def slopes(coefficients: Floats) -> Floats:
        expectation = expit(columns @ coefficients)
        return np.asarray((expectation * (1.0 - expectation))[:, None] * columns)

    start = np.zeros(columns.shape[1])
    found = optimize.least_squares(residuals, start, slopes, method="lm", ftol=_SETTLED, xtol=_SETTLED)
    if not found.success:
        raise FitError(f"the coefficients of the company model did not settle: {found.message}")
    return np.asarray(found.x, dtype=np.float64)
