"""The bayes model: settings, moves outside the lines, and known truth."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from assay.decisions.decisions import Decisions
from assay.errors import InputError, MappingError
from assay.models.appearances import mapping_from
from assay.models.base import MoveModel
from assay.models.bayes import (
    BEND,
    DISPERSION,
    GRID,
    POINTS,
    BayesModel,
    Hypothesis,
    Posterior,
    apparent_skill,
    apparent_skill_by,
    band,
    log_likelihoods,
    log_probability,
    option_probabilities,
    resolve,
    results_apart,
    training_curve,
    weighed_options,
)
from assay.models.bayes import (
    mileposts as composite_players,
)
from assay.models.choice.model import ChoiceModel
from assay.models.elo_mapping import ScalarMapping
from assay.models.intervals import FEWEST_GAMES
from assay.testing import make_decisions
from assay.workspace import Workspace
from research.papers.difatta2009 import coverage


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


@pytest.mark.parametrize(
    ("outside", "count", "rule", "words"),
    [
        ("tail", 2, "played move evaluated", "own searched value"),
        ("value", 2, "played move evaluated", "one more option"),
        ("exclude", 1, "played move among the lines", "left out"),
    ],
)
def test_moves_outside_the_lines(outside: str, count: int, rule: str, words: str) -> None:
    model = BayesModel(outside=outside)
    profile = model.profile(with_outside_move())
    assert profile.decisions == count
    assert profile.left_out[rule] == 3 - count
    assert words in model.estimate(profile).note


def test_by_default_the_agent_chooses_among_all_legal_moves() -> None:
    """The likelihood by hand: four lines, 26 moves at the eight points of the tail, whatever was played."""
    model = BayesModel()
    kept, _ = model.select(with_outside_move())
    found = model.evidence(kept, np.arange(2), 2)
    # From the last line's loss towards a lost game, even steps of a bent scale in the logarithm.
    begin, end = math.log1p(50 / 10), math.log1p(1030 / 10)
    losses = 10 * np.expm1(begin + (end - begin) * ((np.arange(POINTS) + 0.5) / POINTS) ** BEND)
    for c in (0.0, 1.0, 2.5):
        weights = (1 + np.array([0, 20, 30, 50]) / 10) ** -c
        total = weights.sum() + 26 / 8 * ((1 + losses / 10) ** -c).sum()
        at = round(100 * c)
        assert found[0, at] == pytest.approx(math.log((1 + 230 / 10) ** -c / total))
        assert found[1, at] == pytest.approx(math.log(1 / total))


@pytest.mark.parametrize("model", [BayesModel(), BayesModel(outside="exclude"), ChoiceModel()])
def test_two_lines_do_not_carry_a_method_that_reads_all_options(model: MoveModel) -> None:
    two = with_outside_move(lines=2)
    assert model.profile(two).decisions == 0
    assert "analyse with 4 lines or more" in model.none_passes(two)


@pytest.mark.parametrize("wrong", [{"offset": 0.0}, {"outside": "zero"}])
def test_wrong_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        BayesModel(**wrong)  # type: ignore[arg-type]


def test_the_region_covers_agents_that_choose_among_all_legal_moves() -> None:
    """500 replications of 250 decisions; agents see every legal move, the method five lines.

    The same for 10 and 20 lines: research.papers.difatta2009.
    """
    for skill, (mean, covered) in zip((0.8, 1.2), coverage("tail", 5, (0.8, 1.2), 500), strict=True):
        assert mean == pytest.approx(skill, abs=0.03)
        assert 0.93 <= covered <= 0.97


# Ratings -------------------------------------------------------------------------------------------------


def test_a_rating_of_few_games_is_wider_by_the_measured_dispersion() -> None:
    model = BayesModel(opening_turns=2)
    knots = np.array([0.0, 6.0]), np.array([1000.0, 4000.0])  # Elo is 1000 + 500 c
    model.mapping = ScalarMapping(model.identity, "made", "c", *knots, error=0.0)
    stack = model.profiles_by(make_decisions(games=FEWEST_GAMES - 1, plies=60))
    c = model.estimate(stack.total())["c"]
    rating = model.rate(stack.total())
    assert rating.elo == pytest.approx(1000 + 500 * c.value)
    assert rating.elo - rating.low == pytest.approx(500 * math.sqrt(DISPERSION) * (c.value - c.low))
    assert rating.high - rating.elo == pytest.approx(500 * math.sqrt(DISPERSION) * (c.high - c.value))
    assert f"{DISPERSION:g}" in rating.note


# The agent E(c) against Eq. 1 and 2, written out.


def slow_probabilities(values: list[int], c: float, offset: float = 0.1) -> list[float]:
    """Eq. 1 and 2 as printed, values in pawns."""
    best = max(values)
    likelihoods = [((best - value) / 100 + offset) ** -c for value in values]
    return [one / sum(likelihoods) for one in likelihoods]


value_lists = st.lists(st.integers(-900, 900), min_size=1, max_size=12)


def one_decision(values: list[int]) -> Decisions:
    moves = [f"m{i}" for i in range(len(values))]
    row = {"player": "Ann", "moves": moves, "cp": values, "played": "m0", "exclusion": "in any order"}
    return Decisions.from_table(pa.Table.from_pylist([row]))


@settings(deadline=None)
@given(value_lists, st.floats(0, 6))
def test_probabilities_are_those_of_the_paper(values: list[int], c: float) -> None:
    found = option_probabilities(one_decision(values), c)
    assert found == pytest.approx(slow_probabilities(values, c), rel=1e-9, abs=1e-300)


def test_values_beyond_the_limit_are_alike() -> None:
    mates = one_decision([31_990, 31_980, 1500, 200])
    assert option_probabilities(mates, 1.0, limit=1000)[:3] == pytest.approx(
        [option_probabilities(mates, 1.0, limit=1000)[0]] * 3
    )


def likelihoods(values: Any, starts: Any, played: Any, group: Any, n_groups: int, grid: Any) -> Any:
    """Of options that are all there are."""
    sizes = np.diff(starts)
    options = weighed_options(np.asarray(values), starts, sizes, sizes, played, 0.1, None)
    return log_likelihoods(options, group, n_groups, grid)


@settings(deadline=None)
@given(st.lists(st.tuples(value_lists, st.integers(0, 11), st.integers(0, 2)), min_size=1, max_size=30))
def test_log_likelihoods_are_sums_of_logarithms(rows: list[tuple[list[int], int, int]]) -> None:
    starts = np.cumsum([0, *(len(values) for values, _, _ in rows)])
    flat = [value for values, _, _ in rows for value in values]
    played = np.array([index % len(values) for values, index, _ in rows])
    group = np.array([number for _, _, number in rows])
    grid = np.linspace(0.3, 4.1, 39)
    found = likelihoods(flat, starts, played, group, 3, grid)
    expected = np.zeros((3, len(grid)))
    for (values, _, number), index in zip(rows, played, strict=True):
        expected[number] += [math.log(slow_probabilities(values, c)[index]) for c in grid]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_many_decisions_neither_overflow_nor_lose_precision() -> None:
    decisions = make_decisions(games=60, plies=80, options=20)
    grid = np.linspace(0, 6, 13)
    group = np.zeros(len(decisions), np.int64)
    found = likelihoods(decisions.values, decisions.offsets, decisions.played_index, group, 1, grid)[0]
    values = decisions.values.reshape(-1, 20)
    each = -np.log1p((values.max(axis=1, keepdims=True) - values) / 10)
    chosen = each[np.arange(len(each)), decisions.played_index]
    for c, value in zip(grid, found, strict=True):
        assert value == pytest.approx((c * chosen - np.log(np.exp(c * each).sum(axis=1))).sum(), rel=1e-11)


# The posterior over c against the normal law, plain grids, and Eq. 4 step by step.


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


@pytest.mark.parametrize("games", [1, 6, 60])
def test_three_ways_to_one_posterior(games: int) -> None:
    """The fixed grid with its spline, the adaptive range, and a plain grid so fine that it needs neither."""
    decisions = make_decisions(games=games, plies=60)
    model = BayesModel()
    kept, _ = model.select(decisions)
    c = np.linspace(0, 6, 12_001)
    group = np.zeros(len(kept), np.int64)
    plain = Posterior.of(c, log_likelihoods(model.options(kept), group, 1, c)[0])
    for found in (model.posterior(model.profile(decisions)), model.adaptive_posterior(decisions)):
        assert found.mean == pytest.approx(plain.mean, abs=0.003 * plain.deviation)
        assert found.deviation == pytest.approx(plain.deviation, rel=0.003)
        assert found.region() == pytest.approx(plain.region(), abs=0.02 * plain.deviation)


def test_one_decision_after_another_is_equation_4() -> None:
    """The paper's iteration, normalised at every step, against the sum of logarithms."""
    decisions = make_decisions(games=2)
    probability = np.full(len(GRID), 1 / len(GRID))
    for row in range(len(decisions)):
        values = [value for _, value in decisions.options(row)]
        losses = (values[0] - np.array(values)) / 100 + 0.1
        weights = losses[:, None] ** -GRID
        probability = probability * weights[int(decisions.played_index[row])] / weights.sum(axis=0)
        probability /= probability.sum()
    mean = probability @ GRID
    c = BayesModel(opening_turns=0).estimate(BayesModel(opening_turns=0).profile(decisions))["c"]
    assert c.value == pytest.approx(mean, abs=1e-4)
    assert c.deviation == pytest.approx(np.sqrt(probability @ (GRID - mean) ** 2), rel=1e-3)


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


# The uses of the posterior: each against the plain model on the same decisions.

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


def test_results_apart_are_averages_of_single_games(decisions: Decisions) -> None:
    groups = {group["games"]: group for group in results_apart(model, decisions)}
    counts = {name: group["players in games"] for name, group in groups.items()}
    assert counts == {"won": 8, "drawn": 8, "lost": 8, "all": 24}
    won = apparent_skill_by(model, decisions.select(result=1.0), "player", "game_id")
    means = [skill.posterior.mean for skill in won]
    assert groups["won"]["mean of c"] == pytest.approx(np.mean(means))
    assert groups["won"]["spread of c"] == pytest.approx(np.std(means, ddof=1))
    together = model.posterior(model.profile(decisions.select(result=1.0)))
    assert groups["won"]["c of all moves"] == pytest.approx(together.mean)


def test_nothing_selected_is_a_clear_error(decisions: Decisions) -> None:
    nobody = decisions.select(player="Nobody")
    for call in (apparent_skill, apparent_skill_by, training_curve, results_apart):
        with pytest.raises(InputError):
            call(model, nobody)


def test_skill_rises_with_elo_and_a_mapping_is_for_its_settings(
    shared_data: Callable[[str], Path],
) -> None:
    real = Workspace(shared_data("analysed/mileposts-standard")).decisions("standard", trace=True)
    plain = BayesModel()
    mapping = mapping_from(plain, real)
    plain.mapping = mapping
    found = composite_players(plain, real)
    assert [elo for elo, _ in found] == list(range(1500, 2900, 100))
    means = [skill.posterior.mean for _, skill in found]
    assert np.corrcoef(np.argsort(means), np.arange(14))[0, 1] > 0.9
    for elo, skill in found:
        rating = plain.rate(skill.profile)
        assert rating.low < elo < rating.high
    assert 0 < mapping.error < 250
    other = BayesModel(outside="exclude")
    other.mapping = mapping
    with pytest.raises(MappingError, match="this Elo mapping is for"):
        other.rate(other.profile(real))


# How probable moves are under a described player.


def test_the_probability_of_a_sequence_is_a_product(decisions: Decisions) -> None:
    few = decisions.take(np.arange(5))
    chosen = model.agent(few, 1.5)[few.offsets[:-1] + few.played_index]
    found = log_probability(model.profile(few), Hypothesis.at(1.5))
    assert found == pytest.approx(math.log(np.prod(chosen)), rel=1e-6)


def test_a_hypothesis_with_spread_averages_probabilities(decisions: Decisions) -> None:
    profile, spread = model.profile(decisions.take(np.arange(20))), Hypothesis.between(0.5, 2.5)
    each = [math.exp(log_probability(profile, Hypothesis.at(c))) for c in spread.c[::4]]
    assert log_probability(profile, spread) == pytest.approx(math.log(np.mean(each)), abs=0.03)


def test_the_ratio_favours_the_truth(decisions: Decisions) -> None:
    perfect = model.profile(decisions.with_played(np.zeros(len(decisions), np.int64)))
    for profile, best in ((perfect, Hypothesis.engine()), (model.profile(decisions), Hypothesis.at(1.0))):
        hypotheses = (Hypothesis.engine(), Hypothesis.at(1.0))
        likeliest = max(hypotheses, key=lambda each: log_probability(profile, each))
        assert likeliest.name == best.name


def test_a_player_of_given_elo_has_the_skill_of_the_mapping() -> None:
    knots = np.array([0.8, 1.4]), np.array([1600.0, 2800.0])
    exact, near, loose = (
        ScalarMapping(model.identity, "r", "c", *knots, error=e) for e in (0.0, 60.0, 100.0)
    )
    assert Hypothesis.rated(2200, exact).c == pytest.approx([1.1])
    for spread in (Hypothesis.rated(2200, loose), Hypothesis.rated(2200, near, strays=80.0)):
        assert spread.c @ spread.mass == pytest.approx(1.1, abs=1e-3)
        assert np.sqrt(spread.mass @ (spread.c - 1.1) ** 2) == pytest.approx(0.05, rel=0.03)


@pytest.mark.parametrize("wrong", [lambda: Hypothesis.at(7.0), lambda: Hypothesis.between(2.0, 1.0)])
def test_impossible_hypotheses_are_refused(wrong: Callable[[], Hypothesis]) -> None:
    with pytest.raises(InputError):
        wrong()
    with pytest.raises(InputError, match="no decisions"):
        log_probability(0.0 * model.profile(make_decisions()), Hypothesis.at(1.0))
