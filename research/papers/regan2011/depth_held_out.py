"""Log-likelihood per decision on games kept out: `choice`, `bayes` and `depth` on the same decisions.

Games are dealt into folds; each milepost's agents are fitted on the others and asked about those of the fold.
Decisions count that pass the rules of all three.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.models.bayes import GRID, BayesModel
from assay.models.choice.model import ChoiceModel
from assay.models.choice.probabilities import probabilities
from assay.models.choice.spreads import spreads_of
from assay.models.depth.model import DepthModel, at, resolve
from assay.models.mileposts import milepost_of_each

METHODS = ("choice", "bayes", "depth")


def shared(decisions: Decisions) -> Decisions:
    """The decisions that all three methods read."""
    return decisions.filter(*ChoiceModel().rules(), *BayesModel().rules(), *DepthModel().rules())


def held_out(decisions: Decisions, folds: int = 5, seed: int = 0) -> tuple[tuple[int, ...], Floats, Floats]:
    """Mileposts; sums of held-out log-likelihoods, shape (mileposts, games, methods); decisions of each."""
    kept = shared(decisions)
    mileposts, place = milepost_of_each(kept)
    kept = kept.take(np.flatnonzero(place >= 0))
    place = place[place >= 0]
    _, game = np.unique(kept.codes("game_id"), return_inverse=True)
    n, n_games = len(mileposts), int(game.max()) + 1
    fold = np.random.default_rng(seed).permutation(n_games) % folds
    group = place * n_games + game
    bayes, depth = (
        model.evidence(kept, group, n * n_games).reshape(n, n_games, -1)
        for model in (BayesModel(), DepthModel())
    )
    sums = np.zeros((n, n_games, len(METHODS)))
    for one in range(n):
        for out in range(folds):
            inside, kept_out = fold != out, np.flatnonzero(fold == out)
            c = GRID[np.argmax(bayes[one, inside].sum(axis=0))]
            sums[one, kept_out, 1] = CubicSpline(GRID, bayes[one, kept_out], axis=1)(c)
            agent = resolve(depth[one, inside].sum(axis=0)).mean
            sums[one, kept_out, 2] = at(depth[one, kept_out], agent[None])[:, 0]
            rows = np.flatnonzero(place == one)
            train, test = rows[inside[game[rows]]], rows[~inside[game[rows]]]
            likelihood = _choice(kept.take(train), kept.take(test))
            sums[one, :, 0] += np.bincount(game[test], likelihood, minlength=n_games)
    counts = np.bincount(group, minlength=n * n_games).reshape(n, n_games).astype(np.float64)
    return mileposts.centuries, sums, counts


def _choice(train: Decisions, test: Decisions) -> Floats:
    """Log-likelihood of each decision of `test` by the agent that is most likely on `train`."""
    model = ChoiceModel()
    fit = model.fit(train, "likelihood", pull=False)
    spreads = spreads_of(test, model.scaling)
    flat = probabilities(spreads, fit.s, fit.c, model.curve, model.conversion)
    return np.asarray(np.log(np.maximum(flat[spreads.offsets[:-1] + spreads.played], 1e-12)))
