"""Losses from consecutive evaluations, against a slow reading of one game at a time."""

import numpy as np

from assay.decisions.measures import between, loss_between, movers_view


def slow(white: list[float], black_starts: bool) -> list[tuple[float, float]]:
    """Value before and after each move of one game from its mover's view."""
    found = []
    for ply in range(len(white) - 1):
        sign = -1 if (ply % 2 == 1) != black_starts else 1
        found.append((sign * white[ply], sign * white[ply + 1]))
    return found


def test_many_games_at_once_are_as_one_after_another() -> None:
    rng = np.random.default_rng(1)
    games = [rng.integers(-300, 300, size).astype(float) for size in (4, 1, 9, 2, 30)]
    starts = [False, False, True, False, True]
    offsets = np.concatenate(([0], np.cumsum([len(game) for game in games])))
    value = movers_view(np.concatenate(games), offsets, starts)
    rows, before, after = between(value, offsets)
    expected = [pair for game, black in zip(games, starts, strict=True) for pair in slow(list(game), black)]
    assert list(zip(before.tolist(), after.tolist(), strict=True)) == expected
    assert not np.isin(offsets[1:] - 1, rows).any()  # no move is played in the last position


def test_a_move_that_seems_to_gain_lost_nothing() -> None:
    before, after = np.array([50.0, 50.0, np.nan, 40.0]), np.array([20.0, 90.0, 10.0, np.nan])
    assert loss_between(before, after)[:2].tolist() == [30.0, 0.0]
    assert np.isnan(loss_between(before, after)[2:]).all()


def test_values_are_clipped_before_they_are_compared() -> None:
    assert loss_between(np.array([31_990.0]), np.array([700.0]), 1000).tolist() == [300.0]
