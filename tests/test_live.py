import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.domain.evaluation import MATE
from assay.errors import InputError
from assay.live import GameSoFar, LiveAnalysis, Position, follow, read_game, settled_value
from assay.models import GainModel
from assay.models.live import gains_from_values, running_strength
from assay.report.live_figure import live_figure
from assay.validation.published.gain import game_gains
from decision_tables import make_decisions
from gain_examples import BYRNE, FISCHER, GAME, annotated_pgn


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    path = tmp_path / "game.pgn"
    path.write_text(annotated_pgn())
    return path


# Strength after every move -----------------------------------------------------------------------------


def test_figure_6() -> None:
    """Six moves of Byrne at minus infinity, then up to -185; Fischer begins at 0, ends at -43."""
    byrne, fischer = (running_strength(gains, GainModel()) for gains in game_gains(GAME))
    assert np.isneginf(byrne.strength[:6]).all()
    assert np.isfinite(byrne.strength[6:]).all()
    assert fischer.strength[0] == 0
    assert (np.diff(fischer.strength[:5]) < 0).all()
    assert [round(byrne.strength[-1]), round(fischer.strength[-1])] == [-185, -43]


@pytest.mark.parametrize("engine_profile", ["peak", "measured"])
def test_after_each_move_it_is_the_model_on_the_moves_so_far(engine_profile: str) -> None:
    decisions = make_decisions(games=12)
    model = GainModel(engine_profile=engine_profile, engine_strength=2900)
    if engine_profile == "measured":
        model.measure_engine(decisions)
    one = decisions.select(game="game0", player="Ann")
    gains = one.numbers("after") - one.numbers("before")
    running = running_strength(gains, model)
    for moves in (1, 5, len(one)):
        estimate = model.estimate(model.profile(one.take(np.arange(moves))))
        assert running.expectation[moves - 1] == pytest.approx(estimate["expectation"].value)
        assert running.strength[moves - 1] == pytest.approx(estimate["strength"].value)
        assert running.strength_low[moves - 1] == pytest.approx(estimate["strength"].low)
        assert running.strength_high[moves - 1] == pytest.approx(estimate["strength"].high)


def test_the_interval_narrows_and_holds_the_value() -> None:
    generator = np.random.default_rng(1)
    running = running_strength(generator.integers(-40, 10, 80), GainModel())
    assert (running.low <= running.expectation).all()
    assert (running.expectation <= running.high).all()
    width = running.high - running.low
    assert width[4] > width[19] > width[79]


def test_unknown_gains_do_not_count() -> None:
    known = running_strength([-5.0, 0.0, 3.0], GainModel())
    holes = running_strength([math.nan, -5.0, math.nan, 0.0, 3.0], GainModel())
    assert math.isnan(holes.expectation[0])
    assert holes.expectation[1:].tolist() == known.expectation[[0, 0, 1, 2]].tolist()


def test_gains_of_both_sides_from_values_of_the_movers() -> None:
    white, black = gains_from_values([13, -12, 10, MATE], GainModel())
    assert white.tolist() == [-1, -3910]
    assert black.tolist() == [2]
    first, second = gains_from_values([13, -12, 10], GainModel(), white_starts=False)
    assert (first.tolist(), second.tolist()) == ([2], [-1])


# A file that grows -------------------------------------------------------------------------------------


def test_the_paper_from_a_file_with_comments(pgn: Path) -> None:
    live = LiveAnalysis(GainModel(engine_strength=2860), None).update(read_game(pgn))
    assert live.players == (BYRNE, FISCHER)
    assert len(live.moves) == 82
    assert [round(live.of(white)[-1].strength) for white in (True, False)] == [2675, 2817]
    last = live.moves[-1]
    assert (last.turn, last.white, last.san, last.value, last.gain) == (41, False, "Rc2#", -MATE, 0)


def test_positions_are_evaluated_once(pgn: Path) -> None:
    asked: list[Position] = []

    def evaluate(position: Position) -> float:
        asked.append(position)
        return 10.0

    analysis = LiveAnalysis(GainModel(), evaluate)
    pgn.write_text(annotated_pgn(plies=10, result="*"))
    analysis.update(read_game(pgn))
    assert len(asked) == 11
    pgn.write_text(annotated_pgn(plies=12, result="*"))
    analysis.update(read_game(pgn))
    assert len(asked) == 13
    assert asked[2].history == "startpos moves g1f3 g8f6"


def test_a_game_that_is_over_needs_no_engine() -> None:
    assert settled_value("r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq -") == -MATE
    assert settled_value("7k/5Q2/6K1/8/8/8/8/8 b - -") == 0
    assert settled_value("8/8/4k3/8/8/4K3/8/8 w - -") == 0
    assert settled_value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -") is None


def test_a_game_from_a_position_in_which_black_moves(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(
        '[White "A"]\n[Black "B"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 5"]\n\n'
        "{ [%eval 0.50] } 5... Kd7 { [%eval 0.70] } 6. Kd2 { [%eval 0.60] } *\n"
    )
    live = LiveAnalysis(GainModel(), None).update(read_game(path))
    assert [(move.turn, move.player, move.gain) for move in live.moves] == [(5, "B", -20), (6, "A", -10)]
    assert [move.value for move in live.moves] == [70, 60]


def test_comments_that_are_missing_leave_the_strength_unknown(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 { [%eval 0.3] } Nc6 { [%eval 0.3] } *\n')
    live = LiveAnalysis(GainModel(), None).update(read_game(path))
    assert [math.isnan(move.strength) for move in live.moves] == [True, True, True, False]


@pytest.mark.parametrize(
    ("content", "number", "message"),
    [
        ("", None, "no game yet"),
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


# The figure --------------------------------------------------------------------------------------------


def test_the_figure_is_one_file_with_both_players(pgn: Path) -> None:
    text = pgn.read_text().replace(FISCHER, "<script>alert(1)</script>")
    pgn.write_text(text)
    page = live_figure(LiveAnalysis(GainModel(), None).update(read_game(pgn)))
    assert "Byrne, Donald" in page
    assert "triangle-down" in page  # minus infinity is drawn at the edge
    assert "<script>alert" not in page
    assert 'src="http' not in page


def test_the_figure_of_a_game_without_moves_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n*\n')
    assert "Difference to the engine" in live_figure(LiveAnalysis(GainModel(), None).update(read_game(path)))
