"""Tables and games for other programs."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED
from assay.errors import InputError
from assay.workspace import Workspace
from assay.workspace.export import csv_cell
from examples.gain_examples import annotated_pgn


def test_exports(workspace: Workspace, examples: Path, tmp_path: Path, dirty: Path) -> None:
    workspace.import_games([examples, dirty / "formula_names.pgn"])
    assert workspace.export("games", "parquet", tmp_path / "g.parquet") == 14
    assert pq.read_table(tmp_path / "g.parquet").num_rows == 14
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


def test_decisions_and_analysed_games_are_exported(analysed: Workspace, tmp_path: Path) -> None:
    assert analysed.export("decisions", "parquet", tmp_path / "d.parquet") == 82
    assert Decisions.read(tmp_path / "d.parquet") == analysed.decisions("few lines")
    assert analysed.export_pgn(tmp_path / "g.pgn", recipe="few lines") == 1
    assert "[%eval " in (tmp_path / "g.pgn").read_text()
    with pytest.raises(InputError, match="none of 'deep'"):
        analysed.export_pgn(tmp_path / "x.pgn", recipe="deep")


def test_numbers_that_are_missing_keep_their_place_in_csv() -> None:
    assert csv_cell([12, None, -3]) == "[12, null, -3]"
    assert csv_cell([None, None]) == "[null, null]"
    assert csv_cell(["e2e4", "d2d4"]) == "e2e4 d2d4"


def test_decisions_of_the_games_own_comments(workspace: Workspace, tmp_path: Path, examples: Path) -> None:
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
    plain.import_games(examples / "tournament.pgn")
    with pytest.raises(InputError, match="no evaluations in their comments"):
        plain.export("decisions", "csv", tmp_path / "x.csv", recipe=ANNOTATED)
