"""Agents with known weights over depths, choosing among all legal moves: whether they are found again.

Positions with a value for every legal move at every depth (`depth_positions`) are played by an agent; what it
chose is then read as a ten-line search would have shown it. Each choice in each position is read once, so a
simulated player is a sum of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.models.depth.agents import DepthAgent
from assay.models.depth.likelihood import Positions, log_likelihoods, probabilities
from assay.models.depth.model import resolve
from research.papers.regan2011.depth_positions import AllMoves

LINES = 10


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """One agent, played by many simulated players."""

    agent: DepthAgent
    players: int
    decisions: int
    mean: Floats
    """Mean of the estimates of c, the logit of sight, and rise."""
    spread: Floats
    """Their deviation between players."""
    covered: Floats
    """Share of players whose 95% regions hold the truth."""

    @property
    def truth(self) -> Floats:
        """The agent's own parameters."""
        return self.agent.parameters


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
        found = probabilities(Positions.of(whole), agent)
        flat = np.empty(len(self.rows))
        place = np.cumsum(self.moves.counts) - self.moves.counts
        for row in range(len(first)):
            names = [int(move[1:]) for move, _ in whole.options(row)]
            start = whole.offsets[row]
            flat[place[row] + np.array(names)] = found.options[start : start + len(names)]
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

    def recover(self, agent: DepthAgent, decisions: int, players: int, seed: int = 0) -> Recovery:
        """Estimates and regions of simulated players of one agent."""
        means, inside = [], []
        for chosen in self.draw(agent, decisions, players, seed):
            posterior = resolve(self.evidence[chosen].sum(axis=0))
            region = posterior.region()
            means.append(posterior.mean)
            inside.append((region[:, 0] <= agent.parameters) & (agent.parameters <= region[:, 1]))
        return Recovery(
            agent=agent,
            players=players,
            decisions=decisions,
            mean=np.mean(means, axis=0),
            spread=np.std(means, axis=0, ddof=1),
            covered=np.mean(inside, axis=0),
        )
