"""Calibrations of games that bring their evaluations, made from files of rated games: one for each source.

    python -m research evaluated-scales SHARED OUT [--results] [SOURCE ...]

reads the evaluated games of a folder of development files and writes a calibration for each source of values
(decisions.evaluators) into OUT, and where clocks count a second one by moves and clocks. A file of games
is imported once, into a workspace beside OUT. With --results calibrations that are in OUT stay as they are,
and only how far results follow moves is measured with them and added (assay.rating.with_results).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import FICS_BLITZ, FIDE_CLASSICAL, LICHESS, evaluated_by
from assay.decisions.exclusions import Choice
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.traits.model import CLOCKS, ClocksModel
from assay.rating.calibration import (
    WITH_CLOCKS,
    Calibration,
    fit_calibration,
    rating_models,
    reference_of,
    stacks_of,
)
from assay.rating.calibration_reading import QUANTILES
from assay.rating.group_ratings import Rater
from assay.rating.priors import FEWEST_PLAYERS, SMALL
from assay.rating.scale import SHIPPED_SCALE
from assay.rating.with_results import FOLLOWS
from assay.workspace import Workspace
from assay.workspace.assemble import assemble_annotated
from research import command
from research.calibration.results_by_moves import follows_of

FEWEST_DECISIONS = 10

STEPS = 20
"""The ratings of a population are kept as quantiles, at so many equal steps."""

MOST_SIDES = 60
"""Sides of an event that count for its weight, at most."""

METHODS = ("conformance", "covariance", "gain", "markov", "traits")
"""The methods that one value per ply says something to."""


@dataclass(frozen=True)
class Teaching:
    """What the calibration of one source of values is made from."""

    source: str
    scale: str
    """What its ratings are called."""
    values: str
    """Who made the values, for people."""
    files: tuple[str, ...]
    """Below the folder of development files."""
    lowest: float
    highest: float
    fewest: int
    """Appearances that a century needs to be a milepost: groups of half as many show how ratings stray."""
    caveat: str = ""
    """What must be said with ratings on it, as measured on players kept out; nothing where all is well."""
    events: bool = False
    """Whether its events are tournaments, of which some are held out and the others show what events are
    like."""
    clocks: bool = False
    """Whether the clocks may count besides the moves: where that was measured to help."""


_EVALUATED, _CLOCKS = "data/evaluated", "data/clocks"
_OF_LICHESS = "lichess's Stockfish"

TEACHINGS = (
    Teaching(
        FIDE_CLASSICAL,
        SHIPPED_SCALE,
        "Stockfish, depth 14 to 20",
        (f"{_EVALUATED}/twic-fide-stockfish.pgn.zst",),
        1250,
        2850,
        64,
        events=True,
    ),
    Teaching(
        LICHESS["bullet"],
        "lichess bullet",
        _OF_LICHESS,
        (f"{_EVALUATED}/lichess-bullet.pgn.zst",),
        1350,
        3350,
        64,
        clocks=True,
    ),
    Teaching(
        LICHESS["blitz"],
        "lichess blitz",
        _OF_LICHESS,
        (
            f"{_CLOCKS}/lichess-blitz-bands.pgn.zst",
            f"{_EVALUATED}/lichess-bullet.pgn.zst",
            f"{_EVALUATED}/lichess-rapid.pgn.zst",
        ),
        950,
        2650,
        60,
    ),
    Teaching(
        LICHESS["rapid"],
        "lichess rapid",
        _OF_LICHESS,
        (f"{_EVALUATED}/lichess-rapid.pgn.zst", f"{_EVALUATED}/lichess4545-season-23.pgn.zst"),
        1450,
        2850,
        16,
        caveat="This scale rests on few games, and says little: on players kept out a game's rating errs by "
        "222 points, and the mean of all by 204.",
    ),
    Teaching(
        LICHESS["classical"],
        "lichess classical",
        _OF_LICHESS,
        (f"{_EVALUATED}/lichess4545-season-23.pgn.zst", f"{_EVALUATED}/lichess-rapid.pgn.zst"),
        1250,
        2550,
        32,
    ),
    Teaching(
        FICS_BLITZ,
        "FICS blitz",
        "Stockfish, depth 15",
        (f"{_EVALUATED}/fics-blitz-stockfish-d15.pgn.zst",),
        650,
        2150,
        64,
        caveat="On players kept out one game's rating errs more than the mean of all does. Some "
        "accounts, perhaps computers, come out hundreds of points too low.",
    ),
)
"""Every source that has a calibration. Beyond 2150 on FICS most players are computers."""


def read_teaching(teaching: Teaching, shared: Path, work: Path) -> Decisions:
    """The decisions of all games of one source, whatever their time class."""
    tables = []
    for name in teaching.files:
        path = shared / name
        workspace = Workspace(work / f"{path.name}.assay")
        workspace.import_games(path)
        games = workspace.games(None, Choice.parse("all"))
        tags = games.select(["site", "event", "evaluator", "time_class"]).to_pylist()
        of_source = [
            evaluated_by(*(str(value or "") for value in tag.values())) == teaching.source for tag in tags
        ]
        annotations = workspace.table_annotations.read()
        tables.append(assemble_annotated(games.filter(pa.array(of_source)), annotations, teaching.source))
    return Decisions.concat(tables)


def evidence_of(decisions: Decisions) -> tuple[Appearances, dict[str, ProfileStack]]:
    """Appearances, and their profiles by the methods that can read them."""
    appearances = Appearances.of(decisions)
    models = {name: model for name, model in rating_models(appearances.recipe_id).items() if name in METHODS}
    return appearances, stacks_of(appearances, models)


def with_clocks(appearances: Appearances, stacks: Mapping[str, ProfileStack]) -> dict[str, ProfileStack]:
    """The profiles, and those of the clocks."""
    return {**stacks, CLOCKS: appearances.stack(ClocksModel())}


def usable(appearances: Appearances, teaching: Teaching, among: Ints | None = None) -> Ints:
    """The appearances that may teach: within the range, at centuries that have enough of them."""
    elo = appearances.elo
    chosen = (elo >= teaching.lowest) & (elo < teaching.highest) & (appearances.size >= 10)
    if among is not None:
        chosen &= np.isin(np.arange(len(elo)), among)
    century = np.round(elo / 100)
    centuries, counts = np.unique(century[chosen], return_counts=True)
    return np.flatnonzero(chosen & np.isin(century, centuries[counts >= teaching.fewest]))


def is_held_out(event: str) -> bool:
    """Whether an event is not used to make anything: a quarter of them, by a hash of the name."""
    return int(hashlib.sha256(event.encode()).hexdigest(), 16) % 4 == 0


def training_rows(appearances: Appearances) -> Ints:
    """The appearances in events that are not held out."""
    names = [*appearances.names("event"), ""]
    held_out = np.array([is_held_out(name) for name in names])
    return np.flatnonzero(~held_out[appearances.codes("event")])


def population_of(appearances: Appearances, teaching: Teaching, among: Ints) -> dict[str, Any]:
    """Mean, standard deviation and quantiles of the players of the games, each counted once.

    All count that are within the range, also where a century has too few to be a milepost.
    """
    rows = among[appearances.size[among] >= FEWEST_DECISIONS]
    rows = rows[(appearances.elo[rows] >= teaching.lowest) & (appearances.elo[rows] < teaching.highest)]
    _, first = np.unique(appearances.player[rows], return_index=True)
    elo = appearances.elo[rows][first]
    return {
        "mean": round(float(elo.mean()), 1),
        "deviation": round(float(elo.std()), 1),
        QUANTILES: np.quantile(elo, np.linspace(0, 1, STEPS + 1)).round().tolist(),
    }


def fields_of(appearances: Appearances, rows: Ints) -> list[list[Ints]]:
    """The rows of each player, for every event and year with players enough to learn from."""
    rows = rows[(appearances.size[rows] >= FEWEST_DECISIONS) & np.isfinite(appearances.elo[rows])]
    year = np.nan_to_num(appearances.numbers("year")).astype(np.int64)
    event = appearances.codes("event") * 10_000 + year
    fields = []
    for code in np.unique(event[rows]):
        games = rows[event[rows] == code]
        who = appearances.player[games]
        players = [games[who == player] for player in np.unique(who)]
        if len(players) >= FEWEST_PLAYERS:
            fields.append(players)
    return fields


def events_of(
    appearances: Appearances, stacks: Mapping[str, ProfileStack], teaching: Teaching, among: Ints
) -> dict[str, Any]:
    """Levels and spreads of events by published ratings, and the errors that the ratings of one event share.

    Half of the events make a calibration, and the other half shows the errors of single appearances.
    """
    event = appearances.codes("event")
    first = np.random.default_rng(0).random(event.max() + 1) < 0.5
    of_events, of_games = [], []
    for half in (first, ~first):
        calibration = fit_teaching(teaching, appearances, stacks, among[half[event[among]]], events=False)
        used = {name: stacks[name] for name in calibration.mappings}
        rater = Rater(appearances, calibration, stacks=used)
        for field in fields_of(appearances, among[~half[event[among]]]):
            rows = np.concatenate(field)
            error = rater.elo_in_games(rows) - appearances.elo[rows]
            rows, error = rows[np.isfinite(error)], error[np.isfinite(error)]
            pairs = np.outer(error, error)
            who, game = appearances.player[rows], appearances.game[rows]
            others = who[:, None] != who
            same_game = game[:, None] == game
            if (chosen := others & ~same_game).any():
                of_events.append((pairs[chosen].mean(), min(len(rows), MOST_SIDES)))
            if (chosen := others & same_game).any():
                of_games.append((pairs[chosen].mean() / np.square(error).mean(), chosen.sum()))
    sizes = {}
    for name, large in (("small", False), ("large", True)):
        ratings = [
            np.array([appearances.elo[rows[0]] for rows in field])
            for field in fields_of(appearances, among)
            if (len(field) > SMALL) == large and len(field) >= 6
        ]
        level, spread = np.array([elo.mean() for elo in ratings]), np.log([elo.std() for elo in ratings])
        slope = np.polyfit(level, spread, 1)[0]
        rest = spread - slope * (level - level.mean())
        numbers = (level.mean(), level.std(), rest.mean(), rest.std())
        sizes[name] = [*(round(float(x), 3) for x in numbers), round(float(slope), 6)]
    shared, sides = (
        float(np.average(values, weights=weights))
        for values, weights in (np.transpose(pairs) for pairs in (of_events, of_games))
    )
    shared = float(np.sqrt(max(shared, 0.0)))
    return {"events": sizes, "shared_error": round(shared, 1), "sides": round(sides, 2)}


def fit_teaching(
    teaching: Teaching,
    appearances: Appearances,
    stacks: Mapping[str, ProfileStack],
    among: Ints | None = None,
    *,
    events: bool = True,
) -> Calibration:
    """The calibration of a source from its appearances, all or those `among`; by clocks too, if in stacks."""
    among = np.arange(len(appearances)) if among is None else among
    rows = usable(appearances, teaching, among)
    by_name: dict[str, MoveModel] = {**rating_models(teaching.source), CLOCKS: ClocksModel()}
    models = {name: by_name[name] for name in stacks}
    population = population_of(appearances, teaching, among)
    if teaching.events and events:
        population |= events_of(appearances, stacks, teaching, among)
    about = {
        "engine": teaching.values,
        "recipe": "evaluations of the games",
        "scale": teaching.scale,
        "games": len(np.unique(appearances.game[rows])),
        "players": len(np.unique(appearances.player[rows])),
        "population": population,
        "caveat": teaching.caveat,
    }
    calibration = fit_calibration(
        stacks, reference_of(appearances, stacks, rows), teaching.source, about, models
    )
    return with_follows(calibration, appearances, stacks, rows)


def with_follows(
    calibration: Calibration, appearances: Appearances, stacks: Mapping[str, ProfileStack], rows: Ints
) -> Calibration:
    """A calibration that says how far results follow moves, as these rows tell; as it was if they cannot."""
    used = {name: stacks[name] for name in calibration.mappings}
    follows = follows_of(Rater(appearances, calibration, stacks=used), rows)
    if follows is None:
        return calibration
    return replace(calibration, about={**calibration.about, FOLLOWS: follows})


def main(words: Sequence[str]) -> None:
    """Make calibrations from the files of a folder."""
    parser = command("evaluated-scales", __doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--results", action="store_true", help="only measure how far results follow moves")
    parser.add_argument("sources", nargs="*", help="without any: all")
    given = parser.parse_args(words)
    for teaching in TEACHINGS:
        if given.sources and teaching.source not in given.sources:
            continue
        appearances, stacks = evidence_of(read_teaching(teaching, given.shared, given.out))
        kinds = {teaching.source: stacks}
        if teaching.clocks:
            kinds[f"{teaching.source}{WITH_CLOCKS}"] = with_clocks(appearances, stacks)
        for name, profiles in kinds.items():
            place = given.out / f"{name}.npz"
            if given.results:
                rows = usable(appearances, teaching)
                calibration = with_follows(Calibration.read(place), appearances, profiles, rows)
            else:
                among = training_rows(appearances) if teaching.events else None
                calibration = fit_teaching(teaching, appearances, profiles, among)
            calibration.write(place)
            about = calibration.about
            print(f"{name}: {about['games']:,} games of {about['players']:,} players, {about.get(FOLLOWS)}")
