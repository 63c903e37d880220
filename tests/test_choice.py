import math
from dataclasses import replace

import numpy as np
import pytest

from assay.domain.decisions import Decisions
from assay.domain.profile import ProfileStack
from assay.errors import FitError, InputError, MappingError
from assay.models import ChoiceModel
from assay.models.choice_intervals import hidden, sandwich
from assay.models.choice_probabilities import play, probabilities
from assay.models.choice_projections import project
from assay.models.choice_reference import ExpectedLoss, expectation_of_match, expected_loss
from assay.models.choice_spreads import Scaling, Spreads
from assay.models.choice_sums import PERCENTILES, Summaries
from assay.models.elo_mapping import ScalarMapping
from assay.models.percentile import Pull
from choice_agents import agent_decisions, agent_spreads, made_spreads
from decision_tables import make_decisions

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
    mapping = ScalarMapping.fit(model, profiles[2600].recipe_id, "strength", list(profiles.items()))
    rated = model.with_mapping(mapping)
    assert model.mapping is None
    assert rated.rate(profiles[2600]).elo == pytest.approx(2600, abs=1)
    forecast = rated.forecast(profiles[2600], profiles[2000]).expectation
    assert forecast == pytest.approx(1 / (1 + 10 ** (-600 / 400)), abs=0.01)
    stack = model.profiles_by(decisions.select(player_elo=2000))
    rating = rated.rate_games(stack)
    assert rating.low < 2000 < rating.high
    assert rating.elo == pytest.approx(2000, abs=1)
    with pytest.raises(MappingError, match="mileposts"):
        model.rate_games(stack)
    other = ChoiceModel(curve="ipa").with_mapping(mapping)
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
        ChoiceModel(skip_turns=500).fit(make_decisions())


def test_unevaluated_moves_must_be_left_out_first() -> None:
    table = make_decisions().to_table()
    missing = table.set_column(
        table.schema.get_field_index("played_index"), "played_index", [[None] * table.num_rows]
    )
    decisions = Decisions.from_table(missing)
    with pytest.raises(InputError, match="evaluated"):
        ChoiceModel().summaries(decisions)


def test_the_reference_is_harder_for_weaker_agents() -> None:
    model = ChoiceModel()
    assert len(model.reference) == 300
    losses = [
        expected_loss(model.reference, s, 0.5, model.curve, model.conversion) for s in (0.08, 0.15, 0.3)
    ]
    assert losses[0].mean < losses[1].mean < losses[2].mean
    # About what players of 2700 and 1600 lose per turn, in scaled pawns.
    assert 0.05 < losses[0].mean < 0.1
    assert 0.18 < losses[2].mean < 0.26
    assert expectation_of_match(losses[0], losses[2], 40) > 0.9
    still = ExpectedLoss(0.1, 0.0)
    assert expectation_of_match(still, still, 40) == 0.5


# Intervals -----------------------------------------------------------------------------------------------


def test_the_sandwich_is_the_spread_of_many_fits() -> None:
    model = ChoiceModel(pull=Pull())
    spreads = made_spreads(1000, seed=6)
    p = probabilities(spreads, 0.15, 0.5)
    points, spread = [], []
    for seed in range(30):
        sums = Summaries(play(spreads, p, seed))
        row = model.layout.collect(sums, np.zeros(1000, np.int64), 1)
        fits = model._fit_rows(row, np.array([1000.0]))
        points.append(fits.points[0])
        covariance = model.layout.covariance(row[0], fits.points[0])
        assert np.linalg.eigvalsh(covariance).min() > -1e-9
        spread.append(sandwich(fits.rows[0], covariance, 1000, model.pull))
    seen, said = np.cov(np.array(points).T), np.mean(spread, axis=0)
    # A variance from 30 draws is known to 26%; three times that.
    assert np.diag(said) == pytest.approx(np.diag(seen), rel=0.78)
    assert np.sign(said[0, 1]) == np.sign(seen[0, 1])


def test_what_the_pull_may_hide_shrinks_with_decisions() -> None:
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(len(PERCENTILES) + 1, 3))
    pull = Pull(weight=1.0)
    shifts = []
    for decisions in (100, 10_000):
        rows[-1] = math.sqrt(pull.weight / decisions) * np.array([0.0, *pull.direction])
        shifts.append(np.trace(hidden(rows, decisions, pull)))
    assert shifts[0] > 1000 * shifts[1]
    assert not hidden(rows, 100, replace(pull, weight=0.0)).any()


def test_intervals_cover_the_truth() -> None:
    """Thirty replications of 300 turns here; 300 of 200, 1,000 and 5,000 in scripts/simulate_choice.py."""
    model = ChoiceModel()
    replications, hits = 30, np.zeros(2)
    game = np.arange(300) // 30
    for seed in range(replications):
        spreads = agent_spreads(300, 0.15, 0.5, seed=100 + seed)
        rows = model.layout.collect(Summaries(spreads), game, 10)
        stack = ProfileStack(
            model.identity, tuple("abcdefghij"), rows, model.shape, np.full(10, 30.0), np.ones(10)
        )
        found = model.resampled(stack, resamples=150, seed=seed)
        hits += [found["s"].low <= 0.15 <= found["s"].high, found["c"].low <= 0.5 <= found["c"].high]
    # If 95% are covered, fewer than 24 of 30 happen once in 1,700 times.
    assert (hits >= 24).all()


# Projections ---------------------------------------------------------------------------------------------


def test_projections_by_hand() -> None:
    spreads = Spreads(np.array([0, 0.1, 0.3, 0, 0.2]), np.array([0, 3, 5]), np.array([1, 0]))
    p = probabilities(spreads, 0.1, 0.5)
    shown = project(spreads, np.array([0, 1]), 0.1, 0.5)
    assert shown.mm.projected == pytest.approx((p[0] + p[3]) / 2)
    assert shown.mm.actual == 0.5
    assert shown.ad.projected == pytest.approx((p * spreads.delta).sum() / 2)
    assert shown.ad.actual == pytest.approx(0.05)
    assert [one.projected for one in shown.ranks] == pytest.approx(
        [(p[0] + p[3]) / 2, (p[1] + p[4]) / 2, p[2] / 2]
    )
    off = [one.projected - one.actual for one in shown.ranks]
    assert shown.q_fit.actual == pytest.approx(1e4 * np.mean(np.square(off)))
    assert shown.mm.model_deviation == pytest.approx(math.sqrt(p[0] * (1 - p[0]) + p[3] * (1 - p[3])) / 2)
    assert math.isnan(shown.mm.games_deviation)


def test_independent_turns_have_a_ratio_of_one() -> None:
    spreads = agent_spreads(6000, 0.15, 0.5, seed=20)
    shown = project(spreads, np.arange(6000) // 30, 0.15, 0.5)
    for one in (shown.mm, shown.ad, shown.ranks[1]):
        # A variance over 200 games is known to 10%.
        assert one.ratio == pytest.approx(1, abs=0.35)
        assert abs(one.projected - one.actual) < 4 * one.model_deviation
    assert shown.q_fit.actual < shown.q_fit.projected + 4 * shown.q_fit.model_deviation


def test_turns_that_hang_together_show_in_the_ratio() -> None:
    """Games of two kinds of agent, fitted as one: turns of a game are then not independent."""
    strong, weak = agent_spreads(3000, 0.03, 0.6, seed=21), agent_spreads(3000, 0.5, 0.45, seed=21)
    mixed = np.where(np.arange(3000) // 30 % 2 == 0, strong.played, weak.played)
    shown = project(strong.replayed(mixed), np.arange(3000) // 30, 0.15, 0.5)
    assert shown.mm.ratio > 2
