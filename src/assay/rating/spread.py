"""How far raw ratings stray from reference ratings: learned on groups of games of known players.

A raw rating is what a mapping makes of a profile. Of few games it is wild, and some methods draw it to the
mean of all; the raw ratings that different methods make of the same games err together. All of that is
learned from groups of 1, 2, 4, ... games: line, covariance, and how both depend on the number of decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.errors import InputError

MARGIN = 700.0
"""Raw ratings are bounded to so many points beyond the mileposts: a perfect game would have any."""

LARGEST_GROUP = 32

_FEWEST_GROUPS = 40
"""Groups of one size that a covariance is learned from, at least."""

_MOST_GROUPS = 1500

_REPLICATIONS = 12
"""How often the appearances of a milepost are dealt into groups of more than one."""

_ALIKE = 0.2
"""How far correlations between methods are drawn to their mean. On games kept out, a little better than not
at all, and no worse than 0.4."""

LEAST_FORM = 50.0
"""The form of a player strays from their published rating by at least this deviation: published ratings are
no better known than that themselves."""

SIZES_DIFFER = 0.1
"""Where games are as long as each other there is no telling: deviation of the usual size over each."""

MOST_LASTING = 0.8
"""However long a game is, some of what it tells adds up."""

TELLING = 8.0
"""Games of a player after which what they have in common is as large as the chance in their mean: where one
game strays by three times the form, as on most scales."""


@dataclass(frozen=True, eq=False)
class BridgeError:
    """How far the lines of all methods may be off that a bridge carried over (assay.rating.bridge).

    In units of the deviations of one game: at `centre` by the covariance `shift`, and beyond it by `slope`
    times the square of the distance in Elo.
    """

    centre: float
    shift: Floats
    slope: Floats

    def at(self, elo: float) -> Floats:
        """The covariance at some Elo, in units of the deviations of one game."""
        return np.asarray(self.shift + self.slope * (elo - self.centre) ** 2)


@dataclass(frozen=True, eq=False, kw_only=True)
class Spread:
    """Distribution of the raw ratings of a player of known Elo, by the number of decisions.

    With n times `game_size` decisions they are normal around `offset + slope * Elo`, with the covariance
    `deviation(Elo) * unit * deviation(Elo) / n` from game to game.
    """

    methods: tuple[str, ...]
    centre: float
    """The Elo that `unit` belongs to: deviations change from there by `tilt`."""
    game_size: float
    """Decisions of a typical appearance."""
    games: Floats
    """The ladder: how many appearances are in a group."""
    offset: Floats
    slope: Floats
    """Shape (ladder, methods)."""
    unit: Floats
    """Covariance times games, shape (ladder, methods, methods)."""
    tilt: Floats
    """By how much the logarithm of each method's deviation changes per point of Elo."""
    form: float
    """Deviation of a player's form from their reference rating, the same for all methods, in Elo."""
    milepost_games: float
    """Appearances that a milepost rests on: the mapping is no better known than so many of them."""
    bridge: BridgeError | None = None
    """What a bridge from another source of values errs by; None for a native calibration."""
    lasting: float = 0.0
    """Share of what a usual game varies by that more decisions in it would not take away: a game is quiet or
    wild as a whole."""

    def amount(self, size: Floats, squares: Floats) -> Floats:
        """How many decisions of games of the usual length say as much as these.

        `squares` is the sum of the squares of each game's decisions. Games are pooled by their decisions, so
        a game of d of the D decisions weighs d/D, and its variance is lasting + (1 - lasting) usual/d.
        """
        each = self.lasting * squares + (1 - self.lasting) * self.game_size * size
        return np.asarray(np.square(size) * self.game_size / np.maximum(each, 1e-300))

    def at(self, size: float) -> tuple[float, Floats, Floats, Floats]:
        """For so many decisions: number of games they amount to, offset, slope, covariance times games."""
        games, offset, slope, unit = self.at_each(np.array([size], dtype=np.float64))
        return float(games[0]), offset[0], slope[0], unit[0]

    def at_each(self, size: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """The same for several numbers of decisions."""
        games = np.maximum(size / self.game_size, 1e-3)
        place = np.interp(np.log(games), np.log(self.games), np.arange(len(self.games)))
        low = np.clip(np.floor(place).astype(np.int64), 0, max(len(self.games) - 2, 0))
        high, share = np.minimum(low + 1, len(self.games) - 1), place - low

        def between(ladder: Floats) -> Floats:
            part = share.reshape(-1, *[1] * (ladder.ndim - 1))
            return np.asarray((1 - part) * ladder[low] + part * ladder[high])

        return games, between(self.offset), between(self.slope), between(self.unit)

    def beyond_chance(
        self, method: str, elo: float, size: float, dispersion: float, games: float = 1.0
    ) -> float:
        """How far a player of this Elo strays in so many decisions, in Elo, beyond the chance of the moves.

        Of several games all are taken to be as long as each other.

        `dispersion` is the variance over games divided by that of independent moves. What games vary beyond
        independent moves, and the form, remain.
        """
        place = self.methods.index(method)
        decisions = np.asarray(float(size))
        amount = float(self.amount(decisions, decisions**2 / max(games, 1.0)))
        alike, _, slope, unit = self.at(amount)
        whole = unit[place, place] * self.deviations(elo)[place] ** 2 / alike
        return float(np.hypot(self.form, np.sqrt(whole * (1 - 1 / dispersion)) / slope[place]))

    def deviations(self, elo: float) -> Floats:
        """How the deviation of each method compares with that at the centre."""
        return np.asarray(np.exp(self.tilt * (elo - self.centre)))


def fit_spread(
    methods: tuple[str, ...],
    raw: Callable[[Floats], Floats],
    elo: Floats,
    size: Floats,
    player: Ints,
    milepost: Ints,
    *,
    seed: int = 0,
) -> Spread:
    """Learn the spread from appearances of known players.

    `raw` gives the raw ratings, shape (groups, methods), for weights of the appearances (groups,
    appearances); `milepost` tells which of them may be one group, and `player` who it was.
    """
    rng = np.random.default_rng(seed)
    counts = np.bincount(milepost)
    sizes = [n for n in (1, 2, 4, 8, 16, LARGEST_GROUP) if n == 1 or 2 * n <= counts[counts > 0].min()]
    ladder = [_Rung(n, raw, elo, milepost, rng) for n in sizes]
    ladder = [rung for rung in ladder if len(rung.elo) >= _FEWEST_GROUPS]
    if not ladder:
        raise InputError(
            f"a calibration needs at least {_FEWEST_GROUPS} games of players with known ratings: give more"
        )
    centre = float(elo.mean())
    tilt = np.mean([rung.tilt(centre) for rung in ladder[:4]], axis=0)
    offset, slope = (np.stack([rung.line[part] for rung in ladder]) for part in (0, 1))
    found = Spread(
        methods=methods,
        centre=centre,
        game_size=float(size.mean()),
        games=np.array([float(rung.n) for rung in ladder]),
        offset=offset,
        slope=slope,
        unit=np.stack([rung.unit(centre, tilt, np.full(len(rung.elo), float(rung.n))) for rung in ladder]),
        tilt=tilt,
        form=LEAST_FORM,
        milepost_games=float(counts[counts > 0].mean()),
    )
    single = ladder[0].weights.argmax(axis=1)
    found = replace(found, lasting=learn_lasting(found, ladder[0].off, ladder[0].elo, size[single]))
    unit = []
    for rung in ladder:
        amount = found.amount(rung.weights @ size, rung.weights @ np.square(size))
        unit.append(rung.unit(centre, tilt, amount / found.game_size))
    found = replace(found, unit=np.stack(unit))
    return replace(found, form=learn_form(found, ladder[0].raw, ladder[0].elo, player[single]))


class _Rung:
    """Groups of one number of appearances, and their raw ratings."""

    def __init__(
        self,
        n: int,
        raw: Callable[[Floats], Floats],
        elo: Floats,
        milepost: Ints,
        rng: np.random.Generator,
    ) -> None:
        self.n = n
        weights = deal(milepost, n, 1 if n == 1 else _REPLICATIONS, rng)
        if len(weights) > _MOST_GROUPS and n > 1:
            weights = weights[rng.choice(len(weights), _MOST_GROUPS, replace=False)]
        found = raw(weights)
        known = np.isfinite(found).all(axis=1)
        self.weights, self.raw = weights[known], found[known]
        self.elo = self.weights @ elo / n
        self.line = self._fit_line() if len(self.elo) >= _FEWEST_GROUPS else np.zeros((2, found.shape[1]))
        self.off = self.raw - self.line[0] - self.line[1] * self.elo[:, None]

    def _fit_line(self) -> Floats:
        """Offset and slope of the raw ratings by Elo, rows of shape (methods,)."""
        slope, offset = np.polyfit(self.elo, self.raw, 1)
        # A method whose raw ratings do not rise with Elo says nothing: a slope near zero makes it weigh so.
        return np.stack((np.where(slope > 0, offset, self.raw.mean(axis=0)), np.maximum(slope, 1e-6)))

    def tilt(self, centre: float) -> Floats:
        """Slope of the logarithm of the deviation by Elo: half of that of the squared errors."""
        squares = np.log(np.square(self.off) + 1.0)
        return np.asarray(np.polyfit(self.elo - centre, squares, 1)[0] / 2)

    def unit(self, centre: float, tilt: Floats, amount: Floats) -> Floats:
        """Covariance at the centre times the number of usual games, of which each group is so many."""
        scaled = self.off / np.exp(tilt * (self.elo[:, None] - centre)) * np.sqrt(amount)[:, None]
        # Two parameters of the line were fitted.
        return _alike(scaled.T @ scaled / (len(scaled) - 2))


def _alike(matrix: Floats) -> Floats:
    """A covariance whose correlations are drawn a little to their mean: groups are a few hundred only."""
    deviation = np.sqrt(np.diag(matrix))
    correlation = matrix / np.outer(deviation, deviation)
    n = len(matrix)
    if n < 3:
        return matrix
    mean = (correlation.sum() - n) / (n * (n - 1))
    drawn = (1 - _ALIKE) * correlation + _ALIKE * mean
    np.fill_diagonal(drawn, 1.0)
    return np.asarray(drawn * np.outer(deviation, deviation))


def deal(milepost: Ints, n: int, replications: int, rng: np.random.Generator) -> Floats:
    """Weights of groups of n appearances of one milepost each, dealt at random without replacement."""
    groups = []
    for one in np.unique(milepost):
        rows = np.flatnonzero(milepost == one)
        for _ in range(replications):
            dealt = rng.permutation(rows)[: len(rows) // n * n].reshape(-1, n)
            groups.append(dealt)
    dealt = np.concatenate(groups)
    weights = np.zeros((len(dealt), len(milepost)))
    np.put_along_axis(weights, dealt, 1.0, axis=1)
    return weights


def learn_lasting(spread: Spread, off: Floats, elo: Floats, size: Floats) -> float:
    """How much of what single games vary by is there however many decisions they have.

    `off` are the errors of single appearances of these sizes. Their squares, the methods weighed into one as
    a rating would, are a part that lasts and one that falls with the number of decisions.
    """
    scaled = off / np.exp(spread.tilt * (elo[:, None] - spread.centre))
    weight = np.linalg.solve(spread.unit[0], spread.slope[0])
    squares = np.square(scaled @ (weight / np.abs(weight).sum()))
    parts = np.column_stack((np.ones(len(size)), spread.game_size / size))
    if parts[:, 1].std() < SIZES_DIFFER:
        return 0.0
    # Wild games would decide alone by their squares: each counts by how wild one of its size is.
    share = 1 / parts.sum(axis=1)
    from scipy.optimize import nnls

    (lasts, falls), _ = nnls(parts * share[:, None], squares * share)
    return float(min(lasts / max(lasts + falls, 1e-300), MOST_LASTING))


def learn_form(spread: Spread, raw: Floats, elo: Floats, player: Ints) -> float:
    """Deviation of form: what the errors of one player's different games have in common.

    `raw` are the raw ratings of single appearances. The errors of the methods are first weighed into one, as
    a rating would. Form is what does not shrink with the number of games, so players of many tell it: the
    mean product of two different games of a player is the square of theirs, the better known the more games
    there are. Whoever has hundreds is one player all the same. One standard error is added: with many games
    form is most of the interval, and a narrow one misleads more than a wide one.
    """
    slope, known = spread.slope[0], np.isfinite(raw).all(axis=1)
    weight = np.linalg.solve(spread.unit[0], slope)
    error = (raw - spread.offset[0] - slope * elo[:, None]) @ (weight / (weight @ slope))
    products, shares = [], []
    for one in np.unique(player[known]):
        errors = error[known & (player == one)]
        n = len(errors)
        if n > 1:
            # All pairs of different games: the square of the sum holds each twice, each game with itself.
            products.append((errors.sum() ** 2 - np.square(errors).sum()) / (n * (n - 1)))
            shares.append((n / (n + TELLING)) ** 2)
    if not products:
        return LEAST_FORM
    share = np.array(shares) / np.sum(shares)
    mean = float(share @ products)
    variance = float(np.square(share) @ np.square(np.array(products) - mean))
    return float(np.sqrt(max(mean + np.sqrt(variance), LEAST_FORM**2)))
