"""The tables of docs/evidence/accuracy.md: errors and coverage of ratings on held-out games.

    python -m research accuracy EVIDENCE ... [--splits 2] [--papers]

EVIDENCE are files of `calibration-evidence`: research/calibration/standard-sides and quick-sides. Each half
of the games is rated through a calibration made from the other half, with the flat prior: players of these
games are picked evenly over the scale. No engine is needed. With --papers the ratings by the papers' methods
together stand beside, which takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from assay.models.appearances import Appearances, assign_folds
from assay.rating.accuracy import BASELINE, FOLDS, Outcome, Summary, held_out
from assay.rating.calibration import PAPERS, reference_of
from assay.rating.champions import Champions, champions
from assay.rating.group_ratings import COMBINED, Rater, rate_raw
from assay.rating.priors import FEWEST_PLAYERS, Player, priors_for
from research import command
from research.calibration.evidence import read_evidence
from research.markdown import Tables, numbers_table, print_tables

BANDS = ((1000, 1300), (1300, 1600), (1600, 1900), (1900, 2200), (2200, 2500), (2500, 2800), (2800, 4000))
EQUAL, FROM = 50.0, 1450.0
"""Points between two equals, at most, and the lowest milepost of the games between equals."""

BY_STRENGTH = (1, 3, 10)

RATED_SINCE, MANY = 1970, 10
"""Year of the first published ratings of champions that count, and games of a year, at least."""

Outcomes = Mapping[str, Sequence[Outcome]]
"""By the name of a recipe."""


def main(words: Sequence[str]) -> None:
    """Print the tables; takes a minute, or ten with the papers' methods."""
    parser = command("accuracy", __doc__)
    parser.add_argument("evidence", type=Path, nargs="+")
    parser.add_argument("--splits", type=int, default=2, help="how often the games are halved anew")
    parser.add_argument("--papers", action="store_true", help="also rate by the papers' methods together")
    given = parser.parse_args(words)
    print_tables(tables(given.evidence, given.splits, papers=given.papers))


def tables(paths: Sequence[Path], splits: int, *, papers: bool = False) -> Tables:
    """Each table of the page with its title."""
    every: dict[str, list[Outcome]] = {}
    shared = []
    for path in paths:
        recipe = path.name.removesuffix("-sides")
        appearances, stacks = read_evidence(path)
        if not papers:
            stacks = {"traits": stacks["traits"]}
        outcomes = held_out(appearances, stacks, splits=splits)
        every[recipe] = outcomes
        shared.append(f"`{recipe}`: {players_of_both(appearances):.0%}")
        yield f"`{recipe}`", by_games(outcomes)
        if recipe == "standard":
            equal = np.abs(appearances.opponent_elo - appearances.elo) <= EQUAL
            rows = np.flatnonzero(equal & (appearances.elo >= FROM))
            yield (
                f"The {len(np.unique(appearances.game[rows]))} games between equals",
                by_games(held_out(appearances, stacks, splits=splits, among=rows)),
            )
    yield "By strength", by_band(every, "published", lambda outcome: outcome.reference)
    yield "By rating", by_band(every, "rating by moves", lambda outcome: outcome.elo)
    yield "Appearances whose player is in both halves", ", ".join(shared)
    yield "Real players with ten games or more", real_players(champions())
    yield "Elite fields", elite_fields(champions())


def real_players(roster: Champions) -> str:
    """Years of champions with ten games or more and a published rating, by the moves alone: flat prior."""
    outcomes = []
    for row, key in enumerate(roster.keys):
        published, player = roster.record([row])["published"], roster.ratings[key]
        rating = player.moves_only
        if (key.year or 0) >= RATED_SINCE and np.isfinite(published) and player.games >= MANY and rating:
            outcomes.append((published, rating.elo, rating.low, rating.high, player.games))
    every = np.array(outcomes)
    rows = []
    bands = {"all": (0, 4000), "below 2600": (0, 2600), "2600 to 2700": (2600, 2700)}
    bands |= {"2700 to 2800": (2700, 2800), "2800 and above": (2800, 4000)}
    for name, (low, high) in bands.items():
        published, elo, lowest, highest, games = every[(every[:, 0] >= low) & (every[:, 0] < high)].T
        covered = ((lowest <= published) & (published <= highest)).mean()
        error = f"{np.abs(elo - published).mean():.0f}", f"{(elo - published).mean():+.0f}"
        width = f"{(highest - lowest).mean():.0f}"
        rows.append((name, len(elo), f"{games.mean():.1f}", *error, f"{covered:.1%}", width))
    heads = ("published", "player-years", "mean games", "average error", "bias")
    return numbers_table((*heads, "95% interval covers", "mean width of 95%"), rows)


def players_of_both(appearances: Appearances) -> float:
    """Which share of the appearances is of players who have games in both halves."""
    everyone = reference_of(appearances, {})
    fold = assign_folds(everyone.game, everyone.player, everyone.milepost, FOLDS, np.random.default_rng(0))
    halves = [set(everyone.player[fold == half].tolist()) for half in range(FOLDS)]
    return float(np.isin(everyone.player, list(halves[0] & halves[1])).mean())


def by_games(outcomes: Sequence[Outcome]) -> str:
    """One row for each number of games, of one player or of several."""
    kinds = sorted({(outcome.games, outcome.one_player) for outcome in outcomes})
    columns = {BASELINE: "guessing the average"}
    if any(outcome.method == PAPERS for outcome in outcomes):
        columns[PAPERS] = "by `papers`"
    rows = []
    for games, one_player in kinds:
        name = str(games) if games == 1 else f"{games} of one player" if one_player else f"{games}, composite"
        of_method = {
            method: [
                outcome
                for outcome in outcomes
                if (outcome.games, outcome.one_player, outcome.method) == (games, one_player, method)
            ]
            for method in (COMBINED, *columns)
        }
        by_moves = of_method[COMBINED]
        summary = Summary.of(by_moves)
        others = [
            f"{Summary.of(of_method[method]).mean_error:.0f}" if of_method[method] else "-"
            for method in columns
        ]
        together = np.corrcoef(*np.array([(outcome.elo, outcome.reference) for outcome in by_moves]).T)[0, 1]
        covered = f"{summary.within_95:.1%}", f"{summary.within_50:.1%}", f"{summary.width:.0f}"
        error = f"{summary.mean_error:.0f}", *others, f"{summary.bias:+.0f}"
        rows.append((name, summary.groups, *error, *covered, f"{together:.3f}"))
    heads = ("games", "groups", "average error", *columns.values(), "bias")
    return numbers_table(
        (*heads, "95% interval covers", "50% covers", "mean width of 95%", "correlation"), rows
    )


def by_band(every: Outcomes, named: str, elo: Callable[[Outcome], float]) -> str:
    """Bias, and in brackets the share covered and the number of groups, by bands of a rating."""
    columns = [(recipe, games) for recipe in every for games in BY_STRENGTH]
    rows = []
    for low, high in BANDS:
        cells = []
        for recipe, games in columns:
            in_band = [
                outcome
                for outcome in every[recipe]
                if outcome.method == COMBINED
                and outcome.games == games
                and (games == 1 or not outcome.one_player)
                and low <= elo(outcome) < high
            ]
            summary = Summary.of(in_band) if in_band else None
            cells.append(
                f"{summary.bias:+.0f} ({summary.within_95:.0%}, {summary.groups})" if summary else "-"
            )
        rows.append((f"{low} to {high}" if high < 4000 else f"{low} and above", *cells))
    heads = [
        f"{games} game" + "s" * (games > 1) if games > 1 else f"`{recipe}`, 1 game"
        for recipe, games in columns
    ]
    return numbers_table((named, *heads), rows)


def elite_fields(roster: Champions) -> str:
    """The champions of one year as the players of one event, with the default prior."""
    calibration = roster.calibration
    assert calibration is not None
    sums = roster.sums(roster.keys, ["traits"])
    rater = Rater(sums, calibration, methods=["traits"], stacks=sums.stacks(calibration.models_used))
    raw = rater.raw([np.array([row]) for row in range(len(roster.keys))])
    published = np.array([roster.record([row])["published"] for row in range(len(roster.keys))])
    year = np.array([key.year for key in roster.keys])
    rows = []
    for low, high in ((2550, 2700), (2650, 2900), (2700, 2900)):
        usual = (published >= low) & (published < high) & (raw.games >= FEWEST_PLAYERS)
        fields = [np.flatnonzero(usual & (year == one)) for one in range(1990, int(year.max()) + 1)]
        fields = [field for field in fields if len(field) >= FEWEST_PLAYERS]
        outcomes = []
        for field in fields:
            players = [Player(str(row), "one year", int(raw.games[row])) for row in field]
            priors = priors_for("population", calibration, players, raw.only(field), ("traits",))
            rated = rate_raw(calibration, raw.only(field), priors.each, ())
            ratings = [one[COMBINED] for one in rated]
            outcomes += [
                (published[row], one.elo, one.low, one.high) for row, one in zip(field, ratings, strict=True)
            ]
        truth, elo, lowest, highest = np.array(outcomes).T
        covered = ((lowest <= truth) & (truth <= highest)).mean()
        error = f"{np.abs(elo - truth).mean():.0f}", f"{(elo - truth).mean():+.0f}", f"{covered:.1%}"
        width = f"{(highest - lowest).mean():.0f}"
        rows.append((f"{low} to {high}", len(fields), len(elo), f"{truth.mean():.0f}", *error, width))
    heads = ("published", "fields", "player-years", "mean published", "average error", "bias")
    return numbers_table((*heads, "95% interval covers", "mean width of 95%"), rows)
