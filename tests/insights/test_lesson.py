import io
from dataclasses import replace

import chess.pgn
import numpy as np
import pytest

from assay.answers.insights import Lesson, Moment
from assay.errors import InputError
from assay.insights.lesson import KINDS, lesson_of, lesson_pgn
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
    assert "Of 100 players rated 1800, 97 do better; of those rated 2000, 99" in " ".join(
        played.comment.split()
    )
    assert find.headers["Black"] == "Pupil, Pat"
    assert find.variations[0].nags == {chess.pgn.NAG_GOOD_MOVE}
    assert find.board().fullmove_number == 3


def test_what_is_not_chess_is_left_out() -> None:
    odd = replace(LESSON, moments=(replace(MISS, position_key="a node"), replace(MISS, played="a1a8")))
    assert "Event" not in lesson_pgn(odd)
    assert "fell from 60% to 30%" in LESSON.told(MISS)


def test_the_year_is_not_said_twice() -> None:
    assert '(Club "evening", 2021)' in MISS.in_words
    assert "(Open 2021)" in replace(MISS, event="Open 2021").in_words
