"""Positions with a value for every legal move at every depth, and agents of known weights that play them.

depth_positions.npz has 400 positions of milepost games after move 8, drawn at random, each searched by
Stockfish 15.1 with 60,000 nodes and every legal move as a line. `with_lines` reads them as if the engine had
given ten lines, as `standard` does: the lines of each depth are the ten best of that depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import Floats, Ints, Mask, make_lists
from assay.decisions.decisions import Decisions
from assay.decisions.depths import Small
from assay.models.depth.agents import LIMIT, POINTS, SCALE, DepthAgent
from assay.models.depth.likelihood import Positions, log_likelihoods, probabilities
from assay.models.depth.model import resolve

FILE = Path(__file__).with_name("depth_positions.npz")


class AllMoves:
    """Values of every legal move of some positions at every depth, in no order: move `m7` is row 7."""

    def __init__(self, counts: Ints, depths: Ints, values: Small) -> None:
        self.counts, self.depths = counts, depths
        sizes = counts * depths
        ends = np.concatenate(([0], np.cumsum(sizes)))
        self.values = [
            values[start:end].reshape(depth, count)
            for start, end, depth, count in zip(ends[:-1], ends[1:], depths, counts, strict=True)
        ]

    @classmethod
    def read(cls) -> AllMoves:
        """The positions of the file."""
        with np.load(FILE) as file:
            return cls(file["counts"].astype(np.int64), file["depths"].astype(np.int64), file["values"])

    def with_lines(self, rows: Ints, played: Ints, lines: int, player: str = "anyone") -> Decisions:
        """Decisions in some of the positions, had the engine given so many lines of each depth.

        A played move outside the last lines is searched alone: it has its value at the last depth.
        """
        options, trace, legal, n_lines = [], [], [], []
        for row, move in zip(rows, played, strict=True):
            values = self.values[row]
            order = np.argsort(-values, axis=1, kind="stable")[:, :lines]
            last = order[-1].tolist()
            if move not in last:
                last.append(int(move))
            options.append([(f"m{option}", int(values[-1, option])) for option in last])
            trace.append(
                [
                    (d + 1, f"m{option}", int(values[d, option]))
                    for d in range(len(values))
                    for option in order[d]
                ]
            )
            legal.append(values.shape[1])
            n_lines.append(order.shape[1])
        return _decisions(options, trace, legal, n_lines, [f"m{option}" for option in played], player)


def _decisions(
    options: list[list[tuple[str, int]]],
    trace: list[list[tuple[int, str, int]]],
    legal: list[int],
    lines: list[int],
    played: list[str],
    player: str,
) -> Decisions:
    starts = np.concatenate(([0], np.cumsum([len(entry) for entry in options])))
    ends = np.concatenate(([0], np.cumsum([len(entry) for entry in trace])))
    moves, values = zip(*(pair for entry in options for pair in entry), strict=True)
    depth, move, value = zip(*(line for entry in trace for line in entry), strict=True)
    table = {
        "player": [player] * len(options),
        "game_id": ["all"] * len(options),
        "moves": make_lists(starts, pa.array(moves)),
        "cp": make_lists(starts, pa.array(values, pa.int32())),
        "played": played,
        "n_lines": pa.array(lines, pa.int16()),
        "n_legal": pa.array(legal, pa.int16()),
        "trace_depth": make_lists(ends, pa.array(depth, pa.int16())),
        "trace_move": make_lists(ends, pa.array(move)),
        "trace_value": make_lists(ends, pa.array(value, pa.int16())),
    }
    return Decisions.from_table(pa.table(table))


LINES = 10


class Simulation:
    """Every choice in every position, read as so many lines."""

    def __init__(self, moves: AllMoves, lines: int = LINES) -> None:
        self.moves, self.lines = moves, lines
        self.rows = np.repeat(np.arange(len(moves.counts)), moves.counts)
        self.played = np.arange(len(self.rows)) - np.repeat(
            np.cumsum(moves.counts) - moves.counts, moves.counts
        )

    @cached_property
    def choices(self) -> Decisions:
        """Each position once for each of its legal moves, that move played, ten lines shown."""
        return self.moves.with_lines(self.rows, self.played, self.lines)

    @cached_property
    def evidence(self) -> Floats:
        """Log-likelihood of each choice at every agent of the grid."""
        choices = self.choices
        rows = np.arange(len(choices))
        return log_likelihoods(Positions.of(choices), choices.played_index, rows, len(rows))

    def chances(self, agent: DepthAgent) -> Floats:
        """Probability of each choice in its position: the agent knows all moves at all depths."""
        first = np.zeros(len(self.moves.counts), np.int64)
        whole = self.moves.with_lines(np.arange(len(first)), first, int(self.moves.counts.max()))
        by_option = probabilities(Positions.of(whole), agent)
        flat = np.empty(len(self.rows))
        place = np.cumsum(self.moves.counts) - self.moves.counts
        for row in range(len(first)):
            names = [int(move[1:]) for move, _ in whole.options(row)]
            start = whole.offsets[row]
            flat[place[row] + np.array(names)] = by_option.options[start : start + len(names)]
        return flat

    def draw(self, agent: DepthAgent, decisions: int, players: int, seed: int) -> Ints:
        """Choices of some players, shape (players, decisions): positions at random, moves as the agent's."""
        generator = np.random.default_rng(seed)
        reached = np.concatenate(([0.0], np.cumsum(self.chances(agent))))
        ends = np.cumsum(self.moves.counts)
        position = generator.integers(0, len(ends), (players, decisions))
        low, high = reached[ends - self.moves.counts][position], reached[ends][position]
        drawn = np.searchsorted(reached, low + generator.random(low.shape) * (high - low), side="right") - 1
        return np.asarray(np.clip(drawn, (ends - self.moves.counts)[position], ends[position] - 1))

    def recover(self, agent: DepthAgent, decisions: int, players: int, seed: int = 0) -> tuple[Floats, Mask]:
        """Estimate c, the logit of sight, and rise of simulated players: shape (players, 3).

        Returns also whether each 95% region covers the truth.
        """
        posteriors = [
            resolve(self.evidence[chosen].sum(axis=0))
            for chosen in self.draw(agent, decisions, players, seed)
        ]
        regions = np.array([posterior.region() for posterior in posteriors])
        truth = agent.parameters
        covered = (regions[:, :, 0] <= truth) & (truth <= regions[:, :, 1])
        return np.array([posterior.mean for posterior in posteriors]), covered


BENDS = (0.8, 1.1, 1.5, 2.0, 3.0, 4.0, 5.0)
_UNIT = 10.0


def below(best: float, last: float, bend: float) -> Floats:
    """Losses of the representatives of moves below the last line."""
    near, far = np.log1p((best - last) / _UNIT), np.log1p((best + LIMIT) / _UNIT)
    way = max(float(far - near), 0.0)
    return np.asarray(_UNIT * np.expm1(near + way * ((np.arange(POINTS) + 0.5) / POINTS) ** bend))


def ratios(
    moves: AllMoves, c: float, depths: Sequence[int], lines: int = 10, bends: Sequence[float] = BENDS
) -> Floats:
    """Sum of g of unlisted moves by each bend over the true sum at some depths, shape (2, bends).

    First of moves that another depth lists, then of those that none does. SEEN_BENDS and UNSEEN_BEND of
    assay.models.depth are where the ratio is about one.
    """
    true, guessed = np.zeros(2), np.zeros((2, len(bends)))
    for values in moves.values:
        clipped = np.clip(values.astype(np.float64), -LIMIT, LIMIT)
        order = np.argsort(-values, axis=1, kind="stable")[:, :lines]
        seen = np.isin(np.arange(values.shape[1]), order)
        for depth, (row, listed) in enumerate(zip(clipped, order, strict=True), 1):
            if depth not in depths:
                continue
            here = np.isin(np.arange(len(row)), listed)
            best, last = row.max(), row[listed].min()
            for kind, unlisted in enumerate((seen & ~here, ~seen)):
                if unlisted.any():
                    true[kind] += ((1 + (best - row[unlisted]) / SCALE) ** -c).sum()
                    for place, bend in enumerate(bends):
                        g = (1 + below(best, last, bend) / SCALE) ** -c
                        guessed[kind, place] += unlisted.sum() * g.mean()
    return np.asarray(guessed / true[:, None])
