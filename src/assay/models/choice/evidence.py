"""What a `choice` profile holds: one long additive row, and where its parts lie."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.models.choice.grid import ChoiceGrid
from assay.models.choice.probabilities import log_units
from assay.models.choice.sums import N_PAIRS, N_ROWS, PERCENTILES, Summaries, up_products

PRODUCT_NODES: Floats = np.log([[0.05, 0.5], [0.1, 0.5], [0.2, 0.5], [0.4, 0.5]])
"""Points (ln s, ln c), in units of the curve, at which products of up-shares are kept: these vary little
with s and hardly with c."""


@dataclass(frozen=True)
class EvidenceLayout:
    """Summaries on the grid; products of up-shares; number of first choices, sum of scaled differences."""

    grid: ChoiceGrid

    @property
    def _n_grid(self) -> int:
        return N_ROWS * self.grid.n_s * self.grid.n_c

    @cached_property
    def size(self) -> int:
        """Length of the row."""
        return self._n_grid + len(PRODUCT_NODES) * N_PAIRS + 2

    @cached_property
    def nodes(self) -> Floats:
        """Points at which products are kept."""
        return PRODUCT_NODES + log_units(self.grid.curve, self.grid.conversion)

    def collect(self, summaries: Summaries, group: Ints, n_groups: int) -> Floats:
        """One row for each group of turns."""
        turns = summaries.spreads
        first = np.bincount(group, (turns.played == 0).astype(np.float64), minlength=n_groups)
        lost = np.bincount(group, turns.lost, minlength=n_groups)
        counts = summaries.on_grid(self.grid.log_s, self.grid.log_c, group, n_groups)
        products = up_products(summaries, self.nodes, group, n_groups)
        return np.column_stack((counts.reshape(n_groups, -1), products.reshape(n_groups, -1), first, lost))

    def grids(self, evidence: Floats) -> Floats:
        """The summaries on the grid of a batch of rows: (batch, rows, n_s, n_c)."""
        return evidence[:, : self._n_grid].reshape(len(evidence), N_ROWS, self.grid.n_s, self.grid.n_c)

    def covariance(self, evidence: Floats, point: Floats) -> Floats:
        """Covariance of the up-shares of one turn at a point: straight lines in ln s between the nodes."""
        log_s = self.nodes[:, 0]
        place = np.clip(point[0], log_s[0], log_s[-1])
        after = min(int(np.searchsorted(log_s, place, side="right")), len(log_s) - 1)
        share = float((place - log_s[after - 1]) / (log_s[after] - log_s[after - 1]))
        return (1 - share) * self._at_node(evidence, after - 1) + share * self._at_node(evidence, after)

    def _at_node(self, evidence: Floats, node: int) -> Floats:
        kept = evidence[self._n_grid : -2].reshape(len(PRODUCT_NODES), N_PAIRS)[node]
        n = len(PERCENTILES) + 1
        matrix = np.zeros((n, n))
        matrix[np.tril_indices(n)] = kept
        # The last share is one in every turn: its products are the sums, and the number of turns.
        mean = matrix[-1, :-1] / matrix[-1, -1]
        lower = matrix[:-1, :-1] / matrix[-1, -1]
        both: Floats = lower + np.tril(lower, -1).T - np.outer(mean, mean)
        return both

    def played(self, evidence: Floats) -> Floats:
        """Number of first choices and sum of scaled differences of what was played."""
        return evidence[-2:]
