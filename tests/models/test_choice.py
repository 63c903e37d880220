import math
from dataclasses import replace

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.profile import ProfileStack
from assay.errors import FitError, MappingError
from assay.models.choice.fit import METHODS, ChoiceGrid, Pull, fit_choice, fit_grids, sandwich
from assay.models.choice.model import ChoiceModel
from assay.models.choice.probabilities import CONVERSIONS, CURVES, log_units, play, probabilities
from assay.models.choice.sums import (
    AGREEMENT,
    DIFFERENCE,
    PERCENTILES,
    Summaries,
    up_products,
)
from assay.models.elo_mapping import ScalarMapping
from assay.testing import make_decisions
from examples.choice_agents import agent_decisions, agent_spreads, made_spreads

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


def test_ratings_and_forecasts(decisions: Decisions) -> None:
    model = ChoiceModel()
    profiles = {elo: model.profile(decisions.select(player_elo=elo)) for elo in AGENTS}
    mapping = ScalarMapping.fit(model, profiles[2600].recipe_id, list(profiles.items()))
    rated = ChoiceModel(mapping=mapping)
    assert mapping.elos(model, [profiles[2600]]) == pytest.approx([2600], abs=0.01)
    # One alone is computed where many are interpolated on the grid: two points apart.
    assert rated.rate(profiles[2600]).elo == pytest.approx(2600, abs=3)
    forecast = rated.forecast(profiles[2600], profiles[2000]).expectation
    assert forecast == pytest.approx(1 / (1 + 10 ** (-600 / 400)), abs=0.01)
    rating = rated.rate(profiles[2000])
    assert rating.low < 2000 < rating.high
    with pytest.raises(MappingError, match="mileposts"):
        model.forecast(profiles[2600], profiles[2000])
    other = ChoiceModel(curve="ipa", mapping=mapping)
    with pytest.raises(MappingError, match="not other"):
        rated.rate(replace(profiles[2000], recipe_id="other"))
    with pytest.raises(MappingError, match="this Elo mapping is for"):
        other.rate(other.profile(decisions.select(player_elo=2000)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("s", "c"), [(0.09, 0.5), (0.3, 0.45)])
def test_every_method_finds_the_agent_again(method: str, s: float, c: float) -> None:
    spreads = agent_spreads(20_000, s, c, seed=11)
    found = fit_choice(Summaries(spreads), method)
    # Agreement of 20,000 turns is known to 0.0035, and falls by 0.1 when s grows e-fold: s to 3.5%.
    assert (found.s, found.c) == pytest.approx((s, c), rel=0.1)
    assert fit_choice(Summaries(spreads), method, c=c).s == pytest.approx(s, rel=0.1)
    assert found.decisions == 20_000


def test_other_curves_and_conversions_are_fitted_too() -> None:
    spreads = made_spreads(5_000, seed=2)
    for curve in CURVES:
        for conversion in CONVERSIONS:
            s, c = np.array([0.15, 0.5]) * np.exp(log_units(curve, conversion))
            played = play(spreads, probabilities(spreads, s, c, curve, conversion), 3)
            sums = Summaries(played, curve, conversion)
            found = fit_choice(sums)
            at_truth = sums.at(math.log(s), math.log(c))[: len(PERCENTILES), 0] / len(played)
            at_fit = sums.at(math.log(found.s), math.log(found.c))[: len(PERCENTILES), 0] / len(played)
            off = [np.square(at - PERCENTILES).sum() for at in (at_fit, at_truth)]
            assert off[0] <= off[1]
            # Of some curves s and c are hard to tell apart; the differences they project are not.
            lost = sums.at(math.log(found.s), math.log(found.c))[DIFFERENCE, 0] / len(played)
            assert lost == pytest.approx(played.lost.mean(), rel=0.08)


def test_matching_matches_the_two_averages() -> None:
    spreads = agent_spreads(3000, 0.12, 0.5, seed=4)
    sums = Summaries(spreads)
    found = fit_choice(sums, "matching")
    means = sums.at(math.log(found.s), math.log(found.c))[:, 0] / len(spreads)
    assert means[AGREEMENT] == pytest.approx(np.mean(spreads.played == 0), abs=1e-5)
    assert means[DIFFERENCE] == pytest.approx(spreads.lost.mean(), abs=1e-5)


def test_a_fit_into_the_bounds_gives_no_number() -> None:
    # Whoever always plays the best move determines nothing but that s is small.
    spreads = made_spreads(200, seed=1)
    for method in METHODS:
        with pytest.raises(FitError):
            fit_choice(Summaries(spreads), method)


def test_the_pull_holds_few_decisions_and_fades_with_many() -> None:
    pull = Pull(weight=5.0)
    off = []
    for turns in (60, 20_000):
        spreads = agent_spreads(turns, 0.15, 0.3, seed=8)
        free, drawn = fit_choice(Summaries(spreads)), fit_choice(Summaries(spreads), pull=pull)
        off.append(
            (abs(pull.off(math.log(free.s), math.log(free.c))), abs(math.log(drawn.c) - math.log(free.c)))
        )
        assert abs(pull.off(math.log(drawn.s), math.log(drawn.c))) < off[-1][0]
    assert off[0][1] > 0.05
    assert off[1][1] < 0.01


# Fits on the grid.


def test_grid_fits_agree_with_the_continuous_ones() -> None:
    grid, pull = ChoiceGrid(), Pull(weight=0.5)
    parts = [agent_spreads(2000, s, c, seed=7) for s, c in ((0.08, 0.55), (0.15, 0.5), (0.3, 0.42))]
    counts = np.concatenate(
        [Summaries(p).on_grid(grid.log_s, grid.log_c, np.zeros(len(p), np.int64), 1) for p in parts]
    )
    fits = fit_grids(grid, counts[:, : len(PERCENTILES)], np.full(3, 2000.0), pull)
    assert fits.converged.all()
    assert fits.inside.all()
    for part, point in zip(parts, np.exp(fits.points), strict=True):
        found = fit_choice(Summaries(part), pull=pull)
        assert point == pytest.approx([found.s, found.c], rel=0.02)


# How far (ln s, ln c) may be off.


def test_the_sandwich_is_the_spread_of_many_fits() -> None:
    model = ChoiceModel(pull=Pull())
    spreads = made_spreads(1000, seed=6)
    p = probabilities(spreads, 0.15, 0.5)
    points, spread = [], []
    for seed in range(30):
        sums = Summaries(play(spreads, p, seed))
        row = model.grid.collect(sums, np.zeros(1000, np.int64), 1)
        fits = model._fit_rows(row, np.array([1000.0]))
        points.append(fits.points[0])
        covariance = model.grid.covariance(row[0], fits.points[0])
        assert np.linalg.eigvalsh(covariance).min() > -1e-9
        spread.append(sandwich(fits.rows[0], covariance, 1000, model.pull))
    seen, said = np.cov(np.array(points).T), np.mean(spread, axis=0)
    # A variance from 30 draws is known to 26%; three times that.
    assert np.diag(said) == pytest.approx(np.diag(seen), rel=0.78)
    assert np.sign(said[0, 1]) == np.sign(seen[0, 1])


def test_intervals_cover_the_truth() -> None:
    """Thirty replications of 300 turns here; 300 of 200, 1,000 and 5,000 in regan2011/simulation.py."""
    model = ChoiceModel()
    replications, hits = 30, np.zeros(2)
    game = np.arange(300) // 30
    for seed in range(replications):
        spreads = agent_spreads(300, 0.15, 0.5, seed=100 + seed)
        rows = model.grid.collect(Summaries(spreads), game, 10)
        stack = ProfileStack(
            model.identity, tuple("abcdefghij"), rows, model.shape, np.full(10, 30.0), np.ones(10)
        )
        found = model.resampled(stack, resamples=150, seed=seed)
        hits += [found["s"].low <= 0.15 <= found["s"].high, found["c"].low <= 0.5 <= found["c"].high]
    # If 95% are covered, fewer than 24 of 30 happen once in 1,700 times.
    assert (hits >= 24).all()


# Where a profile holds what.


@pytest.mark.parametrize("usual", [("inverse-exponential", "power"), ("ipb", "share")])
def test_the_grid_holds_the_sums_at_its_nodes_by_group(usual: tuple[str, str]) -> None:
    grid, spreads = ChoiceGrid(), agent_spreads(90, 0.15, 0.5, seed=9)
    group = np.arange(90) % 3
    sums = Summaries(spreads, *usual)
    counts = sums.on_grid(grid.log_s, grid.log_c, group, 3)
    for i, j in ((0, 0), (3, 2), (9, 6), (4, 5)):
        for one in range(3):
            part = Summaries(spreads.take(np.flatnonzero(group == one)), *usual)
            alone = part.at(grid.log_s[i], grid.log_c[j])[:, 0]
            assert counts[one, :, i, j] == pytest.approx(alone, rel=1e-6)
    point = np.array([[grid.log_s[3], grid.log_c[2]]])
    assert grid.at(counts[:1], point)[0, :, 0] == pytest.approx(counts[0, :, 3, 2])
    step = 1e-6
    aside = np.array([step, 0.0])
    along = (grid.at(counts[:1], point + aside) - grid.at(counts[:1], point - aside))[0, :, 0]
    assert grid.at(counts[:1], point)[0, :, 1] == pytest.approx(along / (2 * step), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("usual", [("inverse-exponential", "power"), ("ipb", "share")])
def test_products_of_up_shares(usual: tuple[str, str]) -> None:
    spreads = agent_spreads(40, 0.15, 0.5, seed=10)
    point = np.log([[0.15, 0.5]])
    found = up_products(Summaries(spreads, *usual), point, np.zeros(40, np.int64), 1)[0, 0]
    turns = [Summaries(spreads.take(np.array([t])), *usual).at(*point[0]) for t in range(40)]
    rows = np.array([turn[: len(PERCENTILES), 0] for turn in turns])
    rows = np.column_stack((rows, np.ones(40)))
    assert found == pytest.approx((rows.T @ rows)[np.tril_indices(len(PERCENTILES) + 1)], rel=1e-6)


# The reference positions.


def test_the_reference_is_harder_for_weaker_agents() -> None:
    model = ChoiceModel()
    assert len(model.reference) == 300
    strong, middling, weak = (
        probabilities(model.reference, s, 0.5) @ model.reference.delta / 300 for s in (0.08, 0.15, 0.3)
    )
    # About what players of 2700 and 1600 lose per turn, in scaled pawns.
    assert 0.05 < strong < 0.1 < middling < 0.18 < weak < 0.26
