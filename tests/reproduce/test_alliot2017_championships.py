"""The world championships of Table 5."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.answers.results import Reproduction
from assay.decisions.decisions import Decisions
from assay.models.markov import MarkovModel
from assay.rating.careers import Careers
from assay.rating.forecasts import forecast_matches, match_errors
from assay.reproduce import alliot2017 as alliot
from assay.reproduce.alliot2017 import championships


@pytest.fixture(scope="module")
def rows() -> list[Reproduction]:
    return alliot.rows()


def test_the_championships_on_real_games(shared_data: Callable[[str], Path]) -> None:
    """The lab's finding holds: raw counts of one year are off by 8 to 10%, a prior makes it about 6%."""
    decisions = Decisions.read(shared_data("analysed/championship-years.parquet"))
    errors = {}
    for prior in ("none", "pooled", "level"):
        careers = Careers(MarkovModel(prior=prior, draws=100), decisions, forgetting=1e9)
        rows = forecast_matches(championships(), [careers])
        assert len(rows) == 17
        assert all("markov" in row.forecasts for row in rows)
        errors[prior] = {one.method: one for one in match_errors(rows)}["markov"]
    assert 0.08 < errors["none"].error < 0.105
    assert 0.05 < errors["pooled"].error < 0.065
    assert 0.05 < errors["level"].error < 0.065
