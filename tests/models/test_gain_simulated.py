"""Tournaments with known truth: do the intervals of the strengths hold it?"""

import math

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.models import gain
from assay.models.gain import GainModel, cross_tables, perceived_ratings

PLAYERS = 8
MOVES = 40
TOURNAMENTS = 12
SKILL = np.linspace(0.8, 1.3, PLAYERS)


def gains(generator: np.random.Generator, skill: float, games: int, moves: int) -> Floats:
    """Gains with a long tail of losses; a game has a form of its own, so its moves are correlated."""
    form = skill * generator.gamma(16, 1 / 16, (games, 1))
    loss = generator.exponential(25, (games, moves)) * form
    return np.rint(generator.normal(2, 8, (games, moves)) - loss)


def tournament(generator: np.random.Generator) -> Decisions:
    """A double round-robin."""
    pairs = [(a, b) for a in range(PLAYERS) for b in range(PLAYERS) if a != b]
    rows = []
    for game, (white, black) in enumerate(pairs):
        both = [gains(generator, SKILL[player], 1, MOVES)[0] for player in (white, black)]
        for side, (me, other) in enumerate(((white, black), (black, white))):
            rows += [
                {
                    "game_id": str(game),
                    "player": f"P{me}",
                    "opponent": f"P{other}",
                    "event": "E",
                    "result": 0.5,
                    "player_elo": 2500,
                    "moves": ["m"],
                    "cp": [0],
                    "played": "m",
                    "after": int(gain),
                }
                for gain in both[side]
            ]
    return Decisions.from_table(pa.Table.from_pylist(rows))


def true_strengths(generator: np.random.Generator) -> Floats:
    many = [gain.histogram(gains(generator, skill, 4000, MOVES).ravel(), 3900) for skill in SKILL]
    differences = gain.rating_difference(gain.expectations(np.array(many), np.array(many)))
    return perceived_ratings(differences, np.full(PLAYERS, 2500.0)).ratings


def test_intervals_of_strengths_hold_the_truth() -> None:
    generator = np.random.default_rng(4)
    truth = true_strengths(generator)
    inside: list[bool] = []
    errors: list[float] = []
    for _ in range(TOURNAMENTS):
        [table] = cross_tables(tournament(generator), GainModel(), resamples=100)
        strengths = truth[[int(name[1:]) for name in table.players]]
        inside += ((table.low <= strengths) & (strengths <= table.high)).tolist()
        errors += (table.perceived.ratings - strengths).tolist()
    # Strengths of one table hang together: count tournaments, not players, in the bound.
    assert np.mean(inside) > 0.95 - 3 * math.sqrt(0.95 * 0.05 / TOURNAMENTS)
    assert abs(np.mean(errors)) < 1e-6  # the average is that of the ratings
    assert np.std(errors) < np.std(truth)
