"""Seconds of moves from clocks, against the rule written out, move by move."""

import math

import numpy as np
import pytest

from assay.decisions.clocks import MOST_SECONDS, MoveTimes, move_times, wrong_in_words

NAN = math.nan


def times(clocks: list[float], control: str | None, elapsed: list[float] | None = None) -> MoveTimes:
    told = elapsed or [NAN] * len(clocks)
    return move_times(clocks, told, np.array([len(clocks)]), [control])


def same(found: np.ndarray, expected: list[float]) -> None:
    np.testing.assert_allclose(found, expected)


def test_clocks_that_tell_nothing_are_said() -> None:
    assert wrong_in_words({}) == wrong_in_words({"backwards": 0}) == []
    [said] = wrong_in_words({"absurd": 2, "backwards": 1200})
    assert said.endswith("1,200 gain more than the increment by a move, 2 show a time that cannot be")


def test_a_move_takes_the_clock_before_and_the_increment_less_the_clock_after() -> None:
    found = times([180, 180, 179, 182, 171, 160], "180+2")
    same(found.spent, [NAN, NAN, 3, 0, 10, 24])
    same(found.left, [180, 180, 179, 182, 171, 160])
    same(found.before, [180, 180, 180, 180, 179, 182])
    assert (found.backwards, found.absurd) == (0, 0)


def test_without_a_tag_the_increment_is_the_most_that_a_clock_rises() -> None:
    found = times([182.0, 179.7, 184.0, 180.0, 170.0, 181.5], None)
    same(found.spent, [NAN, NAN, 0, 1.7, 16, 0.5])
    same(found.before, [NAN, NAN, 182, 179.7, 184, 180])


def test_what_the_comment_tells_comes_first() -> None:
    same(times([180, 180, 170, 160], "180+2", [NAN, 1.5, 11.25, NAN]).spent, [NAN, 1.5, 11.25, 22])
    same(times([NAN, NAN], "2700+45", [0, 9.8]).spent, [0, 9.8])


def test_a_second_of_rounding_is_no_clock_that_runs_backwards() -> None:
    found = times([60, 60, 61, 59], "60+0")
    same(found.spent, [NAN, NAN, 0, 1])
    assert found.backwards == 0


def test_clocks_that_run_backwards_tell_nothing_and_are_counted() -> None:
    found = times([300, 300, 250, 290, 295, 280, 240, 270], "300+0")
    same(found.spent, [NAN, NAN, 50, 10, NAN, 10, NAN, 10])
    same(found.left, [300, 300, 250, 290, NAN, 280, 240, 270])
    same(found.before, [300, 300, 300, 300, 250, 290, NAN, 280])
    assert found.backwards == 1


def test_time_that_comes_at_move_forty_by_the_tag_is_none_that_runs_backwards() -> None:
    clocks = [*np.repeat(np.arange(6000, 6000 - 39 * 10, -10), 2).astype(float), 5000.0, 5100.0]
    told = times([*clocks, 4990.0], "40/6000:3600")
    assert told.backwards == 0
    same(told.spent[-3:], [5620 + 3600 - 5000, 5620 + 3600 - 5100, 10])
    assert times([*clocks[:-2], 8000.0], "6000").backwards == 1


def test_absurd_clocks_and_times_are_counted() -> None:
    found = times([180, MOST_SECONDS + 1, 170, 160], "180+0", [NAN, NAN, -3, NAN])
    same(found.left, [180, NAN, 170, 160])
    same(found.spent, [NAN, NAN, 10, NAN])
    assert found.absurd == 2


def test_a_side_that_gave_up_half_of_its_time_has_no_increment() -> None:
    found = times([90, 180, 85, 180], "180+2")
    same(found.spent, [NAN, NAN, 5, 2])
    same(found.before, [90, 180, 90, 180])


def test_days_for_each_move() -> None:
    found = times([259_000, 200_000, 100_000], "1/259200")
    same(found.spent, [200, 59_200, 159_200])
    assert found.backwards == 0


@pytest.mark.parametrize("seed", range(5))
def test_games_one_after_another_are_as_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = np.array([5, 0, 1, 2, 44, 7])
    clock = rng.uniform(-5, 400, lengths.sum())
    clock[rng.random(len(clock)) < 0.2] = NAN
    elapsed = np.where(rng.random(len(clock)) < 0.2, rng.uniform(0, 30, len(clock)), NAN)
    controls = ["300+3", None, "60+0", None, "40/100:50", "1/86400"]
    whole = move_times(clock, elapsed, lengths, controls)
    ends = np.cumsum(lengths)
    alone = [
        move_times(clock[end - n : end], elapsed[end - n : end], np.array([n]), [control])
        for n, end, control in zip(lengths, ends, controls, strict=True)
    ]
    for name in ("before", "spent", "left"):
        same(getattr(whole, name), np.concatenate([getattr(one, name) for one in alone]).tolist())
    assert whole.backwards == sum(one.backwards for one in alone)
    assert whole.absurd == sum(one.absurd for one in alone)


def test_no_games() -> None:
    assert len(move_times([], [], np.array([], dtype=np.int64), []).spent) == 0
