import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.grouping import RATED_BY, SLICED_BY, By
from assay.decisions.slices import FIXED, in_words, sliced_by, slicing
from assay.errors import InputError
from assay.testing import make_decisions


def names(decisions: Decisions, by: By, **given: object) -> list[str]:
    cut = slicing(decisions, by, **given)  # type: ignore[arg-type]
    return [cut.names[one] if one >= 0 else "?" for one in cut.slice]


def test_colours_and_months_are_those_of_the_columns() -> None:
    decisions = make_decisions(games=3, plies=4)
    assert names(decisions, By.COLOUR) == decisions.text("colour")
    months = {"game0": "2011-05", "game2": "2011-04"}
    assert names(decisions, By.MONTH, of_games=months) == ["2011-05"] * 4 + ["?"] * 4 + ["2011-04"] * 4


def test_opponents_are_weaker_or_stronger_than_the_published_rating_or_else_than_the_one_given() -> None:
    decisions = make_decisions(games=1, plies=4)
    assert names(decisions, By.OPPONENT) == ["100+ weaker", "100+ stronger"] * 2
    table = decisions.to_table()
    unrated = Decisions.from_table(table.drop_columns(["player_elo"]))
    own = np.full(4, 2250.0)
    assert names(unrated, By.OPPONENT, own=own) == ["within 100", "100+ stronger"] * 2
    assert names(unrated, By.OPPONENT) == ["?"] * 4


def test_clocks_by_what_is_left_before_the_move() -> None:
    import pyarrow as pa

    table = make_decisions(games=1, plies=6).to_table()
    seconds = pa.array([29.0, 30.0, 130.0, 599.0, 4000.0, None], pa.float32())
    place = table.column_names.index("seconds_before")
    timed = Decisions.from_table(table.set_column(place, "seconds_before", seconds))
    assert names(timed, By.CLOCK) == [
        *("under 30 s", "30 s to 2 min", "2 to 10 min", "2 to 10 min", "over 10 min", "?")
    ]
    assert not slicing(make_decisions(games=1, plies=6), By.CLOCK).known


def test_positions_without_chess_have_no_phase() -> None:
    assert not slicing(make_decisions(games=1, plies=4), By.PHASE).known


def test_words_and_other_words_for_them() -> None:
    assert sliced_by("time-pressure") is By.CLOCK
    assert sliced_by("piece-count") is By.PIECES
    assert sliced_by("phase") is By.PHASE
    with pytest.raises(InputError, match="group by phase"):
        sliced_by("moon")
    with pytest.raises(InputError, match="cannot be cut"):
        slicing(make_decisions(games=1, plies=4), By.YEAR)
    assert not set(SLICED_BY) & set(RATED_BY)


def test_a_slice_in_a_sentence() -> None:
    assert in_words(By.PHASE, "endgame") == "in the endgame"
    assert in_words(By.COLOUR, "white") == "with White"
    for by in SLICED_BY:
        for name in FIXED.get(by, ("2011-04",)):
            assert in_words(by, name)
