"""Fits on the grid."""

import numpy as np
import pytest

from assay.models.choice.grid import ChoiceGrid, fit_grids
from assay.models.choice.percentile import Pull, fit_choice
from assay.models.choice.sums import (
    PERCENTILES,
    Summaries,
)
from examples.choice_agents import agent_spreads


def test_grid_fits_agree_with_the_continuous_ones() -> None:
    grid, pull = ChoiceGrid(), Pull(weight=0.5)
    parts = [agent_spreads(2000, s, c, seed=7) for s, c in ((0.08, 0.55), (0.15, 0.5), (0.3, 0.42))]
    counts = np.concatenate(
        [Summaries(p).on_grid(grid.log_s, grid.log_c, np.zeros(len(p), np.int64), 1) for p in parts]
    )
    fits = fit_grids(grid, counts[:, : len(PERCENTILES)], np.full(3, 2000.0), pull)
    assert fits.converged.all()
    assert fits.inside.all()
    for part, point in zip(parts, np.exp(fits.points), strict=True):
        found = fit_choice(Summaries(part), pull=pull)
        assert point == pytest.approx([found.s, found.c], rel=0.02)
