"""The strength of both players after every move, drawn."""

from dataclasses import replace
from pathlib import Path

from assay.answers.ratings import Rating
from assay.figures import files
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.live.ratings import Known
from assay.models import GainModel
from assay.report.live_figure import live_figure
from examples.gain_examples import FISCHER


def test_the_figure_is_one_file_with_both_players(pgn: Path) -> None:
    text = pgn.read_text().replace(FISCHER, "<script>alert(1)</script>")
    pgn.write_text(text)
    page = files.page(live_figure(LiveAnalysis(None, perceived=GainModel()).update(read_game(pgn))))
    assert "Byrne, Donald" in page
    assert (
        page.count("all moves so far on one side") == page.count('beyond-below"') == 6
    )  # minus infinity is drawn at the edge
    assert "<script>alert" not in page
    assert 'src="http' not in page


def test_the_figure_of_a_game_without_moves_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n*\n')
    figure = live_figure(LiveAnalysis(None, perceived=GainModel()).update(read_game(path)))
    svg = figure.svg()
    assert "Perceived difference to the engine (not Elo)" in svg
    assert "Mean gain (pawns)" in live_figure(LiveAnalysis(None).update(read_game(path))).svg()


def test_a_rating_is_drawn_on_its_scale(pgn: Path) -> None:
    live = LiveAnalysis(None).update(read_game(pgn))
    rating = Rating("combined", 2200, low=1900, high=2500, decisions=20, games=1)
    rated = [replace(move, known=Known(20, {"combined": rating})) for move in live.moves[40:]]
    page = files.page(live_figure(replace(live, moves=(*live.moves[:40], *rated), scale="made")))
    assert "Rating (made)" in page
    assert page.count("2200 (1900 to 2500)") == 42  # moves before are too early, and not drawn
