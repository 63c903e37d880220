"""Cross-tables and strengths of players (Ferreira 2012, Algorithms 2 to 4, Tables 1 and 3).

What a player's distribution of gain is taken from decides what a cell means: all games of an event (Table 1),
the games between the two alone (Table 3), or all games that there are of a player. Algorithm 3 gives the
engine's strength from rated players, Algorithm 4 the players' from the engine's: perceived strength, on the
scale of whatever the engine's strength was taken from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.answers.comparisons import CrossTable, PerceivedRatings
from assay.answers.ratings import Quantity
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.errors import FitError, InputError
from assay.models.appearances import Appearances
from assay.models.gain import distribution
from assay.models.gain.model import LIMIT, GainModel
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
    rows = PlayerGames.of(decisions, model)
    tables = []
    for title, shown in _parts(rows, by, event):
        build = _Build(shown, rows if by == "career" else shown, model, by, every=pairs == "all")
        tables.append(build.table(title, resamples, seed))
    return tables


def _parts(rows: PlayerGames, by: str, event: str | None) -> Iterator[tuple[str, PlayerGames]]:
    """Titles with the rows of each table."""
    if event is not None:
        wanted = [code for code, name in enumerate(rows.events) if name == event]
        of_event = np.flatnonzero(np.isin(rows.event, wanted))
        if not len(of_event):
            names = ", ".join(sorted(rows.events)[:8])
            raise InputError(f"no decisions of the event '{event}': there are {names}")
        yield event, rows.take(of_event)
    elif by == "event":
        for code in sorted(set(rows.event.tolist()), key=lambda code: (code < 0, code)):
            title = "Games without an event" if code < 0 else rows.events[code]
            yield title, rows.take(np.flatnonzero(rows.event == code))
    else:
        yield "All games", rows


# The engine's strength, and players' ---------------------------------------------------------------------


def measured_engine(decisions: Decisions, *, limit: int = LIMIT) -> GainModel:
    """A model that knows the engine, from decisions of rated players.

    Its distribution of gain is measured where players chose its move, and its strength is what their ratings
    say (Algorithm 3).
    """
    model = GainModel(limit=limit, engine_profile="measured").measure_engine(decisions)
    return of_strength(model, engine_strength_from(decisions, model, "give it yourself"))


def engine_strength_from(
    decisions: Decisions, model: GainModel, otherwise: str = "give it with --engine-strength"
) -> float:
    """Algorithm 3: the engine's strength by the published ratings of the players of these decisions."""
    [table] = cross_tables(decisions, model, by="career", resamples=0)
    by_elo, _ = table.engine_strength
    if math.isnan(by_elo):
        raise InputError(f"no player here has a known rating to find the engine's strength by: {otherwise}")
    return by_elo


def of_strength(model: GainModel, strength: float) -> GainModel:
    """The same model with an engine of this strength."""
    if not math.isfinite(strength):
        raise InputError(f"the strength of an engine is a rating such as 2800, not {strength}")
    changed = copy(model)
    changed.engine_strength = float(strength)
    return changed


def strengths(decisions: Decisions, model: GainModel, by: str = "player") -> dict[tuple[str, str], Quantity]:
    """Algorithm 4: strength of each player, or of each at each event, with its interval.

    By player and event; the event is empty where all games of a player count together.
    """
    if model.engine_strength is None:
        raise InputError("players' strengths need the engine's: give it with --engine-strength")
    passed, _ = model.select(decisions)
    answer = {}
    for player, of_player in passed.by("player"):
        for event, part in of_player.by("event") if by == "event" else [("", of_player)]:
            answer[str(player), event or ""] = model.estimate(model.profile(part))["strength"]
    return answer


def engine_strength(expectations: npt.ArrayLike, ratings: npt.ArrayLike) -> tuple[Floats, float]:
    """Algorithm 3: the engine's rating by each player, and the average, from expectations against it.

    Players without a rating, and those with an infinite difference, do not count.
    """
    by_player = np.asarray(ratings, dtype=np.float64) - distribution.rating_difference(expectations)
    usable = np.isfinite(by_player)
    if not usable.any():
        raise InputError("the engine's strength needs a player with a known rating and enough moves")
    return by_player, float(by_player[usable].mean())


def strengths_of_engine(
    elos: Floats, perceived: PerceivedRatings, against_engine: Floats
) -> tuple[float, float]:
    """Algorithm 3: the engine's strength by published ratings and by perceived ratings.

    NaN where no player has a rating, or none a finite difference.
    """
    rated = ~np.isnan(perceived.anchors[perceived.group])
    strengths = []
    for ratings in (elos, np.where(rated, perceived.ratings, np.nan)):
        try:
            strengths.append(engine_strength(against_engine, ratings)[1])
        except InputError:
            strengths.append(math.nan)
    return strengths[0], strengths[1]


def strength(expectations: npt.ArrayLike, engine: float) -> Floats:
    """Algorithm 4: strength of players from their expectations against an engine of known strength."""
    return engine + distribution.rating_difference(expectations)


def perceived_ratings(differences: npt.ArrayLike, known: npt.ArrayLike) -> PerceivedRatings:
    """Algorithm 2: ratings whose differences are as near as possible to the given ones (Eq. 3).

    `differences[i, j]` is the rating difference of player i over player j, NaN where there is none; `known`
    are the actual ratings, NaN where there is none. The paper's iteration over single players converges to
    the solution of the normal equations, which is taken here at once. Each connected group is anchored on
    the mean of its own known ratings (step 4).
    """
    from scipy.sparse.csgraph import connected_components  # which loads slowly

    matrix, actual = np.asarray(differences, dtype=np.float64), np.asarray(known, dtype=np.float64)
    if matrix.shape != (len(actual), len(actual)):
        raise InputError("one row and one column of differences is needed for each player")
    met = ~np.isnan(matrix) & ~np.eye(len(actual), dtype=bool)
    if np.isinf(matrix[met]).any():
        raise FitError(
            "two players have an infinite rating difference, so no ratings fit: "
            "leave that pair out, or give them more moves"
        )
    if (met != met.T).any() or not np.allclose(matrix[met], -matrix.T[met], atol=1e-6):
        raise InputError("the difference of j over i must be the negative of that of i over j")
    edges = met.astype(np.float64)
    sums = np.where(met, matrix, 0.0).sum(axis=1)
    n_groups, group = connected_components(edges, directed=False)
    ratings, anchors = np.empty(len(actual)), np.full(n_groups, np.nan)
    for index in range(n_groups):
        members = np.flatnonzero(group == index)
        inner = edges[np.ix_(members, members)]
        laplacian = np.diag(inner.sum(axis=1)) - inner
        # The Laplacian of a connected group lacks one rank; the constant vector settles the mean at zero.
        ratings[members] = np.linalg.solve(laplacian + 1.0 / len(members), sums[members])
        rated = members[~np.isnan(actual[members])]
        if len(rated):
            anchors[index] = actual[rated].mean()
            ratings[members] += anchors[index] - ratings[rated].mean()
    return PerceivedRatings(ratings, group.astype(np.int64), anchors)


# Building a table ----------------------------------------------------------------------------------------


class _Build:
    """One cross-table in the making: who is in it, and which rows each distribution is summed from."""

    def __init__(
        self, shown: PlayerGames, evidence: PlayerGames, model: GainModel, by: str, *, every: bool
    ) -> None:
        self.shown, self.evidence, self.model, self.by = shown, evidence, model, by
        self.codes = np.unique(shown.player)
        self.n = len(self.codes)
        places = self._place(shown.player), self._place(shown.opponent)
        self.games, self.results = results_between(*places, shown.game, shown.result, self.n)
        self.compared = (self.games > 0) | (every & ~np.eye(self.n, dtype=bool))
        rated = ~np.isnan(shown.elo)
        counts = np.bincount(places[0][rated], minlength=self.n)
        sums = np.bincount(places[0][rated], shown.elo[rated], minlength=self.n)
        self.elos = np.divide(sums, counts, out=np.full(self.n, np.nan), where=counts > 0)

    def _place(self, players: Ints) -> Ints:
        """Place of players in this table; -1 for those who are not in it."""
        place = np.searchsorted(self.codes, players)
        inside = (place < self.n) & (self.codes[np.minimum(place, self.n - 1)] == players)
        return np.where(inside, place, -1)

    def table(self, title: str, resamples: int, seed: int) -> CrossTable:
        """The table, its players in order of their points, then of what was expected of them."""
        ones = np.ones(self.evidence.n_games)
        expectations = self.expectations(ones)
        perceived, infinite = self._perceive(expectations)
        low, high = self._intervals(perceived.ratings, resamples, seed)
        sums = self._sums(ones, np.arange(self.n))
        against_engine = distribution.expectations(sums, self.model.engine[None, :])[:, 0]
        table = CrossTable(
            title=title,
            by=self.by,
            players=tuple(self.evidence.players[code] for code in self.codes),
            elos=self.elos,
            games=self.games,
            results=self.results,
            expectations=expectations,
            differences=distribution.rating_difference(expectations),
            perceived=perceived,
            low=low,
            high=high,
            against_engine=against_engine,
            to_engine=distribution.rating_difference(against_engine),
            engine_strength=strengths_of_engine(self.elos, perceived, against_engine),
            notes=_notes(perceived, infinite),
        )
        points = np.nan_to_num(table.total_results, nan=-1.0)
        order = np.lexsort((-table.total_expectations, -points))
        by_player = {
            name: getattr(table, name)[order]
            for name in ("elos", "low", "high", "against_engine", "to_engine")
        }
        pairs = {
            name: getattr(table, name)[np.ix_(order, order)]
            for name in ("games", "results", "expectations", "differences")
        }
        perceived = replace(perceived, ratings=perceived.ratings[order], group=perceived.group[order])
        players = tuple(table.players[place] for place in order)
        return replace(table, players=players, perceived=perceived, **by_player, **pairs)

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
            side = row
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

    def _perceive(self, expectations: Floats) -> tuple[PerceivedRatings, int]:
        """Perceived ratings, and the number of cells with an infinite difference, which do not count."""
        differences = distribution.rating_difference(expectations)
        infinite = np.isinf(differences)
        return perceived_ratings(np.where(infinite, np.nan, differences), self.elos), int(infinite.sum())

    def _intervals(self, value: Floats, resamples: int, seed: int) -> tuple[Floats, Floats]:
        """Interval of the perceived ratings from resampled games.

        The weights are exponential (the Bayesian bootstrap), so no player loses all their games; few games
        make the interval wider than the resamples spread.
        """
        nothing = np.full(self.n, np.nan)
        if resamples < 2 or self.n > MOST_RESAMPLED:
            return nothing, nothing
        draws = exponential_weights(self.evidence.n_games, resamples, seed)
        ratings = [self._perceive(self.expectations(weights))[0].ratings for weights in draws]
        place = self._place(self.evidence.player)
        games = np.bincount(place[place >= 0], minlength=self.n)
        factor = np.where(games >= FEWEST_GAMES, exponential_factor(np.maximum(games, 2)), np.nan)
        return widened(value, equal_tailed(ratings), factor)


def _notes(perceived: PerceivedRatings, infinite: int) -> tuple[str, ...]:
    notes = []
    if infinite:
        notes.append(
            f"{infinite // 2} pairs with too few moves have an infinite difference and do not "
            "count in the ratings."
        )
    if len(perceived.anchors) > 1:
        notes.append(
            f"{len(perceived.anchors)} groups of players did not meet each other; each is anchored on the "
            "mean rating of its own, so ratings of different groups are not on one scale."
        )
    if np.isnan(perceived.anchors).any():
        notes.append("Where no rating is known, strength is the distance to the mean of the group.")
    return tuple(notes)


def results_between(player: Ints, opponent: Ints, game: Ints, result: Floats, n: int) -> tuple[Ints, Floats]:
    """Number of games and sum of results of each of n players against each.

    One row or more for each game, from one side or both: player and opponent as 0 to n - 1, -1 for others.
    Results are NaN where two did not meet, or where one result is unknown.
    """
    games, results = np.zeros((n, n), dtype=np.int64), np.zeros((n, n))
    met = np.flatnonzero((player >= 0) & (opponent >= 0) & (player != opponent))
    # One row of each game: there may be rows of one of the two only.
    _, first = np.unique(game[met], return_index=True)
    white, black, points = player[met][first], opponent[met][first], result[met][first]
    for a, b, won in ((white, black, points), (black, white, 1 - points)):
        np.add.at(games, (a, b), 1)
        np.add.at(results, (a, b), won)
    results[games == 0] = np.nan
    return games, results


@dataclass(frozen=True, eq=False, kw_only=True)
class PlayerGames:
    """One row for each player in each game, with its distribution of gain."""

    players: tuple[str, ...]
    events: tuple[str, ...]
    player: Ints
    """Who, as a place in `players`."""
    opponent: Ints
    """Against whom; -1 for one of whom there are no decisions."""
    event: Ints
    """Where, as a place in `events`; -1 if unknown."""
    game: Ints
    """Number of the game, from 0 without gaps."""
    result: Floats
    elo: Floats
    histograms: sparse.csr_array

    @property
    def n_games(self) -> int:
        """Number of games."""
        return int(self.game.max()) + 1

    def take(self, rows: Ints) -> PlayerGames:
        """Some of the rows; games are numbered again."""
        names = ("player", "opponent", "event", "result", "elo", "histograms")
        _, game = np.unique(self.game[rows], return_inverse=True)
        return replace(self, game=game.reshape(-1), **{name: getattr(self, name)[rows] for name in names})

    @classmethod
    def of(cls, decisions: Decisions, model: GainModel) -> PlayerGames:
        """Rows from the decisions that pass the rules of the model."""
        passed, _ = model.select(decisions)
        if not len(passed):
            raise InputError(f"none of the {len(decisions):,} decisions passes the rules of {model.name}")
        appearances = Appearances.of(passed)
        first = appearances.first
        codes = np.unique(appearances.player)
        players = tuple(passed.names("player")[code] for code in codes)
        places = {name: place for place, name in enumerate(players)}
        opponents = np.array([places.get(name, -1) for name in passed.names("opponent")] + [-1])
        _, game = np.unique(appearances.game, return_inverse=True)
        return cls(
            players=players,
            events=tuple(passed.names("event")),
            player=np.searchsorted(codes, appearances.player),
            opponent=opponents[passed.codes("opponent")[first]],
            event=passed.codes("event")[first],
            game=game.reshape(-1),
            result=passed.numbers("result")[first],
            elo=passed.numbers("player_elo")[first],
            histograms=model.evidence(passed, appearances.place(passed), len(appearances)),
        )
