"""Positions with every legal move valued: read as if the engine had listed fewer."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from research.papers.difatta2009.all_moves import all_moves, draw, every_choice, read_as


def test_all_legal_moves_are_listed_best_first() -> None:
    every = all_moves()
    assert (every.n_options == every.numbers("n_legal")).all()
    assert (every.n_options == every.numbers("n_lines")).all()
    falls = np.diff(every.values)
    within = np.ones(len(falls), dtype=bool)
    within[every.offsets[1:-1] - 1] = False
    assert (falls[within] <= 0).all()


def test_fewer_lines_keep_the_first_and_the_played_move() -> None:
    every = all_moves()
    some = read_as(every, 5)
    assert (some.numbers("n_legal") == every.n_options).all()
    assert (some.numbers("n_lines") == np.minimum(every.n_options, 5)).all()
    assert np.array_equal(some.played_value, every.played_value)
    assert np.array_equal(some.best_value, every.best_value)
    outside = every.played_index >= 5
    assert (some.n_options[outside] == 6).all()
    assert (some.n_options[~outside] == np.minimum(every.n_options[~outside], 5)).all()


def test_every_choice_is_each_option_once() -> None:
    few = all_moves().take(np.arange(3))
    each = every_choice(few)
    assert len(each) == len(few.values)
    assert np.array_equal(each.played_value, few.values)


def test_the_kept_positions_are_those_that_the_script_draws(shared_data: Callable[[str], Path]) -> None:
    drawn = draw(shared_data("analysed/mileposts.parquet"))
    assert [row["n_legal"] for row in drawn] == all_moves().n_options.tolist()
