"""What searches tell of Elo, paired: on made-up signs whose truth is known."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.testing import with_trace
from examples.milepost_games import milepost_games
from research.evidence.search_size import FEWEST, Told, apart, of_sides, told


def made(noise: float, seed: int = 1) -> tuple[np.ndarray, ...]:
    """Means of five signs of 200 appearances, two in each game: the first tells Elo, within noise."""
    rng = np.random.default_rng(seed)
    elo = rng.uniform(1500, 2800, 200)
    means = rng.normal(size=(200, 5))
    means[:, 0] = (elo - 2150) / 400 + noise * rng.normal(size=200)
    return means, elo, elo + 20.0, np.repeat(np.arange(100), 2), np.arange(200)


def test_what_signs_explain_is_told_on_games_not_learned_from() -> None:
    clear, vague, empty = (told(*made(noise)) for noise in (0.3, 1.0, 50.0))
    # Of a deviation of 375 / 400 a noise of 0.3 and 1.0 leaves these shares.
    assert clear.explained == pytest.approx(0.91, abs=0.03)
    assert vague.explained == pytest.approx(0.47, abs=0.08)
    assert empty.explained < 0.05


def test_a_better_search_is_found_better_and_an_equal_one_not() -> None:
    clear, vague = told(*made(0.3)), told(*made(1.0))
    difference, low, high = apart(clear, vague)
    assert low < difference < high < 0
    assert apart(clear, clear) == (0, 0, 0)
    other, again = told(*made(1.0, seed=2)), told(*made(1.0, seed=2))
    assert apart(other, again)[0] == 0


def test_games_are_drawn_whole() -> None:
    """Two sides that err alike are one game: the interval is as wide as with half as many appearances."""
    rng = np.random.default_rng(3)
    off = rng.normal(size=100)
    one = Told(np.arange(100), np.zeros(100), off[None])
    both = Told(np.repeat(np.arange(100), 2), np.zeros(200), np.repeat(off, 2)[None])
    widths = []
    for found in (one, both):
        _, low, high = apart(found, Told(found.game, found.elo, np.zeros_like(found.found)))
        widths.append(high - low)
    assert widths[0] == pytest.approx(widths[1])


def test_games_by_two_recipes_are_told_by_both_and_few_are_one_sentence() -> None:
    games = with_trace(milepost_games(tuple(range(1700, 2700, 200)), games=8, plies=50), depths=3)
    side = Appearances.of(games)
    found = of_sides({"one": side, "other": side})
    assert len(found["one"].elo) >= FEWEST
    assert apart(found["one"], found["other"]) == (0, 0, 0)
    few = Appearances.of(with_trace(milepost_games((2000,), games=4, plies=50), depths=3))
    with pytest.raises(InputError, match="are needed"):
        of_sides({"one": few})
