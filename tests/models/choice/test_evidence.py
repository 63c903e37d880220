"""Where a profile holds what."""

import numpy as np
import pytest

from assay.models.choice.grid import ChoiceGrid
from assay.models.choice.sums import (
    PERCENTILES,
    Summaries,
    up_products,
)
from examples.choice_agents import agent_spreads


def test_the_grid_holds_the_sums_at_its_nodes_by_group() -> None:
    grid, spreads = ChoiceGrid(), agent_spreads(90, 0.15, 0.5, seed=9)
    group = np.arange(90) % 3
    sums = Summaries(spreads)
    counts = sums.on_grid(grid.log_s, grid.log_c, group, 3)
    for i, j in ((0, 0), (3, 2), (9, 6), (4, 5)):
        for one in range(3):
            part = Summaries(spreads.take(np.flatnonzero(group == one))).at(grid.log_s[i], grid.log_c[j])
            assert counts[one, :, i, j] == pytest.approx(part[:, 0], rel=1e-6)
    point = np.array([[grid.log_s[3], grid.log_c[2]]])
    assert grid.at(counts[:1], point)[0, :, 0] == pytest.approx(counts[0, :, 3, 2])
    step = 1e-6
    aside = np.array([step, 0.0])
    along = (grid.at(counts[:1], point + aside) - grid.at(counts[:1], point - aside))[0, :, 0]
    assert grid.at(counts[:1], point)[0, :, 1] == pytest.approx(along / (2 * step), rel=1e-4, abs=1e-4)


def test_products_of_up_shares() -> None:
    spreads = agent_spreads(40, 0.15, 0.5, seed=10)
    point = np.log([[0.15, 0.5]])
    found = up_products(Summaries(spreads), point, np.zeros(40, np.int64), 1)[0, 0]
    rows = np.array(
        [Summaries(spreads.take(np.array([t]))).at(*point[0])[: len(PERCENTILES), 0] for t in range(40)]
    )
    rows = np.column_stack((rows, np.ones(40)))
    assert found == pytest.approx((rows.T @ rows)[np.tril_indices(len(PERCENTILES) + 1)], rel=1e-6)
