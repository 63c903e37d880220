"""The bayes model: settings, moves outside the lines, and known truth."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError, MappingError
from assay.models import BayesModel, ChoiceModel
from assay.models.base import MoveModel
from assay.models.bayes.model import DISPERSION
from assay.models.bayes.tail import unlisted_losses
from assay.models.elo_mapping import ScalarMapping
from assay.models.intervals import FEWEST_GAMES
from assay.testing import make_decisions
from research.papers.difatta2009.unlisted import coverage
from research.simulate import simulate


def with_outside_move(lines: int = 4) -> Decisions:
    """A played move that was searched alone, one that has no value, and one among the lines."""
    common = {"player": "Ann", "game_id": "g", "ply": 40, "n_lines": lines, "n_legal": 30}
    moves, cp = ["a", "b", "c", "d"][:lines], [30, 10, 0, -20][:lines]
    rows = [
        {**common, "moves": [*moves, "y"], "cp": [*cp, -200], "played": "y"},
        {**common, "moves": moves, "cp": cp, "played": "z"},
        {**common, "moves": moves, "cp": cp, "played": "a"},
    ]
    return Decisions.from_table(pa.Table.from_pylist(rows))


@pytest.mark.parametrize("outside", ["tail", "value"])
def test_moves_outside_the_lines_count_with_their_value(outside: str) -> None:
    model = BayesModel(outside=outside)
    profile = model.profile(with_outside_move())
    assert profile.decisions == 2
    assert profile.left_out["played move evaluated"] == 1
    assert "own searched value" in model.estimate(profile).note


def test_by_default_the_agent_chooses_among_all_legal_moves() -> None:
    """The likelihood by hand: four lines, 26 moves at the eight points of the tail, whatever was played."""
    model = BayesModel()
    kept, _ = model.select(with_outside_move())
    found = model.evidence(kept, np.arange(2), 2)
    losses = unlisted_losses(30.0, 50.0)
    assert (np.diff(losses) > 0).all()
    assert 50 < losses[0] < losses[-1] < 1030
    for c in (0.0, 1.0, 2.5):
        weights = (1 + np.array([0, 20, 30, 50]) / 10) ** -c
        total = weights.sum() + 26 / 8 * ((1 + losses / 10) ** -c).sum()
        at = round(100 * c)
        assert found[0, at] == pytest.approx(math.log((1 + 230 / 10) ** -c / total))
        assert found[1, at] == pytest.approx(math.log(1 / total))


def test_censored_moves_are_some_move_below_the_lines() -> None:
    model = BayesModel(outside="censored")
    profile = model.profile(with_outside_move())
    assert profile.decisions == 3
    kept, _ = model.select(with_outside_move())
    each = np.exp(model.evidence(kept, np.arange(3), 3))
    np.testing.assert_allclose(each[0], each[1])
    # One of four lines, or some move below them: nothing else can happen.
    among = [model.evidence(with_line(kept, line), np.zeros(1, np.int64), 1)[0] for line in range(4)]
    np.testing.assert_allclose(each[0] + np.exp(among).sum(axis=0), 1.0)


def with_line(kept: Decisions, line: int) -> Decisions:
    return kept.take(np.array([2])).with_played(np.array([line]))


def test_a_move_searched_alone_above_the_best_line_loses_nothing() -> None:
    common = {"player": "Ann", "game_id": "g", "ply": 40, "n_lines": 4, "n_legal": 30}
    row = {**common, "moves": list("abcde"), "cp": [30, 10, 0, -20, 80], "played": "e"}
    above = Decisions.from_table(pa.Table.from_pylist([row]))
    best = Decisions.from_table(pa.Table.from_pylist([{**row, "cp": [30, 10, 0, -20, 30]}]))
    one = np.zeros(1, np.int64)
    np.testing.assert_allclose(BayesModel().evidence(above, one, 1), BayesModel().evidence(best, one, 1))


@pytest.mark.parametrize("model", [BayesModel(), BayesModel(outside="value"), ChoiceModel()])
def test_two_lines_do_not_carry_a_method_that_reads_all_options(model: MoveModel) -> None:
    two = with_outside_move(lines=2)
    assert model.profile(two).decisions == 0
    with pytest.raises(InputError, match="analyse with 4 lines or more"):
        model.profiles_by_year(two)


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


@pytest.mark.parametrize("lines", [20, 10, 5])
def test_the_region_covers_agents_that_choose_among_all_legal_moves(lines: int) -> None:
    """500 replications of 250 decisions; agents see every legal move, the method so many lines."""
    for skill, (mean, covered) in zip((0.8, 1.2), coverage("tail", lines, (0.8, 1.2), 500), strict=True):
        assert mean == pytest.approx(skill, abs=0.03)
        assert 0.93 <= covered <= 0.97


def test_skill_rises_with_elo_on_real_games(mileposts: Decisions) -> None:
    from scipy.stats import spearmanr

    from assay.models.bayes.skill import mileposts as composite

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
    stack = model.profiles_by(make_decisions(games=FEWEST_GAMES - 1, plies=60))
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
