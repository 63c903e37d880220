"""Where a forecaster is good and where it is not: the metrics on parts of the games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.decisions.arrays import Floats, Ints
from assay.results.baselines import Elo
from assay.results.games import ResultGames, Split
from assay.results.metrics import METRICS

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
    found = []
    for part in _parts(splits):
        result = np.concatenate(
            [split.validation.result[chosen] for split, chosen in zip(splits, part.chosen, strict=True)]
        )
        for name, given in forecasts.items():
            kept = np.concatenate([one[chosen] for one, chosen in zip(given, part.chosen, strict=True)])
            games = games_with(result)
            values = {metric: f(games, kept) for metric, f in METRICS.items() if metric != "month_rmse"}
            found.append(
                {"slice": part.name, "value": part.value, "forecaster": name, "games": len(kept), **values}
            )
    return found


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
