"""The published numbers of Alliot 2017, recomputed; and the 17 championships on real games."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.domain.decisions import Decisions
from assay.models.careers import Careers
from assay.models.complexity import error_correlations
from assay.models.markov import MarkovModel
from assay.validation.matches import championships, forecast_matches, match_errors
from assay.validation.published import alliot
from assay.validation.reproduce import Reproduction
from assay.validation.rounding import HALF_UNIT, reach_of_component, reachable


@pytest.fixture(scope="module")
def rows() -> list[Reproduction]:
    return alliot.rows()


def test_every_published_number_is_found(rows: list[Reproduction]) -> None:
    assert [row.item for row in rows if not row.ok] == []
    assert len(rows) > 40


def test_rows_on_the_product_fail_when_the_product_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that compare printed numbers only are named so; the others go through the product."""
    monkeypatch.setattr(alliot, "regression_k", lambda decisions, **_: (1.0, -1.0))
    assert not any(row.ok for row in alliot._pondering())
    monkeypatch.setattr(alliot, "convolved_expectations", lambda white, *_: np.full((len(white),) * 2, 0.6))
    wrong = [row.item for row in alliot._tables() if not row.ok]
    assert wrong == [row.item for row in alliot._tables() if not row.item.startswith(alliot.ITSELF)]
    assert len(wrong) == 2


def test_the_printed_vector_is_not_that_of_the_printed_matrices(rows: list[Reproduction]) -> None:
    last = {row.item: row for row in rows}
    own = last["stationary vector of the printed matrices, class 1.8"]
    printed = last["printed stationary vector, class 1.8"]
    assert own.computed - printed.published > 0.15


def test_the_rounding_envelope_is_as_wide_as_random_perturbations_show() -> None:
    white, black = alliot.printed_matrices()
    low, high = reach_of_component(white, black, -1)
    assert low < 0.25
    assert high > 0.56


def test_no_vector_is_reached_from_afar() -> None:
    white, black = alliot.printed_matrices()
    impossible = np.eye(10)[4]
    assert reachable(white, black, impossible)[4] < 0.6
    assert HALF_UNIT == 0.005


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


def test_complexity_goes_with_errors_on_real_games(shared_data: Callable[[str], Path]) -> None:
    decisions = Decisions.read(shared_data("analysed/championship-years.parquet"))
    everyone = error_correlations(decisions)[-1]
    assert everyone.name == "All"
    assert all(rho > 0 for rho in everyone.rho.values())
    assert everyone.rho["sullivan"] == max(everyone.rho.values())
