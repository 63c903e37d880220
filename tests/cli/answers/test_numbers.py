"""How numbers stand in tables and in JSON."""

import math

import pytest

from assay.answers.ratings import Forecast
from assay.cli.answers.numbers import (
    duration,
    elo,
    forecast,
    number,
    percent,
    points,
    span,
    three_digits,
    two_places,
    with_interval,
)


@pytest.mark.parametrize("value", [-0.4, -0.0, 0.0, 0.4])
def test_zero_has_no_minus(value: float) -> None:
    assert elo(value) == "0"
    assert elo(value, signed=True) == "+0"
    assert str(number(value / 10_000, 1)) == "0.0"


def test_numbers_for_json() -> None:
    assert [number(value) for value in (1.23456789, math.nan, math.inf, -math.inf)] == [
        1.2346,
        None,
        None,
        None,
    ]
    assert number(2400.04, 1) == 2400.0


def test_ratings_beyond_all_numbers() -> None:
    assert [elo(value) for value in (math.nan, math.inf, -math.inf)] == ["", "∞", "-∞"]
    assert [elo(value, signed=True) for value in (math.inf, -math.inf, 12.6)] == ["+∞", "-∞", "+13"]


def test_points_as_chess_players_write_them() -> None:
    assert [points(value) for value in (0, 0.5, 1, 5.5, math.nan)] == ["0", "½", "1", "5½", "–"]


def test_shares_and_intervals() -> None:
    assert (percent(0.555), percent(0.555, 1), percent(math.nan)) == ("56", "55.5", "")
    assert (span(0.25, 0.75), span(math.nan, math.nan)) == ("25 to 75", "")
    assert (two_places(-0.001), two_places(math.nan), three_digits(0.012345)) == ("0.00", "", "0.0123")
    assert forecast(Forecast("x", 0.6, low=0.5, high=0.7)) == "60 (50 to 70)"
    assert (forecast(Forecast("x", 0.6)), forecast(None)) == ("60", "")
    row = {"c": 1.0, "c_low": 0.5, "c_high": 1.5, "d": 2.0}
    assert (with_interval(row, "c"), with_interval(row, "d"), with_interval(row, "e")) == (
        "1 (0.5 to 1.5)",
        "2",
        "",
    )


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(12.34, "12.3 s"), (119.9, "119.9 s"), (300, "5 min"), (7800, "2 h 10 min"), (273_600, "3 d 4 h")],
)
def test_times_as_people_say_them(seconds: float, said: str) -> None:
    assert duration(seconds) == said
