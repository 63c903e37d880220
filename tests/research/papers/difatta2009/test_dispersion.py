"""How much more c varies over games than its posterior says."""

import numpy as np
import pytest

from assay.models.bayes import BayesModel
from assay.testing import make_decisions
from research.papers.difatta2009 import dispersion


def test_games_that_repeat_themselves_vary_more_than_the_posterior_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Eight copies of each decision in one game: games are then eight times as variable as their moves."""
    monkeypatch.setattr(dispersion, "RESAMPLES", 200)
    model = BayesModel(opening_turns=0)
    one = make_decisions(games=60, options=4)
    rows = np.arange(len(one)).repeat(8)
    assert dispersion.dispersion(model, one.take(rows)) > 4 * dispersion.dispersion(model, one)
