"""The fast way over many points, against the transparent one."""

import math

import numpy as np
import pytest

from assay.models.choice.grid import ChoiceGrid
from assay.models.choice.probabilities import probabilities
from assay.models.choice.spreads import Spreads
from assay.models.choice.sums import PERCENTILES, Summaries, up_products, up_share
from examples.choice_agents import agent_spreads


def joined(turns: list[tuple[list[float], int]]) -> Spreads:
    """Spreads of turns of any length: their differences and what was played."""
    lengths = [len(delta) for delta, _ in turns]
    delta = np.array([one for own, _ in turns for one in own])
    return Spreads(
        delta, np.concatenate(([0], np.cumsum(lengths))), np.array([played for _, played in turns])
    )


HARD = joined(
    [
        ([0.0], 0),  # forced
        ([0.0, 0.0], 1),  # two that are worth the same
        ([0.0] * 40, 39),
        ([0.0, 1e-9, 5.0], 2),
        ([0.0, 60.0], 0),  # so far apart that nobody would
        ([0.0, 60.0, 70.0, 80.0, 90.0], 4),
        ([0.0, 0.03, 0.02, 0.03, 0.01], 2),  # ties set apart stand above later lines
        ([0.0, *np.linspace(0.01, 4, 70)], 13),
    ]
)
"""What tables of real games hardly have, and hostile ones may."""


def slow(spreads: Spreads, log_s: float, log_c: float) -> tuple[list[float], list[list[float]]]:
    """The summary of all turns, and each one's up-shares, from the probabilities of the options."""
    p = probabilities(spreads, math.exp(log_s), math.exp(log_c))
    ups, first, lost, log_p = [], 0.0, 0.0, 0.0
    for a, b, played in zip(spreads.offsets[:-1], spreads.offsets[1:], spreads.played, strict=True):
        own = p[a:b]
        ups.append([up_share(q, own[:played].sum(), own[played]) for q in PERCENTILES])
        first += own[0]
        lost += float(own @ spreads.delta[a:b])
        log_p += math.log(own[played]) if own[played] > 0 else -math.inf
    return [*np.sum(ups, axis=0), first, lost, log_p], ups


@pytest.mark.parametrize("spreads", [HARD, agent_spreads(200, 0.1, 0.5, seed=1)], ids=["hard", "made"])
def test_every_node_is_as_the_transparent_version_has_it(spreads: Spreads) -> None:
    grid = ChoiceGrid()
    found = Summaries(spreads).on_grid(grid.log_s, grid.log_c, np.zeros(len(spreads), np.int64), 1)[0]
    assert np.isfinite(found).all()
    for i, log_s in enumerate(grid.log_s):
        for j, log_c in enumerate(grid.log_c):
            expected, _ = slow(spreads, log_s, log_c)
            # A probability that is below what a number can hold has a logarithm only the fast way.
            rows = slice(None) if math.isfinite(expected[-1]) else slice(-1)
            assert found[rows, i, j] == pytest.approx(expected[rows], rel=1e-8, abs=1e-8), (i, j)


def test_products_of_hard_turns() -> None:
    nodes = np.log([[0.05, 0.5], [0.4, 0.5], [0.4, 1.2]])
    found = up_products(Summaries(HARD), nodes, np.zeros(len(HARD), np.int64), 1)[0]
    for node, point in zip(found, nodes, strict=True):
        ups = np.column_stack((slow(HARD, *point)[1], np.ones(len(HARD))))
        assert node == pytest.approx((ups.T @ ups)[np.tril_indices(ups.shape[1])], rel=1e-8, abs=1e-8)


def test_turns_are_added_to_their_groups() -> None:
    """Shared out over threads, each group's turns stay in order: the sums are the same to the last bit."""
    grid, spreads = ChoiceGrid(), agent_spreads(1200, 0.1, 0.5, seed=2)
    group = np.arange(1200) % 7
    found = Summaries(spreads).on_grid(grid.log_s[:3], grid.log_c[:3], group, 7)
    for one in range(7):
        own = Summaries(spreads.take(np.flatnonzero(group == one)))
        alone = own.on_grid(grid.log_s[:3], grid.log_c[:3], np.zeros(len(own.spreads), np.int64), 1)
        assert np.array_equal(found[one], alone[0])
