"""Settings of the company model by search, coefficients by least squares."""

import numpy as np
import pytest
from scipy import optimize

from assay.errors import FitError, InputError
from assay.results.company import EVIDENCE, START, CompanyModel, least_squares, left_out_errors, tune_company
from assay.results.games import ResultGames, Rules, splits
from assay.results.metrics import month_rmse
from examples.result_games import simulated

RULES = Rules(months=4, least_games=5)


def test_least_squares_finds_known_coefficients() -> None:
    random = np.random.default_rng(3)
    columns = np.column_stack([np.ones(20_000), random.normal(0, 1, (20_000, 2))])
    truth = np.array([0.2, 1.0, -0.5])
    result = random.binomial(2, 1 / (1 + np.exp(-columns @ truth))) / 2
    games = ResultGames(
        month=np.ones(20_000, dtype=int),
        white=np.zeros(20_000, dtype=int),
        black=np.ones(20_000, dtype=int),
        result=result,
        players=("a", "b"),
    )
    np.testing.assert_allclose(least_squares([columns], [games]), truth, atol=0.05)


@pytest.fixture
def _short_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the seven settings: enough to see a search work."""
    monkeypatch.setattr("assay.results.company._SEARCHED", ("pull", "schedule"))


@pytest.mark.usefixtures("_short_search")
def test_tuning_never_ends_above_its_start() -> None:
    games, _ = simulated(players=15, games=900, months=24)
    sets = splits(games, 3, apart=4, rules=RULES)
    used = np.ones(len(EVIDENCE), dtype=bool)
    before = float(np.mean(left_out_errors(sets, START, used)))
    found = tune_company(sets, precision=0.5)
    assert found.error <= before + 1e-12
    model = CompanyModel(found.settings)
    errors = [month_rmse(one.validation, model.fit(one.training).forecast(one.validation)) for one in sets]
    assert np.mean(errors) <= found.error + 0.02


@pytest.mark.usefixtures("_short_search")
def test_tuning_without_the_schedule_leaves_it_out() -> None:
    games, _ = simulated(players=15, games=600, months=24)
    found = tune_company(splits(games, 2, apart=4, rules=RULES), schedule=False, precision=0.5).settings
    assert found.schedule == 0.0
    assert found.coefficients[2:] == (0.0, 0.0, 0.0)


def test_tuning_needs_two_sets() -> None:
    games, _ = simulated()
    with pytest.raises(InputError, match="two validation sets"):
        tune_company(splits(games, 1, rules=RULES))


def test_coefficients_that_do_not_settle_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    real = optimize.least_squares
    monkeypatch.setattr(
        optimize, "least_squares", lambda *given, **options: real(*given, **options, max_nfev=2)
    )
    games, _ = simulated(players=10, games=200)
    columns = np.random.default_rng(1).normal(size=(len(games), 2))
    with pytest.raises(FitError, match="did not settle"):
        least_squares([columns], [games])
