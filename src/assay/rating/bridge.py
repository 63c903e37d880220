"""Bridges: the Elo scale of Stockfish 15.1, carried over to another engine by positions that both analysed.

The package contains positions from games of rated players with their native analyses. Another engine analyses
the same positions. A rising map puts its values on the native scale, and what then remains of a difference
between the mean features of the moves played shifts the curve from features to Elo. Only the lines of the
last depth are read (LineTraitsModel): what an engine calls depth 8 differs from engine to engine. The error
of the shift, by a jackknife over games, is part of every interval. How good it is: docs/evidence/engines.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import as_file, files
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.stats import spearmanr

from assay.answers.prepared import AnalysisReport
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import MATE_BOUND
from assay.decisions.measures import expectation
from assay.engine.engines import EngineConfig, known_identity
from assay.engine.queue import Backlog, GameLines
from assay.engine.recipe import Recipe
from assay.engine.run import Outcome, new_report, run
from assay.errors import EngineError, InputError
from assay.models.elo_mapping import ScalarMapping
from assay.models.traits.model import LineTraitsModel, means_of
from assay.rating.calibration import Calibration
from assay.workspace.assemble import reanalysed

LIKE = ("standard", "quick")
"""Recipes whose native scale can be carried over: the package has positions analysed with them."""

AGREEMENT = {"standard": 0.55, "quick": 0.45}
"""Rank correlation of the losses of the played moves by both engines, at least. Stockfish 15.1 to 19 have
0.62 and more with `standard`, 0.53 and more with `quick`; Ethereal 12 has 0.43."""

SYSTEMATIC = {"standard": 30.0, "quick": 60.0}
"""Standard deviation in Elo by which shifts by these positions differ from those by whole games, beyond the
standard errors of both (docs/evidence/engines.md)."""

ANALYSED = 0.95
"""Share of the positions that the engine must have analysed."""

QUANTILES = np.arange(0.05, 1.0, 0.05)
"""Where the map of values is fitted: sizes that as many moves have by one engine as by the other."""

_TRAITS = LineTraitsModel.name


@cache
def native(like: str) -> tuple[Calibration, Decisions]:
    """The native scale of a recipe by the lines of the last depth, and the positions with their analyses."""
    if like not in LIKE:
        raise InputError(f"there are no positions to carry over the scale of '{like}': --like {LIKE[0]}")
    folder = files("assay") / "data" / "bridges"
    with as_file(folder / f"{like}.npz") as scale, as_file(folder / f"{like}.parquet") as positions:
        return Calibration.read(scale), Decisions.read(positions)


def backlog_of(positions: Decisions, recipe: Recipe, engine: EngineConfig) -> Backlog:
    """What the engine has to do: each position with the move that was played in it."""
    table = positions.table()
    missing = pa.table(
        {
            "position_key": table["position_key"],
            "played": pa.array([[move] for move in table["played"].to_pylist()]),
            "depth": pa.nulls(len(positions), pa.int16()),
            "game": pa.array(np.arange(len(positions), dtype=np.int32)),
            "ply": pa.array(np.zeros(len(positions), np.int16)),
        }
    )
    return Backlog(recipe, known_identity(engine, recipe), len(positions), missing, GameLines.of([]))


def analyse(
    positions: Decisions,
    backlog: Backlog,
    engine: EngineConfig,
    *,
    jobs: int | None = None,
    progress: Callable[[AnalysisReport], None] | None = None,
) -> Decisions:
    """The decisions with the analyses of another engine; an error where it fails on too many of them."""
    outcome = Outcome()
    run(backlog, engine, new_report(backlog), outcome.add, jobs=jobs, progress=progress)
    other = reanalysed(positions, *outcome.tables(backlog.recipe_id), backlog.recipe_id)
    if (analysed := float(np.isfinite(other.played_value).mean())) < ANALYSED:
        why = f", mostly because {outcome.failures[-1].reason}" if outcome.failures else ""
        raise EngineError(
            f"{backlog.identity.name} analysed {analysed:.0%} of the {len(positions):,} positions{why}: no "
            "scale was made; check the engine with assay doctor --engine"
        )
    return other


def carry_over(
    scale: Calibration,
    before: Decisions,
    after: Decisions,
    about: Mapping[str, Any],
    *,
    least_agreement: float = 0.0,
    more_error: float = 0.0,
) -> Calibration:
    """The calibration of another engine and recipe, from the same decisions, in the same order, by both.

    `scale` is native, by the lines of the last depth. `more_error` is a standard deviation in Elo, beside
    that of the shift.
    """
    usable = LineTraitsModel()
    both = np.flatnonzero(usable.keeps(before) & usable.keeps(after))
    if len(both) < ANALYSED * usable.keeps(before).sum():
        raise EngineError(
            f"{about['engine']} gives too few lines or values for {len(before):,} positions: no scale was "
            "made; use another engine, or a recipe with four lines or more"
        )
    before, after = before.take(both), after.take(both)
    agreement = _agreement(before, after)
    if not agreement >= least_agreement:
        raise InputError(
            f"{about['engine']} is unfit for the scale of {scale.about['engine']}: the rank correlation of "
            f"what the same moves lose is {agreement:.2f}, below {least_agreement:.2f}; make a scale of its "
            "own from games of rated players (assay calibrate GAMES)"
        )
    model = LineTraitsModel().with_weights(scale.models[_TRAITS].weights)
    games, game = np.unique(before.codes("game_id"), return_inverse=True)
    native_sums = model.evidence(before, game, len(games))
    model.value_map = value_map(before, after)
    shift, error = _shift(model, native_sums, model.evidence(after, game, len(games)))
    mapping = scale.mappings[_TRAITS]
    assert isinstance(mapping, ScalarMapping)
    recipe_id = after.names("recipe_id")[after.codes("recipe_id")[0]]
    rise = np.ptp(mapping.knots_elo) / np.ptp(mapping.knots_strength) / scale.spread.slopes[-1].mean()
    carried = float(np.hypot(error * rise, more_error))
    described = {
        **about,
        **{name: scale.about[name] for name in ("scale", "population")},
        "positions": len(both),
        "bridge": {name: scale.about.get(name) for name in ("engine", "recipe", "games")}
        | {"agreement": round(agreement, 3), "shift": round(shift * rise, 1), "error": round(carried, 1)},
    }
    knots = mapping.knots_strength + shift
    return replace(
        scale,
        mappings={_TRAITS: replace(mapping, knots_strength=knots)},
        models={_TRAITS: model},
        spread=replace(scale.spread, carried=carried),
    ).for_recipe(recipe_id, described)


def value_map(before: Decisions, after: Decisions) -> tuple[Floats, Floats]:
    """Values of the other engine from zero up, and the native ones that as many moves have.

    Of moves that both have valued in the same position. Regressing one on the other would shrink the values
    of whichever is the noisier engine; quantiles treat both alike.
    """
    pairs = []
    for row in range(len(before)):
        native_values = dict(before.options(row))
        pairs += [(value, native_values[move]) for move, value in after.options(row) if move in native_values]
    sizes = np.abs(np.array(pairs, np.float64).reshape(-1, 2))
    other, ours = np.quantile(sizes[(sizes < MATE_BOUND).all(axis=1)], QUANTILES, axis=0).T
    rising = np.append(True, (np.diff(other) > 0) & (np.diff(ours) > 0)) & (other > 0) & (ours > 0)
    knots = [np.append(0.0, side[rising]) for side in (other, ours)]
    knots = [np.maximum.accumulate(side) for side in knots]
    if len(knots[0]) < len(QUANTILES) // 2 or any((np.diff(side) <= 0).any() for side in knots):
        raise InputError("this engine's values do not differ from move to move: no scale was made")
    return knots[0], knots[1]


def _agreement(before: Decisions, after: Decisions) -> float:
    """Rank correlation of the losses of the played moves, in expected score; NaN where all are equal."""
    lost = [expectation(side.best_value) - expectation(side.played_value) for side in (before, after)]
    return float(spearmanr(*lost).statistic) if min(np.ptp(side) for side in lost) > 0 else float("nan")


def _shift(model: LineTraitsModel, before: Floats, after: Floats) -> tuple[float, float]:
    """How far the discriminant of all games moves from one engine to the other, and its standard error.

    Both have one row of sums for each game.
    """

    def discriminant(sums: Floats) -> Floats:
        centred = means_of(sums, model.blocks) - model.weights["centre"]
        return np.asarray(np.nan_to_num(centred) @ model.weights["weight"])

    totals = before.sum(axis=0), after.sum(axis=0)
    [shift] = discriminant(totals[1][None]) - discriminant(totals[0][None])
    without = discriminant(totals[1] - after) - discriminant(totals[0] - before)
    n = len(without)
    return float(shift), float(np.sqrt((n - 1) / n * np.square(without - without.mean()).sum()))
