"""Complexity and the best years of the champions."""

from collections.abc import Callable
from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.models.complexity import error_correlations


def test_complexity_goes_with_errors_on_real_games(shared_data: Callable[[str], Path]) -> None:
    decisions = Decisions.read(shared_data("analysed/championship-years.parquet"))
    everyone = error_correlations(decisions)[-1]
    assert everyone.name == "All"
    assert all(rho > 0 for rho in everyone.rho.values())
    assert everyone.rho["sullivan"] == max(everyone.rho.values())
