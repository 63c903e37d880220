"""Games dealt into folds, so that what is learned from some can be tried on the others."""

from __future__ import annotations

import numpy as np

from assay.decisions.arrays import Ints


def deal_folds(game: Ints, player: Ints, milepost: Ints, n: int, rng: np.random.Generator) -> Ints:
    """The fold of each appearance: both sides of a game in one, and all games of whoever has the most in it.

    Every fold has about as many appearances of each milepost, and of all together.
    """
    games_of = np.bincount(player)
    busiest: dict[int, int] = {}
    for one, who in zip(game.tolist(), player.tolist(), strict=True):
        if one not in busiest or games_of[who] > games_of[busiest[one]]:
            busiest[one] = who
    key = np.array([busiest[one] for one in game.tolist()])
    fold = np.zeros(len(key), np.int64)
    load = np.zeros((n, int(milepost.max()) + 1))
    players, counts = np.unique(key, return_counts=True)
    order = rng.permutation(len(players))
    # The heaviest first, always to the fold that has less of the same mileposts; of those, to that which has
    # less of all: where each milepost is of one player, none has any of it yet.
    for index in order[np.argsort(-counts[order], kind="stable")]:
        own = key == players[index]
        added = np.bincount(milepost[own], minlength=load.shape[1])
        lightest = int(np.lexsort((load.sum(axis=1), load @ added))[0])
        fold[own] = lightest
        load[lightest] += added
    return fold
