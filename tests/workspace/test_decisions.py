"""Decisions from analyses, from comments, all at once and some games at a time."""

from pathlib import Path

import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.measures import gain
from assay.decisions.rules import has_gain
from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import InputError
from assay.workspace import Workspace


def test_decisions_from_comments(workspace: Workspace, dirty: Path) -> None:
    report = workspace.import_games(dirty / "many_comments.pgn")
    assert report.annotations == 4
    decisions = workspace.decisions("annotations")
    rows = decisions.to_table().to_pylist()
    assert len(rows) == 40
    # Before the first move +0.18, after it +0.25 for White.
    assert (rows[0]["before"], rows[0]["after"], rows[0]["cp"], rows[0]["moves"]) == (18, 25, [25], ["e2e4"])
    assert (rows[1]["before"], rows[1]["after"]) == (-25, 10)
    assert rows[5]["exclusion"] == "not_analysed"
    assert gain(decisions.filter(has_gain())).tolist() == [7, 35]
    assert workspace.decisions("annotations", players=["Able, Ann"]).players == ["Able, Ann"]


def test_decisions_of_some_players(analysed: Workspace) -> None:
    whole = analysed.decisions("few lines")
    assert len(whole) == 82
    some = analysed.decisions("few lines", players=["fischer"])
    assert some == whole.select(player="Fischer, Robert James")
    assert len(some) == 41
    with pytest.raises(InputError, match="none of 'deep'"):
        analysed.decisions("deep")


def test_some_games_at_a_time_across_parts(
    workspace: Workspace, dirty: Path, examples: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    """Each import is a part of the table; the pieces do not follow them."""
    for source in (dirty / "clean.pgn", examples / "game_of_the_century.pgn", dirty / "blitz.pgn"):
        workspace.import_games(source)
    assert len(workspace.table_games.parts()) == 3
    workspace.analyse(recipe, engine=engine, jobs=1)
    whole = workspace.decisions("few lines")
    for size, pieces in ((1, 7), (2, 4), (4, 2), (100, 1)):
        found = list(workspace.iter_decisions("few lines", games_at_a_time=size))
        assert len(found) == pieces
        assert Decisions.concat(found) == whole


def test_pieces_survive_a_compaction_under_their_feet(
    workspace: Workspace, dirty: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    for name in ("clean.pgn", "blitz.pgn"):
        workspace.import_games(dirty / name)
    workspace.analyse(recipe, engine=engine, jobs=1)
    whole = workspace.decisions("few lines")
    pieces = workspace.iter_decisions("few lines", games_at_a_time=1)
    found = [next(pieces)]
    workspace.table_games.compact()
    found.extend(pieces)
    assert Decisions.concat(found) == whole
