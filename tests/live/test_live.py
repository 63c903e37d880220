"""A game as it is being played: the file that grows."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.answers.ratings import Rating, with_combined
from assay.decisions.evaluation import MATE
from assay.engine.run import Outcome
from assay.engine.search import AloneRow, AnalysisRow
from assay.errors import InputError
from assay.live.analysis import LiveAnalysis, known_after
from assay.live.game import GameAnalysis, GameSoFar, follow, read_game
from assay.models.gain import GainModel
from assay.rating.calibration import Calibration
from assay.rating.pipeline import LEAST_DECISIONS, rate_decisions
from examples.gain_examples import BYRNE, FISCHER, annotated_pgn
from examples.milepost_games import milepost_games


@pytest.mark.parametrize(
    ("content", "number", "message"),
    [
        ("", None, "there is no game in"),
        ('[White "A"]\n\n1. e4 *\n', 2, "no game 2"),
        ('[White "A"]\n[Variant "Chess960"]\n\n1. e4 *\n', None, "usual rules"),
        ('[White "A"]\n[FEN "garbage"]\n\n1. e4 *\n', None, "not possible"),
        ('[White "A"]\n[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *\n', None, "not possible"),
    ],
)
def test_files_without_the_game_are_clear_errors(
    tmp_path: Path, content: str, number: int | None, message: str
) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_game(path, number)


def test_the_last_game_of_a_file_is_the_one(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[White "A"]\n\n1. e4 *\n\n[White "B"]\n\n1. d4 *\n')
    assert read_game(path).record.white_name == "B"
    assert read_game(path, 1).record.white_name == "A"


def script(path: Path, steps: list[str | None]) -> Callable[[float], None]:
    """Instead of sleeping: write the next content; None takes the file away."""
    left = iter(steps)

    def sleep(_: float) -> None:
        content = next(left)
        if content is None:
            path.unlink()
        else:
            path.with_suffix(".new").write_text(content)
            path.with_suffix(".new").replace(path)

    return sleep


def test_following_a_broadcast(tmp_path: Path) -> None:
    path = tmp_path / "live.pgn"
    one, two, end = annotated_pgn(10, "*"), annotated_pgn(12, "*"), annotated_pgn(12, "1/2-1/2")
    half = one[: one.index("3... Bg7") + 4]
    corrected = annotated_pgn(9, "*")
    steps: list[str | None] = ["", half, one, one, None, two, corrected, two, end]
    seen: list[GameSoFar] = list(follow(path, sleep=script(path, steps)))
    assert [len(game.moves) for game in seen] == [5, 10, 12, 9, 12, 12]
    assert [game.record.result for game in seen] == [None] * 5 + [0.5]


# Decisions of a game under way: each position is asked about once, the played move when it is known.

LISTED = ("g1f3", "g8f6", "c2c4")
TRACE = ((7, "c2c4", 20), (8, "g1f3", 10))


class Asked:
    """Lists some moves, all worth ten; remembers what it was asked."""

    recipe_id = "asked"

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.alone: list[tuple[str, str]] = []
        self.histories: list[str] = []

    def analyse(
        self, position_key: str, history: str, played: str | None = None, depth: int | None = None
    ) -> Outcome:
        self.histories.append(history)
        found = Outcome()
        if depth is None:
            self.lines.append(position_key)
            empty = AnalysisRow.without_options(position_key)
            found.rows.append(
                empty._replace(n_legal=20, depth=8, moves=LISTED, values=(10, 10, 10), trace=TRACE)
            )
        if played is not None and played not in LISTED:
            self.alone.append((position_key, played))
            found.alone.append(AloneRow(position_key, played, -50, 8, 1, 0.0))
        return found


def test_positions_are_asked_about_once(pgn: Path) -> None:
    asked = Asked()
    analysis = GameAnalysis(asked)
    pgn.write_text(annotated_pgn(plies=4, result="*"))
    first = analysis.decisions(read_game(pgn))
    assert len(asked.lines) == 5
    assert [move for _, move in asked.alone] == ["g7g6"]
    assert asked.histories[2] == "startpos moves g1f3 g8f6"
    pgn.write_text(annotated_pgn(plies=5, result="*"))
    second = analysis.decisions(read_game(pgn))
    assert len(asked.lines) == 6  # the new position
    assert [move for _, move in asked.alone] == ["g7g6", "b1c3"]  # and the move that was not known before
    analysis.decisions(read_game(pgn))
    assert len(asked.histories) == 7
    assert (len(first), len(second)) == (4, 5)
    assert second.players == ["black", "white"]
    assert second.played_value.tolist() == [10, 10, 10, -50, -50]
    assert second.text("exclusion") == [None] * 5  # asked for by name: too short, and rated all the same


def test_decisions_have_the_trace_that_two_of_the_methods_of_rate_read(pgn: Path) -> None:
    pgn.write_text(annotated_pgn(plies=4, result="*"))
    found = GameAnalysis(Asked()).decisions(read_game(pgn)).table()
    assert found["trace_depth"].to_pylist() == [[7, 8]] * 4
    assert found["trace_value"].to_pylist() == [[20, 10]] * 4


def test_a_game_without_moves_has_no_decisions(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n*\n')
    assert len(GameAnalysis(None).decisions(read_game(path))) == 0


# Both players after every move: the rating of `rate`, the paper's number only where it is asked for.

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


# The rating after a move is the one that `rate` has of the game up to there.


def _numbers(rating: Rating) -> tuple[float, float, float]:
    return rating.elo, rating.low, rating.high


def test_after_a_move_it_is_the_rating_of_the_game_so_far(calibration: Calibration) -> None:
    game = milepost_games([2200], seed=31, games=1, games_each=1)
    plies = [20, 45, 69]
    found = known_after(game, plies, calibration)
    assert found[0].combined is None
    assert found[0].decisions < LEAST_DECISIONS
    for ply, known in zip(plies[1:], found[1:], strict=True):
        so_far = game.take(np.arange(ply + 1))
        players, _ = rate_decisions(so_far, calibration, min_decisions=1)
        [one] = [player for player in players if player.player == game.text("player")[ply]]
        assert known.decisions == one.decisions
        assert known.ratings.keys() == {*one.ratings, "combined"}
        for name, rating in with_combined(one).items():
            assert _numbers(known.ratings[name]) == pytest.approx(_numbers(rating), abs=0.01)
        assert known.measures == {}
        model = calibration.models["bayes"]
        own = so_far.select(player=one.player)
        assert known.skill == model.estimate(model.profile(own))["c"]
    assert found[0].skill is None


def test_without_a_calibration_there_are_measures() -> None:
    game = milepost_games([2200], seed=31, games=1, games_each=1)
    early, late = known_after(game, [10, 69], None)
    assert early.measures == {}
    assert late.ratings == {}
    players, _ = rate_decisions(game, None)
    [one] = [player for player in players if player.player == game.text("player")[69]]
    assert late.measures.keys() == one.measures.keys()
    assert all(
        found.value == pytest.approx(one.measures[name].value) for name, found in late.measures.items()
    )
    assert late.skill is not None
    assert late.skill.value == late.measures["bayes"].value
    assert known_after(game, [], None) == []
