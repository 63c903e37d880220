"""Analysed games as PGN, which read back give the same decisions; other sources of analyses."""

import dataclasses
import io
import json
import math
from importlib import resources

import chess.pgn
import pytest
import zstandard

from assay.analysis.recipe import NAMED
from assay.errors import InputError
from assay.workspace import Workspace

RECIPE = dataclasses.replace(NAMED["standard"], lines=4)
EXAMPLE = str(resources.files("assay") / "examples" / "game_of_the_century.pgn")


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


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
AFTER_NF3 = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -"
EVALUATIONS = [
    {"fen": "8/8/8/8/8/8/8/K1k5 w - -", "evals": []},
    {
        "fen": START,
        "evals": [
            {
                "pvs": [{"cp": 30, "line": "e2e4 e7e5"}, {"cp": 25, "line": "d2d4"}],
                "knodes": 200,
                "depth": 30,
            },
            {"pvs": [{"cp": 33, "line": "e2e4"}], "knodes": 9000, "depth": 50},
        ],
    },
    {"fen": AFTER_NF3, "evals": [{"pvs": [{"mate": -3, "line": "e7e5"}], "knodes": 1, "depth": 9}]},
]


def lines(objects):
    return "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in objects).encode()


@pytest.mark.parametrize("packed", [False, True])
def test_lichess_evaluations_as_analyses(tmp_path, packed):
    workspace = Workspace(tmp_path / "w")
    workspace.import_games(EXAMPLE)
    path = tmp_path / "evaluations.jsonl"
    path.write_bytes(zstandard.compress(lines(EVALUATIONS)) if packed else lines(EVALUATIONS))
    assert workspace.import_evaluations(path) == 2
    assert workspace.import_evaluations(path) == 0
    rows = {row["position_key"]: row for row in workspace.table_analyses.read().to_pylist()}
    first = rows[START]
    assert (first["moves"], first["cp"], first["depth"]) == (["e2e4", "d2d4"], [30, 25], 30)
    assert (first["nodes"], first["n_legal"]) == (200_000, 20)
    # White is mated in three: Black, who moves, mates.
    assert rows[AFTER_NF3]["mate"] == [3]
    decisions = workspace.decisions("lichess")
    assert decisions.numbers("before")[0] == 30
    assert decisions.numbers("after")[0] == -(32_000 - 3)


def test_castling_is_the_kings_move():
    from assay.ingest.lichess_evaluations import read_evaluations

    key = "4k3/8/8/8/8/8/8/4K2R w K -"
    text = lines([{"fen": key, "evals": [{"pvs": [{"cp": 500, "line": "e1h1"}], "knodes": 1, "depth": 9}]}])
    (table,) = read_evaluations(io.BytesIO(text), {key})
    assert table["moves"].to_pylist() == [["e1g1"]]


def test_a_file_that_is_something_else_is_one_clear_error(tmp_path):
    workspace = Workspace(tmp_path / "w")
    workspace.import_games(EXAMPLE)
    path = tmp_path / "other.txt"
    path.write_text("not JSON\n")
    with pytest.raises(InputError, match="line 1 is not JSON"):
        workspace.import_evaluations(path)
