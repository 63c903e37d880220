"""Cross-tables of the games of some players (Ferreira 2012, Tables 1 and 3).

What a player's distribution of gain is taken from decides what a cell means: all games of an event (Table 1),
the games between the two alone (Table 3), or all games that there are of a player.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.gain import distribution
from assay.models.gain.crosstable import CrossTable, ordered, results_between
from assay.models.gain.model import LIMIT, GainModel
from assay.models.gain.perceived import PerceivedRatings, perceived_ratings
from assay.models.gain.player_games import PlayerGames
from assay.models.intervals import (
    FEWEST_GAMES,
    equal_tailed,
    exponential_factor,
    exponential_weights,
    widened,
)

BY = ("event", "match", "career")
PAIRS = ("met", "all")

MOST_RESAMPLED = 100
"""Tables with more players have no intervals: every resample would take as long as the table."""


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

    `by="event"`: one table for each event, a player's distribution from all their games in it.
    `by="match"`: one table, each cell from the games between the two.
    `by="career"`: one table, a player's distribution from all their games.

    `pairs="all"` compares players who did not meet too. `event` restricts who and which results are in the
    table to one event; a career's distributions stay those of all games.
    """
    if by not in BY or pairs not in PAIRS:
        raise InputError(f"by is one of {', '.join(BY)}, pairs is one of {', '.join(PAIRS)}")
    if by == "match" and pairs == "all":
        raise InputError("players who did not meet have no match to compare: use pairs met, or by event")
    choice = _Choice(by, pairs, resamples, seed)
    rows = PlayerGames.of(decisions, model)
    tables = []
    for title, shown in _parts(rows, by, event):
        evidence = rows if by == "career" else shown
        tables.append(_Build(shown, evidence, model, choice).table(title))
    return tables


def measured_engine(decisions: Decisions, *, limit: int = LIMIT) -> GainModel:
    """A model that knows the engine, from decisions of rated players.

    Its distribution of gain is measured where players chose its move, and its strength is what their ratings
    say (Algorithm 3).
    """
    model = GainModel(limit=limit, engine_profile="measured").measure_engine(decisions)
    [table] = cross_tables(decisions, model, by="career", resamples=0)
    strength, _ = table.engine_strength()
    if np.isnan(strength):
        raise InputError(
            "no player here has a known rating to find the engine's strength by: give it yourself"
        )
    model.engine_strength = strength
    return model


def _parts(rows: PlayerGames, by: str, event: str | None) -> Iterator[tuple[str, PlayerGames]]:
    """Titles with the rows of each table."""
    if event is not None:
        wanted = [code for code, name in enumerate(rows.events) if name == event]
        of_event = np.flatnonzero(np.isin(rows.event, wanted))
        if not len(of_event):
            known = ", ".join(sorted(rows.events)[:8])
            raise InputError(f"no decisions of the event '{event}': there are {known}")
        yield event, rows.take(of_event)
    elif by == "event":
        for code in sorted(set(rows.event.tolist()), key=lambda code: (code < 0, code)):
            title = "Games without an event" if code < 0 else rows.events[code]
            yield title, rows.take(np.flatnonzero(rows.event == code))
    else:
        yield "All games", rows


@dataclass(frozen=True)
class _Choice:
    """How a table is made."""

    by: str
    pairs: str
    resamples: int
    seed: int


class _Build:
    """One cross-table in the making: who is in it, and which rows each distribution is summed from."""

    def __init__(self, shown: PlayerGames, evidence: PlayerGames, model: GainModel, choice: _Choice) -> None:
        self.shown, self.evidence, self.model, self.choice = shown, evidence, model, choice
        self.codes = np.unique(shown.player)
        self.n = len(self.codes)
        self.games, self.results = results_between(
            self._place(shown.player), self._place(shown.opponent), shown.game, shown.result, self.n
        )
        self.elos = self._reference_ratings()
        self.compared = (self.games > 0) | ((choice.pairs == "all") & ~np.eye(self.n, dtype=bool))

    def _reference_ratings(self) -> Floats:
        """Mean reference rating of each player over their games in the table; NaN if unknown."""
        known = ~np.isnan(self.shown.elo)
        row, elo = self._place(self.shown.player)[known], self.shown.elo[known]
        counts = np.bincount(row, minlength=self.n)
        sums = np.bincount(row, elo, minlength=self.n)
        return np.asarray(np.divide(sums, counts, out=np.full(self.n, np.nan), where=counts > 0))

    def _place(self, players: Ints) -> Ints:
        """Place of players in this table; -1 for those who are not in it."""
        place = np.searchsorted(self.codes, players)
        inside = (place < self.n) & (self.codes[np.minimum(place, self.n - 1)] == players)
        return np.where(inside, place, -1)

    def table(self, title: str) -> CrossTable:
        """The table, its players in order of their points."""
        expectations = self.expectations(np.ones(self.evidence.n_games))
        perceived, notes = self._perceive(expectations)
        low, high = self._intervals(perceived.ratings)
        table = CrossTable(
            title=title,
            by=self.choice.by,
            players=tuple(self.evidence.players[code] for code in self.codes),
            elos=self.elos,
            games=self.games,
            results=self.results,
            expectations=expectations,
            perceived=perceived,
            low=low,
            high=high,
            against_engine=self._against_engine(),
            notes=notes,
        )
        return ordered(table)

    def expectations(self, weights: Floats) -> Floats:
        """Eq. 2 of every pair that is compared, with a weight for each game; NaN for the others."""
        answer = np.full((self.n, self.n), np.nan)
        if self.choice.by == "match":
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

    def _intervals(self, value: Floats) -> tuple[Floats, Floats]:
        """Interval of the perceived ratings from resampled games.

        The weights are exponential (the Bayesian bootstrap), so no player loses all their games; few games
        make the interval wider than the resamples spread.
        """
        nothing = np.full(self.n, np.nan)
        if self.choice.resamples < 2 or self.n > MOST_RESAMPLED:
            return nothing, nothing
        draws = exponential_weights(self.evidence.n_games, self.choice.resamples, self.choice.seed)
        ratings = [self._perceive(self.expectations(weights))[0].ratings for weights in draws]
        place = self._place(self.evidence.player)
        games = np.bincount(place[place >= 0], minlength=self.n)
        factor = np.where(games >= FEWEST_GAMES, exponential_factor(np.maximum(games, 2)), np.nan)
        return widened(value, equal_tailed(ratings), factor)

    def _against_engine(self) -> Floats:
        sums = self._sums(np.ones(self.evidence.n_games), np.arange(self.n))
        return distribution.expectations(sums, self.model.engine[None, :])[:, 0]
