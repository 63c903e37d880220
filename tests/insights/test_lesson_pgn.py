import io

import chess.pgn

from assay.answers.insights import Lesson, Moment
from assay.insights.lesson_pgn import lesson_pgn, told

MISS = Moment(
    kind="easy miss",
    game="g",
    turn=12,
    colour="white",
    opponent="Rival, Ray",
    event='Club "evening"',
    year=2021,
    position_key="r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -",
    played="f3e5",
    better="f1b5",
    lost=0.3,
    before=0.6,
    of_100=97,
    of_100_next=99,
    link="https://example.org/g",
)
FIND = Moment(
    kind="good find",
    game="g",
    turn=3,
    colour="black",
    opponent="",
    event="",
    year=None,
    position_key="r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq -",
    played="g8f6",
    better="g8f6",
    of_100=12,
    of_100_next=20,
)
LESSON = Lesson(player="Pupil, Pat", elo=1800, games=2, decisions=80, moments=(MISS, FIND))


def test_any_program_reads_it() -> None:
    text = io.StringIO(lesson_pgn(LESSON))
    miss, find = chess.pgn.read_game(text), chess.pgn.read_game(text)
    assert miss is not None
    assert find is not None
    assert chess.pgn.read_game(text) is None
    assert not miss.errors
    assert miss.headers["White"] == "Pupil, Pat"
    assert miss.headers["Site"] == "https://example.org/g"
    better, played = miss.variations
    assert better.san() == "Bb5"
    assert (played.san(), played.nags) == ("Nxe5", {chess.pgn.NAG_BLUNDER})
    assert "Of 100 players of 1800, 97 do plainly better; of 2000, 99" in " ".join(played.comment.split())
    assert find.headers["Black"] == "Pupil, Pat"
    assert find.variations[0].nags == {chess.pgn.NAG_GOOD_MOVE}
    assert find.board().fullmove_number == 3


def test_what_is_not_chess_is_left_out() -> None:
    from dataclasses import replace

    odd = replace(LESSON, moments=(replace(MISS, position_key="a node"), replace(MISS, played="a1a8")))
    assert "Event" not in lesson_pgn(odd)
    assert "30% of the expectation (60% to 30%)" in told(LESSON, MISS)
