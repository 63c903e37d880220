"""Simulated players of known strength, and how often intervals contain the truth."""

import numpy as np
import pytest
from scipy.stats import binom

from assay.decisions import measures
from assay.models import BayesModel
from assay.rating.calibration import all_shipped
from assay.rating.spread import hats
from research.evidence.coverage import (
    LINES,
    MOVES,
    STRONG,
    WEAK,
    Player,
    Tally,
    compared,
    drawn,
    few_games,
    learned_spread,
    measured,
    play,
    skill_of,
)


def test_a_tally_counts_and_says_how_sure_it_is() -> None:
    nan = float("nan")
    found = [(0.0, 1.0, 2.0), (0.0, 1.0, 2.0), (3.0, 4.0, 5.0), (nan, 1.0, nan)]
    tally = Tally.of(found, [1.5, 2.5, 4.0, 1.0])
    assert (tally.intervals, tally.inside) == (3, 2)
    assert tally.width == 2
    assert tally.bias == pytest.approx((-0.5 - 1.5 + 0) / 3)
    # Clopper and Pearson: 95 of 100.
    low, high = Tally(100, 95, 0, 0).span
    assert (low, high) == pytest.approx((0.887, 0.984), abs=0.001)
    assert Tally(100, 100, 0, 0).span[1] == 1
    assert str(Tally(100, 95, 0, 0)) == "95% (89% to 98%)"


# Simulated players choose among all legal moves, and are seen through some lines.

PAIR = (Player("weak", 1800, 1800), Player("strong", 2500, 2500))


def test_games_are_whole_and_seen_through_lines() -> None:
    made = play([PAIR], 4, seed=1)
    assert len(made) == 4 * 2 * MOVES
    assert made.players == ["strong", "weak"]
    assert len(made.games) == 4
    assert (made.numbers("n_lines") <= LINES).all()
    assert (made.n_options <= made.numbers("n_legal")).all()
    outside = made.played_index >= made.numbers("n_lines")
    assert 0 < outside.mean() < 0.5  # some choices are of moves that the lines do not show
    assert np.array_equal(made.numbers("before"), made.best_value)
    off = made.numbers("after") - made.played_value
    assert 10 < off[np.abs(made.played_value) < 1000].std() < 20
    results = made.select(colour="white").numbers("result")[::MOVES]
    assert np.allclose(results + made.select(colour="black").numbers("result")[::MOVES], 1)


def test_the_stronger_loses_less_and_has_the_skill() -> None:
    made = play([PAIR], 60, seed=2)
    lost = {name: float(np.nanmean(measures.loss(made.select(player=name), 300))) for name in made.players}
    assert lost["strong"] < lost["weak"]
    model = BayesModel()
    for one in PAIR:
        found = model.posterior(model.profile(made.select(player=one.name)))
        assert abs(found.mean - skill_of(one.true)) < 0.15


# Coverage of forecasts: the cheapest method here, all of them by python -m research.evidence.coverage.


def test_players_of_two_strengths_have_so_many_games() -> None:
    made = few_games(2, 4, 0.0, seed=3)
    assert len(made.players) == 8
    assert len(made.games) == 16
    assert set(made.numbers("player_elo")) == {WEAK, STRONG}


def test_intervals_over_all_legal_moves_hold_the_truth() -> None:
    tally = compared("conformance", pairs=30, games=5, resamples=60)
    assert tally.intervals == 30
    # So many at least, but for one run in a thousand.
    assert tally.inside >= binom.ppf(0.001, 30, 0.95)
    assert tally.width < 0.75


# Coverage of what methods measure, by players who choose among all legal moves.


def test_intervals_of_measures_hold_the_truth() -> None:
    tally = measured("conformance", players=40, games=6)
    assert tally.intervals == 40
    assert tally.inside >= binom.ppf(0.001, 40, 0.95)
    assert abs(tally.bias) < 0.05


# Raw ratings drawn as the shipped calibration has them, and what is learned from few of them.


def test_what_is_drawn_has_the_line_and_the_variance() -> None:
    spread = all_shipped()[0].spread
    elo = np.full(20_000, spread.centre)
    raw = drawn(spread, elo, np.arange(len(elo)), np.random.default_rng(1))
    expected = hats(np.array([spread.centre]), spread.knots) @ spread.curve[0].T
    assert np.allclose(raw.mean(axis=0), expected[0], atol=20)
    assert np.allclose(raw.var(axis=0), spread.variance[0], rtol=0.1)


def test_a_spread_is_learned_from_few() -> None:
    truth = all_shipped()[0].spread
    found, prior = learned_spread(truth, 5, 16, np.random.default_rng(2))
    assert found.channels == truth.channels
    assert found.milepost_games == 16
    assert (prior.lowest, prior.highest) == (1600, 2600)
    assert (found.variance > 0).all()
