"""The last ratings made are kept, in place of earlier ones."""

from pathlib import Path

from assay.workspace import Workspace
from examples.report_examples import chess_decisions, make_ratings


def test_the_last_ratings_are_kept(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples)
    ratings = make_ratings(chess_decisions())
    workspace.keep_ratings(make_ratings(chess_decisions(), by="year"))
    workspace.keep_ratings(ratings)
    rows = workspace.table_ratings.read().to_pylist()
    assert len(rows) == sum(len(one.ratings) + 1 for one in ratings.players)
    combined = {row["player"]: row["elo"] for row in rows if row["method"] == "combined"}
    assert combined == {one.player: one.combined.elo for one in ratings.players}
    assert {row["part"] for row in rows} == {""}
    with workspace.writing():  # another process analyses: its ratings are made when it has ended
        Workspace(workspace.path).keep_ratings(make_ratings(chess_decisions(), by="year"))
    assert workspace.table_ratings.read().to_pylist() == rows
