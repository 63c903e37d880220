"""Cross-tables of an event: results, expectations, rating differences, perceived ratings (Table 1).

What a player's distribution of gain is taken from decides what a cell means: all games of an event (Table 1),
the games between the two alone (Table 3), or all games that there are of him.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.domain.decisions import Decisions
from assay.errors import InputError
from assay.models import gain_distribution as distribution
from assay.models.gain import GainModel
from assay.models.perceived import PerceivedRatings, engine_strength, perceived_ratings

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BY = ("event", "match", "career")
PAIRS = ("met", "all")

FEWEST_GAMES = 4
"""A player with fewer games has no interval: so few cannot be resampled."""

MOST_RESAMPLED = 100
"""Tables with more players have no intervals: every resample would take as long as the table."""


@dataclass(frozen=True, eq=False)
class CrossTable:
    """Players in order of their results, with a cell for each pair that is compared."""

    title: str
    by: str
    players: tuple[str, ...]
    elos: Floats
    """Reference rating of each player, the mean over the games; NaN if unknown."""
    games: Ints
    """Number of games between each two."""
    results: Floats
    """Sum of their results for the first; NaN where one is unknown."""
    expectations: Floats
    """Expectation of the first in one game against the second; NaN where they are not compared."""
    perceived: PerceivedRatings
    """Algorithm 2: perceived ratings of the players."""
    low: Floats
    high: Floats
    """95% interval of the perceived ratings, from resampled games; NaN where there is none."""
    against_engine: Floats
    """Expectation of each player against the engine."""
    notes: tuple[str, ...] = field(default=())

    @property
    def differences(self) -> Floats:
        """Rating difference of the first over the second; NaN where they are not compared."""
        return distribution.rating_difference(self.expectations)

    @property
    def total_results(self) -> Floats:
        """Points of each player; NaN where a result is unknown."""
        return np.where(self.games > 0, self.results, 0.0).sum(axis=1)

    @property
    def total_expectations(self) -> Floats:
        """Points that the distributions of gain let expect of each player, over the games he played."""
        return np.nansum(self.games * self.expectations, axis=1)

    @property
    def changes(self) -> Floats:
        """Perceived rating less the reference rating."""
        return self.perceived.ratings - self.elos

    def engine_strength(self) -> tuple[float, float]:
        """Algorithm 3: the engine's strength by reference ratings and by perceived ratings.

        NaN where no player has a rating, or none a finite difference.
        """
        rated = ~np.isnan(self.perceived.anchors[self.perceived.group])
        known = (self.elos, np.where(rated, self.perceived.ratings, np.nan))
        by_elo, by_estimate = (_mean_strength(self.against_engine, ratings) for ratings in known)
        return by_elo, by_estimate


def _mean_strength(expectations: Floats, ratings: Floats) -> float:
    try:
        return engine_strength(expectations, ratings)[1]
    except InputError:
        return float("nan")


@dataclass(frozen=True, eq=False)
class _Units:
    """One row for each player in each game: the smallest pieces that profiles are summed from."""

    players: tuple[str, ...]
    player: Ints
    opponent: Ints
    game: Ints
    """Number of the game, from 0 without gaps."""
    result: Floats
    elo: Floats
    event: Ints
    histograms: sparse.csr_array

    def take(self, rows: Ints) -> _Units:
        """Some of the units."""
        _, game = np.unique(self.game[rows], return_inverse=True)
        columns = (self.player[rows], self.opponent[rows], game.reshape(-1), self.result[rows])
        return _Units(self.players, *columns, self.elo[rows], self.event[rows], self.histograms[rows])


def cross_tables(
    decisions: Decisions,
    model: GainModel,
    *,
    by: str = "event",
    pairs: str = "met",
    event: str | None = None,
    resamples: int = 200,
    seed: int = 0,
) -> list[CrossTable]:
    """Cross-tables of the games.

    `by="event"`: one table for each event, a player's distribution from all his games in it. `by="match"`: one
    table, each cell from the games between the two. `by="career"`: one table, a player's distribution from all
    his games. `pairs="all"` compares players who did not meet too. `event` restricts who and which results
    are in the table to one event; a career's distributions stay those of all games.
    """
    if by not in BY or pairs not in PAIRS:
        raise InputError(f"by is one of {', '.join(BY)}, pairs is one of {', '.join(PAIRS)}")
    if by == "match" and pairs == "all":
        raise InputError("players who did not meet have no match to compare: use pairs met, or by event")
    units, events = _units(decisions, model)
    tables = []
    for title, shown in _parts(units, events, by, event):
        evidence = units if by == "career" else shown
        tables.append(_Build(shown, evidence, model, by, pairs, resamples, seed).table(title))
    return tables


def _units(decisions: Decisions, model: GainModel) -> tuple[_Units, list[str]]:
    kept, _ = model.select(decisions)
    if not len(kept):
        raise InputError(f"none of the {len(decisions)} decisions passes the rules of {model.name}")
    pairs = np.stack((kept.codes("game_id"), kept.codes("player")), axis=1)
    found, first, unit = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    names = kept.names("player")
    codes = np.unique(found[:, 1])
    players = tuple(names[code] for code in codes)
    places = {name: place for place, name in enumerate(players)}
    opponents = [places.get(name, -1) for name in kept.names("opponent")] + [-1]
    _, game = np.unique(found[:, 0], return_inverse=True)
    units = _Units(
        players,
        np.searchsorted(codes, found[:, 1]),
        np.asarray(opponents)[kept.codes("opponent")[first]],
        game.reshape(-1),
        kept.numbers("result")[first],
        kept.numbers("player_elo")[first],
        kept.codes("event")[first],
        model.evidence(kept, unit.reshape(-1), len(found)),
    )
    return units, kept.names("event")


def _parts(units: _Units, events: list[str], by: str, event: str | None) -> Iterator[tuple[str, _Units]]:
    """Titles with the units of each table."""
    if event is not None:
        wanted = [code for code, name in enumerate(events) if name == event]
        rows = np.flatnonzero(np.isin(units.event, wanted))
        if not len(rows):
            known = ", ".join(sorted(events)[:8])
            raise InputError(f"no decisions of the event '{event}': there are {known}")
        yield event, units.take(rows)
    elif by == "event":
        for code in sorted(set(units.event.tolist()), key=lambda code: (code < 0, code)):
            title = "Games without an event" if code < 0 else events[code]
            yield title, units.take(np.flatnonzero(units.event == code))
    else:
        yield "All games", units


class _Build:
    """One cross-table in the making: who is in it, and which rows each distribution is summed from."""

    def __init__(
        self, shown: _Units, evidence: _Units, model: GainModel, by: str, pairs: str, resamples: int, seed: int
    ) -> None:
        self.shown, self.evidence, self.model, self.by = shown, evidence, model, by
        self.codes = np.unique(shown.player)
        self.n = len(self.codes)
        self._count_results()
        self.compared = (self.games > 0) | ((pairs == "all") & ~np.eye(self.n, dtype=bool))
        self.resamples = resamples if self.n <= MOST_RESAMPLED else 0
        self.seed = seed

    def _count_results(self) -> None:
        row, column = self._place(self.shown.player), self._place(self.shown.opponent)
        met = (column >= 0) & (row != column)
        self.games = np.zeros((self.n, self.n), dtype=np.int64)
        np.add.at(self.games, (row[met], column[met]), 1)
        self.results = np.zeros((self.n, self.n))
        np.add.at(self.results, (row[met], column[met]), self.shown.result[met])
        self.results[self.games == 0] = np.nan
        known = ~np.isnan(self.shown.elo)
        sums = np.bincount(row[known], self.shown.elo[known], minlength=self.n)
        counts = np.bincount(row[known], minlength=self.n)
        self.elos = np.divide(sums, counts, out=np.full(self.n, np.nan), where=counts > 0)

    def _place(self, players: Ints) -> Ints:
        """Place of players in this table; -1 for those who are not in it."""
        place = np.searchsorted(self.codes, players)
        inside = (place < self.n) & (self.codes[np.minimum(place, self.n - 1)] == players)
        return np.where(inside, place, -1)

    def table(self, title: str) -> CrossTable:
        """The table, its players in order of their points."""
        weights = np.ones(int(self.evidence.game.max()) + 1)
        expectations = self.expectations(weights)
        perceived, notes = self._perceive(expectations)
        low, high = self._intervals()
        table = CrossTable(
            title,
            self.by,
            tuple(self.evidence.players[code] for code in self.codes),
            self.elos,
            self.games,
            self.results,
            expectations,
            perceived,
            low,
            high,
            self._against_engine(),
            notes,
        )
        return _ordered(table)

    def expectations(self, weights: Floats) -> Floats:
        """Eq. 2 of every pair that is compared, with a weight for each game; NaN for the others."""
        answer = np.full((self.n, self.n), np.nan)
        if self.by == "match":
            rows, columns = np.nonzero(np.triu(self.compared))
            sides = [self._sums(weights, a, b) for a, b in ((rows, columns), (columns, rows))]
            answer[rows, columns] = distribution.paired_expectations(*sides)
            answer[columns, rows] = 1 - answer[rows, columns]
            return answer
        whole = distribution.expectations(self._sums(weights, np.arange(self.n)))
        return np.where(self.compared, whole, answer)

    def _sums(self, weights: Floats, players: Ints, opponents: Ints | None = None) -> sparse.csr_array:
        """Weighted histograms of players, in all games or in those against one opponent each."""
        row, column = self._place(self.evidence.player), self._place(self.evidence.opponent)
        if opponents is None:
            side = np.where(row >= 0, row, -1)
        else:
            number = np.full((self.n, self.n), -1)
            number[players, opponents] = np.arange(len(players))
            side = np.where((row >= 0) & (column >= 0), number[row, column], -1)
        units = np.flatnonzero(side >= 0)
        selector = sparse.csr_array(
            (weights[self.evidence.game[units]], (side[units], units)), shape=(len(players), len(side))
        )
        sums = selector @ self.evidence.histograms
        return sums if opponents is None else sums.toarray()

    def _perceive(self, expectations: Floats) -> tuple[PerceivedRatings, tuple[str, ...]]:
        differences = distribution.rating_difference(expectations)
        infinite = np.isinf(differences)
        perceived = perceived_ratings(np.where(infinite, np.nan, differences), self.elos)
        notes = []
        if infinite.any():
            notes.append(
                f"{int(infinite.sum()) // 2} pairs with too few moves have an infinite difference and do not "
                "count in the ratings."
            )
        if perceived.n_groups > 1:
            notes.append(
                f"{perceived.n_groups} groups of players did not meet each other; each is anchored on the "
                "mean rating of its own, so ratings of different groups are not on one scale."
            )
        if np.isnan(perceived.anchors).any():
            notes.append("Where no rating is known, strength is the distance to the mean of the group.")
        return perceived, tuple(notes)

    def _intervals(self) -> tuple[Floats, Floats]:
        """Interval of the perceived ratings from resampled games.

        The weights are exponential (the Bayesian bootstrap): no player loses all his games.
        """
        nothing = np.full(self.n, np.nan)
        if self.resamples < 2:
            return nothing, nothing
        generator = np.random.default_rng(self.seed)
        draws = generator.exponential(size=(self.resamples, int(self.evidence.game.max()) + 1))
        ratings = [self._perceive(self.expectations(weights))[0].ratings for weights in draws]
        low, high = np.quantile(ratings, [0.025, 0.975], axis=0)
        place = self._place(self.evidence.player)
        enough = np.bincount(place[place >= 0], minlength=self.n) >= FEWEST_GAMES
        return np.where(enough, low, np.nan), np.where(enough, high, np.nan)

    def _against_engine(self) -> Floats:
        sums = self._sums(np.ones(int(self.evidence.game.max()) + 1), np.arange(self.n))
        return distribution.expectations(sums, self.model.engine[None, :])[:, 0]


def _ordered(table: CrossTable) -> CrossTable:
    """The players in order of their points, then of what was expected of them."""
    points = np.nan_to_num(table.total_results, nan=-1.0)
    order = np.lexsort((-table.total_expectations, -points))
    both = np.ix_(order, order)
    perceived = table.perceived
    return CrossTable(
        table.title,
        table.by,
        tuple(table.players[place] for place in order),
        table.elos[order],
        table.games[both],
        table.results[both],
        table.expectations[both],
        PerceivedRatings(perceived.ratings[order], perceived.group[order], perceived.anchors),
        table.low[order],
        table.high[order],
        table.against_engine[order],
        table.notes,
    )
