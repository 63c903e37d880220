"""Population tables: how what the methods measure is distributed over players, by rating band and source.

A source of values is of one server and time class (assay.decisions.evaluation), so tables are by time class.
Each player counts once, with all their games together; those with few decisions are left out, since what is
measured of them is mostly chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from scipy import sparse

from assay.decisions.arrays import Floats
from assay.decisions.evaluation import ANNOTATED
from assay.decisions.profile import Profile
from assay.errors import FitError, InputError
from assay.models.base import MoveModel
from assay.models.registry import make_model
from assay.rating.measures import HEADLINES
from assay.rating.percentiles import RATING, Population, quantiles_of
from assay.stream.sums import PARTS, Sums, counts_of, stacks_of

BAND = 200
"""Rating points of a band."""

LEAST_DECISIONS = 100
"""Players with fewer decisions are not in the tables."""

_AT_ONCE = 500


def populations(
    sums: Mapping[str, Sums],
    least: int = LEAST_DECISIONS,
    within: Mapping[str, tuple[float, float]] | None = None,
) -> list[Population]:
    """The population tables of some sums by player: for each source all players, and those of each band.

    Where `within` has ratings for a source, from the first to below the second, others do not count.
    """
    found = []
    for source, one in sums.items():
        values, elo = measured(source, one, least)
        if within is not None and source in within:
            low, high = within[source]
            counted = (elo >= low) & (elo < high)
            values, elo = {name: some[counted] for name, some in values.items()}, elo[counted]
        found += tables_of(source, values, elo, least)
    return found


def tables_of(source: str, values: Mapping[str, Floats], elo: Floats, least: int) -> list[Population]:
    """All players of a source and those of each band, where there are enough, by what is known of them."""
    rises = {name: HEADLINES[name].rises for name in values if name in HEADLINES}
    bands = [None, *sorted({float(BAND * (value // BAND)) for value in elo[np.isfinite(elo)]})]
    found = []
    for band in bands:
        own = np.ones(len(elo), bool) if band is None else (elo >= band) & (elo < band + BAND)
        kept = {name: quantiles_of(some[own]) for name, some in values.items()}
        known = {name: many for name, many in kept.items() if many is not None}
        if not known:
            continue
        rated = "" if band is None else f" rated {band:.0f} to {band + BAND - 1:.0f}"
        found.append(
            Population(
                source=source,
                words=f"players{rated}, {named(source)}, of {least} decisions or more",
                players=int(own.sum()),
                quantiles=known,
                rises=rises,
                band=None if band is None else (band, band + BAND - 1),
                least=least,
            )
        )
    return found


def named(source: str) -> str:
    """A source of values in words."""
    return "evaluated games" if source == ANNOTATED else source.removeprefix("evaluated-").replace("-", " ")


def measured(source: str, sums: Sums, least: int) -> tuple[dict[str, Floats], Floats]:
    """What the methods measure of every player of enough decisions, and their mean reference ratings."""
    every = [one for names, matrix in sums.shards() for one in _some(source, sums, names, matrix, least)]
    names = [name for name in HEADLINES if name in sums.layout.methods]
    values = {name: np.array([one[name] for one in every]) for name in names}
    elo = np.array([one[RATING] for one in every])
    return {**values, RATING: elo}, elo


def _some(
    source: str, sums: Sums, names: list[str], matrix: sparse.csr_array, least: int
) -> Iterator[dict[str, float]]:
    whole = np.repeat(np.arange(len(names)), PARTS)
    added = sparse.csr_array((np.ones(len(whole)), (whole, np.arange(len(whole)))))
    by_name = sparse.csr_array(added @ matrix)
    counts = counts_of(by_name)
    chosen = np.flatnonzero(counts["decisions"] >= least)
    # As the methods come: what a calibration taught them takes long to ask, and is no headline.
    models = {name: make_model(name) for name in sums.layout.methods if name in HEADLINES}
    for start in range(0, len(chosen), _AT_ONCE):
        rows = chosen[start : start + _AT_ONCE]
        stacks = stacks_of(by_name[rows], sums.layout, source)
        profiles = {name: stacks[name].weighted(np.eye(len(rows))) for name in models}
        for place, row in enumerate(rows.tolist()):
            rated = counts["rated"][row]
            found = {RATING: counts["elo"][row] / rated if rated else math.nan}
            for name, model in models.items():
                found[name] = headline_of(model, profiles[name][place])
            yield found


def headline_of(model: MoveModel, profile: Profile) -> float:
    """What stands for a method of a player; NaN where it can say nothing."""
    try:
        return model.estimate(profile)[HEADLINES[model.name].quantity].value
    except (FitError, InputError):
        return math.nan
