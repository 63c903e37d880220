"""Both players after every move: the rating of `rate`, the paper's number only where it is asked for."""

import math
from pathlib import Path

import pytest

from assay.decisions.evaluation import MATE
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.models import GainModel
from examples.gain_examples import BYRNE, FISCHER, annotated_pgn

PAPER = GainModel(engine_profile="peak", engine_strength=2860)


def test_the_paper_from_a_file_with_comments(pgn: Path) -> None:
    live = LiveAnalysis(None, perceived=PAPER).update(read_game(pgn))
    assert live.players == (BYRNE, FISCHER)
    assert len(live.moves) == 82
    assert live.scale is None
    last = {white: live.of(white)[-1] for white in (True, False)}
    assert [round(last[white].perceived.strength) for white in (True, False)] == [2675, 2817]
    end = live.moves[-1]
    assert (end.turn, end.white, end.san, end.value, end.gain) == (41, False, "Rc2#", -MATE, 0)
    assert end.mean_gain == pytest.approx(9.4, abs=0.05)  # Figure 1 of the paper
    assert end.measures["gain"].value == pytest.approx(0.094, abs=0.0005)


def test_nothing_is_perceived_unless_asked_for(pgn: Path) -> None:
    live = LiveAnalysis(None).update(read_game(pgn))
    assert all(move.perceived is None and move.combined is None for move in live.moves)
    assert live.engine_strength is None


def test_a_game_from_a_position_in_which_black_moves(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(
        '[White "A"]\n[Black "B"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 5"]\n\n'
        "{ [%eval 0.50] } 5... Kd7 { [%eval 0.70] } 6. Kd2 { [%eval 0.60] } *\n"
    )
    live = LiveAnalysis(None).update(read_game(path))
    assert [(move.turn, move.player, move.gain) for move in live.moves] == [(5, "B", -20), (6, "A", -10)]
    assert [move.value for move in live.moves] == [70, 60]


def test_comments_that_are_missing_leave_the_gain_unknown(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 { [%eval 0.3] } Nc6 { [%eval 0.3] } *\n')
    live = LiveAnalysis(None, perceived=PAPER).update(read_game(path))
    assert [math.isnan(move.gain) for move in live.moves] == [True, True, True, False]
    assert [math.isnan(move.perceived.strength) for move in live.moves] == [True, True, True, False]


def test_players_of_one_name_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(annotated_pgn().replace(FISCHER, BYRNE))
    live = LiveAnalysis(None).update(read_game(path))
    white, black = (live.of(side)[-1].measures["gain"].value for side in (True, False))
    assert white < 0 < black


def test_evaluations_that_come_later_count(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    analysis = LiveAnalysis(None)
    whole = annotated_pgn()
    path.write_text(whole[: whole.index("Rc2#")].rsplit("{", 1)[0] + "41... Rc2# *\n")
    before = analysis.update(read_game(path))
    path.write_text(whole)
    after = analysis.update(read_game(path))
    assert math.isnan(before.moves[-2].gain)
    assert after.moves[-2].gain == 0
    assert after.of(True)[-1].measures != before.of(True)[-1].measures
