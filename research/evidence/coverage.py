"""The tables of docs/evidence/coverage.md: how often 95% intervals contain the truth, by simulation.

    python -m research coverage [--only forecasts rated measures calibrations]

Simulated players of known strength are agents E(c) that choose among all legal moves of real positions
(all_moves.npz); methods see ten lines and the played move. Takes an hour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
from scipy.stats import binomtest

from assay.answers.ratings import Forecast
from assay.decisions import measures
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.elo import expectation
from assay.decisions.names import Who
from assay.errors import FitError
from assay.models.appearances import Appearances
from assay.models.bayes import BayesModel
from assay.models.registry import make_model
from assay.rating.calibration import Calibration, all_shipped
from assay.rating.careers import Careers
from assay.rating.comparisons import forecast_between
from assay.rating.evidence import groups_of
from assay.rating.group_ratings import Rater
from assay.rating.measures import measures as measures_of
from assay.rating.posterior import Range, summaries
from assay.rating.spread import LEAST_FORM, RawRatings, Spread, fit_spread, hats
from research import command
from research.markdown import PLAIN, RIGHT, print_tables, table
from research.papers.all_moves import all_moves, every_choice, read_as


@dataclass(frozen=True)
class Tally:
    """Of so many intervals, how many hold the truth."""

    intervals: int
    inside: int
    width: float
    """Mean width."""
    bias: float
    """Mean of estimate minus truth."""

    @classmethod
    def of(cls, intervals: Sequence[tuple[float, float, float]], truth: Sequence[float]) -> Tally:
        """From low end, estimate and high end of each, and its truth; those without ends are left out."""
        rows = np.asarray(intervals, dtype=np.float64).reshape(-1, 3)
        true = np.asarray(truth, dtype=np.float64)
        finite = np.isfinite(rows).all(axis=1)
        (low, value, high), true = rows[finite].T, true[finite]
        inside = int(((low <= true) & (true <= high)).sum())
        return cls(len(true), inside, float((high - low).mean()), float((value - true).mean()))

    @property
    def share(self) -> float:
        """Share of intervals that hold the truth."""
        return self.inside / self.intervals

    @property
    def span(self) -> tuple[float, float]:
        """95% interval of that share, by Clopper and Pearson (1934)."""
        low, high = binomtest(self.inside, self.intervals).proportion_ci()
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = self.span
        return f"{self.share:.0%} ({low:.0%} to {high:.0%})"


LINES = 10
RECIPE = "simulated"
MOVES = 30
"""Decisions of one player in one game, all after the opening."""

RESEARCHED = 15.0
"""Deviation in centipawns between the value of a move and that of the position after it, searched anew."""

DAYS = 0.2
"""Deviation of a player's c from game to game: with it, the variance of c over games of 30 moves is 3.5 times
what independent moves would have. On the mileposts it is 1.0 to 4.5 times, 1.96 on average
(assay.models.bayes)."""

DECISIVE = 250.0
"""A game is won by who loses so many centipawns less in it than the opponent."""


def skill_of(elo: float) -> float:
    """The c of an agent of this Elo, near what the mileposts show."""
    return 0.7 + (elo - 1600) / 1500


@cache
def _seen() -> tuple[Decisions, pa.Table, Floats]:
    """Every position; each of its legal moves as if it had been played, seen through the lines; its loss."""
    every = all_moves()
    chosen = read_as(every_choice(every), LINES)
    return every, chosen.table(), np.minimum(measures.loss(chosen, 1000), 300)


def chosen_by(skill: float, moves: int, generator: np.random.Generator) -> Ints:
    """What E(skill) chooses in so many positions drawn at random: rows of the table of choices."""
    every, _, _ = _seen()
    reached = _reached(round(skill / _STEP) * _STEP)
    first, after = every.offsets[:-1], every.offsets[1:]
    where = generator.integers(len(every), size=moves)
    low, high = reached[first[where]], reached[after[where]]
    place = np.searchsorted(reached, low + generator.random(moves) * (high - low), side="right") - 1
    return np.clip(place, first[where], after[where] - 1)


@cache
def _reached(skill: float) -> Floats:
    return np.concatenate(([0.0], np.cumsum(BayesModel().agent(_seen()[0], skill))))


_STEP = 0.02
"""Skills are rounded to this, so that few agents must be worked out."""


@dataclass(frozen=True)
class Player:
    """Who plays: under what name, published rating, and true skill as an Elo."""

    name: str
    published: float
    true: float


def play(pairs: list[tuple[Player, Player]], games: int, seed: int) -> Decisions:
    """Play games between each two of these: as many for each pair, White and Black in turn."""
    generator = np.random.default_rng(seed)
    _, table, loss = _seen()
    chosen, columns = [], []
    for pair in pairs:
        for number in range(games):
            sides = pair if number % 2 == 0 else pair[::-1]
            today = [max(skill_of(player.true) + DAYS * generator.normal(), 0.0) for player in sides]
            picks = [chosen_by(skill, MOVES, generator) for skill in today]
            ahead = float(loss[picks[1]].sum() - loss[picks[0]].sum())
            result = 0.5 if abs(ahead) < DECISIVE else float(ahead > 0)
            for side, colour in enumerate(("white", "black")):
                player, opponent = sides[side], sides[1 - side]
                chosen.append(picks[side])
                columns.append(
                    {
                        "game_id": f"{pair[0].name}-{pair[1].name}-{number}",
                        "player": player.name,
                        "opponent": opponent.name,
                        "colour": colour,
                        "year": 2000,
                        "event": "simulated",
                        "result": result if side == 0 else 1 - result,
                        "player_elo": round(player.published),
                        "opponent_elo": round(opponent.published),
                        "recipe_id": RECIPE,
                    }
                )
    taken = table.take(pa.array(np.concatenate(chosen)))
    n, decisions = taken.num_rows, Decisions.from_table(taken)
    each = np.repeat(np.arange(n // MOVES), MOVES)
    # The value after a move is that of another search.
    after = decisions.played_value + generator.normal(0, RESEARCHED, n)
    made = pa.Table.from_pylist(columns).take(pa.array(each)).to_pydict() | {
        "ply": 24 + 2 * (np.arange(n) % MOVES) + each % 2,
        "before": decisions.best_value,
        "after": np.clip(np.round(after), -3000, 3000),
    }
    types = taken.schema
    return Decisions.from_table(
        pa.table(
            {
                name: pa.array(made[name]).cast(types.field(name).type) if name in made else taken[name]
                for name in taken.column_names
            }
        )
    )


WEAK, STRONG = 2000.0, 2250.0
MANY = 240
"""Games from which the truth by a method is taken."""

COMPARING = ("gain", "conformance", "covariance", "markov", "choice")
"""Methods that compare two players by themselves."""


def opponents(
    elo: float, number: int, form: float, generator: np.random.Generator
) -> list[tuple[Player, Player]]:
    """Pairs of players of one published rating; the true strength of each strays by their form."""
    pairs = []
    for place in range(number):
        true = elo + form * generator.normal(size=2)
        first, second = (
            Player(f"{side} {elo:.0f} {place}", elo, float(strength))
            for side, strength in zip(("one", "other"), true, strict=True)
        )
        pairs.append((first, second))
    return pairs


def few_games(pairs: int, games: int, form: float, seed: int) -> Decisions:
    """So many weak and so many strong players, each with so many games."""
    generator = np.random.default_rng(seed)
    return play(
        [pair for elo in (WEAK, STRONG) for pair in opponents(elo, pairs, form, generator)], games, seed + 1
    )


def compared(method: str, pairs: int, games: int, resamples: int, seed: int = 11) -> Tally:
    """Forecasts of the strong against the weak by one method's own comparison."""
    truth = _forecasts(method, few_games(1, MANY, 0.0, seed + 100), 1, 2)[0].expectation
    forecasts = _forecasts(method, few_games(pairs, games, 0.0, seed), pairs, resamples)
    return Tally.of(
        [(forecast.low, forecast.expectation, forecast.high) for forecast in forecasts],
        [truth] * len(forecasts),
    )


def _forecasts(method: str, decisions: Decisions, pairs: int, resamples: int) -> list[Forecast]:
    """Of every pair that has one: where a fit does not settle, the command refuses, and so does this."""
    careers, forecasts = Careers(make_model(method), decisions), []
    for place in range(pairs):
        strong, weak = (Who(f"one {elo:.0f} {place}") for elo in (STRONG, WEAK))
        with suppress(FitError):
            forecasts.append(careers.forecast(strong, weak, resamples))
    return forecasts


def mileposts(games: int, seed: int) -> Calibration:
    """A calibration from players of 1600 to 2600 who choose among all legal moves, with their form."""
    generator = np.random.default_rng(seed)
    pairs = [
        pair
        for elo in range(1600, 2700, 100)
        for pair in opponents(float(elo), games // 2, LEAST_FORM, generator)
    ]
    return Calibration.fit(Appearances.of(play(pairs, 2, seed + 1)), {"recipe": "simulated"})


def rated(calibration: Calibration, pairs: int, games: int, seed: int = 12) -> dict[str, Tally]:
    """Forecasts of the strong against the weak by ratings, of each method and of all together."""
    appearances = Appearances.of(few_games(pairs, games, LEAST_FORM, seed))
    groups = {entry.player: entry.rows for entry in groups_of(appearances)}
    ratings = dict(zip(groups, Rater(appearances, calibration).rate(list(groups.values())), strict=True))
    truth = float(expectation(STRONG - WEAK))
    by_method: dict[str, list[Forecast]] = {}
    for place in range(pairs):
        strong, weak = (ratings[f"one {elo:.0f} {place}"] for elo in (STRONG, WEAK))
        for name in strong.keys() & weak.keys():
            by_method.setdefault(name, []).append(forecast_between(strong[name], weak[name]))
    return {
        name: Tally.of(
            [(entry.low, entry.expectation, entry.high) for entry in forecasts], [truth] * len(forecasts)
        )
        for name, forecasts in sorted(by_method.items())
    }


METHODS = ("gain", "conformance", "covariance", "markov", "choice", "bayes")


def measured(method: str, players: int, games: int, seed: int = 31) -> Tally:
    """Measures of strong players by one method."""
    truth = np.mean([value for _, value, _ in _found(method, 1, MANY, seed + 100)])
    intervals = _found(method, players // 2, games, seed)
    return Tally.of(intervals, [float(truth)] * len(intervals))


def _found(method: str, pairs: int, games: int, seed: int) -> list[tuple[float, float, float]]:
    decisions = few_games(pairs, games, 0.0, seed)
    appearances = Appearances.of(decisions.select(player_elo=round(STRONG)))
    models = {method: make_model(method)}
    stacks = {method: appearances.stack(models[method])}
    rows = []
    for group in groups_of(appearances):
        quantity = measures_of(models, stacks, group).get(method)
        if quantity is not None:
            rows.append((quantity.low, quantity.value, quantity.high))
    return rows


GAMES = 16
"""Of each player who is rated."""

RATED = 30
"""Players who are rated through one calibration."""


def drawn(spread: Spread, elo: Floats, player: Ints, generator: np.random.Generator) -> Floats:
    """Raw ratings of single games of players with these published ratings, shape (games, channels)."""
    slope = spread.slopes[0]
    _, first = np.unique(player, return_index=True)
    form = np.zeros(int(player.max()) + 1)
    form[player[first]] = generator.normal(0, 1, len(first))
    # The variance was learned over games of different players, so it contains the form.
    within = np.maximum(spread.variance[0] - np.square(spread.form * slope), 0.0)
    noise = generator.normal(size=(len(elo), len(slope))) * np.sqrt(within)
    noise *= np.exp(np.outer(elo - spread.centre, spread.tilt))
    of_form = slope * np.outer(form[player], spread.form)
    return np.asarray(hats(elo, spread.knots) @ spread.curve[0].T + of_form + noise)


def learned_spread(
    spread: Spread, mileposts: int, each: int, generator: np.random.Generator
) -> tuple[Spread, Range]:
    """A spread learned from so many mileposts with so many appearances each, two of every player."""
    lowest, highest = 1600.0, 2600.0
    elos = np.linspace(lowest, highest, mileposts)
    place = np.repeat(np.arange(mileposts), each)
    player = np.arange(len(place)) // 2
    raw = drawn(spread, elos[place], player, generator)

    def of(weights: Floats) -> Floats:
        return np.asarray(weights @ raw / weights.sum(axis=1, keepdims=True))

    size = np.full(len(place), spread.game_size)
    return fit_spread(spread.channels, of, elos[place], size, player, place), Range.of(elos)


def coverage(mileposts: int, each: int, calibrations: int, seed: int = 21) -> dict[str, Tally]:
    """How often 95% intervals cover the published rating, by method and mix."""
    truth = all_shipped()[0].spread
    generator = np.random.default_rng(seed)
    intervals: dict[str, list[tuple[float, float, float]]] = {name: [] for name in truth.channels}
    elos: list[float] = []
    size = np.full(RATED, GAMES * truth.game_size)
    for _ in range(calibrations):
        spread, prior = learned_spread(truth, mileposts, each, generator)
        elo = generator.uniform(1800, 2400, RATED)
        elos += elo.tolist()
        games = drawn(truth, np.repeat(elo, GAMES), np.repeat(np.arange(RATED), GAMES), generator)
        values = games.reshape(RATED, GAMES, -1).mean(axis=1)
        raw = RawRatings(values, size, size**2 / GAMES, np.full(RATED, GAMES), np.ones(RATED))
        for place, name in enumerate(truth.channels):
            mean, low, high = summaries(prior.posterior(spread.log_likelihood(raw, place)), 0.95)
            intervals[name] += list(zip(low.tolist(), mean.tolist(), high.tolist(), strict=True))
    return {name: Tally.of(intervals[name], elos) for name in intervals}


PAIRS = {"gain": 200, "conformance": 200}
"""Pairs that a method forecasts; those that take longer have fewer."""

FEWER = 120
RESAMPLES = 60
FEW = 6
"""Games of each player."""

SIZES = ((3, 20), (3, 70), (5, 8), (5, 16), (5, 40), (11, 8), (11, 20))
"""Calibrations: mileposts, and appearances at each."""


def forecasts_table() -> str:
    """Forecasts by each method's own comparison."""
    return tallies_table({name: compared(name, PAIRS.get(name, FEWER), FEW, RESAMPLES) for name in COMPARING})


def rated_table() -> str:
    """Forecasts by ratings."""
    return tallies_table(rated(mileposts(16, seed=5), PAIRS["gain"], FEW))


def measures_table() -> str:
    """The methods' own measures, which `rate` prints where there is no scale."""
    return tallies_table({name: measured(name, 4 * PAIRS.get(name, FEWER), FEW) for name in METHODS})


def tallies_table(tallies: Mapping[str, Tally]) -> str:
    """One row for each name."""
    heads = ("method", "intervals", "contain the truth (95% interval)", "mean width", "mean error")
    rows = [
        (name, tally.intervals, str(tally), f"{tally.width:.3f}", f"{tally.bias:+.3f}")
        for name, tally in sorted(tallies.items())
    ]
    return table(heads, rows, (PLAIN, RIGHT, RIGHT, RIGHT, RIGHT))


def calibrations_table() -> str:
    """Ratings through calibrations of few games."""
    rows = []
    for number, each in SIZES:
        tallies = coverage(number, each, 10)
        combined, single = tallies["traits"], tallies["gain"]
        cells = (f"{combined}", f"{combined.width:.0f}", f"{single}", f"{single.width:.0f}")
        rows.append((number, each, number * each, *cells))
    heads = ("mileposts", "at each", "appearances", "by moves", "mean width", "gain alone", "mean width")
    return table(heads, rows, (RIGHT,) * len(heads))


TABLES: Mapping[str, Callable[[], str]] = {
    "forecasts": forecasts_table,
    "rated": rated_table,
    "measures": measures_table,
    "calibrations": calibrations_table,
}


def main(words: Sequence[str]) -> None:
    """Print the tables that are asked for."""
    parser = command("coverage", __doc__)
    parser.add_argument("--only", nargs="+", choices=list(TABLES), default=list(TABLES))
    print_tables((name, TABLES[name]()) for name in parser.parse_args(words).only)
