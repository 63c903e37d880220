"""Tables on a page: words whole, numbers whole, nothing left out."""

import re

import pytest

from assay.answers.answer import Rows, Words
from assay.cli import main
from assay.cli.output import EDGES, Piece, cell_length, lay_out, print_table
from assay.engine.recipe import NAMED


def width_of(piece: Piece) -> int:
    return sum(piece.widths) + 3 * (len(piece.widths) - 1) + EDGES


def test_a_table_that_fits_is_one_piece_of_its_own_width() -> None:
    assert lay_out(("player", "Elo"), [("Ann", "2400"), ("Benedict", "1")], 80) == [Piece((0, 1), (8, 4))]


def test_headings_and_prose_are_wrapped_at_words_before_a_table_is_split() -> None:
    prose = "the quick brown fox jumps over the lazy dog, again and again"
    (piece,) = lay_out(("player", "number of games", "meaning"), [("Ann", "12", prose)], 50)
    assert width_of(piece) <= 50
    assert piece.widths[0] == len("player")
    assert piece.widths[1] >= len("number")
    assert piece.widths[2] >= 24


def test_a_wide_table_is_split_and_each_piece_says_whose_rows_they_are() -> None:
    headings = ("player", "year", *(f"method {n}" for n in range(6)))
    rows = [("Ann", "1971", *["2615 (2233 to 2826)"] * 6), ("Ann", "1972", *["2615 (2233 to 2826)"] * 6)]
    pieces = lay_out(headings, rows, 80)
    assert len(pieces) > 1
    assert all(piece.columns[:2] == (0, 1) for piece in pieces)
    assert sorted({index for piece in pieces for index in piece.columns}) == list(range(8))
    assert all(width_of(piece) <= 80 for piece in pieces)


def test_a_cross_table_repeats_numbers_and_names() -> None:
    headings = ("", "player", *map(str, range(1, 31)))
    rows = [(str(n), f"Player {n}", *["50"] * 30) for n in range(1, 31)]
    pieces = lay_out(headings, rows, 80)
    assert len(pieces) > 1
    assert all(piece.columns[:2] == (0, 1) for piece in pieces)


def test_a_word_that_no_page_can_hold_is_folded() -> None:
    pieces = lay_out(("check", "found"), [("folder", "x" * 200)], 80)
    assert [width_of(piece) for piece in pieces] == [80]


@pytest.mark.parametrize(("text", "length"), [("", 0), ("棋士", 4), ("e\u0301", 1), ("(1)\n0.55\n+30", 4)])
def test_places_on_a_line(text: str, length: int) -> None:
    assert cell_length(text) == length


def test_no_word_of_the_recipes_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["recipes"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for recipe in NAMED.values():
        assert re.search(rf"^ {re.escape(recipe.name)} ", out, re.MULTILINE)
        assert set(recipe.meaning.split()) <= set(out.split())


def test_every_cell_of_a_wide_table_is_printed_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    cells = [f"26{n:02} (2233-2826)" for n in range(6)]
    columns = ("player", *(f"method{n}" for n in range(6)))
    print_table(Words("By method", columns, [("Stockfish 2600", *cells)], "end"))
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert all(cell in out for cell in cells)
    assert out.count("Stockfish 2600") == 2
    assert out.count("By method") == out.count("end") == 1


def test_the_ends_of_an_interval_stand_beside_their_number() -> None:
    row = {"player": "Ann", "mean_gain": -0.3881, "mean_gain_low": -0.5, "mean_gain_high": -0.25}
    answer = Rows("Gain", [row])
    (table,) = answer.words()
    assert list(table.columns) == ["player", "mean gain"]
    assert list(table.rows) == [["Ann", "-0.388 (-0.5 to -0.25)"]]
    assert list(answer.rows()[0]) == list(row)


def test_a_year_is_not_written_as_a_number() -> None:
    (table,) = Rows("Years", [{"year": 1975, "moves": 1975}]).words()
    assert list(table.rows) == [["1975", 1975]]
