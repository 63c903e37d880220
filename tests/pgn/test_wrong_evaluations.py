"""Evaluations that are not what they should be: seen, put right and said."""

import io

import pytest

from assay.pgn.comments import ABSURD, MOVERS_VIEW, UNSIGNED_MATES, doubts_in_words
from assay.pgn.reader import Batch, read_games

GAME = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7"
MOVES = GAME.split()
VALUES = [20, 30, 25, 40, 60, 80, 90, 120, 100, 130, 150, 160, 140, 170, 200, 220, 210, 260, 280, 300]


def read(values: list[str], result: str = "1-0") -> Batch:
    """A game with these evaluations behind its moves, as written."""
    pairs = zip(MOVES, values, strict=True)
    text = " ".join(f"{move} {{ [%eval {value}] }}" if value else move for move, value in pairs)
    (batch,) = read_games(io.BytesIO(f'[Result "{result}"]\n\n{text} {result}\n'.encode()), "x")
    return batch


def white(batch: Batch) -> list[int]:
    """What was read, from White's view: mates as so many thousands."""
    rows = batch.annotations_table().to_pylist()
    values = [row["cp"] if row["cp"] is not None else 1000 * (row["mate"] or 0) for row in rows]
    return [value if row["position"] % 2 == 0 else -value for row, value in zip(rows, values, strict=True)]


def pawns(values: list[int]) -> list[str]:
    return [f"{value / 100:.2f}" for value in values]


def test_values_from_whites_view_are_left_as_they_are() -> None:
    batch = read(pawns(VALUES))
    assert not batch.doubts
    assert white(batch) == VALUES


def test_values_from_the_movers_view_are_read_so() -> None:
    # After White's move Black is to move: a value from that mover's view is White's negated.
    batch = read(pawns([-value if place % 2 == 0 else value for place, value in enumerate(VALUES)]))
    assert list(batch.doubts.values()) == [MOVERS_VIEW]
    assert white(batch) == VALUES


def test_even_games_are_read_as_the_others_of_the_file() -> None:
    """An even game does not tell its view; beside one that does, it is taken for the same."""

    def text(values: list[int], name: str) -> str:
        pairs = zip(MOVES, pawns(values), strict=True)
        moves = " ".join(f"{move} {{ [%eval {value}] }}" for move, value in pairs)
        return f'[White "{name}"]\n[Result "1-0"]\n\n{moves} 1-0\n\n'

    even = [10, 12] * 10
    movers = [-value if place % 2 == 0 else value for place, value in enumerate(VALUES)]
    for others, expected in ((movers, 2), (VALUES, 0)):
        (batch,) = read_games(io.BytesIO((text(others, "A") + text(even, "B")).encode()), "x")
        assert len(batch.doubts) == expected
        second = batch.annotations_table([1])["cp"].to_pylist()
        assert second[:2] == ([10, 12] if expected else [-10, 12])


def test_even_games_and_few_values_are_not_judged() -> None:
    assert not read(pawns([5 if place % 2 else -5 for place in range(20)])).doubts
    few = [value if place > 12 else "" for place, value in enumerate(pawns([-300, 300] * 10))]
    assert not read(few).doubts


def test_mates_without_a_sign_are_blacks_where_black_won() -> None:
    lost = [-value for value in VALUES]
    written = [*pawns(lost[:18]), "#4", "#3"]
    batch = read(written, "0-1")
    assert list(batch.doubts.values()) == [UNSIGNED_MATES]
    assert white(batch) == [*lost[:18], -4000, -3000]
    signed = read([*pawns(lost[:18]), "#-4", "#-3"], "0-1")
    assert not signed.doubts
    assert white(signed) == white(batch)


def test_absurd_values_are_not_read() -> None:
    batch = read([str(value) for value in (2000, 3000) * 10])  # centipawns, or worse
    assert list(batch.doubts.values()) == [ABSURD]
    assert batch.annotations_table()["cp"].null_count == batch.annotations_table().num_rows


@pytest.mark.parametrize("value", ["99999", "#9999", "-99999.5", "abc", "nan", "#", "1e9"])
def test_a_single_absurd_value_does_no_harm(value: str) -> None:
    written = pawns(VALUES)
    written[7] = value
    assert not read(written).doubts


def test_what_was_found_is_said_in_sentences() -> None:
    assert doubts_in_words({MOVERS_VIEW: 1, ABSURD: 2000, UNSIGNED_MATES: 0}) == [
        "evaluations of 2,000 of the games are absurd (beyond ten pawns in the opening): not read",
        "evaluations of 1 of the games are from the mover's view, not White's: read so",
    ]
