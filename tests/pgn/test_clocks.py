"""Time classes from the clocks in the comments on the first moves."""

import io

import numpy as np
import pytest

from assay.decisions.arrays import Floats
from assay.decisions.time_control import Period, periods_of
from assay.pgn.comments import read_duration
from assay.pgn.reader import read_games
from assay.pgn.tags import first_seconds, time_class_of


def shown(*clocks: str) -> Floats:
    """The clocks behind the moves, in seconds; NaN for what is none."""
    return np.array([read_duration(clock) for clock in clocks], np.float64)


@pytest.mark.parametrize(
    ("clocks", "expected"),
    [
        (("0:01:00", "0:01:00", "0:00:59", "0:00:58"), "bullet"),
        (("0:03:00", "0:03:00", "0:02:59", "0:03:01"), "blitz"),
        (("0:05:03", "0:05:01", "0:05:05", "0:05:00"), "blitz"),
        (("0:09:59", "0:09:58", "0:09:50", "0:09:40"), "blitz"),
        (("0:15:10", "0:15:09", "0:15:12", "0:15:01"), "rapid"),
        (("0:25:00", "0:24:55", "0:25:08", "0:24:50"), "rapid"),
        (("1:00:00", "0:59:55", "0:58:00", "0:57:00"), "classical"),
        (("1:30:42", "1:30:55", "1:31:00", "1:31:20"), "classical"),
        (("2:00:00", "1:59:00", "1:55:00", "1:50:00"), "classical"),
    ],
)
def test_classes(clocks: tuple[str, ...], expected: str) -> None:
    assert time_class_of({}, shown(*clocks)) == expected


def test_a_tag_comes_first_and_the_name_of_the_event_last() -> None:
    blitz = shown("0:03:00", "0:03:00", "0:02:59")
    assert time_class_of({"TimeControl": "900+10"}, blitz) == "rapid"
    assert time_class_of({"EventType": "rapid"}, blitz) == "rapid"
    assert time_class_of({"Event": "Rapid and more"}, blitz) == "blitz"
    assert time_class_of({"Event": "Rapid and more"}) == "rapid"


def test_time_that_is_added_later_is_no_increment() -> None:
    clocks = ["1:40:00", "1:40:00", *["0:10:00"] * 36, "1:00:00", "1:00:00"]
    assert first_seconds(shown(*clocks)) == 6000
    assert first_seconds(shown("0:05:00", "0:05:00", "2:00:00", "2:00:00")) == 300  # set anew


def test_clocks_that_tell_nothing() -> None:
    assert first_seconds(shown()) is None
    assert first_seconds(shown("0:00:00", "0:00:00")) is None
    assert first_seconds(shown("soon", "later")) is None


@pytest.mark.parametrize("words", ["", "fine ", "(book) "])
def test_clocks_in_variations_are_of_another_game(words: str) -> None:
    text = f"1. e4 {{ {words}[%clk 0:03:00] }} (1. d4 {{ [%clk 9:00:00] }} (1. c4)) e5 {{ [%clk 0:02:59] }} *"
    (batch,) = read_games(io.BytesIO(f'[White "A"]\n\n{text}\n'.encode()), "x")
    assert [game.time_class for game in batch.games] == ["blitz"]


# How games are recognised that must not be rated, and how fast they were played.


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"TimeControl": "7200+30"}, "classical"),
        ({"TimeControl": "40/7200:3600"}, "classical"),
        ({"TimeControl": "2700+45"}, "classical"),
        ({"TimeControl": "900+10"}, "rapid"),
        ({"TimeControl": "600"}, "blitz"),
        ({"TimeControl": "180+2"}, "blitz"),
        ({"TimeControl": "60+1"}, "bullet"),
        ({"TimeControl": "1/259200"}, "correspondence"),
        ({"TimeControl": "-", "Event": "World Blitz 2019"}, "blitz"),
        ({"TimeControl": "?", "EventType": "rapid"}, "rapid"),
        ({"Event": "Melody Amber Rapid 10th"}, "rapid"),
        ({"Event": "ICCF Email"}, "correspondence"),
        ({"Event": "Linares"}, "unknown"),
        ({"Event": "Kosmos m 5'"}, "blitz"),
        ({"Event": "Sofia m 25'"}, "rapid"),
        ({"Event": "Paris 30 min"}, "rapid"),
        ({"Event": "EU-ch Rapid-30'"}, "rapid"),
        ({"Event": "Moscow, the 60's, round 12 Minsk"}, "unknown"),
        ({}, "unknown"),
        ({"TimeControl": "9" * 50}, "unknown"),
    ],
)
def test_time_classes(tags: dict[str, str], expected: str) -> None:
    assert time_class_of(tags) == expected


# The tag TimeControl.


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("180+2", [Period(0, 180, 2)]),
        ("300", [Period(0, 300, 0)]),
        ("40/7200:3600", [Period(40, 7200, 0), Period(0, 3600, 0)]),
        ("40/5400+30 : 1800+30", [Period(40, 5400, 30), Period(0, 1800, 30)]),
        ("1/259200", [Period(1, 259200, 0)]),
        ("60.5+0.1", [Period(0, 60, 0)]),
        ("-", []),
        ("?", []),
        ("", []),
        (None, []),
        ("2 hours", []),
        ("40/7200:sudden", []),
    ],
)
def test_periods(written: str | None, expected: list[Period]) -> None:
    assert list(periods_of(written)) == expected
