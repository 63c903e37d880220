"""Games by their results."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.results.games import ResultGames, month_of, month_of_date, month_text
from examples.result_games import few, simulated


def test_months_from_any_dates() -> None:
    assert month_of(1, 1) == 1
    assert month_of_date("1997.05.11") == month_of(1997, 5)
    assert month_of_date("1997-05-11") == month_of_date("1997/5") == month_of(1997, 5)
    assert month_of_date("1997.??.??") == month_of_date("1997") == month_of(1997, 7)
    assert month_of_date("????.??.??") is None
    assert month_of_date("") is None
    assert month_text(month_of(1997, 5)) == "1997-05"
    assert month_text(100) == "100"


def test_years_are_those_of_the_calendar_or_of_the_competition() -> None:
    games = few((1, "a", "b", 1), (13, "a", "b", 1), (month_of(1997, 12), "a", "b", 1))
    assert games.year.tolist() == [1, 2, 1997]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (([1], [0], [0], [1.0], ("a", "b")), "themselves"),
        (([1], [0], [2], [1.0], ("a", "b")), "not in the list"),
        (([1], [0], [1], [0.7], ("a", "b")), "0, 0.5 or 1"),
        (([1, 2], [0], [1], [1.0], ("a", "b")), "one length"),
        (([1], [0], [1], [1.0], ("a", "a")), "twice"),
    ],
)
def test_games_are_checked(row: tuple[object, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        ResultGames(**dict(zip(("month", "white", "black", "result", "players"), row, strict=True)))


def test_games_cannot_be_changed() -> None:
    games, _ = simulated()
    with pytest.raises(ValueError, match="read-only"):
        games.result[0] = 0.5


def test_the_digest_changes_with_the_games() -> None:
    games, _ = simulated()
    assert games.digest() == simulated()[0].digest()
    assert games.digest() != games.select(np.arange(len(games) - 1)).digest()
