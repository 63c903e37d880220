"""Forecasters against each other on the same games, each forecast made before the games are seen.

Every forecaster learns from the training games of each split and is given the games after it without
their results. Differences between two forecasters are paired, game by game, with intervals by resampling
players: a player's games have their strength in common, so that games are not independent but players
nearly are.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from assay.answers.results import Backtest, CalibrationBin, ErrorDifference
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import FitError, InputError
from assay.models.base import MoveModel
from assay.models.intervals import resample_weights
from assay.models.registry import methods
from assay.results.baselines import DEFAULT_K, NAMES, Elo, Forecaster
from assay.results.baselines import forecaster as forecaster_by_results
from assay.results.ferreira import SUBMITTED, Beta, with_whites_advantage
from assay.results.games import ResultGames, Split
from assay.results.metrics import METRICS, calibration, cross_entropy, month_errors

# Where a forecaster is good and where it is not: the metrics on parts of the games.

_RATING_EDGES = (0.0, 50.0, 100.0, 200.0, 400.0)
_GAMES_EDGES = (0, 20, 50, 100)

Forecasts = Mapping[str, Sequence[Floats]]  # by forecaster, one array per split


@dataclass(frozen=True)
class _Slice:
    name: str
    value: str
    chosen: Sequence[NDArray[np.bool_]]  # one per split


def slices(forecasts: Forecasts, splits: Sequence[Split]) -> list[dict[str, Any]]:
    """Each metric but the month-aggregated one (which needs whole months) on parts of the games."""
    rows = []
    for part in _parts(splits):
        result = np.concatenate(
            [split.validation.result[chosen] for split, chosen in zip(splits, part.chosen, strict=True)]
        )
        for name, given in forecasts.items():
            in_part = np.concatenate(
                [forecast[chosen] for forecast, chosen in zip(given, part.chosen, strict=True)]
            )
            games = games_with(result)
            values = {metric: f(games, in_part) for metric, f in METRICS.items() if metric != "month_rmse"}
            rows.append(
                {"slice": part.name, "value": part.value, "forecaster": name, "games": len(in_part), **values}
            )
    return rows


def games_with(result: Floats) -> ResultGames:
    """Games of which only the results matter."""
    size = len(result)
    zeros = np.zeros(size, dtype=np.int64)
    return ResultGames(
        month=zeros + 1, white=zeros, black=zeros + 1, result=result, players=("white", "black")
    )


def _parts(splits: Sequence[Split]) -> list[_Slice]:
    apart = [_rating_difference(split) for split in splits]
    earlier = [_earlier_games(split) for split in splits]
    years = [split.validation.year for split in splits]
    parts = [
        *_between("rating difference", apart, _RATING_EDGES),
        *_between("earlier games", earlier, _GAMES_EDGES),
    ]
    every = np.unique(np.concatenate(years))
    parts.extend(_Slice("year", str(year), [column == year for column in years]) for year in every)
    return [part for part in parts if any(chosen.any() for chosen in part.chosen)]


def _between(name: str, columns: Sequence[Floats | Ints], edges: Sequence[float]) -> list[_Slice]:
    parts = []
    for low, high in zip(edges, (*edges[1:], np.inf), strict=True):
        label = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} and more"
        parts.append(_Slice(name, label, [(column >= low) & (column < high) for column in columns]))
    return parts


def _rating_difference(split: Split) -> Floats:
    """Between published ratings; where there are none, between Elo ratings from the training games."""
    games = split.validation
    published = np.abs(games.white_elo - games.black_elo)
    if not np.isnan(published).any():
        return published
    elo = Elo().fit(split.training)
    computed = np.abs(elo.rating_[games.white] - elo.rating_[games.black])
    return np.where(np.isnan(published), computed, published)


def _earlier_games(split: Split) -> Ints:
    """Training games of that player of the two who has fewer."""
    seen = split.training.games_per_player()
    return np.minimum(seen[split.validation.white], seen[split.validation.black])


# Paired differences between forecasters, with intervals by resampling players.


class Shares(NamedTuple):
    """A mean over terms (of games, of players in months) as what each player adds to it."""

    total: Floats  # per player: the terms they take part in
    number: Floats  # per player: how many
    sum_total: float  # over all terms, each once
    sum_number: float

    def means(self, counts: Floats) -> Floats:
        """The mean for each row of counts of players; a row of ones gives that of all terms."""
        total = counts @ self.total - self.sum_total
        number = counts @ self.number - self.sum_number
        # So few players drawn that nothing is left: as good as the whole.
        return np.where(number > 0.0, total / np.where(number > 0.0, number, 1.0), np.nan)


def game_shares(games: ResultGames, forecast: Floats) -> Shares:
    """The log loss: a term per game, in which both players take part."""
    loss = cross_entropy(games.result, forecast)
    size = len(games.players)
    player = np.concatenate([games.white, games.black])
    total = np.bincount(player, np.concatenate([loss, loss]), minlength=size)
    number = np.bincount(player, minlength=size)
    return Shares(_floats(total), _floats(number), float(loss.sum()), float(len(loss)))


def month_shares(games: ResultGames, forecast: Floats) -> Shares:
    """The month-aggregated mean square error: a term per player and month.

    The opponents of the month take part in it too, each by their share of the games.
    """
    errors = month_errors(games, forecast)
    term, size = errors.error**2, len(games.players)
    opponent = np.concatenate([games.black, games.white])
    share = 1.0 / errors.games[errors.place]
    player = np.concatenate([errors.player, opponent])
    total = np.bincount(player, np.concatenate([term, share * term[errors.place]]), minlength=size)
    number = np.bincount(player, np.concatenate([np.ones(len(term)), share]), minlength=size)
    return Shares(_floats(total), _floats(number), float(term.sum()), float(len(term)))


def _floats(column: NDArray[Any]) -> Floats:
    return np.asarray(column, dtype=float)


_SHARES: dict[str, tuple[Callable[[ResultGames, Floats], Shares], Callable[[Floats], Floats]]] = {
    "log_loss": (game_shares, lambda mean: mean),
    "month_rmse": (month_shares, lambda mean: np.sqrt(np.maximum(mean, 0.0))),
}


def differences(
    forecasts: Forecasts, splits: Sequence[Split], seed: int, resamples: int
) -> list[ErrorDifference]:
    """The first forecaster against each other one, by log loss and by month-aggregated RMSE."""
    first, *others = forecasts
    size = len(splits[0].validation.players)
    # Row 0 is every player once. The same draws for every pair and metric: differences can be compared.
    counts = np.concatenate([np.ones((1, size)), resample_weights(size, resamples, seed)])
    pairs = []
    for metric in _SHARES:
        ours = _averages(metric, splits, forecasts[first], counts)
        for second in others:
            whole, *resampled = ours - _averages(metric, splits, forecasts[second], counts)
            low, high = np.nanquantile(resampled, [0.025, 0.975]).tolist()
            pairs.append(
                ErrorDifference(
                    first=first, second=second, metric=metric, difference=float(whole), low=low, high=high
                )
            )
    return pairs


def _averages(metric: str, splits: Sequence[Split], given: Sequence[Floats], counts: Floats) -> Floats:
    """The metric averaged over splits, for each row of counts of players."""
    shares, finish = _SHARES[metric]
    values = [
        finish(shares(split.validation, forecast).means(counts))
        for split, forecast in zip(splits, given, strict=True)
    ]
    return np.asarray(np.mean(values, axis=0))


# Models of moves in the backtest: the same two verbs, fed with decisions instead of results.


class MoveForecaster:
    """Forecasts by a model of moves, from the decisions of the training games only.

    A game with a player none of whose training games has been analysed is forecast by colour alone, and so
    is one for whose players the model finds no fit; after a forecast, `covered_` tells the share of games for
    which neither was so, `unfitted_` the number of the latter. Learned: `model_` with what it borrows from
    all players, `profiles_` by player, `white_mean_`.

    Some models know colours (conformance: alpha is White's advantage) and some do not. So every model is
    asked for a match with colours shared, and White's advantage is that of Ferreira 2010, Eq. 16, for all.
    """

    def __init__(self, model: MoveModel, decisions: Decisions) -> None:
        self.name = model.name
        self._model, self._decisions = model, decisions

    def fit(self, games: ResultGames) -> Self:
        """Make a profile of each player from the analysed games among these; learn from all of them."""
        games.require_results()
        if not games.game_id:
            raise InputError(
                f"{self.name} reads moves: it needs games from PGN or a workspace, not from a CSV"
            )
        self.white_mean_ = float(games.result.mean())
        self.profiles_: dict[str, Profile] = {}
        self.model_ = copy(self._model)  # what was learned for another split must not stay
        seen = self._decisions.select(game_id=games.game_id)
        if len(seen):
            stack = self.model_.profiles_by(seen, "player")
            # A row at a time: the rows of all players at once may not fit into memory.
            for index in np.flatnonzero(stack.decisions > 0).tolist():
                weights = np.zeros(len(stack))
                weights[index] = 1.0
                self.profiles_[stack.keys[index]] = stack.weighted(weights)[0]
        if self.profiles_:
            self.model_.learn(list(self.profiles_.values()))
        return self

    def forecast(self, games: ResultGames) -> Floats:
        """White's expected result in each game."""
        both = np.column_stack([games.white, games.black])
        pairs, place = np.unique(np.sort(both, axis=1), axis=0, return_inverse=True)
        by_pair = [
            self._pair(games.players[first], games.players[second]) for first, second in pairs.tolist()
        ]
        expected = np.array([np.nan if value is None else value for value in by_pair])[place.ravel()]
        read = np.array([value is not None for value in by_pair], dtype=bool)[place.ravel()]
        even = np.where(games.white <= games.black, expected, 1 - expected)
        self.covered_ = float(np.mean(~np.isnan(even))) if len(games) else 0.0
        self.unfitted_ = int(np.sum(read & np.isnan(even)))
        return with_whites_advantage(np.where(np.isnan(even), 0.5, even), self.white_mean_)

    def _pair(self, first: str, second: str) -> float | None:
        """Expectation of the first with colours shared: NaN where there is no fit, None without moves."""
        if first not in self.profiles_ or second not in self.profiles_:
            return None
        profile, opponent = self.profiles_[first], self.profiles_[second]
        try:
            there, back = (
                self.model_.expectations([a], [b]) for a, b in ((profile, opponent), (opponent, profile))
            )
        except FitError:
            return float("nan")
        return float((there[0, 0] + 1 - back[0, 0]) / 2)


_RESAMPLES = 1000
Report = Callable[[str, str], None]


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
        errors=_rows(forecasts, splits),
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
        measured = [
            _measure(split.validation, forecast) for split, forecast in zip(splits, given, strict=True)
        ]
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


# Forecasters of results and of moves by their names, for the backtest.


def forecasters(
    names: Sequence[str],
    *,
    k: float = DEFAULT_K,
    beta: Beta = SUBMITTED,
    decisions: Decisions | None = None,
) -> list[Forecaster]:
    """New forecasters of these names; models of moves read `decisions`."""
    return [
        forecaster_by_results(name, k=k, beta=beta) if name in NAMES else _move_forecaster(name, decisions)
        for name in names
    ]


def _move_forecaster(name: str, decisions: Decisions | None) -> Forecaster:
    readers = methods()
    if name not in readers:
        raise InputError(f"there is no model {name!r}: choose one of {', '.join((*NAMES, *readers))}")
    if decisions is None:
        raise InputError(f"{name} reads moves: give it a workspace whose games have been analysed")
    return MoveForecaster(readers[name](), decisions)
