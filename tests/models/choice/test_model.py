import math
from dataclasses import replace

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import FitError, InputError, MappingError
from assay.models import ChoiceModel
from assay.models.choice.percentile import Pull
from assay.models.choice.spreads import Scaling
from assay.models.elo_mapping import ScalarMapping
from assay.testing import make_decisions
from examples.choice_agents import agent_decisions

AGENTS = {2000: (0.2, 0.48), 2600: (0.1, 0.52)}


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return agent_decisions(AGENTS, games=12, turns=30)


def test_the_rules_leave_out_what_the_paper_leaves_out() -> None:
    model = ChoiceModel()
    kept, left_out = model.select(make_decisions(plies=40))
    assert kept.numbers("ply").min() >= 16
    assert (np.abs(kept.best_value) <= 300).all()
    assert left_out["after turn 8"] > 0
    assert set(left_out) == {rule.name for rule in model.rules()}
    assert "not repeated" in left_out


def test_the_estimate_finds_the_agents(decisions: Decisions) -> None:
    model = ChoiceModel()
    for elo, (s, c) in AGENTS.items():
        part = decisions.select(player_elo=elo)
        estimate = model.estimate(model.profile(part))
        # Deviations of the logarithms: 95% intervals would miss one agent in twenty, four never do.
        assert abs(math.log(estimate["s"].value / s)) < 4 * estimate["s"].deviation / estimate["s"].value
        assert abs(math.log(estimate["c"].value / c)) < 4 * estimate["c"].deviation / estimate["c"].value
        fit = model.fit(part)
        assert estimate["s"].value == pytest.approx(fit.s, rel=0.05)
        assert estimate["c"].value == pytest.approx(fit.c, rel=0.05)
        assert estimate["mm_projected"].value == pytest.approx(estimate["mm_actual"].value, abs=0.05)
        assert estimate["ad_projected"].value == pytest.approx(estimate["ad_actual"].value, rel=0.15)
        assert estimate["strength"].value == -estimate["reference_ad"].value


def test_games_are_resampled_and_few_games_are_not(decisions: Decisions) -> None:
    model = ChoiceModel()
    part = decisions.select(player_elo=2000)
    many = model.resampled(model.profiles_by(part))
    assert "12 games resampled" in many.note
    assert abs(math.log(many["s"].value / 0.2)) < 4 * many["s"].deviation / many["s"].value
    assert model.resampled(model.profiles_by(part), seed=0)["s"] == many["s"]
    few = model.resampled(model.profiles_by(part.select(game=part.games[:3])))
    assert "independent turns" in few.note
    assert few["s"].deviation > many["s"].deviation


def test_the_rating_does_not_depend_on_how_hard_the_positions_were() -> None:
    model = ChoiceModel()
    losses = []
    for hardness in (20, 60):
        played = agent_decisions({2300: (0.15, 0.5)}, games=25, turns=40, hardness=hardness, seed=5)
        estimate = model.estimate(model.profile(played))
        losses.append((estimate["ad_actual"].value, estimate["reference_ad"]))
    (own_easy, easy), (own_hard, hard) = losses
    assert abs(math.log(own_easy / own_hard)) > 0.2
    spread = math.hypot(easy.deviation / easy.value, hard.deviation / hard.value)
    assert abs(math.log(easy.value / hard.value)) < 3 * spread


def test_a_player_who_never_errs_gets_no_number() -> None:
    perfect = agent_decisions({2900: (0.011, 1.5)}, games=3, turns=20)
    model = ChoiceModel(pull=Pull())
    with pytest.raises(FitError, match="decisions"):
        model.estimate(model.profile(perfect))
    with pytest.raises(FitError):
        model.fit(perfect)


def test_the_pull_tames_few_decisions(decisions: Decisions) -> None:
    some = decisions.select(player_elo=2000, game="2000-0")
    model = ChoiceModel()
    estimate = model.estimate(model.profile(some))
    assert 0.02 < estimate["s"].low < 0.2 < estimate["s"].high < 1.5


def test_ratings_and_forecasts(decisions: Decisions) -> None:
    model = ChoiceModel()
    profiles = {elo: model.profile(decisions.select(player_elo=elo)) for elo in AGENTS}
    without = model.forecast(profiles[2600], profiles[2000]).expectation
    assert without > 0.6
    mapping = ScalarMapping.fit(model, profiles[2600].recipe_id, list(profiles.items()))
    rated = ChoiceModel(mapping=mapping)
    assert mapping.elos(model, [profiles[2600]]) == pytest.approx([2600], abs=0.01)
    # One alone is computed where many are interpolated on the grid: two points apart.
    assert rated.rate(profiles[2600]).elo == pytest.approx(2600, abs=3)
    forecast = rated.forecast(profiles[2600], profiles[2000]).expectation
    assert forecast == pytest.approx(1 / (1 + 10 ** (-600 / 400)), abs=0.01)
    stack = model.profiles_by(decisions.select(player_elo=2000))
    rating = rated.rate_games(stack)
    assert rating.low < 2000 < rating.high
    assert rating.elo == pytest.approx(2000, abs=3)
    with pytest.raises(MappingError, match="mileposts"):
        model.rate_games(stack)
    other = ChoiceModel(curve="ipa", mapping=mapping)
    with pytest.raises(MappingError, match="not other"):
        rated.rate_games(replace(stack, recipe_id="other"))
    with pytest.raises(MappingError, match="this Elo mapping is for"):
        other.rate_games(other.profiles_by(decisions.select(player_elo=2000)))


def test_settings_are_part_of_the_identity_and_are_checked() -> None:
    assert ChoiceModel().identity != ChoiceModel(scaling=Scaling(unlisted="left out")).identity
    assert ChoiceModel().identity != ChoiceModel(pull=Pull(weight=2)).identity
    with pytest.raises(InputError, match="curve"):
        ChoiceModel(curve="line")
    with pytest.raises(InputError, match="pass the rules"):
        ChoiceModel(opening_turns=500).fit(make_decisions())


def test_unevaluated_moves_must_be_left_out_first() -> None:
    table = make_decisions().to_table()
    missing = table.set_column(
        table.schema.get_field_index("played_index"), "played_index", [[None] * table.num_rows]
    )
    decisions = Decisions.from_table(missing)
    with pytest.raises(InputError, match="evaluated"):
        ChoiceModel().summaries(decisions)
