"""Board diagrams, and moves in words."""

import chess

from assay.figures.board import diagram, in_words

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def test_moves_that_are_not_legal_are_shown_as_written() -> None:
    assert in_words(START, "e2e5") == "e2e5"
    assert in_words("somewhere", "m1") == "m1"
    assert diagram("somewhere", "m1", "m2") == ""
    assert diagram("8/8/8/8/8/8/8/8 w - -", "e2e4", "") == ""


def test_the_mover_is_at_the_bottom() -> None:
    board = chess.Board()
    board.push_san("e4")
    white, black = (diagram(" ".join(b.fen().split()[:4]), "", "") for b in (chess.Board(), board))
    assert white != black


def test_a_diagram_is_an_address_with_both_arrows() -> None:
    made = diagram(START, "f2f3", "e2e4")
    assert made.startswith("data:image/svg+xml,")
    assert "#" not in made  # which would end the picture
    assert made.count("b3122b") >= 1
    assert made.count("12a67a") >= 1
