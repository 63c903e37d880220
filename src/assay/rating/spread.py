"""How raw ratings vary around published ratings, learned on groups of games of players of known Elo.

A raw rating is what a mapping makes of a profile, or a weighted sum of what several mappings make of it (a
mix).
Raw ratings of few games vary much, and some methods shrink them towards the mean of all players. A line, a
variance and how both depend on the number of games are learned from groups of 1, 2, 4, ... games, for each
method and mix by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.errors import InputError

MARGIN = 700.0
"""Raw ratings are bounded to so many points beyond the mileposts: a perfect game would have any."""

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

FORM_GAMES = 8.0
"""Games of a player after which what they have in common is as large as the chance in their mean."""

BORROWED = 1.5
"""The curve at one milepost rests on its own games and on its neighbours', on as many as so many mileposts
have.
On held-out games, in six splits, 1 to 2 gave intervals of 30 games that cover as often as they should."""


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
    """Distribution of the raw ratings of a player of known Elo, by the number of games.

    With n usual games a raw rating is normal around `offset + slope * Elo`, with the variance of one game at
    that Elo over n.
    """

    channels: tuple[str, ...]
    """The methods and mixes, in the order of all arrays."""
    centre: float
    """The Elo that `variance` belongs to: standard deviations change from there by `tilt`."""
    game_size: float
    """Decisions of a usual appearance."""
    games: Floats
    """How many appearances the groups had that each row of the next three was learned from."""
    offset: Floats
    slope: Floats
    variance: Floats
    """Of one usual game. Shape (games, channels), as offset and slope."""
    tilt: Floats
    """By how much the logarithm of each standard deviation changes per point of Elo."""
    form: Floats
    """Standard deviation of players from their published rating by each channel, in Elo."""
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

    def at(self, games: Floats) -> tuple[Floats, Floats, Floats]:
        """Offset, slope and variance of one game for so many usual games, each of shape (games, channels)."""
        place = np.interp(np.log(games), np.log(self.games), np.arange(len(self.games)))
        low = np.clip(np.floor(place).astype(np.int64), 0, max(len(self.games) - 2, 0))
        high, share = np.minimum(low + 1, len(self.games) - 1), (place - low)[:, None]
        offset, slope, variance = (
            np.asarray((1 - share) * ladder[low] + share * ladder[high])
            for ladder in (self.offset, self.slope, self.variance)
        )
        return offset, slope, variance

    def peaks(self, raw: RawRatings) -> Floats:
        """The Elo at which the likelihood of each raw rating is highest: shape (groups, channels)."""
        offset, slope, _ = self.at(self.usual_games(raw.size, raw.squares))
        return np.asarray((raw.values - offset) / slope)

    def deviations(self, raw: RawRatings, elo: Floats, *, shared: float = 0.0) -> Floats:
        """Standard deviation of the peaks for players of this Elo: shape (groups, channels).

        Contains how games vary, how players differ from their published rating, and the error of the curves.
        `shared` is the part of the second that is accounted for elsewhere, as a standard deviation.
        """
        games = self.usual_games(raw.size, raw.squares)
        _, slope, variance = self.at(games)
        one_game = variance * np.exp(2 * self.tilt * (elo - self.centre)) / np.square(slope)
        form = np.maximum(np.square(self.form) - shared**2, LEAST_FORM**2)
        # Games of different players vary by the players' form too: so much is in the first term already.
        players = np.maximum(1 / raw.players - 1 / games, 0.0)[:, None]
        curve = one_game / (BORROWED * self.milepost_games) + self.carried**2
        return np.asarray(np.sqrt(one_game / games[:, None] + players * form + curve))

    def one_game(self) -> Floats:
        """Standard deviation of a usual game at the centre in Elo, by channel."""
        return np.asarray(np.sqrt(self.variance[0]) / self.slope[0])

    def beyond_chance(
        self, method: str, elo: float, size: float, dispersion: float, games: float = 1.0
    ) -> float:
        """Standard deviation of a player in so many decisions, in Elo, beyond the chance of the moves.

        `dispersion` is the variance over games divided by that of independent moves. Several games are taken
        to be of the same length.
        """
        place = self.channels.index(method)
        usual = self.usual_games(np.array([size]), np.array([size**2 / max(games, 1.0)]))
        _, slope, variance = self.at(usual)
        whole = variance[0, place] * np.exp(2 * self.tilt[place] * (elo - self.centre)) / usual[0]
        return float(np.hypot(self.form[place], np.sqrt(whole * (1 - 1 / dispersion)) / slope[0, place]))


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
    sizes = [n for n in (1, 2, 4, 8, 16, LARGEST_GROUP) if n == 1 or 2 * n <= counts[counts > 0].min()]
    samples = [_Sample(n, raw, elo, milepost, rng) for n in sizes]
    samples = [sample for sample in samples if len(sample.elo) >= _FEWEST_GROUPS]
    if not samples:
        raise InputError(
            f"a calibration needs at least {_FEWEST_GROUPS} games of players with known ratings: give more"
        )
    centre = float(elo.mean())
    tilt = np.mean([sample.tilt(centre) for sample in samples[:4]], axis=0)
    offset, slope = (np.stack([sample.line[part] for sample in samples]) for part in (0, 1))
    single = samples[0].weights.argmax(axis=1)
    spread = Spread(
        channels=channels,
        centre=centre,
        game_size=float(size.mean()),
        games=np.array([float(sample.n) for sample in samples]),
        offset=offset,
        slope=slope,
        variance=np.ones_like(slope),
        tilt=tilt,
        form=np.full(len(channels), LEAST_FORM),
        milepost_games=float(counts[counts > 0].mean()),
        lasting=_lasting(samples[0].error[:, -1], float(size.mean()) / size[single]),
    )
    variance = [
        sample.variance(
            centre, tilt, spread.usual_games(sample.weights @ size, sample.weights @ np.square(size))
        )
        for sample in samples
    ]
    return replace(
        spread,
        variance=np.stack(variance),
        form=learn_form(samples[0].error / slope[0], player[single]),
    )


class _Sample:
    """Groups of one number of appearances, their raw ratings, and a line through these."""

    def __init__(self, n: int, raw: Raw, elo: Floats, milepost: Ints, rng: np.random.Generator) -> None:
        self.n = n
        weights = split_into_groups(milepost, n, 1 if n == 1 else _REPLICATIONS, rng)
        if len(weights) > _MOST_GROUPS and n > 1:
            weights = weights[rng.choice(len(weights), _MOST_GROUPS, replace=False)]
        values = raw(weights)
        finite = np.isfinite(values).all(axis=1)
        self.weights, self.raw = weights[finite], values[finite]
        self.elo = self.weights @ elo / n
        self.line = np.zeros((2, values.shape[1]))
        if len(self.elo) >= _FEWEST_GROUPS:
            slope, offset = np.polyfit(self.elo, self.raw, 1)
            # Raw ratings that do not rise with Elo contain nothing: a slope near zero gives them no weight.
            self.line = np.stack(
                (np.where(slope > 0, offset, self.raw.mean(axis=0)), np.maximum(slope, 1e-6))
            )
        self.error = self.raw - self.line[0] - self.line[1] * self.elo[:, None]

    def tilt(self, centre: float) -> Floats:
        """Slope of the logarithm of the standard deviation by Elo: half of that of the squared errors."""
        return np.asarray(np.polyfit(self.elo - centre, np.log(np.square(self.error) + 1.0), 1)[0] / 2)

    def variance(self, centre: float, tilt: Floats, usual_games: Floats) -> Floats:
        """Variance at the centre times the number of usual games of each group."""
        scaled = self.error / np.exp(tilt * (self.elo[:, None] - centre)) * np.sqrt(usual_games)[:, None]
        return np.asarray(np.square(scaled).sum(axis=0) / (len(scaled) - 2))  # a line has two parameters


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


def fit_mix(members: Sequence[str], raw: Floats, elo: Floats) -> Mapping[str, float]:
    """Weights of raw ratings of single games that together vary least around a line over Elo.

    `raw` has shape (games, members). The weights are those of generalised least squares and add up to one. A
    member whose weight would be negative is left out: it repeats the errors of a better one.
    """
    finite = np.isfinite(raw).all(axis=1)
    chosen = list(range(len(members)))
    slope, offset = np.polyfit(elo[finite], raw[finite], 1)
    error = raw[finite] - offset - slope * elo[finite][:, None]
    chosen = [place for place in chosen if slope[place] > 0] or chosen[:1]
    while True:
        covariance = np.atleast_2d(np.cov(error[:, chosen], rowvar=False))
        weights = np.linalg.solve(covariance, slope[chosen])
        if len(chosen) == 1 or weights.min() >= 0:
            break
        chosen.pop(int(weights.argmin()))
    weights = weights / weights.sum()
    return {members[place]: float(weight) for place, weight in zip(chosen, weights, strict=True)}


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


def learn_form(error: Floats, player: Ints) -> Floats:
    """Standard deviation of what the errors of one player's different games have in common, by channel.

    `error` are those of single appearances in Elo. The mean product of two different games of a player is the
    square of it; players of many games count for more, up to a limit. One standard error is added: with many
    games this is most of the interval, and a narrow one misleads more than a wide one.
    """
    _, place, n = np.unique(player, return_inverse=True, return_counts=True)
    several = n > 1
    if not several.any():
        return np.full(error.shape[1], LEAST_FORM)
    total, squares = (np.zeros((len(n), error.shape[1])) for _ in range(2))
    np.add.at(total, place, error)
    np.add.at(squares, place, np.square(error))
    pairs = (n * (n - 1))[several][:, None]
    products = (np.square(total) - squares)[several] / pairs
    share = np.square(n / (n + FORM_GAMES))[several]
    share = share / share.sum()
    mean = share @ products
    standard_error = np.sqrt(np.square(share) @ np.square(products - mean))
    return np.asarray(np.sqrt(np.maximum(mean + standard_error, LEAST_FORM**2)))
