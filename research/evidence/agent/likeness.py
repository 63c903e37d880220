"""How like people the agents of `depth` are, on games that they were not fitted to.

Milepost games are dealt into folds; the agents by Elo are fitted to the others, as a calibration does it, and
asked about the decisions of the fold, with the second look that they take when they play. Beside them: any
legal move, and the engine's first always.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.models.appearances import deal_folds
from assay.models.depth.agents import (
    BENEATH,
    OPENING_TURNS,
    AgentsByElo,
    beneath,
    care,
    fit_agents,
    losses_below,
    second_look,
    theory,
    weights_below,
)
from assay.models.depth.agents import OUTSIDE as OUTSIDE_SHARE
from assay.models.depth.likelihood import Positions, log_likelihoods, probabilities
from assay.models.depth.model import DepthModel
from assay.models.mileposts import milepost_of_each

FOLDS = 5
GOOD, BLUNDER = 50, 150
"""Losses in centipawns below which a move is good, and from which it is a blunder."""
_LIMIT = 1000.0

OUTSIDE = 99
"""Rank of a move that is not among the lines."""


@dataclass(frozen=True, eq=False)
class Held:
    """Decisions of milepost games with what agents who do not know them expect."""

    century: Ints
    """The milepost of each decision."""
    game: Ints
    order: Ints
    """Decisions of one player in one game follow each other."""
    appearance: Ints
    log_likelihood: Floats
    uniform: Floats
    predicted: Floats
    """Whether the agent's likeliest move was played."""
    first: Floats
    """Whether the engine's first was."""
    rank: Ints
    """Of the played move among the lines, from 0; OUTSIDE where it is not among them."""
    rank_expected: Floats
    """Probability of the ranks 0, 1, 2, 3 and more, and outside: shape (decisions, 5)."""
    loss: Floats
    """Of the played move, in centipawns within ten pawns."""
    reached: Floats
    """Probability that the agent loses GOOD or more, and BLUNDER or more: shape (decisions, 2)."""
    loss_expected: Floats
    value: Floats
    """Of the position to its mover, in centipawns within ten pawns."""
    difficulty: Floats
    """Share of legal moves that are blunders."""


def held_out(decisions: Decisions, folds: int = FOLDS, seed: int = 0) -> Held:
    """Everything that is compared, by agents fitted to the other folds."""
    model = DepthModel()
    kept, _ = model.select(decisions)
    mileposts, place = milepost_of_each(kept)
    kept, place = kept.take(np.flatnonzero(place >= 0)), place[place >= 0]
    _, game = np.unique(kept.codes("game_id"), return_inverse=True)
    player = kept.codes("player")
    pairs, appearance = np.unique(np.stack((game, player)), axis=1, return_inverse=True)
    appearance = appearance.ravel()
    of_pair = np.zeros(pairs.shape[1], np.int64)
    of_pair[appearance] = place
    dealt = deal_folds(pairs[0], pairs[1], of_pair, folds, np.random.default_rng(seed))
    fold = dealt[appearance]
    positions, n = Positions.of(kept, model.depths), len(mileposts)
    evidence = log_likelihoods(positions, kept.played_index, fold * n + place, folds * n)
    evidence = evidence.reshape(folds, n, -1)
    counts = np.bincount(fold * n + place, minlength=folds * n).reshape(folds, n)
    elo = mileposts.elos[place]
    c = np.empty(len(kept))
    options, tail = np.empty(int(kept.offsets[-1])), np.empty(len(kept))
    for out in range(folds):
        others = np.arange(folds) != out
        profiles = [
            Profile(model.identity, evidence[others, one].sum(axis=0), float(counts[others, one].sum()), 1.0)
            for one in range(n)
        ]
        agents = fit_agents(mileposts.elos, profiles)
        rows = fold == out
        playing = [beneath(agent) for agent in agents.agents(mileposts.elos)]
        found = probabilities(positions, [playing[one] for one in place])
        flat = np.repeat(rows, kept.n_options)
        options[flat], tail[rows] = found.options[flat], found.tail[rows]
        c[rows] = agents.parameters_at(elo[rows])[:, 0]
    return _compared(kept, np.array(mileposts.centuries)[place], game, appearance, options, tail, c)


def in_the_opening(decisions: Decisions, agents: AgentsByElo) -> Held:
    """The same of the first turns, which agents are not fitted to: by agents of a calibration."""
    mileposts, place = milepost_of_each(decisions)
    early = decisions.numbers("ply") < 2 * OPENING_TURNS
    told = (decisions.n_options > 1) & (decisions.played_index >= 0) & decisions.traced
    rows = np.flatnonzero((place >= 0) & early & told)
    kept, place = decisions.take(rows), place[rows]
    fitted = agents.agents(mileposts.elos)
    playing = [beneath(agent) for agent in fitted]
    found = probabilities(Positions.of(kept, DepthModel().depths), [playing[one] for one in place])
    _, game = np.unique(kept.codes("game_id"), return_inverse=True)
    _, appearance = np.unique(np.stack((game, kept.codes("player"))), axis=1, return_inverse=True)
    c = np.array([agent.c for agent in fitted])[place]
    century = np.array(mileposts.centuries)[place]
    return _compared(kept, century, game, appearance.ravel(), found.options, found.tail, c, opening=True)


def _compared(
    kept: Decisions,
    century: Ints,
    game: Ints,
    appearance: Ints,
    options: Floats,
    tail: Floats,
    c: Floats,
    *,
    opening: bool = False,
) -> Held:
    first, size = kept.offsets[:-1], kept.n_options
    row = np.repeat(np.arange(len(kept)), size)
    rank = np.arange(len(options)) - first[row]
    lines = np.minimum(kept.numbers("n_lines").astype(np.int64), size)
    listed = rank < lines[row]
    played, legal = kept.played_index, np.maximum(kept.numbers("n_legal").astype(np.int64), size)
    value = np.clip(kept.values.astype(np.float64), -_LIMIT, _LIMIT)
    best = np.maximum.reduceat(np.where(listed, value, -_LIMIT), first)
    loss = np.maximum(best[row] - value, 0.0)
    last = np.maximum.reduceat(np.where(listed, loss, 0.0), first)
    below = losses_below(best, last)
    weight = weights_below(below, c * np.exp(BENEATH[0]))
    # A move searched alone is outside for the agent as well.
    outside = 1 - np.add.reduceat(np.where(listed, options, 0.0), first)
    k = care(c, best)
    again = weight * second_look(below, k[:, None]) * (theory(below) if opening else 1.0)
    options = options * second_look(loss, k[row]) * (theory(loss) if opening else 1.0)
    options = np.where(listed, options, OUTSIDE_SHARE * options)
    outside = OUTSIDE_SHARE * outside * again.sum(axis=1)
    whole = np.add.reduceat(np.where(listed, options, 0.0), first) + outside
    options, outside = options / whole[row], outside / whole
    weight = again / again.sum(axis=1, keepdims=True)
    inside = np.where(listed, options, 0.0)
    likeliest = np.maximum.reduceat(options, first)
    ranks = [np.add.reduceat(np.where(rank == k, inside, 0.0), first) for k in range(3)]
    three = np.stack(ranks, axis=1)
    rest = (1 - outside - three.sum(axis=1))[:, None]
    reached = np.stack(
        [
            np.add.reduceat(np.where(loss >= x, inside, 0.0), first)
            + outside * (weight * (below >= x)).sum(axis=1)
            for x in (GOOD, BLUNDER)
        ],
        axis=1,
    )
    blunders = np.add.reduceat(np.where(listed & (loss >= BLUNDER), 1.0, 0.0), first)
    blunders += (legal - lines) * (below >= BLUNDER).mean(axis=1)
    own = first + played
    return Held(
        century=century,
        game=game,
        order=np.lexsort((kept.numbers("ply"), appearance)),
        appearance=appearance,
        log_likelihood=np.log(options[own]),
        uniform=-np.log(legal),
        predicted=(options[own] >= likeliest).astype(np.float64),
        first=(played == 0).astype(np.float64),
        rank=np.where(played < lines, played, OUTSIDE),
        rank_expected=np.concatenate((three, rest, outside[:, None]), axis=1),
        loss=loss[own],
        reached=reached,
        loss_expected=np.add.reduceat(inside * loss, first) + outside * (weight * below).sum(axis=1),
        value=best,
        difficulty=blunders / legal,
    )
