import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.grouping import RATED_BY, SLICED_BY, By, check_by, parts
from assay.decisions.slices import (
    FIXED,
    MEN,
    PHASES,
    families,
    family,
    in_words,
    men,
    men_bands,
    phase,
    phases,
    sliced_by,
    slicing,
)
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
    table = decisions.table()
    unrated = Decisions.from_table(table.drop_columns(["player_elo"]))
    own = np.full(4, 2250.0)
    assert names(unrated, By.OPPONENT, own=own) == ["within 100", "100+ stronger"] * 2
    assert names(unrated, By.OPPONENT) == ["?"] * 4


def test_clocks_by_what_is_left_before_the_move() -> None:
    import pyarrow as pa

    table = make_decisions(games=1, plies=6).table()
    seconds = pa.array([29.0, 30.0, 130.0, 599.0, 4000.0, None], pa.float32())
    place = table.column_names.index("seconds_before")
    timed = Decisions.from_table(table.set_column(place, "seconds_before", seconds))
    assert names(timed, By.CLOCK) == [
        *("under 30 s", "30 s to 2 min", "2 to 10 min", "2 to 10 min", "over 10 min", "?")
    ]
    assert not slicing(make_decisions(games=1, plies=6), By.CLOCK).known


def test_words_for_slices() -> None:
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


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
SPANISH = "r1bqk2r/1pppbppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQR1K1 b kq -"
BOTH_OUT = "2rq1rk1/pb2bppp/1pn1pn2/2pp4/3P4/1PNBPN2/PBP1QPPP/2R2RK1 w - -"
QUEENS = "3q2k1/5ppp/8/8/8/3B4/5PPP/3Q2K1 w - -"
QUEENS_AND_ROOKS = "3q1rk1/5ppp/8/8/8/8/5PPP/3Q1RK1 w - -"
ROOKS = "2r3k1/5ppp/8/3n4/8/3B4/5PPP/2R3K1 w - -"


@pytest.mark.parametrize(
    ("position", "name"),
    [
        (START, "opening"),
        (SPANISH, "opening"),
        (BOTH_OUT, "middlegame"),
        (QUEENS, "endgame"),
        (QUEENS_AND_ROOKS, "middlegame"),
        (ROOKS, "endgame"),
    ],
)
def test_phases_as_people_call_them(position: str, name: str) -> None:
    assert PHASES[phase(position)] == name


def test_a_piece_on_another_s_first_square_is_not_at_home() -> None:
    # Rooks on b1, c1 and f1, a bishop on g1, the queen on e1: nothing of White's stands where it began.
    assert PHASES[phase("2rq1rk1/pb3ppp/1pn1pn2/2pp4/3P4/1PN1PN2/PBP2PPP/1RR1QRBK w - -")] == "middlegame"


def test_men_and_their_bands() -> None:
    assert men(START) == 32
    assert men(ROOKS) == 12
    assert [MEN[band] for band in men_bands([START, ROOKS, "8/8/4k3/8/8/3K4/8/8 w - -"])] == [
        (25, 32),
        (9, 16),
        (2, 8),
    ]


def test_what_is_no_position_of_chess_has_no_phase() -> None:
    keys = [
        START,
        None,
        "a node of another game",
        "8/8/8 w",
        "9/8/8/8/8/8/8/8 w - -",
        "z7/8/8/8/8/8/8/8 w - -",
        START,
    ]
    assert phases(keys).tolist() == [0, -1, -1, -1, -1, -1, 0]
    assert men_bands(keys).tolist() == [0, -1, -1, -1, -1, -1, 0]


@pytest.mark.parametrize(
    ("eco", "name"),
    [
        ("A00", "flank openings"),
        ("A39", "English"),
        ("A58", "Benko"),
        ("B09", "Modern and Pirc"),
        ("B90", "Sicilian"),
        ("C19", "French"),
        ("C67", "Spanish"),
        ("D02", "Queen's pawn, others"),
        ("D45", "Slav"),
        ("D85", "Grünfeld"),
        ("E32", "Nimzo-Indian"),
        ("E99", "King's Indian"),
    ],
)
def test_families(eco: str, name: str) -> None:
    assert family(eco) == name


def test_games_without_a_code_are_as_tagged_games_that_begin_alike() -> None:
    e4 = ["e2e4", "c7c5", "g1f3", "d7d6"]
    tagged = [("one", "B90", [*e4, "d2d4", "c5d4"]), ("two", "B00", [*e4, "b2b3"]), ("three", "B20", e4)]
    asked = [
        ("four", None, [*e4, "d2d4", "e7e5"]),
        ("five", None, [*e4, "b2b3"]),
        ("six", None, ["d2d4"] * 6),
    ]
    found = families([*tagged, *asked])
    assert found["four"] == "Sicilian"
    assert found["five"] == "King's pawn, others"
    assert "six" not in found
    assert found["one"] == "Sicilian"


# What decisions are grouped by: one word for each group, one way to tell the parts apart.


def test_parts_are_what_the_column_says() -> None:
    decisions = make_decisions(games=4, plies=30)
    numbers, names = parts(decisions, By.COLOUR)
    assert [names[int(one)] for one in numbers] == decisions.text("colour")
    numbers, names = parts(decisions, By.RESULT)
    expected = {1.0: "won", 0.5: "drawn", 0.0: "lost"}
    assert [names[int(one)] for one in numbers] == [expected[one] for one in decisions.numbers("result")]


def test_words_that_are_none_or_not_here() -> None:
    assert check_by("year", (By.PLAYER, By.YEAR)) is By.YEAR
    for word in ("moon", "game"):
        with pytest.raises(InputError, match=f"group by player, year, not by '{word}'"):
            check_by(word, (By.PLAYER, By.YEAR))
    with pytest.raises(InputError, match="cannot be grouped by"):
        parts(make_decisions(games=2, plies=20), By.MILEPOST)
