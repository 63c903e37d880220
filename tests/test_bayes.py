"""The bayes model: settings, moves outside the lines, and known truth."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from assay.domain.decisions import Decisions
from assay.domain.profile import Profile
from assay.errors import InputError, MappingError
from assay.models import BayesModel
from assay.models.bayes import DISPERSION
from assay.models.elo_mapping import ScalarMapping
from assay.validation.simulate import simulate
from decision_tables import make_decisions


def with_outside_move() -> Decisions:
    """One decision whose played move was searched alone, one whose played move has no value."""
    common = {"player": "Ann", "game_id": "g", "ply": 40}
    moves, cp = ["a", "b", "c"], [30, 10, -200]
    rows = [
        {**common, "moves": moves, "cp": cp, "played": "c", "n_lines": 2},
        {**common, "moves": moves[:2], "cp": cp[:2], "played": "z", "n_lines": 2},
        {**common, "moves": moves[:2], "cp": cp[:2], "played": "a", "n_lines": 2},
    ]
    return Decisions.from_table(pa.Table.from_pylist(rows))


def test_moves_outside_the_lines_count_with_their_value_by_default() -> None:
    model = BayesModel()
    profile = model.profile(with_outside_move())
    assert profile.decisions == 2
    assert profile.left_out["played move evaluated"] == 1
    assert "own searched value" in model.estimate(profile).note


def test_moves_outside_the_lines_can_be_left_out_and_are_counted() -> None:
    model = BayesModel(outside="exclude")
    profile = model.profile(with_outside_move())
    assert profile.decisions == 1
    assert profile.left_out["played move among the lines"] == 2
    assert "left out" in model.estimate(profile).note


def test_profiles_with_other_settings_do_not_mix() -> None:
    decisions = make_decisions()
    with pytest.raises(InputError, match="do not go together"):
        BayesModel(opening_turns=2).profile(decisions) + BayesModel(opening_turns=3).profile(decisions)


@pytest.mark.parametrize("wrong", [{"offset": 0.0}, {"outside": "zero"}])
def test_wrong_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        BayesModel(**wrong)  # type: ignore[arg-type]


def test_a_forecast_needs_a_mapping() -> None:
    profile = BayesModel().profile(make_decisions())
    with pytest.raises(MappingError, match="mileposts"):
        BayesModel().forecast(profile, profile)


@pytest.fixture(scope="module")
def mileposts(shared_data: Callable[[str], Path]) -> Decisions:
    return Decisions.read(shared_data("analysed/mileposts.parquet"))


@pytest.mark.parametrize("skill", [0.8, 1.2])
def test_the_region_covers_the_truth_and_the_mean_is_unbiased(mileposts: Decisions, skill: float) -> None:
    """500 replications of agents choosing among the options of a tenth of the real decisions.

    The mean of 500 standard errors of the mean has a deviation of 0.045: 0.1 is beyond two of them.
    """
    model = BayesModel()
    kept, _ = model.select(mileposts)
    kept = kept.take(np.arange(0, len(kept), 10))
    probabilities = model.agent(kept, skill)
    generator = np.random.default_rng(2009)
    drawn = Decisions.concat([simulate(kept, probabilities, generator) for _ in range(500)])
    rows = model.evidence(drawn, np.repeat(np.arange(500), len(kept)), 500)
    found = [model.posterior(Profile(model.identity, row, len(kept), 1.0)) for row in rows]
    regions = np.array([one.region() for one in found])
    covered = np.mean((regions[:, 0] <= skill) & (skill <= regions[:, 1]))
    bias = np.mean([(one.mean - skill) / one.deviation for one in found])
    assert 0.93 <= covered <= 0.97
    assert abs(bias) < 0.1


def test_skill_rises_with_elo_on_real_games(mileposts: Decisions) -> None:
    from scipy.stats import spearmanr

    from assay.models.apparent_skill import mileposts as composite

    found = composite(BayesModel(), mileposts)
    means = [skill.posterior.mean for _, skill in found]
    assert [elo for elo, _ in found] == list(range(1600, 2800, 100))
    assert spearmanr([elo for elo, _ in found], means).statistic > 0.9


# Ratings -------------------------------------------------------------------------------------------------


def straight(model: BayesModel, recipe: str = "made") -> ScalarMapping:
    """A mapping without an error of its own: Elo is 1000 + 500 c."""
    return ScalarMapping(
        model.identity, recipe, "c", np.array([0.0, 6.0]), np.array([1000.0, 4000.0]), error=0.0
    )


def test_a_rating_of_few_games_is_wider_by_the_measured_dispersion() -> None:
    model = BayesModel(opening_turns=2)
    model.mapping = straight(model)
    stack = model.profiles_by(make_decisions(games=4, plies=60))
    c = model.estimate(stack.total())["c"]
    rating = model.rate(stack.total())
    assert rating.elo == pytest.approx(1000 + 500 * c.value)
    assert rating.elo - rating.low == pytest.approx(500 * math.sqrt(DISPERSION) * (c.value - c.low))
    assert rating.high - rating.elo == pytest.approx(500 * math.sqrt(DISPERSION) * (c.high - c.value))
    assert f"{DISPERSION:g}" in rating.note
    assert model.rate_games(stack) == rating
    with pytest.raises(MappingError, match="not other"):
        model.rate_games(replace(stack, recipe_id="other"))
    with pytest.raises(MappingError, match="mileposts"):
        BayesModel(opening_turns=2).rate_games(stack)


def test_resampled_games_cover_a_skill_that_varies_from_game_to_game() -> None:
    """Moves of one game depend on one another: the player has good and bad days."""
    model = BayesModel(opening_turns=2)
    model.mapping = straight(model)
    table = make_decisions(games=20, plies=60)
    replications, covered, independent = 40, 0, 0
    for seed in range(replications):
        days = np.random.default_rng(seed).normal(1.2, 0.4, len(table.games)).clip(0.1)
        parts = [
            simulate(game, model.agent(game, float(c)), seed=1000 * seed + day)
            for day, (c, (_, game)) in enumerate(zip(days, table.by_game(), strict=True))
        ]
        stack = model.profiles_by(Decisions.concat(parts))
        rating, c = model.rate_games(stack, resamples=100), model.estimate(stack.total())["c"]
        covered += rating.low <= 1000 + 500 * 1.2 <= rating.high
        independent += c.low <= 1.2 <= c.high
    # If 95% are covered, fewer than 33 of 40 happen once in 1,400 times.
    assert covered >= 33
    assert independent < covered


def test_games_that_are_all_alike_do_not_make_a_skill_exact() -> None:
    model = BayesModel(opening_turns=2)
    model.mapping = straight(model)
    table = make_decisions(games=8, plies=60)
    stack = model.profiles_by(table.with_played(np.zeros(len(table), np.int64)))
    c = model.estimate(stack.total())["c"]
    rating = model.rate_games(stack, resamples=50)
    assert rating.high - rating.low >= 500 * 2 * c.deviation or rating.high == 4000
