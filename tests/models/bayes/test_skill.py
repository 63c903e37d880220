"""The uses of the posterior: each against the plain model on the same decisions."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError, MappingError
from assay.models import BayesModel
from assay.models.bayes.skill import (
    apparent_skill,
    apparent_skill_by,
    band,
    mileposts,
    results_apart,
    training_curve,
)
from assay.models.mileposts import mapping_from
from assay.testing import make_decisions

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
    mapping = mapping_from(plain, real)
    plain.mapping = mapping
    for elo, skill in mileposts(plain, real):
        rating = plain.rate(skill.profile)
        assert rating.low < elo < rating.high
    assert 0 < mapping.error < 250
    other = BayesModel(outside="exclude", mapping=mapping)
    with pytest.raises(MappingError, match="this Elo mapping is for"):
        other.rate(other.profile(real))
