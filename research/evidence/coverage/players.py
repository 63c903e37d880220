"""Simulated players of known strength: agents E(c) that choose among ALL legal moves of real positions.

What a method then sees is what an engine with some lines would show of it: the first lines, and the played
move searched alone (research.papers.difatta2009.all_moves).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from assay.decisions import measures
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.models.bayes import BayesModel
from research.papers.difatta2009.all_moves import all_moves, every_choice, read_as

LINES = 10
RECIPE = "simulated"
MOVES = 30
"""Decisions of one player in one game, all after the opening."""

RESEARCHED = 15.0
"""Deviation in centipawns between the value of a move and that of the position after it, searched anew."""

DAYS = 0.2
"""Deviation of a player's c from game to game: with it, the variance of c over games of 30 moves is 3.5 times
what independent moves would have. On the mileposts it is 1.0 to 4.5 times, 1.96 on average
(assay.models.bayes.model)."""

DECISIVE = 250.0
"""A game is won by who loses so many centipawns less in it than the opponent."""


def skill_of(elo: float) -> float:
    """The c of an agent of this Elo, near what the mileposts show."""
    return 0.7 + (elo - 1600) / 1500


@cache
def _seen() -> tuple[Decisions, pa.Table, Floats]:
    """Every position; each of its legal moves as if it had been played, seen through the lines; its loss."""
    every = all_moves()
    chosen = read_as(every_choice(every), LINES)
    return every, chosen.to_table(), np.minimum(measures.loss(chosen, 1000), 300)


def chosen_by(skill: float, moves: int, generator: np.random.Generator) -> Ints:
    """What E(skill) chooses in so many positions drawn at random: rows of the table of choices."""
    every, _, _ = _seen()
    reached = _reached(round(skill / _STEP) * _STEP)
    first, after = every.offsets[:-1], every.offsets[1:]
    where = generator.integers(len(every), size=moves)
    low, high = reached[first[where]], reached[after[where]]
    place = np.searchsorted(reached, low + generator.random(moves) * (high - low), side="right") - 1
    return np.clip(place, first[where], after[where] - 1)


@cache
def _reached(skill: float) -> Floats:
    return np.concatenate(([0.0], np.cumsum(BayesModel().agent(_seen()[0], skill))))


_STEP = 0.02
"""Skills are rounded to this, so that few agents must be worked out."""


@dataclass(frozen=True)
class Player:
    """Who plays: under what name, published rating, and true skill as an Elo."""

    name: str
    published: float
    true: float


def play(pairs: list[tuple[Player, Player]], games: int, seed: int) -> Decisions:
    """Games between each two of these: as many games for each pair, White and Black in turn."""
    generator = np.random.default_rng(seed)
    _, table, loss = _seen()
    rows, columns = [], _Columns()
    for pair in pairs:
        for number in range(games):
            sides = pair if number % 2 == 0 else pair[::-1]
            today = [max(skill_of(one.true) + DAYS * generator.normal(), 0.0) for one in sides]
            chosen = [chosen_by(skill, MOVES, generator) for skill in today]
            ahead = float(loss[chosen[1]].sum() - loss[chosen[0]].sum())
            result = 0.5 if abs(ahead) < DECISIVE else float(ahead > 0)
            for side, (own, other, picks) in enumerate(zip(sides, sides[::-1], chosen, strict=True)):
                rows.append(picks)
                columns.add(f"{pair[0].name}-{pair[1].name}-{number}", side, own, other, result, number)
    taken = table.take(pa.array(np.concatenate(rows)))
    return Decisions.from_table(columns.put_into(taken, generator))


class _Columns:
    """Columns of the games, a value for each player in each game."""

    def __init__(self) -> None:
        self._found: dict[str, list[object]] = {}

    def add(self, game: str, side: int, own: Player, other: Player, result: float, number: int) -> None:
        for name, value in {
            "game_id": game,
            "player": own.name,
            "opponent": other.name,
            "colour": ("white", "black")[side],
            "year": 2000,
            "event": "simulated",
            "result": result if side == 0 else 1 - result,
            "player_elo": round(own.published),
            "opponent_elo": round(other.published),
        }.items():
            self._found.setdefault(name, []).append(value)

    def put_into(self, taken: pa.Table, generator: np.random.Generator) -> pa.Table:
        """The table of choices with these columns, and with values before and after each move."""
        n = taken.num_rows
        each = np.repeat(np.arange(n // MOVES), MOVES)
        columns = {
            name: pa.array(values, taken.schema.field(name).type).take(pa.array(each))
            for name, values in self._found.items()
        }
        decisions = Decisions.from_table(taken)
        noise = generator.normal(0, RESEARCHED, n)
        colour = np.array([one == "black" for one in self._found["colour"]])[each]
        columns["ply"] = pa.array(24 + 2 * (np.arange(n) % MOVES) + colour).cast(
            taken.schema.field("ply").type
        )
        for name, values in (
            ("before", decisions.best_value),
            ("after", np.clip(np.round(decisions.played_value + noise), -3000, 3000)),
        ):
            columns[name] = pa.array(values).cast(taken.schema.field(name).type)
        columns["recipe_id"] = pa.array([RECIPE] * n)
        return pa.table({name: columns.get(name, taken[name]) for name in taken.column_names})
