"""How much too narrow intervals are that rest on a calibration of few games.

The raw ratings of players of known Elo are drawn as the shipped calibration has them: line, covariance
between the methods, form. From so many of them a spread is learned, as `assay calibrate` does, and new
players are rated through it.
"""

from __future__ import annotations

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.rating.calibration import all_shipped
from assay.rating.posterior import Range, RawRatings, elo_posterior
from assay.rating.spread import Spread, fit_spread
from research.evidence.coverage.tally import Tally

GAMES = 16
"""Of each player who is rated."""

RATED = 30
"""Players who are rated through one calibration."""


def drawn(spread: Spread, elo: Floats, player: Ints, generator: np.random.Generator) -> Floats:
    """Raw ratings of single games of players with these published ratings, shape (games, methods)."""
    _, offset, slope, unit = spread.at(spread.game_size)
    _, first = np.unique(player, return_index=True)
    form = np.zeros(int(player.max()) + 1)
    form[player[first]] = generator.normal(0, spread.form, len(first))
    # The form is in the covariance that was learned over games of different players: take it out first.
    own = unit - spread.form**2 * np.outer(slope, slope)
    values, vectors = np.linalg.eigh(own)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    scale = np.exp(np.outer(elo - spread.centre, spread.tilt))
    noise = generator.normal(size=(len(elo), len(slope))) @ root.T * scale
    return np.asarray(offset + slope * (elo + form[player])[:, None] + noise)


def learned(
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
    found = fit_spread(spread.methods, of, elos[place], size, player, place)
    return found, Range.of(elos)


def coverage(mileposts: int, each: int, calibrations: int, seed: int = 21) -> dict[str, Tally]:
    """How often 95% intervals hold the published rating: of all methods together, and of each, pooled."""
    truth = all_shipped()[0].spread
    generator = np.random.default_rng(seed)
    found: dict[str, list[tuple[float, float, float]]] = {"combined": [], "one method": []}
    elos: dict[str, list[float]] = {"combined": [], "one method": []}
    for _ in range(calibrations):
        spread, prior = learned(truth, mileposts, each, generator)
        elo = generator.uniform(1800, 2400, RATED)
        games = drawn(truth, np.repeat(elo, GAMES), np.repeat(np.arange(RATED), GAMES), generator)
        values = games.reshape(RATED, GAMES, -1).mean(axis=1)
        every = list(range(len(truth.methods)))
        for one, raw in zip(elo.tolist(), values, strict=True):
            rating = RawRatings(raw, GAMES * truth.game_size)
            for name, places in (("combined", every), *(("one method", [k]) for k in every)):
                posterior = elo_posterior(rating, spread, prior, places)
                assert posterior is not None
                low, high = posterior.region(0.95)
                found[name].append((low, posterior.mean, high))
                elos[name].append(one)
    return {name: Tally.of(found[name], elos[name]) for name in found}
