"""One learned score in place of eight combined methods, measured on the same folds.

    python -m research learned-score WORKSPACE [--recipe standard] [--splits 3]

WORKSPACE holds analysed games of players of known Elo (`python -m research mileposts`). A ridge regression of
Elo on the mean features of single games gives the score: those of `traits`, and what `depth` says at five
levels. A curve of the mean score by Elo undoes the shrinking of every regression on noisy measures. Around
the curve the score varies from game to game, part of which does not depend on a game's length, and from
player to player. The score is linear in the means, so one curve and one variance serve any number of games,
and nothing is resampled.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from assay.decisions.arrays import Floats, Ints
from assay.errors import InputError
from assay.models.appearances import Appearances, assign_folds
from assay.models.depth.agents import interpolation
from assay.models.depth.model import line_of_agents
from assay.models.mileposts import Mileposts
from assay.models.traits.model import means_of, shares
from assay.rating.calibration import reference_of, stacks_of
from assay.rating.posterior import GRID, Range
from assay.workspace.workspace import Workspace
from research.markdown import numbers_table

LEVELS = np.array([-1.0, -0.25, 0.5, 1.25, 2.0])
"""Levels on the line of agents whose log-likelihoods of the moves, less the middle one's, are features."""

PENALTIES = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
DEGREES = (1, 2, 3)
EQUAL = 150.0
LEAST_FORM = 50.0
"""Players differ from their published rating by at least this standard deviation, in Elo."""

TELLING = 8.0
"""Games of a player after which what they have in common is as large as the chance in their mean."""

BORROWED = 1.5
"""The curve at one Elo rests on as many games as so many mileposts of a hundred points have."""

GAMES = (1, 3, 10, 30)


@dataclass(frozen=True, eq=False, kw_only=True)
class Score:
    """Weights of the features, the curve of the score by Elo, and its variances."""

    means: Floats
    weights: Floats
    centre: float
    unit: float
    """Elo is (Elo - centre) / unit wherever the curve is meant."""
    curve: Floats
    """Coefficients, the highest power first."""
    lowest: float
    highest: float
    """Elo between which it was learned; beyond, the curve goes on straight."""
    game_size: float
    variance: float
    """Of the score of a usual game at the centre."""
    tilt: float
    """By how much the logarithm of its standard deviation changes per unit of Elo."""
    lasting: float
    """Share of the variance that more decisions in a game would not take away."""
    form: float
    """Standard deviation of a player from their published rating, in Elo."""
    games_per_milepost: float

    def of(self, features: Floats) -> Floats:
        """Score of means of features; one that is not known (NaN) counts as average."""
        return np.asarray(np.nan_to_num(features - self.means) @ self.weights)

    def expected(self, elo: Floats) -> tuple[Floats, Floats]:
        """The mean score at some Elo, and how it rises there per unit of Elo."""
        inside = (np.clip(elo, self.lowest, self.highest) - self.centre) / self.unit
        slope = np.polyval(np.polyder(self.curve), inside)
        beyond = (np.asarray(elo) - self.centre) / self.unit - inside
        return np.polyval(self.curve, inside) + slope * beyond, np.asarray(slope)

    def games(self, sizes: Floats) -> float:
        """Usual games that say as much as games of these numbers of decisions, pooled by decisions."""
        total, squares = float(sizes.sum()), float(np.square(sizes).sum())
        return total**2 / (self.lasting * squares + (1 - self.lasting) * self.game_size * total)

    def log_likelihood(self, score: float, games: float, elo: float, players: float = 1.0) -> Floats:
        """Of each Elo of GRID, with the variance of a player of Elo `elo`."""
        one_game = self.variance * np.exp(2 * self.tilt * (elo - self.centre) / self.unit)
        slope = float(self.expected(np.array([elo]))[1][0])
        # Games of different players vary by the players' form too: so much is in the first term already.
        between = max(1 / players - 1 / games, 0.0) * (slope * self.form / self.unit) ** 2
        variance = one_game / games + one_game / (BORROWED * self.games_per_milepost) + between
        return np.asarray(-0.5 * np.square(score - self.expected(GRID)[0]) / variance)


def fit_score(
    features: Floats, elo: Floats, opponent: Floats, size: Floats, player: Ints, fold: Ints
) -> tuple[Score, Floats]:
    """Fit on single games of players of known Elo; also the score of each game by the other folds."""
    centre, unit = float(elo.mean()), float(elo.std())
    target = (elo - centre) / unit
    share = shares(target, np.abs(opponent - elo) > EQUAL)
    held_out = np.zeros((len(PENALTIES), len(elo)))
    for one in np.unique(fold):
        out = fold == one
        for place, (means, weights) in enumerate(_ridge(features[~out], target[~out], share[~out])):
            held_out[place, out] = np.nan_to_num(features[out] - means) @ weights
    best = int((np.square(held_out - target) * share).sum(axis=1).argmin())
    means, weights = _ridge(features, target, share)[best]
    score = held_out[best]
    curve = _curve(target, score, share)
    error = score - np.polyval(curve, target)
    tilt = float(np.polyfit(target, np.log(np.square(error) + 1e-3), 1, w=np.sqrt(share))[0] / 2)
    game_size = float(size.mean())
    variance, lasting = _variance(error / np.exp(tilt * target), game_size / size)
    fitted = Score(
        means=means,
        weights=weights,
        centre=centre,
        unit=unit,
        curve=curve,
        lowest=float(elo.min()),
        highest=float(elo.max()),
        game_size=game_size,
        variance=variance,
        tilt=tilt,
        lasting=lasting,
        form=_form(error / np.polyval(np.polyder(curve), target) * unit, player),
        games_per_milepost=len(elo) / max((elo.max() - elo.min()) / 100, 1.0),
    )
    return fitted, score


def _ridge(features: Floats, target: Floats, share: Floats) -> list[tuple[Floats, Floats]]:
    """Means and weights of the features for each of PENALTIES (Hoerl and Kennard 1970)."""
    present = ~np.isnan(features) * share[:, None]
    means = np.nansum(features * share[:, None], axis=0) / np.maximum(present.sum(axis=0), 1e-300)
    apart = np.nan_to_num(features - means)
    scale = np.sqrt((np.square(apart) * share[:, None]).sum(axis=0) / share.sum())
    scale = np.where(scale > 0, scale, 1.0)
    scaled = apart / scale
    products = scaled.T @ (scaled * share[:, None])
    towards = scaled.T @ (share * (target - target @ share / share.sum()))
    identity = np.eye(len(scale))
    return [(means, np.linalg.solve(products + one * identity, towards) / scale) for one in PENALTIES]


def _curve(target: Floats, score: Floats, share: Floats) -> Floats:
    """The polynomial of the lowest degree that does as well as any, among those that rise everywhere."""
    between = np.linspace(target.min(), target.max(), 50)
    best, chosen = np.inf, np.zeros(0)
    for degree in DEGREES:
        curve = np.polyfit(target, score, degree, w=np.sqrt(share))
        slope = np.polyval(np.polyder(curve), between)
        # One more parameter takes about its own share of the error away by chance.
        lost = float(np.square(score - np.polyval(curve, target)) @ share) * (1 + 4 * degree / len(target))
        if slope.min() >= 0.25 * slope.mean() and lost < best:
            best, chosen = lost, curve
    if not len(chosen):
        raise InputError("what the moves show does not rise with these players' ratings: give more games")
    return chosen


def _variance(error: Floats, shorter: Floats) -> tuple[float, float]:
    """Variance of a usual game's score, and the share of it that does not depend on a game's length."""
    parts = np.column_stack((np.ones(len(error)), shorter))
    if parts[:, 1].std() < 0.1:
        return float(np.square(error).mean()), 0.0
    # Wild games would decide alone by their squares: each counts by how wild one of its length is.
    share = 1 / parts.sum(axis=1)
    (lasts, falls), _ = nnls(parts * share[:, None], np.square(error) * share)
    return float(lasts + falls), float(min(lasts / max(lasts + falls, 1e-300), 0.8))


def _form(error: Floats, player: Ints) -> float:
    """Standard deviation of what the errors of one player's games have in common, plus one standard error."""
    _, place = np.unique(player, return_inverse=True)
    n, total, squares = (np.bincount(place, weights) for weights in (np.ones_like(error), error, error**2))
    several = n > 1
    if not several.any():
        return LEAST_FORM
    products = (total**2 - squares)[several] / (n * (n - 1))[several]
    share = np.square(n / (n + TELLING))[several]
    share /= share.sum()
    mean = float(share @ products)
    error_of_mean = float(np.sqrt(np.square(share) @ np.square(products - mean)))
    return float(np.sqrt(max(mean + error_of_mean, LEAST_FORM**2)))


@dataclass(frozen=True, eq=False)
class GameFeatures:
    """Sums of features by appearance: they add up, and their means are what the score reads."""

    traits: Floats
    depth: Floats
    decisions: Floats
    """That `depth` counted."""

    def means(self, rows: Ints) -> Floats:
        """Means over some appearances together, shape (1, features)."""
        depth = self.depth[rows].sum(axis=0) / max(self.decisions[rows].sum(), 1.0)
        return np.concatenate((means_of(self.traits[rows].sum(axis=0)[None]), depth[None]), axis=1)

    def each(self) -> Floats:
        """Means of every appearance."""
        depth = self.depth / np.maximum(self.decisions, 1.0)[:, None]
        return np.concatenate((means_of(self.traits), depth), axis=1)


def rated(
    score: Score, prior: Range, value: float, games: float, players: float
) -> tuple[float, float, float]:
    """Mean and 95% interval of the posterior: the variance is that at the mean of a first posterior."""
    before, mean, mass = prior.log_density(GRID), score.centre, np.zeros(0)
    for _ in range(2):
        log = before + score.log_likelihood(value, games, mean, players)
        mass = np.exp(log - log.max())
        mass /= mass.sum()
        mean = float(mass @ GRID)
    low, high = np.interp([0.025, 0.975], np.cumsum(mass) - mass / 2, GRID)
    return mean, float(low), float(high)


def composites(milepost: Ints, rows: Ints, n: int, rng: np.random.Generator) -> list[Ints]:
    """Groups of n appearances of one milepost, as if of one player."""
    groups = []
    for one in np.unique(milepost):
        order = rng.permutation(rows[milepost == one])
        groups += [order[i : i + n] for i in range(0, len(order) - n + 1, n)]
    return groups


def measure(appearances: Appearances, splits: int) -> str:
    """Error, coverage and width of held-out composites, by number of games."""
    stacks = stacks_of(appearances)
    along = interpolation(line_of_agents(LEVELS))
    depth = np.asarray(stacks["depth"].evidence) @ along.T
    depth = np.delete(depth - depth[:, [2]], 2, axis=1)
    sums = GameFeatures(np.asarray(stacks["traits"].evidence), depth, stacks["depth"].decisions)
    everyone = reference_of(appearances, stacks)
    rng = np.random.default_rng(0)
    outcomes: dict[int, list[tuple[float, float, float, float]]] = {n: [] for n in GAMES}
    for _ in range(splits):
        half = assign_folds(everyone.game, everyone.player, everyone.milepost, 2, rng)
        for tested in range(2):
            training = Mileposts.of(appearances, stacks, among=everyone.rows[half != tested])
            fold = assign_folds(training.game, training.player, training.milepost, 10, rng)
            rows = training.rows
            parts = (training.elo, training.opponent, training.size, training.player, fold)
            score, _ = fit_score(sums.each()[rows], *parts)
            prior = Range.of(training.elos)
            test = half == tested
            for n in GAMES:
                for group in composites(everyone.milepost[test], everyone.rows[test], n, rng):
                    value = float(score.of(sums.means(group))[0])
                    players = len(np.unique(appearances.player[group]))
                    interval = rated(score, prior, value, score.games(appearances.size[group]), players)
                    outcomes[n].append((float(appearances.elo[group].mean()), *interval))
    lines = []
    for n, found in outcomes.items():
        truth, elo, low, high = np.array(found).T
        covered = ((low <= truth) & (truth <= high)).mean()
        error, together = np.abs(elo - truth).mean(), np.corrcoef(elo, truth)[0, 1]
        lines.append(
            (n, len(truth), f"{error:.1f}", f"{together:.3f}", f"{covered:.1%}", f"{(high - low).mean():.0f}")
        )
    heads = ("games", "groups", "mean error", "correlation", "covered by 95%", "mean width")
    return numbers_table(heads, lines)


def main(words: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m research learned-score", description=__doc__)
    parser.add_argument("workspace")
    parser.add_argument("--recipe", default="standard")
    parser.add_argument("--splits", type=int, default=3)
    given = parser.parse_args(words)
    decisions = Workspace(given.workspace).decisions(given.recipe, trace=True)
    print(measure(Appearances.of(decisions), given.splits))
