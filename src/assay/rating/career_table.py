"""A career in numbers: every year by every method (Alliot 2017, section 4.2.3, Figures 16 and 17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.answers.ratings import with_combined
from assay.decisions.decisions import Decisions
from assay.decisions.names import Who, find_player
from assay.errors import FitError, InputError
from assay.models.base import MoveModel
from assay.models.intervals import FEWEST_GAMES, equal_tailed, resampling_factor, widened
from assay.models.losses.conformance import ConformanceModel
from assay.rating.calibration import Calibration
from assay.rating.careers import (
    FORGETTING,
    MIN_MOVES,
    Careers,
    careers_of_all,
)
from assay.rating.rate import rate_decisions
from assay.rating.trust import caveats_of


def career_table(
    decisions: Decisions,
    player: str,
    models: Sequence[MoveModel] = (),
    *,
    conformance: ConformanceModel | None = None,
    calibration: Calibration | None = None,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
    resamples: int = 200,
) -> list[dict[str, Any]]:
    """One row per year: games, moves, conformance at 0 and at its bound, and each method's estimates.

    Intervals of conformance are from games drawn anew. Ratings, of the year's own games, are there with a
    calibration. All decisions are needed, not the player's only: some methods learn from all players.
    """
    name = find_player(player, decisions.players)
    first = Careers(conformance or ConformanceModel(), decisions, forgetting=forgetting, min_moves=min_moves)
    others, unable = careers_of_all(
        [model for model in models if model.name != "conformance"],
        decisions,
        forgetting=forgetting,
        min_moves=min_moves,
    )
    rows = [_row(Who(name, year), first, others, resamples) for year in first.years(name)]
    for row in rows:
        row["notes"] += [*unable, *caveats_of(calibration)]
    ratings = {} if calibration is None else _ratings(decisions.select(player=name), calibration)
    return [{**row, "ratings": ratings.get(row["year"], {})} for row in rows]


def _ratings(decisions: Decisions, calibration: Calibration) -> dict[int, dict[str, dict[str, float]]]:
    """Ratings of each year by method, and of all methods together."""
    try:
        years, _ = rate_decisions(decisions, calibration, by="year")
    except InputError:  # no year with decisions enough: there are no ratings to show
        return {}
    return {
        int(one.group): {
            name: {"elo": rating.elo, "low": rating.low, "high": rating.high}
            for name, rating in with_combined(one).items()
        }
        for one in years
        if one.group.isdigit()
    }


def _row(key: Who, first: Careers, others: Sequence[Careers], resamples: int) -> dict[str, Any]:
    single = first.single[key]
    row: dict[str, Any] = {
        "player": key.player,
        "year": key.year,
        "games": single.games,
        "decisions": single.decisions,
        "active": first.is_active(key),
        **_quantities(first, key, prefix=""),
    }
    if resamples > 1 and first.games(key) >= FEWEST_GAMES:
        row.update(_ends_by_games(first, key, resamples))
    row["notes"] = []
    for careers in (first, *others):
        if careers is not first and key in careers.single:
            try:
                row.update(_quantities(careers, key, prefix=f"{careers.model.name}_"))
            except FitError as error:  # a year that one method cannot read has the numbers of the others
                row["notes"].append(f"{key}: {careers.model.name}: {error}")
                continue
    return row


def _quantities(careers: Careers, key: Who, prefix: str) -> dict[str, float]:
    estimate = careers.model.estimate(careers.profile(key))
    values: dict[str, float] = {}
    for name, quantity in estimate.quantities.items():
        values[f"{prefix}{name}"] = quantity.value
        values[f"{prefix}{name}_low"] = quantity.low
        values[f"{prefix}{name}_high"] = quantity.high
    return values


def _ends_by_games(careers: Careers, key: Who, resamples: int) -> dict[str, float]:
    """Ends of the intervals of conformance, a share of moves, from games drawn anew."""
    drawn = [careers.model.estimate(one) for one in careers.resampled(key, resamples, seed=1)]
    whole, factor = careers.model.estimate(careers.profile(key)), resampling_factor(careers.games(key))
    ends: dict[str, float] = {}
    for name in whole.quantities:
        between = equal_tailed([one[name].value for one in drawn])
        low, high = np.clip(widened(whole[name].value, between, factor), 0.0, 1.0).tolist()
        ends[f"{name}_low"], ends[f"{name}_high"] = low, high
    return ends
