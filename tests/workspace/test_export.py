"""Tables and games for other programs."""

import csv
import dataclasses
import io
import json
import re
from importlib import resources
from pathlib import Path

import chess.pgn
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.answers.answer import csv_cell
from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED
from assay.decisions.measures import expectation
from assay.engine.recipe import NAMED
from assay.engine.trace import changes
from assay.errors import InputError
from assay.models.complexity import indicators
from assay.source import Valuation, open_source
from assay.workspace import Workspace
from assay.workspace.export import Shares, export_table
from examples import SIMULATED
from examples.gain_examples import annotated_pgn


def test_exports(workspace: Workspace, examples: Path, tmp_path: Path, dirty: Path) -> None:
    workspace.import_games([examples, dirty / "formula_names.pgn"])
    assert workspace.export("games", "parquet", tmp_path / "g.parquet") == 30
    assert pq.read_table(tmp_path / "g.parquet").num_rows == 30
    workspace.export("games", "csv", tmp_path / "g.csv")
    text = (tmp_path / "g.csv").read_text()
    assert text.splitlines()[0].startswith("game_id,event")
    assert "'=cmd" in text  # a spreadsheet must not take a name for a formula
    assert ",=cmd" not in text
    workspace.export("games", "jsonl", tmp_path / "g.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "g.jsonl").read_text().splitlines()]
    assert rows[0]["white"] == workspace.games()["white"][0].as_py()
    for arguments, message in {
        ("ratings", "csv"): "nothing in .* has been rated",
        ("decisions", "csv"): "run assay analyse",
        ("shoes", "csv"): "no table 'shoes'",
        ("games", "xml"): "unknown format",
    }.items():
        with pytest.raises(InputError, match=message):
            workspace.export(*arguments, tmp_path / "x")
    with pytest.raises(InputError, match="name a file"):
        workspace.export("games", "parquet", None)
    with pytest.raises(InputError, match="there is no folder"):
        workspace.export("games", "csv", tmp_path / "absent" / "x.csv")


def test_decisions_of_the_games_own_comments(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(annotated_pgn())
    workspace.import_games(tmp_path / "g.pgn")
    rows = workspace.export("decisions", "csv", tmp_path / "d.csv", recipe=ANNOTATED)
    assert rows == len(workspace.decisions(ANNOTATED))
    written = (tmp_path / "d.csv").read_text()
    for asked in (["--evaluations", "file"], []):  # nothing is analysed: auto means the comments
        out = tmp_path / "o.csv"
        assert main(["export", "decisions", str(workspace.path), *asked, "-o", str(out)]) == 0
        assert out.read_text() == written
    plain = Workspace(tmp_path / "plain")
    plain.import_games(SIMULATED)
    with pytest.raises(InputError, match="no evaluations in their comments"):
        plain.export("decisions", "csv", tmp_path / "x.csv", recipe=ANNOTATED)


# Tables for other programs: every format reads back, and no name becomes a formula.

TABLE = pa.table({"name": ["Ann", "=1+1", None], "n": [1, 2, 3], "moves": [["e2e4", None], [], None]})


def test_csv_to_a_file_and_to_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export_table(TABLE, "csv", tmp_path / "t.csv")
    export_table(TABLE, "csv", None)
    text = (tmp_path / "t.csv").read_text(encoding="utf-8")
    assert capsys.readouterr().out == text
    rows = list(csv.reader(text.splitlines()))
    assert rows == [["name", "n", "moves"], ["Ann", "1", '["e2e4", null]'], ["'=1+1", "2", ""], ["", "3", ""]]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        *((text, f"'{text}") for text in ("=1", "+1", "-1", "@x", "\tx", "\rx")),  # no text is a formula
        *((value, value) for value in (-1.5, 0, "a-b")),
        (None, ""),
        (["a", 1], '["a", 1]'),
        ([12, None, -3], "[12, null, -3]"),
        ([None, None], "[null, null]"),
        (["e2e4", "d2d4"], "e2e4 d2d4"),
    ],
)
def test_cells_of_csv(value: object, cell: object) -> None:
    assert csv_cell(value) == cell


# Analysed games as PGN, which read back give the same decisions; other sources of analyses.

RECIPE = dataclasses.replace(NAMED["standard"], lines=4)


EXAMPLE = str(resources.files("assay") / "data" / "examples" / "game_of_the_century.pgn")


@pytest.fixture
def annotated(tmp_path, scripted):
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


@pytest.mark.parametrize("form", ["lichess", "alliot", "full"])
def test_analysed_games_come_back_and_other_programs_can_read_them(annotated, tmp_path, form):
    path, written, read = read_back(annotated, form, tmp_path)
    assert len(written) == 82
    assert written.text("played") == read.text("played")
    for column in ("ply", "before", "after", "depth"):
        np.testing.assert_array_equal(written.numbers(column), read.numbers(column))
    game = chess.pgn.read_game(io.StringIO(path.read_text()))
    assert game.errors == []
    assert [move.uci() for move in game.mainline_moves()] == written.text("played")
    if form != "alliot":
        values = [-node.eval().pov(node.turn()).score() for node in list(game.mainline())[:-1]]
        assert values == list(written.numbers("after")[:-1])
    else:  # which has every option
        for row in range(len(written)):
            assert dict(written.options(row)) == dict(read.options(row))
        np.testing.assert_array_equal(written.played_value, read.played_value)
        np.testing.assert_array_equal(written.best_value, read.best_value)
        # A move searched alone is not one more line: bayes would take it for another choice.
        alone = [each.played_index >= each.numbers("n_lines") for each in (written, read)]
        assert alone[0].any()
        np.testing.assert_array_equal(*alone)
        for column in ("n_lines", "n_legal"):
            np.testing.assert_array_equal(written.numbers(column), read.numbers(column))
        assert read.values.tolist() == written.values.tolist()


def with_reply(key, moves):
    board = chess.Board(f"{key} 0 1")
    if not moves:
        return None
    board.push_uci(moves[0])
    return [moves[0], *(move.uci() for move in list(board.legal_moves)[:1]), "a1h8"]


def test_full_comments_mark_what_lost_most(annotated, tmp_path):
    """With the better line beside it; read and written again by another program, it is the same."""
    rows = annotated.table_analyses.read()
    lines = [
        with_reply(*row)
        for row in zip(rows["position_key"].to_pylist(), rows["moves"].to_pylist(), strict=True)
    ]
    place = rows.schema.get_field_index("line")
    annotated.table_analyses.replace(rows.set_column(place, rows.schema.field("line"), pa.array(lines)))
    path, written, _ = read_back(annotated, "full", tmp_path)
    text = path.read_text()
    annotated.export_pgn(
        tmp_path / "again.pgn",
        form="full",
        shares=Shares(1800, lambda marked: marked.numbers("n_legal") / 200),
    )
    again = (tmp_path / "again.pgn").read_text()
    assert again.count(" of 100 players of 1800 play this.") == text.count("Better was") > 3
    assert re.sub(r" \d+ of 100 players of 1800 play this\.", "", again).split() == text.split()
    values = (expectation(value) for value in (written.played_value, written.numbers("after")))
    lost = expectation(written.best_value) - np.fmax(*values)  # what both analyses show
    game = chess.pgn.read_game(io.StringIO(text))
    nags, plies = {4: 0, 2: 0, 6: 0}, []
    for ply, node in enumerate(game.mainline()):
        least = {4: 0.15, 2: 0.10, 6: 0.05}
        wanted = next((nag for nag, value in least.items() if lost[ply] >= value), None)
        assert node.nags == ({wanted} if wanted else set())
        if wanted is not None:
            nags[wanted] += 1
            [_, line] = node.parent.variations
            assert line.move.uci() == written.options(ply)[0][0]
            assert f"Better was {node.parent.board().san(line.move)}." in node.comment
            plies.append(len(list(line.mainline())) + 1)
    assert min(nags.values()) > 0
    assert set(plies) == {2}  # what is not legal ends a line
    exporter = chess.pgn.StringExporter(columns=None)
    first = game.accept(exporter)
    assert chess.pgn.read_game(io.StringIO(first)).accept(chess.pgn.StringExporter(columns=None)) == first
    assert game.errors == []


def test_an_unknown_form_is_refused(annotated):
    with pytest.raises(InputError, match="choose lichess, alliot, full"):
        annotated.export_pgn(None, form="chessbase")


CLOCKED = (
    '[Event "Open"]\n[White "Able, Ann"]\n[Black "Baker, Bob"]\n[TimeControl "5400+3"]\n[Result "1-0"]\n\n'
    + " ".join(
        f"{ply // 2 + 1}{('.', '...')[ply % 2]} {move} {{ [%clk 1:0{4 - ply // 20}:{59 - ply % 20}.5] }}"
        for ply, move in enumerate((["Nf3", "Nf6", "Ng1", "Ng8"] * 11)[:42])
    )
    + " 1-0\n"
)


@pytest.mark.parametrize("form", ["lichess", "alliot", "full"])
def test_clocks_come_back(tmp_path, scripted, form):
    path = tmp_path / "clocked.pgn"
    path.write_text(CLOCKED)
    workspace = Workspace(tmp_path / "annotated")
    workspace.import_games(path)
    workspace.analyse(RECIPE, engine=scripted(), jobs=1)
    _, written, read = read_back(workspace, form, tmp_path)
    for column in ("seconds_before", "seconds_spent", "seconds_left", "before", "after"):
        np.testing.assert_array_equal(written.numbers(column), read.numbers(column))
    assert written.numbers("seconds_left")[:3].tolist() == [3899.5, 3898.5, 3897.5]
    assert written.numbers("seconds_spent")[2:4].tolist() == [5, 5]


# What is written can be read again.


def test_decisions_written_as_csv_or_parquet_are_the_same_decisions(
    analysed: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = analysed.decisions("few lines")
    for name in ("decisions.parquet", "decisions.csv"):
        assert main(["export", "decisions", str(analysed.path), "--out", str(tmp_path / name)]) == 0
        again = Decisions.read(tmp_path / name)
        assert again == stored
        assert next(open_source(tmp_path / name).decisions(Valuation())) == stored
    assert (tmp_path / "decisions.parquet").read_bytes()[:4] == b"PAR1"
    (tmp_path / "broken.csv").write_text("player,moves,cp,played\nA,e2e4,12\n")
    assert main(["method", "bayes", str(tmp_path / "broken.csv")]) == 2
    assert "line 2 has not as many cells" in capsys.readouterr().err


def test_complexity_from_the_comments_of_alliots_format(analysed: Workspace, tmp_path: Path) -> None:
    """His dmean, dmax and ddmax come back as what the trace of the workspace gives, for Table 4."""
    analysed.export_pgn(tmp_path / "games.pgn", form="alliot")
    again = Workspace(tmp_path / "again.assay")
    again.import_games(tmp_path / "games.pgn")
    read = again.decisions("annotations")
    rows = analysed.table_analyses.read().to_pylist()
    by_key = {row["position_key"]: row for row in rows}
    assert read.changes is not None
    for index, key in enumerate(read.text("position_key")):
        row = by_key[key]
        expected = changes(*(row[f"trace_{name}"] for name in ("depth", "move", "value")), row["moves"][0])
        numbers = [column[index] for column in read.changes]
        found = (0, 0, 0) if expected is None else (round(expected.mean), *expected[1:])
        assert numbers[:3] == list(found)
        assert numbers[3] == pytest.approx(row["seconds"], abs=0.001)
    again.decisions("annotations").write(tmp_path / "read.parquet")
    assert Decisions.read(tmp_path / "read.parquet").changes is not None
    measured = indicators(read)
    stored = analysed.decisions("few lines", trace=True)
    ours = indicators(stored)
    place = {key: index for index, key in enumerate(stored.text("position_key"))}
    rows_of = [place[key] for key in read.text("position_key")]
    assert np.isfinite(measured["jump_value"]).any()
    for name, rounding in {"stability": 0.5, "jump_value": 0, "jump_depth": 0, "jump_product": 0}.items():
        np.testing.assert_allclose(measured[name], ours[name][rows_of], rtol=0, atol=rounding)
    assert np.isfinite(measured["depth_time"]).all()
    assert np.isnan(measured["sullivan"]).all()
