"""Analysed games as PGN, which read back give the same decisions; other sources of analyses."""

import dataclasses
import io
import math
from importlib import resources

import chess.pgn
import pytest

from assay.engine.recipe import NAMED
from assay.errors import InputError
from assay.workspace import Workspace
from assay.workspace.export import written_duration

RECIPE = dataclasses.replace(NAMED["standard"], lines=4)


EXAMPLE = str(resources.files("assay") / "data" / "examples" / "game_of_the_century.pgn")


@pytest.fixture
def analysed(tmp_path, scripted):
    workspace = Workspace(tmp_path / "analysed")
    workspace.import_games(EXAMPLE)
    workspace.analyse(RECIPE, engine=scripted(), jobs=1)
    return workspace


def read_back(workspace, form, tmp_path):
    path = tmp_path / f"{form}.pgn"
    assert workspace.export_pgn(path, form=form) == 1
    again = Workspace(tmp_path / form)
    again.import_games(path)
    return path, workspace.decisions(workspace.recipe_id()), again.decisions("annotations")


def same(ours, theirs):
    return len(ours) == len(theirs) and all(
        (math.isnan(a) and math.isnan(b)) or a == b for a, b in zip(ours, theirs, strict=True)
    )


@pytest.mark.parametrize("form", ["lichess", "alliot"])
def test_values_before_and_after_come_back(analysed, tmp_path, form):
    _, written, read = read_back(analysed, form, tmp_path)
    assert written.text("played") == read.text("played")
    for column in ("ply", "before", "after", "depth"):
        assert same(written.numbers(column), read.numbers(column)), column


def test_alliot_keeps_every_option(analysed, tmp_path):
    _, written, read = read_back(analysed, "alliot", tmp_path)
    assert len(written) == 82
    for row in range(len(written)):
        assert dict(written.options(row)) == dict(read.options(row))
    assert same(written.played_value, read.played_value)
    assert same(written.best_value, read.best_value)


@pytest.mark.parametrize("form", ["lichess", "alliot"])
def test_other_programs_can_read_it(analysed, tmp_path, form):
    path, written, _ = read_back(analysed, form, tmp_path)
    game = chess.pgn.read_game(io.StringIO(path.read_text()))
    assert game.errors == []
    assert [move.uci() for move in game.mainline_moves()] == written.text("played")
    if form == "lichess":
        nodes = list(game.mainline())
        assert [-node.eval().pov(node.turn()).score() for node in nodes[:-1]] == list(
            written.numbers("after")[:-1]
        )


def test_an_unknown_form_is_refused(analysed):
    with pytest.raises(InputError, match="choose lichess or alliot"):
        analysed.export_pgn(None, form="chessbase")


def test_recipes_are_known_by_name_and_by_id(analysed, scripted):
    first = analysed.recipe_id()
    assert analysed.recipe_id("standard") == analysed.recipe_id(first) == first
    analysed.analyse(dataclasses.replace(RECIPE, lines=2), engine=scripted(), jobs=1)
    with pytest.raises(InputError, match=r"several recipes.*\(standard, Scripted 1\)"):
        analysed.recipe_id("standard")
    with pytest.raises(InputError, match="none of 'deep'"):
        analysed.recipe_id("deep")


CLOCKED = (
    '[Event "Open"]\n[White "Able, Ann"]\n[Black "Baker, Bob"]\n[TimeControl "5400+3"]\n[Result "1-0"]\n\n'
    + " ".join(
        f"{ply // 2 + 1}{('.', '...')[ply % 2]} {move} {{ [%clk 1:0{4 - ply // 20}:{59 - ply % 20}.5] }}"
        for ply, move in enumerate((["Nf3", "Nf6", "Ng1", "Ng8"] * 11)[:42])
    )
    + " 1-0\n"
)


@pytest.mark.parametrize("form", ["lichess", "alliot"])
def test_clocks_come_back(tmp_path, scripted, form):
    path = tmp_path / "clocked.pgn"
    path.write_text(CLOCKED)
    workspace = Workspace(tmp_path / "analysed")
    workspace.import_games(path)
    workspace.analyse(RECIPE, engine=scripted(), jobs=1)
    _, written, read = read_back(workspace, form, tmp_path)
    for column in ("seconds_before", "seconds_spent", "seconds_left", "before", "after"):
        assert same(written.numbers(column), read.numbers(column)), column
    assert written.numbers("seconds_left")[:3].tolist() == [3899.5, 3898.5, 3897.5]
    assert written.numbers("seconds_spent")[2:4].tolist() == [5, 5]


@pytest.mark.parametrize(
    ("seconds", "written"), [(0, "0:00:00"), (12.5, "0:00:12.5"), (5405, "1:30:05"), (59.999, "0:01:00")]
)
def test_durations_are_written_as_others_write_them(seconds, written):
    assert written_duration(seconds) == written
