"""Games with both players' decisions, and how an indicator goes with the result, against plain loops."""

import math

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.outcomes import correlation, expectation_on_line, fit_line, pair_games
from assay.testing import make_decisions
from examples.gain_examples import with_column


def test_games_are_paired_with_whites_result() -> None:
    decisions = make_decisions(games=6)
    games = pair_games(decisions)
    assert len(games) == 6
    for row, side in zip(games.decisions.to_table().to_pylist(), games.side, strict=True):
        assert side % 2 == (row["colour"] == "black")
        white = row["result"] if row["colour"] == "white" else 1 - row["result"]
        assert games.result[side // 2] == 2 * white - 1
    assert len(games.decisions) == len(decisions)


def test_games_of_one_side_or_without_a_result_are_left_out() -> None:
    decisions = make_decisions(games=6)
    games, colours = decisions.text("game_id"), decisions.text("colour")
    one_side = [game == "game0" and colour == "black" for game, colour in zip(games, colours, strict=True)]
    kept = decisions.take(np.flatnonzero(~np.array(one_side)))
    assert len(pair_games(kept)) == 5
    results = [
        None if game == "game1" else result
        for game, result in zip(kept.text("game_id"), kept.numbers("result").tolist(), strict=True)
    ]
    assert len(pair_games(with_column(kept, "result", results))) == 4


def test_two_games_are_too_few() -> None:
    with pytest.raises(InputError, match="three or more games"):
        pair_games(make_decisions(games=2))
    with pytest.raises(InputError, match="three or more games"):
        pair_games(Decisions.concat([make_decisions(games=4).select(player="Ann")]))


def test_correlation_by_its_formula() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=50), rng.normal(size=50)
    dx, dy = x - x.mean(), y - y.mean()
    assert correlation(x, y) == pytest.approx((dx * dy).sum() / math.sqrt((dx**2).sum() * (dy**2).sum()))
    assert correlation(x, -2 * x + 1) == pytest.approx(-1)
    for flat in (np.ones(50), x[:2]):
        assert math.isnan(correlation(flat, y[: len(flat)]))
        assert math.isnan(correlation(y[: len(flat)], flat))


def test_the_line_and_the_expectation_on_it() -> None:
    x = np.array([-1.0, 0.0, 2.0, 5.0])
    alpha, beta = fit_line(x, 0.3 * x + 0.1)
    assert (alpha, beta) == pytest.approx((0.1, 0.3))
    assert expectation_on_line(0.0, alpha, beta) == pytest.approx(0.55)
    assert expectation_on_line([-99, 99], alpha, beta).tolist() == [0.0, 1.0]
