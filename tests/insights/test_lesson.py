import numpy as np
import pytest

from assay.answers.insights import Lesson
from assay.errors import InputError
from assay.insights.lesson import KINDS, lesson_of
from assay.rating.calibration import find_calibration
from examples.pupil_games import STANDARD, pupil_games


def lesson(positions: int = 12, games: int = 6) -> Lesson:
    calibration = find_calibration(STANDARD)
    assert calibration is not None
    return lesson_of(
        pupil_games(games),
        "Pupil, Pat",
        1812.0,
        calibration,
        positions=positions,
        links={"game0": "https://example.org/0"},
    )


def test_moments_are_what_they_are_called() -> None:
    found = lesson()
    assert found.elo == 1800
    assert 0 < len(found.moments) <= 12
    for one in found.moments:
        assert one.kind in KINDS
        assert 0 <= one.of_100 <= 100
        if one.kind == "easy miss":
            assert one.lost >= 0.1
            assert one.of_100 >= 75
            assert one.better != one.played
        if one.kind == "good find":
            assert one.lost <= 0.01
            assert one.of_100 <= 25
            assert one.better == one.played
        assert one.fen.startswith(one.position_key)
        assert one.link == ("https://example.org/0" if one.game == "game0" else "")


def test_misses_come_first_the_worst_of_all_leading() -> None:
    found = lesson(positions=200)
    kinds = [one.kind == "good find" for one in found.moments]
    assert kinds == sorted(kinds)
    worth = [one.lost * one.of_100 for one in found.moments if one.kind != "good find"]
    assert np.all(np.diff(worth) <= 0.5 * max(worth) / 10)  # of_100 is rounded
    assert len(lesson(positions=3).moments) == 3


def test_bad_numbers_and_nobody() -> None:
    with pytest.raises(InputError, match="one position or more"):
        lesson(positions=0)
    calibration = find_calibration(STANDARD)
    assert calibration is not None
    with pytest.raises(InputError, match="no trace"):
        lesson_of(pupil_games(1), "Nobody", 1800.0, calibration)
