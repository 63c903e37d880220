import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import MATE
from assay.errors import InputError
from assay.models import gain
from assay.models.gain import GainModel, compare, running_strength
from assay.testing import make_decisions
from examples.gain_examples import BYRNE, FISCHER, printed_decisions, with_column

LIMIT = 60
gains = st.lists(st.integers(-2 * LIMIT, 2 * LIMIT), min_size=1, max_size=25)


def slow_expectation(x: list[int], y: list[int]) -> float:
    """Every move of one against every move of the other."""
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in x for b in y) / (len(x) * len(y))


@given(gains, gains)
@settings(max_examples=100, deadline=None)
def test_expectation_is_the_share_of_move_pairs_won(x: list[int], y: list[int]) -> None:
    a, b = gain.histogram(x, LIMIT), gain.histogram(y, LIMIT)
    assert gain.expectation(a, b) == pytest.approx(slow_expectation(x, y), abs=1e-12)
    assert gain.expectation(a, b) + gain.expectation(b, a) == pytest.approx(1, abs=1e-12)


def test_all_pairs_at_once_are_the_pairs_one_by_one() -> None:
    generator = np.random.default_rng(5)
    group = np.sort(generator.integers(0, 7, 400))
    some = generator.integers(-2 * LIMIT, 2 * LIMIT + 1, 400)
    rows = gain.histograms(some, group, 7, LIMIT)
    dense = rows.toarray()
    expected = [[gain.expectation(x, y) for y in dense] for x in dense]
    np.testing.assert_allclose(gain.expectations(rows, rows), expected, atol=1e-12)
    np.testing.assert_allclose(gain.expectations(rows[:3], dense[3:]), np.array(expected)[:3, 3:])
    np.testing.assert_allclose(
        gain.paired_expectations(dense[:3], dense[4:]), [expected[i][i + 4] for i in range(3)]
    )


@pytest.mark.parametrize("shares", [(0.75, 0.2, 0.05), (0.5, 0.3, 0.2), (0.95, 0.04, 0.01)])
@pytest.mark.parametrize("n", [5, 40])
def test_the_interval_covers_the_truth(shares: tuple[float, float, float], n: int) -> None:
    """Moves below, at and above the engine's, with known chances: 2000 games of n moves."""
    games = 2000
    counts = np.random.default_rng(n).multinomial(n, shares, games)
    total, squares = counts @ [0, 0.5, 1], counts @ [0, 0.25, 1]
    low, high = gain.beta_interval(*gain.posterior(np.full(games, n), total, squares))
    # As given by running_strength: the interval holds the value found.
    low, high = np.minimum(low, total / n), np.maximum(high, total / n)
    truth = 0.5 * shares[1] + shares[2]
    covered = np.mean((low <= truth) & (truth <= high))
    # Four deviations of the share covered in 2000 games below 95%.
    assert covered > 0.95 - 4 * math.sqrt(0.95 * 0.05 / games)


def test_the_interval_of_two_players_covers_the_truth() -> None:
    generator = np.random.default_rng(8)
    x, y = (generator.laplace(mean, 15, (400, 60)) for mean in (-5, -12))
    big = [gain.histogram(generator.laplace(mean, 15, 200_000).clip(-120, 120), LIMIT) for mean in (-5, -12)]
    truth = gain.expectation(big[0], big[1])
    covered = 0
    for one, other in zip(x.clip(-120, 120), y.clip(-120, 120), strict=True):
        a, b = gain.histogram(one, LIMIT), gain.histogram(other, LIMIT)
        _, low, high = gain.expectation_interval(a, b, 1.0, 1.0)
        covered += low <= truth <= high
    assert covered / 400 > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 400)


def test_the_interval_covers_the_truth_of_games_that_differ() -> None:
    """Games whose own chances vary about the truth, as correlated moves make them: 3000 games of 40 moves."""
    generator = np.random.default_rng(2)
    games, n, truth, correlation = 3000, 40, 0.2, 0.04
    # A beta-binomial: its correlation is 1 / (a + b + 1).
    size = 1 / correlation - 1
    wins = generator.binomial(n, generator.beta(truth * size, (1 - truth) * size, games))
    together = gain.overdispersion(n, correlation)
    low, high = gain.beta_interval(*gain.posterior(np.full(games, n), wins, wins, together))
    covered = np.mean((low <= truth) & (truth <= high))
    assert covered > 0.95 - 4 * math.sqrt(0.95 * 0.05 / games)


@pytest.fixture(scope="module")
def game() -> Decisions:
    return printed_decisions()


def test_the_game_of_the_century_from_decisions(game: Decisions) -> None:
    """From values with mates beyond the centipawns to the paper's numbers."""
    model = GainModel(engine_strength=2860)
    byrne, fischer = (model.profile(game.select(player=name)) for name in (BYRNE, FISCHER))
    assert round(model.forecast(byrne, fischer).expectation, 3) == 0.345
    assert round(model.forecast(fischer, byrne).expectation, 3) == 0.655
    estimates = model.estimate(byrne), model.estimate(fischer)
    assert [round(one["difference"].value) for one in estimates] == [-185, -43]
    assert [round(one["strength"].value) for one in estimates] == [2675, 2817]
    assert [round(one["mean_gain"].value, 3) for one in estimates] == [-0.860, 0.094]
    zero = byrne.evidence[2 * model.limit]
    assert (zero, byrne.decisions) == (13, 41)  # section 4: 13 out of 41 moves with a gain of exactly 0.0


def test_the_limit_is_what_mate_is_worth(game: Decisions) -> None:
    low = GainModel(limit=1000)
    profile = low.profile(game.select(player=BYRNE))
    assert profile.evidence.shape == (4001,)
    everything = GainModel(limit=MATE).profile(game.select(player=BYRNE))
    worst = np.flatnonzero(everything.evidence)[0] - 2 * MATE
    assert worst < -20_000  # unclipped, walking into a mate costs nearly all that a mate is worth


def test_excluded_games_count_only_when_included(game: Decisions) -> None:
    excluded = with_column(game, "exclusion", ["too_short"] * len(game))
    assert GainModel().profile(excluded).decisions == 0
    assert GainModel(include=["too_short"]).profile(excluded).decisions == 82


def test_the_measured_engine_is_the_gains_of_its_own_moves() -> None:
    decisions = make_decisions(games=12)
    model = GainModel(engine_profile="measured").measure_engine(decisions)
    chosen = int(np.count_nonzero(decisions.played_index == 0))
    assert model.engine.sum() == chosen
    # In these decisions the value after differs from that of the played option by noise alone.
    gains = gain.gains_of_bins(model.limit)[model.engine > 0]
    assert np.abs(gains).max() < 50
    assert model.estimate(model.profile(decisions))["expectation"].value < 0.5


def test_a_player_who_plays_the_engines_moves_is_its_equal() -> None:
    decisions = make_decisions(games=12)
    model = GainModel(engine_profile="measured", engine_strength=3000).measure_engine(decisions)
    twin = model.profile(decisions.take(np.flatnonzero(decisions.played_index == 0)))
    assert model.estimate(twin)["expectation"].value == pytest.approx(0.5)
    assert model.estimate(twin)["strength"].value == pytest.approx(3000)


def test_few_moves_do_not_make_an_engine() -> None:
    with pytest.raises(InputError, match="too few"):
        GainModel(engine_profile="measured").measure_engine(make_decisions(games=1, plies=10))


# Plies of the Game of the Century at which Stockfish 15.1 at depth 20 would have played the same.
AGREED = [
    *(1, 4, 9, *range(12, 15), 19, *range(21, 26), *range(28, 34), *range(35, 39), *range(40, 43)),
    *(44, 46, 47, *range(52, 60), 62, 71, 72, *range(74, 81)),
]


def test_the_measured_engine_brings_the_two_differences_of_the_paper_together(game: Decisions) -> None:
    """Section 7: 113 points directly, 142 through the peak; "a closer agreement would be desirable"."""
    byrne, fischer = (GainModel().profile(game.select(player=name)).evidence for name in (BYRNE, FISCHER))
    measured = GainModel().profile(game.select(ply=AGREED)).evidence

    def through(engine: npt.NDArray[np.float64]) -> float:
        sides = [gain.expectation(side, engine) for side in (fischer, byrne)]
        return float(np.subtract(*gain.rating_difference(sides)))

    assert through(gain.peak(3900)) == pytest.approx(142, abs=0.5)
    assert through(measured) == pytest.approx(117, abs=0.5)


# Strength after every move (Ferreira 2012, Figure 6), against the model on the moves so far.


@pytest.mark.parametrize("engine_profile", ["peak", "measured"])
def test_after_each_move_it_is_the_model_on_the_moves_so_far(engine_profile: str) -> None:
    decisions = make_decisions(games=12)
    model = GainModel(engine_profile=engine_profile, engine_strength=2900)
    if engine_profile == "measured":
        model.measure_engine(decisions)
    one = decisions.select(game="game0", player="Ann")
    gains = one.numbers("after") - one.numbers("before")
    running = running_strength(gains, model)
    for moves in (1, 5, len(one)):
        estimate = model.estimate(model.profile(one.take(np.arange(moves))))
        assert running.expectation[moves - 1] == pytest.approx(estimate["expectation"].value)
        assert running.strength[moves - 1] == pytest.approx(estimate["strength"].value)
        assert running.strength_low[moves - 1] == pytest.approx(estimate["strength"].low)
        assert running.strength_high[moves - 1] == pytest.approx(estimate["strength"].high)


def test_the_interval_narrows_and_holds_the_value() -> None:
    generator = np.random.default_rng(1)
    running = running_strength(generator.integers(-40, 10, 80), GainModel())
    assert (running.low <= running.expectation).all()
    assert (running.expectation <= running.high).all()
    width = running.high - running.low
    assert width[4] > width[19] > width[79]


def test_unknown_gains_do_not_count() -> None:
    known = running_strength([-5.0, 0.0, 3.0], GainModel())
    holes = running_strength([math.nan, -5.0, math.nan, 0.0, 3.0], GainModel())
    assert math.isnan(holes.expectation[0])
    assert holes.expectation[1:].tolist() == known.expectation[[0, 0, 1, 2]].tolist()


# Two players compared.


def test_a_comparison_has_an_interval_from_games_where_there_are_enough() -> None:
    decisions = make_decisions(games=10)
    ann, bob = (decisions.select(player=name) for name in ("Ann", "Bob"))
    model = GainModel()
    found = compare(ann, bob, model)
    assert found.resampled
    assert found.low < found.expectation < found.high
    assert found.expectation == model.forecast(model.profile(ann), model.profile(bob)).expectation
    back = compare(bob, ann, model)
    assert back.expectation == pytest.approx(1 - found.expectation)
    assert back.low == pytest.approx(1 - found.high, abs=0.02)
    few = compare(ann.select(game="game0"), bob, model)
    assert not few.resampled
    assert few.high - few.low > found.high - found.low


def test_one_move_each_is_compared_without_certainty(game: Decisions) -> None:
    worse, better = (game.select(ply=ply) for ply in (20, 21))
    found = compare(worse, better, GainModel())
    assert found.expectation == 0
    assert found.differences[0] == -math.inf
    assert found.high > 0.5
