"""Moves as small integers, against the words they stand for."""

import chess
import numpy as np
import pyarrow as pa

from assay.decisions.move_codes import decode, encode, from_squares, vocabulary


def test_every_code_has_its_word_and_back() -> None:
    codes = np.arange(len(vocabulary()), dtype=np.int16)
    assert len(vocabulary()) == 5 * 64 * 64
    assert (encode(decode(codes)) == codes).all()


def test_codes_are_made_of_squares_and_promotion() -> None:
    moves = [chess.Move.from_uci(one) for one in ("a1a2", "e2e4", "h7h8q", "a7b8n", "h8a1")]
    codes = from_squares(
        np.array([move.from_square for move in moves]),
        np.array([move.to_square for move in moves]),
        np.array([(move.promotion or 1) - 1 for move in moves], np.int16),
    )
    assert decode(codes).to_pylist() == [move.uci() for move in moves]
    assert (encode(pa.array([move.uci() for move in moves])) == codes).all()


def test_what_is_no_move() -> None:
    assert encode(pa.array(["e2e4", "castle", "", None, "e2e9"])).tolist()[1:] == [-1] * 4
