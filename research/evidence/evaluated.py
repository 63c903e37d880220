"""The tables of docs/evaluated.md: how well games that contain evaluations are rated.

    python -m research evaluated SHARED [--work FOLDER]

SHARED holds the development files that the calibrations are made from; games are imported into workspaces
below FOLDER. FIDE games: events are split in two parts; the calibration is made from the first, and players
of the second are rated who have no game in the first. Priors (assay.rating.priors) are judged on whole
events: by the error, and by the logarithmic score, the log of the density that a rating's normal has at the
published one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from assay.decisions.arrays import Ints
from assay.decisions.evaluation import EVALUATED
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances
from assay.rating.calibration import shipped
from assay.rating.posterior import Prior
from assay.rating.priors import population
from assay.rating.scale import one_game, scale_of
from assay.rating.with_results import Follows
from research import command
from research.calibration.evaluated import TEACHINGS, evidence_of, fit_teaching, read_teaching, with_clocks
from research.evidence.evaluated_scales import (
    FLAT,
    POPULATION,
    TRIALS,
    HeldOut,
    made_from,
    measure_scale,
    scales_table,
)
from research.evidence.judge import LEAST, Judge, RatedGroups, concat, difference, of_one_player
from research.markdown import PLAIN, RIGHT, Tables, print_tables, table

SHARE = 0.6
"""Of the events, how many calibrate."""

FEWEST_PLAYERS = 10
"""An event with fewer players is not a pool."""

GROUPS = {1: 1500, 3: 250, 5: 150, 9: 90, 18: 50}
"""At most so many groups of each number of games of one player."""

MOST_EVENTS = {True: 24, False: 14}
"""Events on which priors are judged: by one game of each player, by all of them."""

MOST_PLAYERS = 40

BANDS = ((1000, 1800), (1800, 2100), (2100, 2400), (2400, 2900))


def main(words: Sequence[str]) -> None:
    """Print the tables; takes ten minutes."""
    parser = command("evaluated", __doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--work", type=Path, help="folder that games are imported into, and kept")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        print_tables(tables(given.shared, given.work or Path(folder)))


def tables(shared: Path, work: Path) -> Tables:
    """Each table of the page with its title."""
    yield "Calibrations that ship", shipped_table()
    fide = evidence_of(read_teaching(TEACHINGS[0], shared, work))
    yield from on_events(*fide)
    scales, timed = measure_scales(shared, work, {TEACHINGS[0].source: fide})
    yield "Made from", made_from(scales)
    for prior in (FLAT, POPULATION):
        yield f"Every scale, {prior} prior", scales_table(scales, prior)
        yield f"With clocks, {prior} prior", scales_table(timed, prior)
    yield "FIDE, population prior, by band", bands_table(scales[0].by_prior[POPULATION])


def split_events(appearances: Appearances, seed: int = 1) -> tuple[Ints, Ints]:
    """Rows of the events that calibrate, and of players in the others who have no game in these."""
    event = appearances.codes("event") * 10_000 + np.nan_to_num(appearances.numbers("year")).astype(np.int64)
    _, place = np.unique(event, return_inverse=True)
    first = (np.random.default_rng(seed).random(place.max() + 1) < SHARE)[place]
    usable = (appearances.size >= LEAST) & np.isfinite(appearances.elo)
    seen = np.unique(appearances.player[first & usable])
    held_out = usable & ~first & ~np.isin(appearances.player, seen)
    return np.flatnonzero(first & usable), np.flatnonzero(held_out)


def events_of(appearances: Appearances, rows: Ints, most_players: int, seed: int = 0) -> Iterator[list[Ints]]:
    """The games of each player of each event that has enough of them; of more than so many, some."""
    rng = np.random.default_rng(seed)
    event = appearances.codes("event")
    for code in np.unique(event[rows]):
        games = rows[event[rows] == code]
        players = np.unique(appearances.player[games])
        if len(players) < FEWEST_PLAYERS:
            continue
        chosen = rng.permutation(players)[:most_players]
        yield [games[appearances.player[games] == player] for player in chosen]


def judge_priors(
    judge: Judge, events: Sequence[list[Ints]], one_game: bool = False, results: bool = True
) -> dict[str, RatedGroups]:
    """Everyone at some events by each prior, with results and without; by one game of each, or by all."""
    by_prior: dict[str, list[RatedGroups]] = {}
    for players in events:
        groups = [rows[:1] for rows in players] if one_game else players
        raws = judge.raw(groups)
        players_of_scale = population(judge.calibration)
        priors_by_name: dict[str, list[Prior]] = {
            "flat": judge.flat(groups),
            "pool": judge.pool(raws),
            "population": [players_of_scale.of(rows) for rows in groups],
        }
        ways: dict[str, tuple[Callable[..., RatedGroups], list[Prior]]] = {
            name: (judge.rated, priors) for name, priors in priors_by_name.items()
        }
        if results:
            ways |= {
                f"{name}, results": (judge.with_results, priors) for name, priors in priors_by_name.items()
            }
        for name, (way, priors) in ways.items():
            by_prior.setdefault(name, []).append(way(groups, raws, priors))
    return {name: concat(several) for name, several in by_prior.items()}


def on_events(appearances: Appearances, stacks: dict[str, ProfileStack]) -> Tables:
    """Calibrate on some events, rate the players of the others."""
    teaching = replace(TEACHINGS[0], fewest=32)  # of fewer games
    first, held_out = split_events(appearances)
    calibration = fit_teaching(teaching, appearances, stacks, first)
    about, span = calibration.about, calibration.range
    yield (
        "Events that calibrate",
        f"{about['games']:,} games of {about['players']:,} players, {span.lowest:.0f} to {span.highest:.0f}",
    )
    judge = Judge(appearances, stacks, calibration)
    flat, pooled = {}, {}
    for n, most in GROUPS.items():
        groups = of_one_player(appearances, held_out, n, most)
        raws = judge.raw(groups)
        flat[n] = judge.rated(groups, raws, judge.flat(groups))
        pooled[n] = judge.rated(groups, raws, judge.pool(raws))
    yield "By number of games, flat prior", by_games_table(flat)
    yield "By number of games, one pool of all", by_games_table(pooled)
    yield "By band", bands_table(flat)
    events = list(events_of(appearances, held_out, MOST_PLAYERS))
    order = np.random.default_rng(0).permutation(len(events))
    rows: list[Sequence[object]] = []
    for single, most in MOST_EVENTS.items():
        chosen = [events[place] for place in order[:most]]
        rows += prior_rows(judge_priors(judge, chosen, single), [len(players) for players in chosen], single)
    heads = ("games", "prior", "players", "error", "guessing the average", "in 95%", "log score", "less flat")
    yield "Priors on whole events", table(heads, rows, (PLAIN, PLAIN, *[RIGHT] * 6))


def measure_scales(
    shared: Path, work: Path, known: Mapping[str, tuple[Appearances, dict[str, ProfileStack]]]
) -> tuple[list[HeldOut], list[HeldOut]]:
    """Every scale on held-out players; and, where clocks may count, by moves and by clocks too.

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


def shipped_table() -> str:
    """What ships, by source."""
    heads = (
        *("scale", "values by", "games", "players", "from", "to"),
        *("one game strays by", "results follow by"),
    )
    calibrations = [calibration for source in EVALUATED if (calibration := shipped(source)) is not None]
    rows = [
        (
            scale_of(calibration),
            calibration.about["engine"],
            f"{calibration.about['games']:,}",
            f"{calibration.about['players']:,}",
            f"{calibration.range.lowest:.0f}",
            f"{calibration.range.highest:.0f}",
            f"{min(one_game(calibration).values()):.0f}",
            f"{Follows.of(calibration).b:.2f}",
        )
        for calibration in calibrations
    ]
    return table(heads, rows, (PLAIN, PLAIN, *[RIGHT] * 6))


def by_games_table(by_games: Mapping[int, RatedGroups]) -> str:
    """Errors and coverage by the number of games of one player."""
    heads = ("games", "groups", "error", "guessing the average", "ratio", "bias", "within 95% interval")
    rows = [
        (
            n,
            len(groups),
            f"{groups.error:.0f}",
            f"{groups.guess:.0f}",
            f"{groups.error / groups.guess:.2f}",
            f"{groups.bias:+.0f}",
            f"{groups.coverage:.1%}",
        )
        for n, groups in by_games.items()
    ]
    return table(heads, rows, RIGHT)


def bands_table(by_games: Mapping[int, RatedGroups]) -> str:
    """Bias, coverage and number of groups by published rating."""
    heads = ("games", *(f"{low} to {high}" for low, high in BANDS))
    rows = [(n, *(_band(groups, *band) for band in BANDS)) for n, groups in by_games.items()]
    return table(heads, rows, RIGHT)


def _band(rated: RatedGroups, low: float, high: float) -> str:
    in_band = rated.where((rated.published >= low) & (rated.published < high))
    return f"{in_band.bias:+.0f} ({in_band.coverage:.0%}, {len(in_band)})" if len(in_band) else "-"


def prior_rows(
    by_prior: Mapping[str, RatedGroups], sizes: Sequence[int], one_game: bool
) -> Iterator[Sequence[object]]:
    """One row for each prior, with the difference of its score from that of the flat one."""
    for name, groups in by_prior.items():
        mean, error = difference(groups, by_prior[FLAT], sizes)
        yield (
            "one each" if one_game else "all",
            name,
            len(groups),
            f"{groups.error:.0f}",
            f"{groups.guess:.0f}",
            f"{groups.coverage:.1%}",
            f"{groups.score:.3f}",
            "" if name == FLAT else f"{mean:+.3f} ± {error:.3f}",
        )
