"""Win, draw and loss at a difference of Elo."""

import numpy as np
import pytest

from assay.decisions.elo import expectation
from assay.results.metrics import (
    WHITE_ADVANTAGE,
    draw_parameter,
    log_likelihood,
    outcome_probabilities,
)

DIFFERENCES = np.arange(-900.0, 901.0, 50.0)


@pytest.mark.parametrize("nu", [0.0, 0.3, 1.0, 2.0, 5.0])
def test_elo_and_davidson_both_hold(nu: float) -> None:
    win, drawn, loss = outcome_probabilities(DIFFERENCES, nu)
    assert min(win.min(), drawn.min(), loss.min()) >= 0
    assert win + drawn + loss == pytest.approx(np.ones(len(DIFFERENCES)))
    assert win + drawn / 2 == pytest.approx(expectation(DIFFERENCES))
    assert drawn**2 == pytest.approx(nu**2 * win * loss)
    # The player's loss is the opponent's win.
    assert loss == pytest.approx(win[::-1])
    middle = len(DIFFERENCES) // 2
    assert drawn[middle] == pytest.approx(nu / (2 + nu))


def test_the_parameter_is_that_of_the_draws_there_are() -> None:
    assert draw_parameter(np.zeros(0)) == pytest.approx(2 * 0.35 / 0.65)
    many = np.repeat([1.0, 0.5, 0.0], [3000, 4000, 3000])
    _, drawn, _ = outcome_probabilities(0.0, draw_parameter(many))
    assert float(drawn) == pytest.approx(0.4, abs=0.001)
    assert draw_parameter(np.ones(5)) > 0.5  # five decisive games do not make draws impossible


def test_likelihoods_of_all_results_add_up_to_one() -> None:
    total = sum(np.exp(log_likelihood(DIFFERENCES, result, 1.2)) for result in (0.0, 0.5, 1.0))
    assert total == pytest.approx(np.ones(len(DIFFERENCES)))
    assert np.isfinite(log_likelihood(np.array([-1e5]), 1.0, 0.0)).all()


def test_the_first_move_is_worth_a_little() -> None:
    assert float(expectation(WHITE_ADVANTAGE)) == pytest.approx(0.547, abs=0.001)
