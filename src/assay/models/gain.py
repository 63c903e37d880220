"""`gain`: strength from the distribution of gain (Ferreira 2012).

A player is the histogram of the gains of their moves. Two players are compared by the chance that a move of
one gains more than a move of the other, and that chance is read as an expectation on the Elo scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import betaincinv, ndtri

from assay.answers.comparisons import Comparison, CrossTable, PerceivedRatings
from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions import measures
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile, ProfileStack, check_same_model
from assay.decisions.rules import Rule, has_gain, rated
from assay.errors import FitError, InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.elo_mapping import Z95
from assay.models.intervals import (
    FEWEST_GAMES,
    equal_tailed,
    exponential_factor,
    exponential_weights,
    widened,
)

LIMIT = 3900
"""Mate is worth 39 pawns, and evaluations are clipped there (Ferreira 2012, section 3)."""

CORRELATION = {"peak": 0.013, "measured": 0.025, "pair": 0.031, "mean": 0.011}
"""Correlation of the moves of one game: of their placements against the engine's peak, its measured
distribution and a player's, and of the gains. From the 560 milepost games with `standard`."""

LEAST_SHARE = 0.1
"""Of the moves from evaluated positions at least this share must have a gain."""

ENGINE_PROFILES = ("peak", "measured")

FEWEST_ENGINE_MOVES = 100
"""Fewer moves than this do not make a distribution of the engine."""


class GainModel(MoveModel):
    """Strength from the distribution of gain.

    `engine_profile` is what stands for the engine: its `peak` at zero, as in the paper, or its distribution
    `measured` from decisions in which the player chose the engine's move (`measure_engine`), which the paper
    left for later. `engine_strength` is the engine's own rating, where it is known (Algorithm 3): only then
    does an estimate hold a strength (Algorithm 4). Games with a reason in `include` count.
    """

    name = "gain"

    def __init__(
        self,
        *,
        limit: int = LIMIT,
        engine_profile: str = "peak",
        engine_strength: float | None = None,
        include: Sequence[str] = (),
    ) -> None:
        if limit <= 0:
            raise InputError(f"the limit of evaluations must be above zero, not {limit}")
        if engine_profile not in ENGINE_PROFILES:
            raise InputError(f"engine_profile is one of {', '.join(ENGINE_PROFILES)}, not '{engine_profile}'")
        self.limit, self.engine_profile, self.engine_strength = limit, engine_profile, engine_strength
        self.include = tuple(sorted(include))
        self.engine_: Profile | None = None

    @property
    def settings(self) -> str:
        """The limit, and the reasons that do not count."""
        return f"limit={self.limit}" + (f",include={'+'.join(self.include)}" if self.include else "")

    def rules(self) -> tuple[Rule, ...]:
        """All moves from the first on, as far as the value before and after is known."""
        return rated(self.include), has_gain(), next_positions_known()

    @property
    def shape(self) -> tuple[int, ...]:
        """One count for each gain, at one centipawn."""
        return (4 * self.limit + 1,)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Any:
        """Histograms of gain, as sparse rows."""
        return histograms(measures.gain(decisions, self.limit), group, n_groups, self.limit)

    def estimate(self, profile: Profile) -> Estimate:
        """Mean gain in pawns; expectation and rating difference against the engine; strength if known."""
        self._check(profile)
        value = expectation(profile.evidence, self.engine)
        correlated = _overdispersion(profile, self.engine_profile)
        deviation, low, high = expectation_interval(profile.evidence, self.engine, correlated)
        point, least, most = rating_difference([value, low, high]).tolist()
        width = (most - least) / (2 * Z95)  # of a normal interval
        spread = width if math.isfinite(width) else math.nan
        quantities = {
            "mean_gain": self._mean_gain(profile),
            "expectation": Quantity(value, deviation, low, high),
            "difference": Quantity(point, spread, least, most),
        }
        if self.engine_strength is not None:
            engine = self.engine_strength
            quantities["strength"] = Quantity(point + engine, spread, least + engine, most + engine)
        return Estimate(self.name, quantities, profile.decisions, profile.games)

    def _mean_gain(self, profile: Profile) -> Quantity:
        """Mean gain in pawns; its deviation allows for the correlation of the moves of a game."""
        used = np.flatnonzero(profile.evidence)
        gains, weights = gains_of_bins(self.limit)[used] / 100, profile.evidence[used]
        mean = float(np.average(gains, weights=weights))
        # One more move, a pawn off: moves that happen to be alike do not make the mean certain.
        spread = float((weights @ (gains - mean) ** 2 + 1) / (weights.sum() + 1))
        deviation = math.sqrt(spread * _overdispersion(profile, "mean") / profile.decisions)
        return Quantity(mean, deviation, mean - Z95 * deviation, mean + Z95 * deviation)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        """Eq. 2. The method knows no colours, and no draws."""
        correlated = _overdispersion(white, "pair"), _overdispersion(black, "pair")
        _, low, high = expectation_interval(white.evidence, black.evidence, *correlated)
        return Forecast(self.name, expectation(white.evidence, black.evidence), low=low, high=high)

    def expectations(self, white: Sequence[Profile], black: Sequence[Profile]) -> Floats:
        """Every White against every Black: one matrix product."""
        self._check(*white, *black)
        return expectations(*(np.stack([profile.evidence for profile in side]) for side in (white, black)))

    def weighted_expectations(self, stack: ProfileStack, weights: Floats, black: Sequence[Profile]) -> Floats:
        """Eq. 2 is linear in the gains of a player: what each row of the stack wins adds up as rows do.

        No sum may be empty. The sums, of thousands of bins each, are never written out.
        """
        check_same_model([Profile(stack.model, np.zeros(0), 0.0, 0.0, recipe_id=stack.recipe_id), *black])
        columns = np.stack([profile.evidence for profile in black])
        rows = sparse.csr_array(stack.evidence)
        wins = np.asarray(weights @ (rows @ placements(columns).T))
        return _share(wins, np.outer(weights @ rows.sum(axis=1), columns.sum(axis=1)))

    @property
    def engine(self) -> Floats:
        """The engine's distribution of gain."""
        if self.engine_profile == "peak":
            return peak(self.limit)
        if self.engine_ is None:
            raise InputError("the engine's distribution is not measured yet: call measure_engine first")
        return self.engine_.evidence

    def measure_engine(self, decisions: Decisions) -> GainModel:
        """Learn the engine's distribution from decisions in which the player chose the engine's move."""
        agreed = decisions.take(np.flatnonzero((decisions.played_index == 0) & ~decisions.two_searches))
        self.engine_ = self.profile(agreed) if len(agreed) else None
        moves = 0 if self.engine_ is None else round(self.engine_.decisions)
        if moves < FEWEST_ENGINE_MOVES:
            self.engine_ = None
            raise InputError(
                f"only {moves} decisions agree with the engine, too few for its distribution of gain "
                f"({FEWEST_ENGINE_MOVES} are needed): analyse more games, or use engine_profile='peak'"
            )
        return self


def next_positions_known() -> Rule:
    """Leave out all decisions where hardly any position after a move was analysed.

    In files of one side's moves only the last move of a won game has a gain, which is zero for everybody.
    """

    def mask(decisions: Decisions) -> Mask:
        known = np.count_nonzero(has_gain()(decisions))
        enough = known >= LEAST_SHARE * np.count_nonzero(~np.isnan(decisions.numbers("before")))
        return np.full(len(decisions), enough)

    return Rule("next positions evaluated", mask, has_gain().remedy)


# Distributions of gain (section 4) -------------------------------------------------------------------------
#
# A distribution is a histogram at one centipawn, held as counts: bin `i` is a gain of `i - 2 * limit`, since
# a gain goes from one end of the evaluations, clipped at `limit`, to the other at most. Counts that are whole
# numbers give expectations that are exact, so 0 and 1 come out as 0 and 1.

ELO_SPREAD = 200 * math.sqrt(2)
"""Deviation of the difference of two performances, 200 points each (Elo 1978)."""

_ROUNDING = 1e-12
_BLOCK = 1 << 24  # numbers in a dense block: 128 MB


def gains_of_bins(limit: int) -> Floats:
    """The gain, in centipawns, that each bin stands for."""
    return np.arange(-2.0 * limit, 2.0 * limit + 1)


def histograms(gains: npt.ArrayLike, group: npt.ArrayLike, n_groups: int, limit: int) -> sparse.csr_array:
    """Histogram of gain of each group, one sparse row each."""
    bins = np.rint(np.asarray(gains, dtype=np.float64)).astype(np.int64) + 2 * limit
    ones = np.ones(len(bins))
    return sparse.coo_array((ones, (np.asarray(group), bins)), shape=(n_groups, 4 * limit + 1)).tocsr()


def histogram(gains: npt.ArrayLike, limit: int) -> Floats:
    """Histogram of some gains in centipawns."""
    group = np.zeros(np.size(gains), np.int64)
    return np.asarray(histograms(gains, group, 1, limit).toarray()[0])


def peak(limit: int) -> Floats:
    """An engine that always agrees with itself: one peak at zero (section 6)."""
    return histogram([0.0], limit)


def placements(y: Floats) -> Floats:
    """P(Y < m) + P(Y = m) / 2 in counts of y, for every bin m: what Eq. 2 weighs the gains of X with."""
    return np.cumsum(y, axis=-1) - 0.5 * y


def expectation(x: Floats, y: Floats) -> float:
    """Expected result of X against Y, Eq. 2: P(X > Y) + P(X = Y) / 2."""
    return float(paired_expectations(x[None], y[None])[0])


def paired_expectations(x: Floats, y: Floats) -> Floats:
    """Eq. 2 for each row of `x` against the same row of `y`."""
    return _share(np.einsum("ij,ij->i", x, placements(y)), x.sum(axis=1) * y.sum(axis=1))


def expectations(x: Any, y: Any) -> Floats:
    """Eq. 2 for every row of `x` (matrix, dense or sparse) against every row of `y`; none may be empty."""
    rows, columns = sparse.csr_array(x), sparse.csr_array(y)
    used = np.union1d(rows.indices, columns.indices)
    rows, columns = (
        sparse.csr_array(
            (side.data, np.searchsorted(used, side.indices), side.indptr), (side.shape[0], len(used))
        )
        for side in (rows, columns)
    )
    totals = np.outer(rows.sum(axis=1), columns.sum(axis=1))
    wins = np.empty(totals.shape)
    step = max(1, _BLOCK // max(1, len(used)))
    # Dense blocks: a multiplication of BLAS beats the sparse one at the densities that players have.
    for first in range(0, columns.shape[0], step):
        block = placements(columns[first : first + step].toarray()).T
        for top in range(0, rows.shape[0], step):
            wins[top : top + step, first : first + step] = rows[top : top + step].toarray() @ block
    return _share(wins, totals)


def _share(wins: Any, total: Any) -> Floats:
    """`wins` of `total`, with 0 and 1 where weights have left a speck of rounding."""
    share = np.asarray(wins / total, dtype=np.float64)
    return np.where(share < _ROUNDING, 0.0, np.where(share > 1 - _ROUNDING, 1.0, share))


def rating_difference(expectations: npt.ArrayLike) -> Floats:
    """Rating difference of an expectation, 200 sqrt(2) Phi^-1(p); minus and plus infinity at 0 and 1."""
    return np.asarray(ELO_SPREAD * ndtri(np.asarray(expectations, dtype=np.float64)))


# Uncertainty -----------------------------------------------------------------------------------------------


def overdispersion(moves_per_game: npt.ArrayLike, correlation: float) -> Floats:
    """How many moves count as one: moves of one game are correlated, 1 + correlation (n - 1)."""
    return 1 + correlation * np.maximum(np.asarray(moves_per_game, dtype=np.float64) - 1, 0)


def _overdispersion(profile: Profile, of: str) -> float:
    return float(overdispersion(profile.decisions / max(profile.games, 1e-9), CORRELATION[of]))


def posterior(
    n: npt.ArrayLike, total: npt.ArrayLike, squares: npt.ArrayLike, overdispersion: npt.ArrayLike = 1.0
) -> tuple[Floats, Floats]:
    """Mean and variance of an expectation, from the sums of placements of n moves and of their squares.

    Half a move each at 0, 1/2 and 1 stands for what was known before (the Jeffreys prior where these are the
    only values), so that a few moves of one kind do not pass for certainty. So many moves as `overdispersion`
    says count as one.
    """
    each = np.asarray(overdispersion, dtype=np.float64)
    moves, sums, second = (np.asarray(x, dtype=np.float64) / each for x in (n, total, squares))
    mean = (sums + 0.75) / (moves + 1.5)
    variance = ((second + 0.625) / (moves + 1.5) - mean**2) / (moves + 2.5)
    return mean, variance


def beta_interval(mean: npt.ArrayLike, variance: npt.ArrayLike) -> tuple[Floats, Floats]:
    """95% interval of an expectation: quantiles of the beta distribution with this mean and variance."""
    m, v = np.asarray(mean, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    size = np.maximum(m * (1 - m) / v - 1, 0.1)
    low, high = betaincinv(m * size, (1 - m) * size, [[0.025], [0.975]])
    return low.reshape(m.shape), high.reshape(m.shape)


def expectation_interval(
    x: Floats, y: Floats, of_x: float, of_y: float | None = None
) -> tuple[float, float, float]:
    """Deviation and interval of Eq. 2, from the moves of X with this overdispersion, and of Y if it has one.

    The variance of both is that of a rank sum (DeLong et al. 1988): of X's placements among Y's moves, and of
    Y's among X's.
    """

    def against(x: Floats, y: Floats, correlated: float) -> tuple[Floats, Floats]:
        used = np.flatnonzero(x)
        weight, placed = x[used], placements(y)[used] / y.sum()
        return posterior(weight.sum(), np.sum(weight * placed), np.sum(weight * placed**2), correlated)

    mean, variance = against(x, y, of_x)
    if of_y is not None:
        other, more = against(y, x, of_y)
        mean, variance = (mean + 1 - other) / 2, variance + more
    low, high = beta_interval(mean, variance)
    value = expectation(x, y)
    return math.sqrt(variance), min(float(low), value), max(float(high), value)


# Strength after every move of a game (section 7 and Figure 6) -----------------------------------------------


@dataclass(frozen=True, eq=False)
class RunningStrength:
    """What is known of one player after each of their moves."""

    expectation: Floats
    """Expectation against the engine after the move; NaN before the first known gain."""
    low: Floats
    high: Floats
    """95% interval of the expectation: it always holds the expectation, and narrows as moves come."""
    strength: Floats
    """Algorithm 4, or the difference to the engine where its strength is not known; minus or plus infinity
    where all gains so far are on one side."""
    strength_low: Floats
    strength_high: Floats


def running_strength(gains: npt.ArrayLike, model: GainModel) -> RunningStrength:
    """Algorithm 4 after every move, from gains in centipawns, NaN where they are not known."""
    moves = np.asarray(gains, dtype=np.float64)
    engine = model.engine
    bins = np.rint(np.nan_to_num(moves)).astype(np.int64) + 2 * model.limit
    placed = (placements(engine) / engine.sum())[bins]
    unknown = np.isnan(moves)
    n, total, squares = (
        np.cumsum(np.where(unknown, 0.0, x)) for x in (np.ones(len(moves)), placed, placed**2)
    )
    with np.errstate(invalid="ignore"):
        value = total / n
    together = overdispersion(n, CORRELATION[model.engine_profile])
    low, high = beta_interval(*posterior(n, total, squares, together))
    low, high = np.fmin(low, value), np.fmax(high, value)
    strengths = ((model.engine_strength or 0.0) + rating_difference(x) for x in (value, low, high))
    return RunningStrength(value, low, high, *strengths)


# Two players compared (Algorithm 1) ------------------------------------------------------------------------


def compare(first: Decisions, second: Decisions, model: GainModel, *, resamples: int = 500) -> Comparison:
    """Algorithm 1 on the decisions of two players, or of one player at two times."""
    return compare_stacks(model.profiles_by(first), model.profiles_by(second), model, resamples=resamples)


def compare_stacks(
    first: ProfileStack, second: ProfileStack, model: GainModel, *, resamples: int = 500
) -> Comparison:
    """The same on profiles by game; the interval is from resampled games where there are enough."""
    totals = first.total(), second.total()
    forecast = model.forecast(*totals)
    low, high = forecast.low, forecast.high
    resampled = resamples > 1 and all(profile.games >= FEWEST_GAMES for profile in totals)
    if resampled:  # one weight for a game of both
        keys = {key: place for place, key in enumerate(dict.fromkeys(first.keys + second.keys))}
        weights = exponential_weights(len(keys), resamples, seed=0)
        used = np.flatnonzero(totals[0].evidence + totals[1].evidence)
        rows = [
            np.asarray(weights[:, [keys[key] for key in stack.keys]] @ stack.evidence[:, used].toarray())
            for stack in (first, second)
        ]
        factor = exponential_factor(min(profile.games for profile in totals))
        ends = widened(forecast.expectation, equal_tailed(paired_expectations(*rows)), factor)
        low, high = np.clip(ends, 0.0, 1.0).tolist()
    value, least, most = rating_difference([forecast.expectation, low, high]).tolist()
    estimates = model.estimate(totals[0]), model.estimate(totals[1])
    return Comparison(estimates, forecast.expectation, low, high, resampled, (value, least, most))


# Strengths through the engine (Algorithms 2 to 4) ----------------------------------------------------------
#
# Algorithm 3 gives the engine's strength from rated players, Algorithm 4 the players' from the engine's:
# perceived strength, on the scale of whatever the engine's strength was taken from.


def measured_engine(decisions: Decisions, *, limit: int = LIMIT) -> GainModel:
    """A model that knows the engine, its distribution and its strength, from decisions of rated players."""
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


def engine_strength(expectations: npt.ArrayLike, ratings: npt.ArrayLike) -> float:
    """Algorithm 3: the engine's rating by players' expectations against it and their ratings, on average.

    Players without a rating, or with an infinite difference, do not count; NaN where there is no other.
    """
    by_player = np.asarray(ratings, dtype=np.float64) - rating_difference(expectations)
    usable = np.isfinite(by_player)
    return float(by_player[usable].mean()) if usable.any() else math.nan


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
        known_ones = members[~np.isnan(actual[members])]
        if len(known_ones):
            anchors[index] = actual[known_ones].mean()
            ratings[members] += anchors[index] - ratings[known_ones].mean()
    return PerceivedRatings(ratings, group.astype(np.int64), anchors)


# Cross-tables (Tables 1 and 3) -----------------------------------------------------------------------------

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
) -> list[CrossTable]:
    """Cross-tables of the games.

    `by="event"`: one table for each event, a player's distribution from all their games in it (Table 1).
    `by="match"`: one table, each cell from the games between the two (Table 3).
    `by="career"`: one table, a player's distribution from all their games.

    `pairs="all"` compares players who did not meet too. `event` restricts who and which results are in the
    table to one event; a career's distributions stay those of all games.
    """
    if by not in BY or pairs not in PAIRS:
        raise InputError(f"by is one of {', '.join(BY)}, pairs is one of {', '.join(PAIRS)}")
    if by == "match" and pairs == "all":
        raise InputError("players who did not meet have no match to compare: use pairs met, or by event")
    rows = _PlayerGames.of(decisions, model)
    return [
        _cross_table(title, shown, rows if by == "career" else shown, model, by, pairs == "all", resamples)
        for title, shown in _parts(rows, by, event)
    ]


def _parts(rows: _PlayerGames, by: str, event: str | None) -> Iterator[tuple[str, _PlayerGames]]:
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


@dataclass(frozen=True, eq=False, kw_only=True)
class _PlayerGames:
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

    @classmethod
    def of(cls, decisions: Decisions, model: GainModel) -> _PlayerGames:
        """Rows from the decisions that pass the rules of the model."""
        passed, _ = model.select(decisions)
        if not len(passed):
            raise InputError(f"none of the {len(decisions):,} decisions passes the rules of {model.name}")
        appearances = Appearances.of(passed)
        codes, player = np.unique(appearances.player, return_inverse=True)
        players = tuple(passed.names("player")[code] for code in codes)
        places = {name: place for place, name in enumerate(players)}
        opponents = np.array([places.get(name, -1) for name in passed.names("opponent")] + [-1])
        return cls(
            players=players,
            events=tuple(passed.names("event")),
            player=player,
            opponent=opponents[appearances.codes("opponent")],
            event=appearances.codes("event"),
            game=np.unique(appearances.game, return_inverse=True)[1],
            result=appearances.numbers("result"),
            elo=appearances.numbers("player_elo"),
            histograms=model.evidence(passed, appearances.place(passed), len(appearances)),
        )

    def take(self, rows: Ints) -> _PlayerGames:
        """Some of the rows; games are numbered again."""
        names = ("player", "opponent", "event", "result", "elo", "histograms")
        _, game = np.unique(self.game[rows], return_inverse=True)
        return replace(self, game=game, **{name: getattr(self, name)[rows] for name in names})


def _cross_table(
    title: str,
    shown: _PlayerGames,
    evidence: _PlayerGames,
    model: GainModel,
    by: str,
    every: bool,
    resamples: int,
) -> CrossTable:
    """The table of the players of `shown`, in order of their points, then of what was expected of them.

    `evidence` has the rows that distributions are summed from; `every` compares also who did not meet.
    """
    codes = np.unique(shown.player)
    n = len(codes)
    place = np.full(len(shown.players) + 1, -1)  # in the table; -1, who has no code, finds the last one

    def compared(weights: Floats) -> Floats:
        """Eq. 2 of every pair that is compared, with a weight for each game; NaN for the others."""
        row, column = place[evidence.player], place[evidence.opponent]
        weight = weights[evidence.game]
        if by != "match":
            sums = _sums(evidence.histograms, row, weight, n)
            return np.where((games > 0) | (every & ~np.eye(n, dtype=bool)), expectations(sums, sums), np.nan)
        first, second = np.nonzero(np.triu(games > 0))
        sides = []
        for one, other in ((first, second), (second, first)):
            number = np.full((n, n), -1)
            number[one, other] = np.arange(len(one))
            side = np.where((row >= 0) & (column >= 0), number[row, column], -1)
            sides.append(_sums(evidence.histograms, side, weight, len(one)).toarray())
        answer = np.full((n, n), np.nan)
        answer[first, second] = paired_expectations(*sides)
        answer[second, first] = 1 - answer[first, second]
        return answer

    def perceived_by(cells: Floats) -> tuple[PerceivedRatings, int]:
        """Perceived ratings, and the number of cells with an infinite difference, which do not count."""
        differences = rating_difference(cells)
        infinite = np.isinf(differences)
        return perceived_ratings(np.where(infinite, np.nan, differences), elos), int(infinite.sum())

    place[codes] = np.arange(n)
    ones = np.ones(int(evidence.game.max()) + 1)
    games, results = results_between(place[shown.player], place[shown.opponent], shown.game, shown.result, n)
    cells = compared(ones)
    points = np.nan_to_num(np.where(games > 0, results, 0.0).sum(axis=1), nan=-1.0)
    order = np.lexsort((-np.nansum(games * cells, axis=1), -points))
    place[codes[order]] = np.arange(n)
    ordered = np.ix_(order, order)
    games, results, cells = games[ordered], results[ordered], cells[ordered]
    own, known = place[shown.player], ~np.isnan(shown.elo)
    counts = np.bincount(own[known], minlength=n)
    sums = np.bincount(own[known], shown.elo[known], minlength=n)
    elos = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)
    perceived, infinite = perceived_by(cells)
    low, high = np.full((2, n), np.nan)
    if resamples > 1 and n <= MOST_RESAMPLED:
        # Exponential weights (the Bayesian bootstrap): no player loses all their games. Few games make the
        # interval wider than the resamples spread.
        draws = exponential_weights(len(ones), resamples, seed=0)
        ratings = [perceived_by(compared(weights))[0].ratings for weights in draws]
        row = place[evidence.player]
        n_games = np.bincount(row[row >= 0], minlength=n)
        factor = np.where(n_games >= FEWEST_GAMES, exponential_factor(np.maximum(n_games, 2)), np.nan)
        low, high = widened(perceived.ratings, equal_tailed(ratings), factor)
    all_gains = _sums(evidence.histograms, place[evidence.player], ones[evidence.game], n)
    against = expectations(all_gains, model.engine[None, :])[:, 0]
    anchored = np.where(np.isnan(perceived.anchors[perceived.group]), np.nan, perceived.ratings)
    return CrossTable(
        title=title,
        by=by,
        players=tuple(shown.players[code] for code in codes[order]),
        elos=elos,
        games=games,
        results=results,
        expectations=cells,
        differences=rating_difference(cells),
        perceived=perceived,
        low=low,
        high=high,
        against_engine=against,
        to_engine=rating_difference(against),
        engine_strength=(engine_strength(against, elos), engine_strength(against, anchored)),
        notes=_notes(perceived, infinite),
    )


def _sums(rows: sparse.csr_array, side: Ints, weight: Floats, n: int) -> sparse.csr_array:
    """Weighted sums of histograms; `side` tells which sum each row goes into, -1 for none."""
    used = np.flatnonzero(side >= 0)
    return sparse.csr_array((weight[used], (side[used], used)), shape=(n, len(side))) @ rows


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
