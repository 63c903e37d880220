import chess
import pytest

from assay.agent.board import GameBoard

BACK = ["g1f3", "g8f6", "f3g1", "f6g8"]


def played(moves: list[str], fen: str | None = None) -> GameBoard:
    game = GameBoard.start(fen)
    for move in moves:
        game.play(move)
    return game


def test_the_key_is_that_of_analyses() -> None:
    assert played(["e2e4"]).key == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    # En passant is part of the position only where it can be played.
    assert played(["e2e4", "a7a6", "e4e5", "d7d5"]).key.endswith("d6")


def test_a_third_repetition_is_seen_before_it_is_on_the_board() -> None:
    game = played(BACK + BACK[:3])
    assert game.drawn() == {"f6g8"}
    game.play("f6g8")
    assert game.result() == "1/2-1/2"
    assert played(BACK[:3]).drawn() == frozenset()


def test_a_capture_or_a_pawn_move_ends_what_could_be_repeated() -> None:
    game = played([*BACK, *BACK[:3], "e7e5"])
    assert max(game.seen.values()) == 1
    assert game.drawn() == frozenset()


def test_the_fiftieth_move() -> None:
    game = GameBoard.start("8/8/8/3k4/8/8/P7/R3K3 w - - 99 80")
    assert "a1a1" not in game.drawn()
    assert {"a1b1", "e1e2"} <= game.drawn()
    assert not {"a2a3", "a2a4"} & game.drawn()
    game.play("a1b1")
    assert game.result() == "1/2-1/2"


@pytest.mark.parametrize(
    ("fen", "result"),
    [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "1-0"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "1/2-1/2"),
        ("8/8/8/3k4/8/8/8/3BK3 w - - 0 1", "1/2-1/2"),
        (chess.STARTING_FEN, None),
    ],
)
def test_how_games_end(fen: str, result: str | None) -> None:
    assert GameBoard.start(fen).result() == result


def test_a_bare_king_is_the_opponents() -> None:
    assert GameBoard.start("8/8/8/3k4/8/8/8/R3K3 w - - 0 1").bare_king
    assert not GameBoard.start("8/8/8/3k4/8/8/8/R3K3 b - - 0 1").bare_king


def test_an_illegal_move_is_refused() -> None:
    with pytest.raises(ValueError, match="not legal"):
        played(["e2e5"])


def test_legal_moves_are_sorted_and_plies_counted() -> None:
    game = played(["e2e4"])
    assert game.legal == sorted(game.legal)
    assert len(game.legal) == 20
    assert game.ply == 1


def test_the_opening_is_the_first_turns_of_a_game() -> None:
    game = GameBoard.start()
    assert game.opening
    for _ in range(4):
        for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
            game.play(move)
    assert not game.opening  # turn 9
    assert not GameBoard.start("8/5k2/8/8/8/8/P7/4K3 w - - 0 1").opening
