"""How probable moves are under a described player."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models import BayesModel
from assay.models.bayes.hypotheses import Hypothesis, likelihood_ratio, log_probability
from assay.testing import make_decisions

model = BayesModel(opening_turns=0)


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return make_decisions(games=12)


def test_the_probability_of_a_sequence_is_a_product(decisions: Decisions) -> None:
    few = decisions.take(np.arange(5))
    chosen = model.agent(few, 1.5)[few.offsets[:-1] + few.played_index]
    found = log_probability(model.profile(few), Hypothesis.at(1.5))
    assert found == pytest.approx(math.log(np.prod(chosen)), rel=1e-6)


def test_a_hypothesis_with_spread_averages_probabilities(decisions: Decisions) -> None:
    profile = model.profile(decisions.take(np.arange(20)))
    posterior = model.posterior(model.profile(decisions))
    found = log_probability(profile, Hypothesis.player("Ann and Bob", posterior))
    each = [math.exp(log_probability(profile, Hypothesis.at(c))) for c in posterior.c[::4]]
    average = np.average(each, weights=posterior.mass[::4])
    assert found == pytest.approx(math.log(average), abs=0.01)


def test_the_ratio_favours_the_truth_and_says_what_it_is_not(decisions: Decisions) -> None:
    perfect = model.profile(decisions.with_played(np.zeros(len(decisions), np.int64)))
    ratio = likelihood_ratio(perfect, Hypothesis.engine(), Hypothesis.at(1.0))
    back = likelihood_ratio(perfect, Hypothesis.at(1.0), Hypothesis.engine())
    assert ratio.log_ratio > 10
    assert back.log_ratio == pytest.approx(-ratio.log_ratio)
    assert ratio.log10_ratio == pytest.approx(ratio.log_ratio / math.log(10))
    assert "no proof of cheating" in ratio.not_proof
    human = model.profile(decisions)
    assert likelihood_ratio(human, Hypothesis.engine(), Hypothesis.at(1.0)).log_ratio < 0


def test_a_player_of_given_elo_has_the_skill_of_the_mapping() -> None:
    from assay.models.elo_mapping import ScalarMapping

    knots = np.array([0.8, 1.4]), np.array([1600.0, 2800.0])
    exact = ScalarMapping(model.identity, "r", "c", *knots, error=0.0)
    loose = ScalarMapping(model.identity, "r", "c", *knots, error=100.0)
    assert Hypothesis.rated(2200, exact).c == pytest.approx([1.1])
    spread = Hypothesis.rated(2200, loose)
    assert spread.c @ spread.mass == pytest.approx(1.1, abs=1e-3)
    assert np.sqrt(spread.mass @ (spread.c - 1.1) ** 2) == pytest.approx(0.05, rel=0.03)


def test_a_bad_day_is_not_the_mapping_s_error_alone() -> None:
    from assay.models.elo_mapping import ScalarMapping

    knots = np.array([0.8, 1.4]), np.array([1600.0, 2800.0])
    mapping = ScalarMapping(model.identity, "r", "c", *knots, error=60.0)
    spread = Hypothesis.rated(2200, mapping, strays=80.0)
    assert np.sqrt(spread.mass @ (spread.c - 1.1) ** 2) == pytest.approx(0.05, rel=0.03)


@pytest.mark.parametrize("wrong", [lambda: Hypothesis.at(7.0), lambda: Hypothesis.between(2.0, 1.0)])
def test_impossible_hypotheses_are_refused(wrong: Callable[[], Hypothesis]) -> None:
    with pytest.raises(InputError):
        wrong()
    with pytest.raises(InputError, match="no decisions"):
        log_probability(0.0 * model.profile(make_decisions()), Hypothesis.at(1.0))
