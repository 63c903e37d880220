"""Simulated players of agents, in slices of the positions that have a value for every legal move."""

from functools import cache

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.models.depth.agents import AgentsByElo
from assay.models.depth.expected import Slopes, slopes
from assay.rating.calibration import find_calibration
from assay.rating.references import SliceSums, sums_by_slice
from examples.depth_positions import AllMoves, Simulation

STANDARD = "672593ce2551e878"
ELO = 2000.0
POSITIONS = 80


def agents() -> AgentsByElo:
    found = find_calibration(STANDARD)
    assert found is not None
    assert found.agents is not None
    return found.agents


@cache
def simulation() -> Simulation:
    moves = AllMoves.read()
    return Simulation(
        AllMoves(
            moves.counts[:POSITIONS],
            moves.depths[:POSITIONS],
            np.concatenate([values.reshape(-1) for values in moves.values[:POSITIONS]]),
        )
    )


@cache
def chances(elo: float) -> Floats:
    return simulation().chances(agents().at(elo))


@cache
def choices() -> Slopes:
    """Slope and information of every choice in every position, at ELO."""
    rows = simulation().choices
    return slopes(rows, agents(), np.full(len(rows), ELO))


def draw(elo: float, decisions: int, games: int, seed: int) -> Ints:
    """Choices of a player of some Elo, positions at random: shape (games, decisions)."""
    generator = np.random.default_rng(seed)
    counts = simulation().moves.counts
    reached, ends = np.concatenate(([0.0], np.cumsum(chances(elo)))), np.cumsum(counts)
    position = generator.integers(0, len(ends), (games, decisions))
    low, high = reached[ends - counts][position], reached[ends][position]
    drawn = np.searchsorted(reached, low + generator.random(low.shape) * (high - low), side="right") - 1
    return np.asarray(np.clip(drawn, (ends - counts)[position], ends[position] - 1))


def player(seed: int, games: int = 12, decisions: int = 30, weak: float = ELO) -> SliceSums:
    """A player of ELO whose decisions are in one of two slices; in the second perhaps of another Elo."""
    part: Ints = (np.random.default_rng(seed).random((games, decisions)) < 0.4).astype(np.int64)
    first, second = (
        draw(ELO, decisions, games, seed + 1_000_000),
        draw(weak, decisions, games, seed + 2_000_000),
    )
    flat = np.where(part == 1, second, first).reshape(-1)
    known = choices()
    place = np.repeat(np.arange(games), decisions)
    return sums_by_slice(known.slope[flat], known.information[flat], place, games, part.reshape(-1), 2)
