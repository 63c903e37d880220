"""The posterior over c against the normal law, plain grids, and Eq. 4 step by step."""

import numpy as np
import pytest
from scipy.stats import norm

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.bayes.model import GRID, BayesModel, LivePosterior
from assay.models.bayes.posterior import Posterior, adaptive_posterior, resolve
from assay.testing import make_decisions


def normal_log_likelihood(mean: float, deviation: float, c: np.ndarray) -> np.ndarray:
    return -0.5 * ((c - mean) / deviation) ** 2


@pytest.mark.parametrize("deviation", [0.3, 0.05, 0.01, 0.002, 0.0005])
def test_a_normal_likelihood_gives_back_its_moments(deviation: float) -> None:
    found = resolve(GRID, normal_log_likelihood(1.23456, deviation, GRID))
    assert found.mean == pytest.approx(1.23456, abs=0.002 * deviation)
    assert found.deviation == pytest.approx(deviation, rel=0.002)
    expected = norm.interval(0.95, 1.23456, deviation)
    assert found.region() == pytest.approx(expected, abs=0.01 * deviation)
    assert np.trapezoid(found.density, found.c) == pytest.approx(1)


@pytest.mark.parametrize("deviation", [2.0, 0.3, 0.01, 0.0005])
def test_the_adaptive_range_agrees_with_the_plain_grid(deviation: float) -> None:
    plain = Posterior.of(c := np.linspace(0, 6, 60_001), normal_log_likelihood(1.1, deviation, c))
    found = adaptive_posterior(lambda grid: normal_log_likelihood(1.1, deviation, grid), 0.0, 6.0)
    assert found.mean == pytest.approx(plain.mean, abs=0.01 * deviation)
    assert found.deviation == pytest.approx(plain.deviation, rel=0.01)
    assert found.region() == pytest.approx(plain.region(), abs=0.02 * deviation)
    assert len(found.c) < 700


@pytest.mark.parametrize("games", [1, 6, 60])
def test_three_ways_to_one_posterior(games: int) -> None:
    """The fixed grid with its spline, the adaptive range, and a plain grid so fine that it needs neither."""
    decisions = make_decisions(games=games, plies=60)
    model = BayesModel()
    kept, _ = model.select(decisions)
    c = np.linspace(0, 6, 12_001)
    group = np.zeros(len(kept), np.int64)
    plain = Posterior.of(c, model._log_likelihood(kept, group, 1, c)[0])
    for found in (model.posterior(model.profile(decisions)), model.adaptive_posterior(decisions)):
        assert found.mean == pytest.approx(plain.mean, abs=0.003 * plain.deviation)
        assert found.deviation == pytest.approx(plain.deviation, rel=0.003)
        assert found.region() == pytest.approx(plain.region(), abs=0.02 * plain.deviation)


def test_one_decision_after_another_is_equation_4() -> None:
    """The paper's iteration, normalised at every step, against the sum of logarithms."""
    decisions = make_decisions(games=2)
    model = BayesModel(opening_turns=0)
    live = LivePosterior(model)
    probability = np.full(len(GRID), 1 / len(GRID))
    for row in range(len(decisions)):
        values = [value for _, value in decisions.options(row)]
        played = int(decisions.played_index[row])
        live.add(values, played)
        losses = (values[0] - np.array(values)) / 100 + 0.1
        weights = losses[:, None] ** -GRID
        probability = probability * weights[played] / weights.sum(axis=0)
        probability /= probability.sum()
    mean = probability @ GRID
    assert live.decisions == len(decisions)
    assert live.posterior.mean == pytest.approx(mean, abs=1e-4)
    assert live.posterior.deviation == pytest.approx(np.sqrt(probability @ (GRID - mean) ** 2), rel=1e-3)
    assert live.posterior.mean == pytest.approx(model.estimate(model.profile(decisions))["c"].value)


def test_a_live_posterior_goes_on_from_a_profile() -> None:
    decisions = make_decisions()
    model = BayesModel(opening_turns=0)
    head, tail = decisions.take(np.arange(len(decisions) - 1)), len(decisions) - 1
    live = LivePosterior(model, model.profile(head))
    live.add([value for _, value in decisions.options(tail)], int(decisions.played_index[tail]))
    assert live.posterior.mean == pytest.approx(model.posterior(model.profile(decisions)).mean)
    with pytest.raises(InputError, match="do not go together"):
        LivePosterior(BayesModel(opening_turns=3), model.profile(head))
    with pytest.raises(InputError, match="number 3, and there are 3"):
        live.add([10, 0, -10], 3)


def test_before_any_decision_the_posterior_is_flat() -> None:
    flat = LivePosterior(BayesModel()).posterior
    assert flat.mean == pytest.approx(3)
    assert flat.region() == pytest.approx((0.15, 5.85))


def test_a_perfect_player_is_kept_within_the_range() -> None:
    """All best moves: the likelihood rises without end, the flat prior ends at 6."""
    best = make_decisions(games=2)
    perfect = best.with_played(np.zeros(len(best), np.int64))
    posterior = BayesModel(opening_turns=0).posterior(BayesModel(opening_turns=0).profile(perfect))
    assert 4 < posterior.mean < 6
    assert posterior.region()[1] < 6


def test_likelihoods_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="finite"):
        Posterior.of(GRID, np.full(len(GRID), np.nan))


def test_decisions_outside_the_rules_leave_nothing() -> None:
    opening: Decisions = make_decisions(plies=10)
    with pytest.raises(InputError, match="no decisions"):
        BayesModel().adaptive_posterior(opening)
