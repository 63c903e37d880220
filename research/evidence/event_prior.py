"""The prior as a hierarchy: players of a population, events with a level of their own, a shared error.

    python -m research event-prior GAMES.pgn.zst --work FOLDER

GAMES has one evaluation per ply and published ratings (../shared/data/evaluated/twic-fide-stockfish.pgn.zst);
it is imported into FOLDER once. A quarter of the events, by a hash of the name, is held out for the day on
which this is built into `rate`, and is not read here. The others are scored by weights of other folds of
events, and every player of an event is rated with a flat prior, with the population, and with the hierarchy.

Most players of an event are normal around its level, with a spread of its own; a few are anybody of the
population. The level is normal around that of other events of such a size. Whoever has fewer games than the
others of an event is weaker on average, because boards are recorded from the top of the hall. All ratings of
one event share an error.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.models.appearances import Appearances
from assay.models.traits.model import ValueTraitsModel, means_of
from assay.rating.posterior import GRID
from assay.rating.priors import Quantiles
from assay.study import Study
from research.evidence.learned_score import Score, fit_score
from research.markdown import numbers_table

SMALL = 15
"""Players up to which an event is a small one: round robins, where players are chosen to be alike."""

ANYBODY, WEAKER_WITH_FEWER, REST = 0.05, 0.9, 0.93
"""Share of players from the whole population; spreads by which a player's mean rises with the logarithm of
their games over the event's mean; standard deviation around that mean, in spreads."""

SPREADS = np.array([30.0, 50.0, 75.0, 110.0, 150.0, 200.0, 260.0, 330.0])
LEVELS = np.arange(GRID[0] + 200, GRID[-1] - 400, 25.0)
POINTS = GRID[::4]
STEP = 0.2
"""Spreads to which a player's mean by games is rounded, so that tables of densities are few."""

FEWEST_DECISIONS, FEWEST_PLAYERS, FOLDS = 10, 4, 10


def is_held_out(event: str) -> bool:
    """Whether an event is not read here: a quarter of them."""
    return int(hashlib.sha256(event.encode()).hexdigest(), 16) % 4 == 0


@dataclass(frozen=True)
class Events:
    """Levels and spreads of events of one size: means and standard deviations, of spreads as logarithms."""

    level: float
    level_deviation: float
    log_spread: float
    log_spread_deviation: float


@dataclass(frozen=True)
class Population:
    """Players and events of one scale; `shared_error` is a standard deviation in Elo."""

    players: Quantiles
    small: Events
    large: Events
    shared_error: float


def event_posteriors(population: Population, log_likelihoods: Floats, games: Floats) -> Floats:
    """Log-posteriors over GRID of the players of one event, shape (players, grid), up to a constant each.

    The likelihoods are without the error that ratings of the event share. All of it is summed over a grid of
    levels and spreads, so the posterior of the hierarchy is exact up to the grid's step.
    """
    likelihood = log_likelihoods[:, ::4]
    likelihood = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    events = population.small if len(likelihood) <= SMALL else population.large
    shifts = np.clip(WEAKER_WITH_FEWER * np.log(games / games.mean()), -2.0, 1.2)
    tables = [densities(population, round(float(shift / STEP))) for shift in shifts]
    # What the moves of each player say of a spread and of a level, as it appears with the shared error.
    evidence = np.stack([np.log(table @ own + 1e-300) for table, own in zip(tables, likelihood, strict=True)])
    appears = events.level_deviation**2 + population.shared_error**2
    together = evidence.sum(axis=0) - 0.5 * (
        np.square(LEVELS - events.level)[:, None] / appears
        + np.square((np.log(SPREADS) - events.log_spread) / events.log_spread_deviation)
    )
    # Given the level as it appears, the shared error is normal, whatever else the moves say.
    share = population.shared_error**2 / appears
    rest = population.shared_error * np.sqrt(1 - share)
    blur = np.exp(-0.5 * np.square((POINTS[:, None] - POINTS) / max(rest, 1.0)))
    blur /= blur.sum(axis=0)
    answers = []
    for table, own, said in zip(tables, likelihood, evidence, strict=True):
        others = together - said
        appearing = np.einsum("ls,lsg->lg", np.exp(others - others.max()), table) * own
        heavy = np.flatnonzero(appearing.sum(axis=1) > 1e-9 * appearing.sum())
        moved = np.zeros(len(POINTS))
        for place in heavy:
            shifted = POINTS + share * (LEVELS[place] - events.level)
            moved += np.interp(shifted, POINTS, appearing[place], 0.0, 0.0)
        answers.append(np.interp(GRID, POINTS, np.log(blur @ moved + 1e-300)))
    return np.stack(answers)


@lru_cache(maxsize=64)
def densities(population: Population, steps: int) -> Floats:
    """Densities of a player over POINTS by level and spread, for a mean so many STEPs above the level."""
    anybody = np.exp(population.players.log_density(POINTS))
    anybody /= anybody.sum()
    spread = SPREADS[None, :, None]
    apart = (POINTS - LEVELS[:, None, None] - steps * STEP * spread) / (REST * spread)
    normal = np.exp(-0.5 * np.minimum(np.square(apart), 200.0))
    normal /= normal.sum(axis=-1, keepdims=True)
    return np.asarray((1 - ANYBODY) * normal + ANYBODY * anybody)


@dataclass(frozen=True, eq=False)
class Sides:
    """One row for each player in each game: means of features, ratings, and who and where it was."""

    features: Floats
    elo: Floats
    opponent: Floats
    size: Floats
    player: Ints
    event: Ints

    @classmethod
    def read(cls, path: Path, work: Path) -> Sides:
        """All sides of the events that are not held out."""
        study, model = (
            Study(path, workspace=work / f"{path.name}.assay", evaluations="file"),
            ValueTraitsModel(),
        )
        sums, numbers, players, events = [], [], [], []
        for piece in study.source.decisions(study.valuation):
            some = Appearances.of(piece)
            names = [*some.names("event"), ""]
            names_of, codes_of, years = some.players(), some.codes("event"), some.numbers("year")
            usable = (some.size >= FEWEST_DECISIONS) & np.isfinite(some.elo)
            usable &= ~np.array([is_held_out(names[code]) for code in some.codes("event")])
            sums.append(np.asarray(some.stack(model).evidence)[usable])
            numbers.append(np.column_stack((some.elo, some.opponent_elo, some.size))[usable])
            for row in np.flatnonzero(usable):
                players.append(names_of[row])
                events.append(f"{names[codes_of[row]]} {years[row]:.0f}")
        elo, opponent, size = np.concatenate(numbers).T
        features = means_of(np.concatenate(sums), ValueTraitsModel.blocks)
        codes = [np.unique(names, return_inverse=True)[1] for names in (players, events)]
        return cls(features, elo, opponent, size, codes[0], codes[1])

    def fields(self) -> list[list[Ints]]:
        """Rows by player, for every event."""
        by_event = []
        for event in np.unique(self.event):
            rows = np.flatnonzero(self.event == event)
            by_event.append([rows[self.player[rows] == one] for one in np.unique(self.player[rows])])
        return by_event


def population_of(sides: Sides, fields: Sequence[Sequence[Ints]], error: Floats) -> Population:
    """Learn the population: each player once, events by size, and what errors of an event's players share."""
    _, first = np.unique(sides.player, return_index=True)
    players = Quantiles(tuple(np.quantile(sides.elo[first], np.linspace(0, 1, 21)).tolist()))
    sizes = {}
    for large in (False, True):
        ratings = [
            np.array([sides.elo[rows[0]] for rows in field])
            for field in fields
            if len(field) >= 6 and (len(field) > SMALL) == large
        ]
        level, spread = np.array([one.mean() for one in ratings]), np.log([one.std() for one in ratings])
        sizes[large] = Events(level.mean(), level.std(), spread.mean(), spread.std())
    products, shares = [], []
    for field in fields:
        if len(field) >= FEWEST_PLAYERS:
            means, n = np.array([error[rows].mean() for rows in field]), len(field)
            products.append((means.sum() ** 2 - np.square(means).sum()) / (n * (n - 1)))
            shares.append(min(n, 30))
    shared = np.sqrt(max(np.average(products, weights=shares), 0.0))
    return Population(players, sizes[False], sizes[True], float(shared))


def summary(log: Floats) -> tuple[float, float, float]:
    """Mean and 95% interval of a posterior over GRID."""
    mass = np.exp(log - log.max())
    mass /= mass.sum()
    low, high = np.interp([0.025, 0.975], np.cumsum(mass) - mass / 2, GRID)
    return float(mass @ GRID), float(low), float(high)


def measure(sides: Sides) -> str:
    """Error, coverage and width of every player of every event, by prior and number of games."""
    rng = np.random.default_rng(0)
    fold = rng.integers(0, FOLDS, sides.event.max() + 1)[sides.event]
    score, held_out = fit_score(sides.features, sides.elo, sides.opponent, sides.size, sides.player, fold)
    fields = sides.fields()
    expected, slope = score.expected(sides.elo)
    population = population_of(sides, fields, (held_out - expected) / slope * score.unit)
    flat = np.where((sides.elo.min() <= GRID) & (GRID <= 2850), 0.0, -50.0)
    lines: dict[str, list[tuple[float, ...]]] = {"flat": [], "population": [], "hierarchy": []}
    within = np.sqrt(max(score.form**2 - population.shared_error**2, 50.0**2))
    anybody = population.players.log_density(GRID)
    for field in fields:
        alone = np.stack([_likelihood(score, held_out, sides, rows, score.form) for rows in field])
        together = np.stack([_likelihood(score, held_out, sides, rows, within) for rows in field])
        games = np.array([len(rows) for rows in field], dtype=np.float64)
        posteriors = {"flat": alone + flat, "population": alone + anybody, "hierarchy": alone + anybody}
        if len(field) >= FEWEST_PLAYERS:
            posteriors["hierarchy"] = event_posteriors(population, together, games)
        for name, logs in posteriors.items():
            lines[name] += [
                (float(sides.elo[rows].mean()), *summary(log), len(rows))
                for rows, log in zip(field, logs, strict=True)
            ]
    return f"Shared error {population.shared_error:.0f} points.\n\n" + _table(lines)


def _likelihood(score: Score, values: Floats, sides: Sides, rows: Ints, form: float) -> Floats:
    value = float(np.average(values[rows], weights=sides.size[rows]))
    own, games = replace(score, form=form), score.games(sides.size[rows])
    log = own.log_likelihood(value, games, score.centre)
    return own.log_likelihood(
        value, games, summary(log - 0.5 * np.square((GRID - score.centre) / score.unit))[0]
    )


def _table(lines: dict[str, list[tuple[float, ...]]]) -> str:
    rows = []
    for name, outcomes in lines.items():
        truth, elo, low, high, games = np.array(outcomes).T
        for least, most in ((1, 99), (1, 1), (2, 3), (4, 6), (7, 99)):
            some = (games >= least) & (games <= most)
            covered = ((low <= truth) & (truth <= high))[some].mean()
            error, bias = np.abs(elo - truth)[some].mean(), (elo - truth)[some].mean()
            label = "all" if (least, most) == (1, 99) else f"{least} to {most}"
            width = (high - low)[some].mean()
            rows.append(
                (name, label, some.sum(), f"{error:.0f}", f"{bias:+.0f}", f"{covered:.1%}", f"{width:.0f}")
            )
    heads = ("prior", "games", "players", "mean error", "bias", "covered by 95%", "mean width")
    return numbers_table(heads, rows)


def main(words: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m research event-prior", description=__doc__)
    parser.add_argument("games", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="folder that keeps the imported games")
    given = parser.parse_args(words)
    print(measure(Sides.read(given.games, given.work)))
