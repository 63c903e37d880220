"""How raw ratings vary around published ratings, learned on groups of games of players of known Elo.

A raw rating is what a mapping makes of a profile, or a weighted sum of what several mappings make of it. Raw
ratings of few games vary much, and are not on the Elo scale: ridge regression shrinks them, and play differs
less between strong players than between weak ones. So a rising curve of the mean raw rating by Elo and a
variance are learned from groups of 1, 2, 4, ... games, for each method by itself. With n usual games the raw
rating of a player of Elo E is normal around curve(E), with the variance of one game at E over n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.errors import InputError
from assay.rating.posterior import GRID

MARGIN = 700.0
"""Raw ratings by curves are bounded to so many points beyond the mileposts: a perfect game would have any."""

LARGEST_GROUP = 32

_FEWEST_GROUPS = 40
"""Groups of one size that a variance is learned from, at least."""

_MOST_GROUPS = 1500

_REPLICATIONS = 12
"""How often the appearances of a milepost are split into groups of more than one."""

LEAST_FORM = 50.0
"""Players differ from their published rating by at least this standard deviation, in Elo."""

SIZES_DIFFER = 0.1
"""Where games are as long as each other the share that lasts is not known: standard deviation of the usual
size over each."""

MOST_LASTING = 0.8

FORM, FORM_ELO, FORM_TILT = 85.0, 2400.0, -0.001
"""Usual form at an Elo, and by how much its logarithm changes per point: published ratings of weak players
are less exact. On 29,000 evaluated appearances form is 175, 170, 107, 104, 64 points at 1500, 1825, 2075,
2325, 2600."""

FORM_VARIES = 0.7
"""Standard deviation of the square of form from scale to scale, as a share of the usual one."""

FORM_GAMES = 8.0
"""Games of a player after which what they have in common is as large as the chance in their mean."""

BORROWED = 1.5
"""The curve at one milepost rests on its own games and on its neighbours', on as many as so many mileposts
have. On held-out games 1 to 2 gave intervals of 30 games that cover as often as they should."""

MOST_KNOTS = 8
SMOOTHNESS = 0.3
"""Penalty of the squared second differences of a curve, against the squared errors of a segment's games. On
held-out games 3 leaves ratings 60 to 100 points wrong in places, 0.03 takes chance for bends."""

LEAST_RISE = 0.3
"""No segment of a curve is flatter than so much of the straight line."""


@dataclass(frozen=True, eq=False)
class RawRatings:
    """Raw ratings of some groups of games, and how much each group is."""

    values: Floats
    """Shape (groups, channels); NaN where a method has none."""
    size: Floats
    """Decisions of each group."""
    squares: Floats
    """Sum of the squares of each game's decisions."""
    games: Ints
    players: Floats
    """How many players the games of a group are of."""

    def __len__(self) -> int:
        return len(self.values)

    def only(self, rows: Ints) -> RawRatings:
        """Some of the groups."""
        return RawRatings(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @classmethod
    def concat(cls, parts: Sequence[RawRatings]) -> RawRatings:
        """Groups one after another."""
        return cls(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__)
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Spread:
    """Distribution of the raw ratings of a player of known Elo, by the number of games."""

    channels: tuple[str, ...]
    """The methods and mixes, in the order of all arrays."""
    centre: float
    """The Elo that `variance` belongs to: standard deviations change from there by `tilt`."""
    game_size: float
    """Decisions of a usual appearance."""
    knots: Floats
    """Elos that curves are given at: straight lines between them, and on beyond them."""
    games: Floats
    """How many appearances the groups had that each curve and variance was learned from."""
    curve: Floats
    """Mean raw rating of players of the knots' Elos: shape (games, channels, knots)."""
    variance: Floats
    """Of one usual game: shape (games, channels)."""
    tilt: Floats
    """By how much the logarithm of each standard deviation changes per point of Elo."""
    form: Floats
    """Standard deviation of players of the centre from their published rating by each channel, in Elo."""
    milepost_games: float
    """Appearances of a milepost: the curves are no better known than so many of them."""
    lasting: float = 0.0
    """Share of the variance of a usual game that does not depend on its length."""
    carried: float = 0.0
    """Standard deviation, in Elo, of the error that carrying the scale over to another engine adds to all
    ratings."""

    def usual_games(self, size: Floats, squares: Floats) -> Floats:
        """How many games of the usual length contain as much as these.

        Games are pooled by their decisions, so a game of d of the D decisions weighs d/D, and its variance is
        lasting + (1 - lasting) usual/d.
        """
        each = self.lasting * squares + (1 - self.lasting) * self.game_size * size
        return np.maximum(np.square(size) / np.maximum(each, 1e-300), 1e-3)

    def at(self, games: Floats, channel: int) -> tuple[Floats, Floats]:
        """Curve (groups, knots) and variance of one game (groups, 1) of a channel for so many usual games."""
        place = np.interp(np.log(games), np.log(self.games), np.arange(len(self.games)))
        low = np.clip(np.floor(place).astype(np.int64), 0, max(len(self.games) - 2, 0))
        high, share = np.minimum(low + 1, len(self.games) - 1), (place - low)[:, None]
        curve, variance = (
            (1 - share) * ladder[low, channel] + share * ladder[high, channel]
            for ladder in (self.curve, self.variance[:, :, None])
        )
        return curve, variance

    def form_at(self, elo: Floats, channel: int) -> Floats:
        """Standard deviation of players of these Elos from their published rating, in Elo."""
        within = np.clip(elo, self.knots[0], self.knots[-1]) - self.centre
        return np.asarray(np.maximum(self.form[channel] * np.exp(FORM_TILT * within), LEAST_FORM))

    def peaks(self, raw: RawRatings, channel: int) -> Floats:
        """The Elo at which players have this raw rating on average."""
        curve, _ = self.at(self.usual_games(raw.size, raw.squares), channel)
        values, rows = raw.values[:, channel], np.arange(len(raw))
        segment = np.clip((curve <= values[:, None]).sum(axis=1) - 1, 0, len(self.knots) - 2)
        low, high = curve[rows, segment], curve[rows, segment + 1]
        step = self.knots[1] - self.knots[0]
        return np.asarray(self.knots[segment] + step * (values - low) / (high - low))

    def deviations(self, raw: RawRatings, channel: int, elo: Floats, *, shared: float = 0.0) -> Floats:
        """Standard deviation of the peaks for players of these Elos: shape (groups, Elos).

        `elo` is of shape (Elos,) or, for every group by itself, (groups, Elos). Contains how games vary, how
        players differ from their published rating, and the error of the curves. `shared` is the part of the
        second that is accounted for elsewhere, as a standard deviation.
        """
        games = self.usual_games(raw.size, raw.squares)
        curve, variance = self.at(games, channel)
        slope = _along(curve, hats(elo + _NEAR, self.knots) - hats(elo - _NEAR, self.knots)) / (2 * _NEAR)
        within = np.clip(elo, self.knots[0], self.knots[-1]) - self.centre
        one_game = variance * np.exp(2 * self.tilt[channel] * within) / np.square(slope)
        form = np.maximum(np.square(self.form_at(elo, channel)) - shared**2, LEAST_FORM**2)
        # Games of different players vary by the players' form too: so much is in the first term already.
        players = np.maximum(1 / raw.players - 1 / games, 0.0)[:, None]
        error = one_game / (BORROWED * self.milepost_games) + self.carried**2
        return np.asarray(np.sqrt(one_game / games[:, None] + players * form + error))

    def log_likelihood(self, raw: RawRatings, channel: int, deviations: Floats | None = None) -> Floats:
        """Logarithm of the likelihood of each raw rating over GRID: shape (groups, GRID).

        `deviations` are standard deviations in Elo over GRID, where others than these are to count.
        """
        curve, _ = self.at(self.usual_games(raw.size, raw.squares), channel)
        near = hats(GRID + _NEAR, self.knots) - hats(GRID - _NEAR, self.knots)
        slope = curve @ near.T / (2 * _NEAR)
        widths = self.deviations(raw, channel, GRID) if deviations is None else deviations
        apart = (raw.values[:, [channel]] - curve @ hats(GRID, self.knots).T) / (slope * widths)
        return np.asarray(-0.5 * np.square(apart) - np.log(slope * widths))

    def one_game(self) -> Floats:
        """Standard deviation of a usual game at the centre in Elo, by channel."""
        return np.asarray(np.sqrt(self.variance[0]) / self.slopes[0])

    @property
    def slopes(self) -> Floats:
        """Mean slope of each curve: shape (games, channels)."""
        return np.asarray((self.curve[..., -1] - self.curve[..., 0]) / (self.knots[-1] - self.knots[0]))

    def beyond_chance(
        self, method: str, elo: float, size: float, dispersion: float, games: float = 1.0
    ) -> float:
        """Standard deviation of a player in so many decisions, in Elo, beyond the chance of the moves.

        `dispersion` is the variance over games divided by that of independent moves. Several games are taken
        to be of the same length.
        """
        channel = self.channels.index(method)
        usual = self.usual_games(np.array([size]), np.array([size**2 / max(games, 1.0)]))
        _, variance = self.at(usual, channel)
        whole = variance[0, 0] * np.exp(2 * self.tilt[channel] * (elo - self.centre)) / usual[0]
        form = self.form_at(np.array([elo]), channel)[0]
        return float(np.hypot(form, np.sqrt(whole * (1 - 1 / dispersion)) / self.slopes[0, channel]))


_NEAR = 40.0
"""Slopes are taken over so many points of Elo to either side."""


def hats(elo: Floats, knots: Floats) -> Floats:
    """What each knot contributes to a curve at some Elos; beyond the ends their lines go on."""
    place = (elo - knots[0]) / (knots[1] - knots[0])
    segment = np.clip(np.floor(place).astype(np.int64), 0, len(knots) - 2)[..., None]
    share = place[..., None] - segment
    every = np.arange(len(knots))
    return np.asarray((1 - share) * (every == segment) + share * (every == segment + 1))


def _along(curve: Floats, basis: Floats) -> Floats:
    """Curves of shape (groups, knots) by a basis of shape (Elos, knots) or (groups, Elos, knots)."""
    return np.asarray(curve @ basis.T if basis.ndim == 2 else np.einsum("gk,gek->ge", curve, basis))


def fit_curve(elo: Floats, raw: Floats, knots: Floats) -> Floats:
    """The mean raw rating at the knots: a rising, smooth curve by least squares."""
    from scipy.optimize import nnls

    n, steps = len(knots), len(knots) - 1
    rise = max(float(np.polyfit(elo, raw, 1)[0]), 1e-6) * (knots[1] - knots[0])
    # A curve is its first value and its rises, of which none is less than a share of the line's.
    least = np.concatenate(([0.0], np.full(steps, LEAST_RISE * rise)))
    summed = np.tril(np.ones((n, n)))
    bends = np.diff(np.eye(n), axis=0)[1:] - np.diff(np.eye(n), axis=0)[:-1]
    weight = np.sqrt(SMOOTHNESS * len(elo) / n)
    system = np.concatenate((hats(elo, knots), weight * bends)) @ summed
    target = np.concatenate((raw, np.zeros(n - 2))) - system @ least
    parts, _ = nnls(np.column_stack((system, -system[:, 0])), target)
    parts[0] -= parts[-1]
    return np.asarray(summed @ (parts[:-1] + least))


Raw = Callable[[Floats], Floats]
"""Raw ratings, shape (groups, channels), for weights of the appearances (groups, appearances)."""


def fit_spread(
    channels: tuple[str, ...],
    raw: Raw,
    elo: Floats,
    size: Floats,
    player: Ints,
    milepost: Ints,
    *,
    seed: int = 0,
) -> Spread:
    """Learn the spread from appearances of players of known Elo.

    `milepost` says which of them may be one group, and `player` whose they are.
    """
    rng = np.random.default_rng(seed)
    counts = np.bincount(milepost)
    counts = counts[counts > 0]
    knots = np.linspace(elo.min(), elo.max(), int(np.clip(len(counts) // 2, 2, MOST_KNOTS)))
    sizes = [n for n in (1, 2, 4, 8, 16, LARGEST_GROUP) if n == 1 or 2 * n <= counts.min()]
    samples = [_Sample(n, raw, elo, milepost, rng) for n in sizes]
    samples = [sample for sample in samples if len(sample.elo) >= _FEWEST_GROUPS]
    if not samples:
        raise InputError(
            f"a calibration needs at least {_FEWEST_GROUPS} games of players with known ratings: give more"
        )
    for sample in samples:
        sample.fit(knots)
    centre = float(elo.mean())
    tilt = np.mean([sample.tilt(centre) for sample in samples[:4]], axis=0)
    single = samples[0].weights.argmax(axis=1)
    decisive = channels.index("traits") if "traits" in channels else -1
    spread = Spread(
        channels=channels,
        centre=centre,
        game_size=float(size.mean()),
        knots=knots,
        games=np.array([float(sample.n) for sample in samples]),
        curve=np.stack([sample.curve for sample in samples]),
        variance=np.ones((len(samples), len(channels))),
        tilt=tilt,
        form=np.full(len(channels), LEAST_FORM),
        milepost_games=float(counts.mean()),
        lasting=_lasting(samples[0].error[:, decisive], float(size.mean()) / size[single]),
    )
    variance = [
        sample.variance(
            centre, tilt, spread.usual_games(sample.weights @ size, sample.weights @ np.square(size))
        )
        for sample in samples
    ]
    spread = replace(spread, variance=np.stack(variance))
    return with_form(spread, samples[0].error, samples[0].elo, player[single])


class _Sample:
    """Groups of one number of appearances, their raw ratings, and a curve through these by channel."""

    def __init__(self, n: int, raw: Raw, elo: Floats, milepost: Ints, rng: np.random.Generator) -> None:
        self.n = n
        weights = split_into_groups(milepost, n, 1 if n == 1 else _REPLICATIONS, rng)
        if len(weights) > _MOST_GROUPS and n > 1:
            weights = weights[rng.choice(len(weights), _MOST_GROUPS, replace=False)]
        values = raw(weights)
        finite = np.isfinite(values).all(axis=1)
        self.weights, self.raw = weights[finite], values[finite]
        self.elo = self.weights @ elo / n

    def fit(self, knots: Floats) -> None:
        """Learn the curves, and what they leave."""
        self.curve = np.stack([fit_curve(self.elo, column, knots) for column in self.raw.T])
        self.error = self.raw - hats(self.elo, knots) @ self.curve.T
        self._parameters = 2 + (len(knots) - 2) / 2  # a smooth curve has fewer than it has knots

    def tilt(self, centre: float) -> Floats:
        """Slope of the logarithm of the standard deviation by Elo: half of that of the squared errors."""
        squares = np.square(self.error)
        logs = np.log(squares + 1e-3 * squares.mean(axis=0))
        return np.asarray(np.polyfit(self.elo - centre, logs, 1)[0] / 2)

    def variance(self, centre: float, tilt: Floats, usual_games: Floats) -> Floats:
        """Variance at the centre times the number of usual games of each group."""
        scaled = self.error / np.exp(tilt * (self.elo[:, None] - centre)) * np.sqrt(usual_games)[:, None]
        return np.asarray(np.square(scaled).sum(axis=0) / (len(scaled) - self._parameters))


def split_into_groups(milepost: Ints, n: int, replications: int, rng: np.random.Generator) -> Floats:
    """Weights of groups of n appearances of one milepost each, at random without replacement."""
    groups = []
    for number in np.unique(milepost):
        rows = np.flatnonzero(milepost == number)
        groups += [rng.permutation(rows)[: len(rows) // n * n].reshape(-1, n) for _ in range(replications)]
    members = np.concatenate(groups)
    weights = np.zeros((len(members), len(milepost)))
    np.put_along_axis(weights, members, 1.0, axis=1)
    return weights


def _lasting(error: Floats, shorter: Floats) -> float:
    """Share of the variance of single games that does not fall with the number of their decisions.

    `shorter` is the usual number of decisions over that of each game.
    """
    parts = np.column_stack((np.ones(len(error)), shorter))
    if parts[:, 1].std() < SIZES_DIFFER:
        return 0.0
    from scipy.optimize import nnls

    # The largest errors would decide alone by their squares: each counts by how large one of its length is.
    share = 1 / parts.sum(axis=1)
    (lasts, falls), _ = nnls(parts * share[:, None], np.square(error) * share)
    return float(min(lasts / max(lasts + falls, 1e-300), MOST_LASTING))


def with_form(spread: Spread, error: Floats, elo: Floats, player: Ints) -> Spread:
    """The spread with the form that the errors of single appearances, as raw ratings, show."""
    at_centre = error / spread.slopes[0] / np.exp(FORM_TILT * (elo - spread.centre))[:, None]
    usual = FORM * float(np.exp(FORM_TILT * (spread.centre - FORM_ELO)))
    return replace(spread, form=learn_form(at_centre, player, usual))


def learn_form(error: Floats, player: Ints, usual: float) -> Floats:
    """Standard deviation of what the errors of one player's different games have in common, by channel.

    `error` are those of single appearances in Elo. The mean product of two different games of a player is the
    square of it; players of many games count for more, up to a limit. As far as chance leaves it open, form
    is the usual one.
    """
    _, place, n = np.unique(player, return_inverse=True, return_counts=True)
    several = n > 1
    if not several.any():
        return np.full(error.shape[1], usual)
    total, squares = (np.zeros((len(n), error.shape[1])) for _ in range(2))
    np.add.at(total, place, error)
    np.add.at(squares, place, np.square(error))
    pairs = (n * (n - 1))[several][:, None]
    products = (np.square(total) - squares)[several] / pairs
    share = np.square(n / (n + FORM_GAMES))[several]
    share = share / share.sum()
    mean = share @ products
    chance = np.square(share) @ np.square(products - mean)
    unsure = chance / (chance + (FORM_VARIES * usual**2) ** 2)
    square = (1 - unsure) * np.maximum(mean, 0.0) + unsure * usual**2
    return np.asarray(np.maximum(np.sqrt(square), LEAST_FORM))
