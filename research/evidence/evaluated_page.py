"""How well evaluated games are rated, as a page: docs/evaluated.md.

`python -m research evaluated SHARED`: SHARED holds the development files
(research.calibration.evaluated).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import numpy as np

from assay.decisions.arrays import Ints
from assay.decisions.evaluation import EVALUATED
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances
from assay.models.traits.model import EQUAL
from assay.rating.calibration import Calibration, shipped
from assay.rating.scale import one_game, scale_of
from assay.rating.with_results import Follows
from assay.workspace import Workspace
from research.calibration.evaluated import TEACHINGS, evidence_of, fit_teaching, read_teaching, with_clocks
from research.evidence.evaluated_accuracy import (
    Judge,
    Rated,
    deal_events,
    difference,
    events_of,
    judge_priors,
    of_one_player,
)
from research.evidence.evaluated_scales import (
    FLAT,
    POPULATION,
    TRIALS,
    Kept,
    folds_table,
    made_from,
    measure_scale,
    opponents_table,
    over_events,
    scales_table,
)
from research.markdown import PLAIN, RIGHT, render, table

TEMPLATE = files(__package__) / "evaluated.md.jinja"

GROUPS = {1: 1500, 3: 250, 5: 150, 9: 90, 18: 50}
"""At most so many groups of each number of games."""

MOST_EVENTS = {True: 24, False: 14}
"""Events on which priors are judged: by one game of each player, by all of them."""

MOST_PLAYERS = 40

MOST_IN_FOLD = 4000
"""Single games that are rated of each fold of events."""

FEWEST_GROUPS = 30
"""Fewer groups tell nothing of opponents."""

BANDS = ((1000, 1800), (1800, 2100), (2100, 2400), (2400, 2900))
DEPTHS = ((14, 14), (15, 17), (18, 20))


@dataclass(frozen=True, eq=False)
class Measured:
    """Everything that the page shows of ratings on events and players kept out."""

    calibration: Calibration
    by_games: Mapping[int, Rated]
    """With the flat prior, by the number of games of one player."""
    pooled: Mapping[int, Rated]
    """The same with one pool of all of them as the prior."""
    depth: Ints
    """Of the values of each single game."""
    priors: Mapping[bool, Mapping[str, Rated]]
    """Everyone at whole events, by one game each (true) or by all their games."""
    sizes: Mapping[bool, Sequence[int]]
    """How many players each of these events has."""
    unequal: float
    """Share of the appearances that taught against an opponent more than EQUAL points away."""
    scales: Sequence[Kept]
    """Every scale on players kept out."""
    timed: Sequence[Kept]
    """Those whose clocks may count: by moves alone, and with the clocks."""
    folds: Mapping[str, Rated]
    """Single games over folds of events, by traits alone and by all methods."""


def evaluated_page(shared: Path, work: Path) -> str:
    """The page, from the files of a folder; games are imported into another."""
    teaching = TEACHINGS[0]
    appearances, stacks = evidence_of(read_teaching(teaching, shared, work))
    workspace = Workspace(work / f"{Path(teaching.files[0]).name}.assay")
    games = workspace.games().select(["game_id", "evaluator"]).to_pylist()
    depth = {str(one["game_id"]): int(str(one["evaluator"] or "0").split()[-1]) for one in games}
    scales, timed = measure_scales(shared, work, {teaching.source: (appearances, stacks)})
    folds = over_events(teaching, appearances, stacks, MOST_IN_FOLD)
    return page_of(measure(appearances, stacks, depth, scales, timed, folds))


def measure_scales(
    shared: Path, work: Path, known: Mapping[str, tuple[Appearances, dict[str, ProfileStack]]]
) -> tuple[list[Kept], list[Kept]]:
    """Every scale on players kept out; and, where clocks may count, by moves and by clocks too.

    `known` has what was read already, by source.
    """
    scales, timed = [], []
    for teaching in TEACHINGS:
        appearances, stacks = known.get(teaching.source) or evidence_of(read_teaching(teaching, shared, work))
        scales.append(measure_scale(teaching, appearances, stacks, TRIALS[teaching.source]))
        if teaching.clocks:
            both = with_clocks(appearances, stacks)
            named = replace(teaching, scale=f"{teaching.scale}, with clocks")
            timed += [scales[-1], measure_scale(named, appearances, both, TRIALS[teaching.source])]
    return scales, timed


def measure(
    appearances: Appearances,
    stacks: dict[str, ProfileStack],
    depth_of_game: Mapping[str, int],
    scales: Sequence[Kept],
    timed: Sequence[Kept],
    folds: Mapping[str, Rated],
) -> Measured:
    """Calibrate on some events, rate the players of the others."""
    teaching = replace(TEACHINGS[0], fewest=32)  # of fewer games
    first, kept = deal_events(appearances)
    calibration = fit_teaching(teaching, appearances, stacks, first)
    judge = Judge(appearances, stacks, calibration)
    by_games, pooled, single = {}, {}, np.zeros(0, np.int64)
    for n, most in GROUPS.items():
        groups = of_one_player(appearances, kept, n, most)
        raws = judge.raw(groups)
        by_games[n] = judge.rated(groups, raws, judge.flat(groups))
        pooled[n] = judge.rated(groups, raws, judge.pool(raws))
        if n == 1:
            single = np.concatenate(groups)
    events = list(events_of(appearances, kept, MOST_PLAYERS))
    order = np.random.default_rng(0).permutation(len(events))
    chosen = {one: [events[place] for place in order[:most]] for one, most in MOST_EVENTS.items()}
    priors = {one: judge_priors(judge, some, one) for one, some in chosen.items()}
    sizes = {one: [len(players) for players in some] for one, some in chosen.items()}
    apart = np.abs(appearances.opponent_elo[first] - appearances.elo[first])
    names = appearances.names("game_id")
    depth = np.array([depth_of_game[names[game]] for game in appearances.game[single]])
    unequal = float((apart[np.isfinite(apart)] > EQUAL).mean())
    return Measured(calibration, by_games, pooled, depth, priors, sizes, unequal, scales, timed, folds)


def page_of(measured: Measured) -> str:
    """The page from what was measured."""
    about, span = measured.calibration.about, measured.calibration.range
    one = measured.by_games[1]
    fide = measured.scales[0].by_prior[POPULATION][1]
    context = {
        "calibrations": _calibrations(),
        "games": f"{about['games']:,}",
        "players": f"{about['players']:,}",
        "lowest": f"{span.lowest:.0f}",
        "highest": f"{span.highest:.0f}",
        "kept": len(one),
        "by_games": _by_games(measured.by_games),
        "pooled": _by_games(measured.pooled),
        "most_groups": len(list(measured.by_games.values())[-1]),
        "unequal": f"{measured.unequal:.0%}",
        "bands": _bands(measured.by_games),
        "priors": _priors(measured.priors, measured.sizes),
        "depths": _depths(one, measured.depth),
        "pulls": ", ".join(
            f"{n}: {found.pull[0]:+.0f} ± {found.pull[1]:.0f}"
            for n, found in measured.by_games.items()
            if len(found) >= FEWEST_GROUPS
        ),
        "folds": folds_table(measured.folds),
        "fide_population": _ratio(fide),
        "fide_groups": f"{len(fide):,}",
        "folds_population": _ratio(measured.folds[f"all methods, {POPULATION}"]),
        "folds_groups": f"{len(measured.folds[f'all methods, {POPULATION}']):,}",
        "population_bands": _bands(measured.scales[0].by_prior[POPULATION]),
        "opponents": opponents_table(measured.scales),
        "made_from": made_from(measured.scales),
        "scales_flat": scales_table(measured.scales, FLAT),
        "scales_population": scales_table(measured.scales, POPULATION),
        "timed": scales_table(measured.timed, FLAT),
        "timed_population": scales_table(measured.timed, POPULATION),
        "event_pool": _ratio(measured.priors[True]["pool"]),
        "event_pool_results": _ratio(measured.priors[True]["pool, results"]),
    }
    return render(TEMPLATE, context)


def _calibrations() -> str:
    heads = (
        *("scale", "values by", "games", "players", "from", "to"),
        *("one game strays by", "results follow by"),
    )
    found = [one for source in EVALUATED if (one := shipped(source)) is not None]
    rows = [
        (
            scale_of(one),
            one.about["engine"],
            f"{one.about['games']:,}",
            f"{one.about['players']:,}",
            f"{one.range.lowest:.0f}",
            f"{one.range.highest:.0f}",
            f"{min(one_game(one).values()):.0f}",
            f"{Follows.of(one).b:.2f}",
        )
        for one in found
    ]
    return table(heads, rows, (PLAIN, PLAIN, *[RIGHT] * 6))


def _by_games(by_games: Mapping[int, Rated]) -> str:
    heads = ("games", "groups", "error", "mean guess", "ratio", "bias", "within 95% interval")
    rows = [
        (
            n,
            len(one),
            f"{one.error:.0f}",
            f"{one.guess:.0f}",
            f"{one.error / one.guess:.2f}",
            f"{one.bias:+.0f}",
            f"{one.coverage:.1%}",
        )
        for n, one in by_games.items()
    ]
    return table(heads, rows, RIGHT)


def _bands(by_games: Mapping[int, Rated]) -> str:
    heads = ("games", *(f"{low} to {high}" for low, high in BANDS))
    rows = [(n, *(_band(one, *band) for band in BANDS)) for n, one in by_games.items()]
    return table(heads, rows, RIGHT)


def _band(rated: Rated, low: float, high: float) -> str:
    some = rated.where((rated.published >= low) & (rated.published < high))
    return f"{some.bias:+.0f} ({some.coverage:.0%}, {len(some)})" if len(some) else "-"


def _priors(priors: Mapping[bool, Mapping[str, Rated]], sizes: Mapping[bool, Sequence[int]]) -> str:
    heads = ("games", "prior", "players", "error", "mean guess", "in 95%", "log score", "less that of flat")
    rows: list[Sequence[object]] = []
    for one, by_name in priors.items():
        for name, found in by_name.items():
            mean, error = difference(found, by_name["flat"], sizes[one])
            rows.append(
                (
                    "one each" if one else "all",
                    name,
                    len(found),
                    f"{found.error:.0f}",
                    f"{found.guess:.0f}",
                    f"{found.coverage:.1%}",
                    f"{found.score:.3f}",
                    "" if name == "flat" else f"{mean:+.3f} ± {error:.3f}",
                )
            )
    return table(heads, rows, (PLAIN, PLAIN, *[RIGHT] * 6))


def _depths(rated: Rated, depth: Ints) -> str:
    heads = ("depth", "games", "error", "mean guess", "bias", "correlation")
    rows = []
    for low, high in DEPTHS:
        some = rated.where((depth >= low) & (depth <= high))
        named = f"{low}" if low == high else f"{low} to {high}"
        if len(some) > 2:
            along = np.corrcoef(some.elo, some.published)[0, 1]
            rows.append(
                (
                    named,
                    len(some),
                    f"{some.error:.0f}",
                    f"{some.guess:.0f}",
                    f"{some.bias:+.0f}",
                    f"{along:.2f}",
                )
            )
    return table(heads, rows, RIGHT)


def _ratio(found: Rated) -> str:
    return f"{found.error:.0f} of {found.guess:.0f}, a ratio of {found.error / found.guess:.2f}"
