from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from assay.answers.ratings import Rating
from assay.live.analysis import Known, LiveAnalysis
from assay.live.game import read_game
from assay.web.game_figure import game_figure


def test_the_strips_and_where_their_axis_is(pgn: Path) -> None:
    live = LiveAnalysis(None).update(read_game(pgn))
    lost = [0.3 if move.ply == 33 else None for move in live.moves]
    figure = game_figure(live, lost)
    root = ElementTree.fromstring(figure.svg())
    assert root.get("data-plies") == "82"
    assert float(root.get("data-left") or 0) < float(root.get("data-right") or 0)
    assert "The dearest move was 17..." in figure.description
    assert "30%" in figure.description
    assert "Strength" not in figure.svg()  # without a scale nothing is an Elo


def test_strengths_where_there_is_a_scale(pgn: Path) -> None:
    live = LiveAnalysis(None).update(read_game(pgn))
    rating = Rating("combined", 2400.0, low=2100.0, high=2700.0, decisions=20, games=1)
    moves = tuple(
        replace(one, known=Known(20, {"combined": rating}) if one.ply > 40 else Known()) for one in live.moves
    )
    figure = game_figure(replace(live, moves=moves, scale="FIDE Elo"), [None] * len(moves))
    assert "Strength so far (FIDE Elo)" in figure.svg()
    assert figure.description.count("at the end: 2400 (2100 to 2700)") == 2


def test_a_game_without_moves(tmp_path: Path) -> None:
    path = tmp_path / "empty.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n*\n')
    live = LiveAnalysis(None).update(read_game(path))
    assert "0 plies" in game_figure(live, []).description
