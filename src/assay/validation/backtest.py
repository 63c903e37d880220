"""Forecasters against each other on the same games, each forecast made before the games are seen.

Every forecaster learns from the training games of each split and is given the games after it without
their results. Differences between two forecasters are paired, game by game, with intervals by resampling
players: a player's games have their strength in common, so that games are not independent but players
nearly are.
"""

import hashlib
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError
from assay.results.baselines import Forecaster
from assay.results.games import ResultGames, Split
from assay.results.metrics import METRICS, CalibrationBin, calibration
from assay.validation.differences import Difference, differences
from assay.validation.move_forecaster import MoveForecaster
from assay.validation.slices import Forecasts, games_with, slices

_RESAMPLES = 1000
Report = Callable[[str, str], None]


@dataclass(frozen=True, kw_only=True)
class Backtest:
    """What a backtest found: rows for a table, and what it was made of."""

    rows: list[dict[str, Any]]  # one per forecaster and split, and one per forecaster over all ("all")
    slices: list[dict[str, Any]]
    differences: list[Difference]
    calibration: dict[str, list[CalibrationBin]]
    stamp: dict[str, Any] = field(default_factory=dict)
    unable: dict[str, str] = field(default_factory=dict)  # forecasters without forecasts, and why
    notes: list[str] = field(default_factory=list)  # what must be known to read the rows


def backtest(
    forecasters: Sequence[Forecaster],
    splits: Sequence[Split],
    *,
    seed: int = 0,
    resamples: int = _RESAMPLES,
    report: Report | None = None,
) -> Backtest:
    """Every forecaster on every split, by every metric. `report` is told which one begins.

    A forecaster that cannot forecast (no Elo mapping, no fit, decisions that its method cannot read) is left
    out of all splits with its reason.
    """
    if not forecasters or not splits:
        raise InputError("a backtest needs at least one forecaster and one split")
    names = [forecaster.name for forecaster in forecasters]
    if len(set(names)) != len(names):
        raise InputError("a backtest cannot have two forecasters of one name")
    forecasts: dict[str, list[Floats]] = {}
    unable: dict[str, str] = {}
    notes: list[str] = []
    for forecaster in forecasters:
        try:
            forecasts[forecaster.name], more = _over_splits(forecaster, splits, report)
            notes += more
        except (FitError, InputError) as error:
            # Decisions may do for one method that reads them and not for another.
            if isinstance(error, InputError) and not isinstance(forecaster, MoveForecaster):
                raise
            unable[forecaster.name] = str(error)
            if len(unable) == len(forecasters):
                raise
    return Backtest(
        rows=_rows(forecasts, splits),
        slices=slices(forecasts, splits),
        differences=differences(forecasts, splits, seed, resamples),
        calibration=_calibrations(forecasts, splits),
        stamp=_stamp(splits, seed, resamples),
        unable=unable,
        notes=notes,
    )


def _over_splits(
    forecaster: Forecaster, splits: Sequence[Split], report: Report | None
) -> tuple[list[Floats], list[str]]:
    """The forecasts of each split, and how many of them are by colour alone where moves are read."""
    forecasts, by_colour, unfitted = [], 0.0, 0
    for split in splits:
        if report is not None:
            report(forecaster.name, split.label)
        forecasts.append(checked_forecast(forecaster, split))
        by_colour += (1 - getattr(forecaster, "covered_", 1.0)) * len(split.validation)
        unfitted += getattr(forecaster, "unfitted_", 0)
    if round(by_colour) == 0:
        return forecasts, []
    games = sum(len(split.validation) for split in splits)
    return forecasts, [
        f"{forecaster.name}: {round(by_colour):,} of {games:,} games forecast by colour alone, "
        f"{unfitted:,} of them for want of a fit, the others for want of analysed games"
    ]


def checked_forecast(forecaster: Forecaster, split: Split) -> Floats:
    """One forecast, made without the results; anything but numbers from 0 to 1 is refused."""
    schedule = split.validation.without_results()
    forecast = np.asarray(forecaster.fit(split.training).forecast(schedule), dtype=float)
    if forecast.shape != (len(schedule),):
        raise InputError(f"{forecaster.name} gave {forecast.size} forecasts for {len(schedule)} games")
    if not ((forecast >= 0.0) & (forecast <= 1.0)).all():
        raise InputError(f"{forecaster.name} gave a forecast that is not between 0 and 1")
    return forecast


def _measure(games: ResultGames, forecast: Floats) -> dict[str, float]:
    return {name: metric(games, forecast) for name, metric in METRICS.items()}


def _rows(forecasts: Forecasts, splits: Sequence[Split]) -> list[dict[str, Any]]:
    rows = []
    for name, given in forecasts.items():
        measured = [_measure(split.validation, one) for split, one in zip(splits, given, strict=True)]
        for split, values in zip(splits, measured, strict=True):
            rows.append({"forecaster": name, "split": split.label, "games": len(split.validation), **values})
        # The paper averages over sets, whatever their size; so do we.
        average = {metric: float(np.mean([values[metric] for values in measured])) for metric in METRICS}
        games = sum(len(split.validation) for split in splits)
        rows.append({"forecaster": name, "split": "all", "games": games, **average})
    return rows


def _calibrations(forecasts: Forecasts, splits: Sequence[Split]) -> dict[str, list[CalibrationBin]]:
    games = games_with(np.concatenate([split.validation.result for split in splits]))
    return {name: calibration(games, np.concatenate(given)) for name, given in forecasts.items()}


def _digest(splits: Sequence[Split]) -> str:
    """Twelve hexadecimal digits of all games that took part."""
    every = "".join(split.training.digest() + split.validation.digest() for split in splits)
    return hashlib.sha256(every.encode()).hexdigest()[:12]


def _stamp(splits: Sequence[Split], seed: int, resamples: int) -> dict[str, Any]:
    """What decided the numbers: two backtests with the same stamp have the same numbers."""
    return {
        "digest": _digest(splits),
        "splits": [split.label for split in splits],
        "seed": seed,
        "resamples": resamples,
        "versions": {
            "assay": version("assay-chess"),
            "numpy": version("numpy"),
            "scipy": version("scipy"),
            "python": platform.python_version(),
        },
    }
