"""The published numbers of Di Fatta, Haworth and Regan 2009."""

import numpy as np
import pytest

from assay.models.bayes import BayesModel, Posterior
from assay.reproduce import difatta2009, facts


def test_posteriors_find_the_printed_skill_and_only_ours_do(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = facts("difatta2009")
    rows = list(difatta2009._posteriors(tables))
    assert [row.ok for row in rows] == [True] * 7
    assert {row.kind for row in rows} == {"inference"}
    grid = np.linspace(1, 1.5, 100)
    monkeypatch.setattr(BayesModel, "posterior", lambda *_: Posterior.of(grid, np.zeros(100)))
    assert not any(row.ok for row in difatta2009._posteriors(tables))


def test_positions_come_once_for_each_option_that_is_played() -> None:
    decisions = difatta2009.every_option_played()
    first = len(difatta2009.reference_positions()[0][1])
    assert decisions.played_index[: first + 1].tolist() == [*range(first), 0]
    assert len(decisions) == sum(len(values) for _, values in difatta2009.reference_positions())
