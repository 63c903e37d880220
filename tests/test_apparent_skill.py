"""The uses of the posterior: each against the plain model on the same decisions."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.domain.decisions import Decisions
from assay.errors import InputError, MappingError
from assay.models import BayesModel
from assay.models.apparent_skill import (
    apparent_skill,
    apparent_skill_by,
    band,
    map_to_elo,
    mileposts,
    results_apart,
    training_curve,
)
from assay.models.hypotheses import Hypothesis, likelihood_ratio, log_probability
from decision_tables import make_decisions

model = BayesModel(opening_turns=0)


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return make_decisions(games=12)


def test_each_player_in_each_game(decisions: Decisions) -> None:
    found = apparent_skill_by(model, decisions, "player", "game_id")
    assert len(found) == 24
    for skill in found:
        player, game = skill.label
        alone = model.profile(decisions.select(player=player, game=game))
        assert skill.profile.equals(alone)
    assert found[0].label == ("Ann", "game0")


def test_skill_over_time_adds_up_to_the_whole(decisions: Decisions) -> None:
    years = apparent_skill_by(model, decisions, "year")
    assert [skill.label[0] for skill in years] == [str(2000 + game) for game in range(6)]
    total = years[0].profile
    for skill in years[1:]:
        total = total + skill.profile
    assert total.equals(apparent_skill(model, decisions).profile)


def test_a_band_needs_both_players(decisions: Decisions) -> None:
    assert len(band(decisions, 2100, 2500)) == len(decisions)
    assert len(band(decisions, 2350, 2450)) == 0


def test_the_training_curve_ends_at_the_whole_and_narrows(decisions: Decisions) -> None:
    curve = training_curve(model, decisions)
    assert [skill.profile.decisions for skill in curve] == [100, 200, 360]
    assert [skill.profile.games for skill in curve] == [4, 7, 12]
    assert curve[-1].profile.equals(model.profile(decisions))
    assert curve[0].profile.equals(model.profile(decisions.take(np.arange(100))))
    deviations = [skill.posterior.deviation for skill in curve]
    assert deviations == sorted(deviations, reverse=True)
    assert [s.profile.decisions for s in training_curve(model, decisions, [7, 50, 1000])] == [7, 50, 360]
    with pytest.raises(InputError, match="above zero"):
        training_curve(model, decisions, [0])


def test_results_apart_are_averages_of_single_games(decisions: Decisions) -> None:
    groups = {group.result: group for group in results_apart(model, decisions)}
    assert {name: group.players_in_games for name, group in groups.items()} == {
        "won": 8,
        "drawn": 8,
        "lost": 8,
        "all": 24,
    }
    won = apparent_skill_by(model, decisions.select(result=1.0), "player", "game_id")
    means = [skill.posterior.mean for skill in won]
    assert groups["won"].mean == pytest.approx(np.mean(means))
    assert groups["won"].deviation == pytest.approx(np.std(means, ddof=1))
    pooled = model.posterior(model.profile(decisions.select(result=1.0)))
    assert groups["won"].pooled.mean == pytest.approx(pooled.mean)


def test_nothing_selected_is_a_clear_error(decisions: Decisions) -> None:
    nobody = decisions.select(player="Nobody")
    for call in (apparent_skill, apparent_skill_by, training_curve, results_apart):
        with pytest.raises(InputError):
            call(model, nobody)


def test_a_mapping_is_refused_for_other_settings(shared_data: Callable[[str], Path]) -> None:
    real = Decisions.read(shared_data("analysed/mileposts.parquet"))
    plain = BayesModel()
    mapping = map_to_elo(plain, real)
    plain.mapping = mapping
    for elo, skill in mileposts(plain, real):
        rating = plain.rate(skill.profile)
        assert rating.low < elo < rating.high
    assert 0 < mapping.error < 250
    other = BayesModel(outside="exclude", mapping=mapping)
    with pytest.raises(MappingError, match="this Elo mapping is for"):
        other.rate(other.profile(real))


# Hypotheses --------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("wrong", [lambda: Hypothesis.at(7.0), lambda: Hypothesis.between(2.0, 1.0)])
def test_impossible_hypotheses_are_refused(wrong: Callable[[], Hypothesis]) -> None:
    with pytest.raises(InputError):
        wrong()
    with pytest.raises(InputError, match="no decisions"):
        log_probability(0.0 * model.profile(make_decisions()), Hypothesis.at(1.0))
