"""The public class, and the public names of the package."""

import dataclasses
from pathlib import Path

import pytest

import assay
from assay.decisions.decisions import Decisions
from assay.decisions.measures import gain
from assay.decisions.rules import has_gain
from assay.engine.engines import EngineConfig, planned_recipe_id
from assay.engine.recipe import Recipe
from assay.errors import InputError
from assay.workspace import Workspace
from examples.engines import starts_of
from examples.report_examples import chess_decisions, make_ratings
from examples.server_games import evaluated_games


def test_public_names() -> None:
    assert assay.__all__ == [
        "AssayError",
        "Calibration",
        "Decisions",
        "Ratings",
        "Study",
        "Workspace",
        "__version__",
        "models",
    ]
    for name in assay.__all__:
        assert getattr(assay, name) is not None
    assert dir(assay) == assay.__all__
    with pytest.raises(AttributeError):
        _ = assay.shoes


# What is in a workspace, and what is missing.


def test_status(workspace: Workspace, examples: Path, dirty: Path) -> None:
    with pytest.raises(InputError, match="no workspace"):
        workspace.status()
    workspace.import_games([examples, dirty / "simul.pgn"])
    status = workspace.status()
    assert status["games"] == 31
    assert status["excluded"] == {"odds_or_simul": 1, "duplicate": 1}
    assert status["analyses"] == {}
    assert status["players"] == 12


def test_what_is_missing_is_counted_for_each_recipe(
    workspace: Workspace, dirty: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    workspace.import_games(dirty / "clean.pgn")
    done = workspace.analyse(recipe, engine=engine, jobs=1, limit=5)
    status = workspace.status()
    assert status["analyses"] == {"few lines": 5}
    assert status["missing"] == {"few lines": done.wanted - 5}
    assert status["recipes"] == {"few lines": {"recipe_id": done.recipe_id, "engine": "Scripted 1"}}


def test_two_recipes_of_one_name_are_told_apart(
    workspace: Workspace, dirty: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    workspace.import_games(dirty / "clean.pgn")
    variants = (recipe, dataclasses.replace(recipe, lines=2))
    ids = [workspace.analyse(one, engine=engine, jobs=1, limit=2).recipe_id for one in variants]
    assert set(workspace.status()["analyses"]) == {f"few lines ({one})" for one in ids}


# Decisions from analyses, from comments, all at once and some games at a time.


def test_decisions_from_comments(workspace: Workspace, dirty: Path) -> None:
    report = workspace.import_games(dirty / "many_comments.pgn")
    assert report.annotations == 4
    decisions = workspace.decisions("annotations")
    rows = decisions.table().to_pylist()
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


def test_some_games_at_a_time_across_parts_and_over_a_compaction(
    workspace: Workspace, dirty: Path, examples: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    """Each import is a part of the table; the pieces do not follow them."""
    for source in (dirty / "clean.pgn", examples / "game_of_the_century.pgn", dirty / "blitz.pgn"):
        workspace.import_games(source)
    assert len(workspace.table_games.parts()) == 3
    workspace.analyse(recipe, engine=engine, jobs=1)
    whole = workspace.decisions("few lines")
    for size, n_pieces in ((3, 3), (2, 4), (1, 7), (100, 1)):
        pieces = workspace.iter_decisions("few lines", games_at_a_time=size)
        decisions = [next(pieces)]
        workspace.table_games.compact()
        decisions += pieces
        assert len(decisions) == n_pieces
        assert Decisions.concat(decisions) == whole


@pytest.mark.parametrize("recipe", ["annotations", "evaluated-lichess-blitz", "evaluated-lichess-rapid"])
def test_games_with_evaluations_some_at_a_time(workspace: Workspace, tmp_path: Path, recipe: str) -> None:
    """What is held of their comments for all games leaves out what no comment has."""
    for number, games in enumerate((evaluated_games(7), evaluated_games(5, seed=2).replace("game", "other"))):
        (tmp_path / f"{number}.pgn").write_text(games)
        workspace.import_games(tmp_path / f"{number}.pgn")
    whole = workspace.decisions(recipe)
    assert len(whole) > 500
    for size in (1, 4, 100):
        assert Decisions.concat(workspace.iter_decisions(recipe, games_at_a_time=size)) == whole
    player = whole.players[0]
    some = workspace.iter_decisions(recipe, games_at_a_time=4, players=[player])
    assert Decisions.concat(some) == whole.select(player=player)


# The last ratings made are kept, in place of earlier ones.


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


# What is missing, getting it done, and the ids of recipes.


def test_a_recipe_is_found_by_its_name_and_by_its_id(analysed: Workspace) -> None:
    (recipe_id,) = analysed.recipes()
    assert (
        analysed.recipe_id() == analysed.recipe_id("few lines") == analysed.recipe_id(recipe_id) == recipe_id
    )


def test_what_to_choose_from_is_said(
    analysed: Workspace, engine: EngineConfig, recipe: Recipe, tmp_path: Path, examples: Path
) -> None:
    other = dataclasses.replace(recipe, name="two lines", lines=2)
    analysed.analyse(other, engine=engine, jobs=1, limit=1)
    with pytest.raises(InputError, match=r"of several recipes: .*\(few lines, Scripted 1\)"):
        analysed.recipe_id()
    new = Workspace(tmp_path / "new")
    with pytest.raises(InputError, match="no workspace"):
        new.recipe_id()
    new.import_games(examples)
    with pytest.raises(InputError, match=r"nothing in .* has been analysed yet"):
        new.recipe_id()


def test_the_planned_id_is_that_of_the_analysis_and_starts_the_engine_once(
    workspace: Workspace, dirty: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    workspace.import_games(dirty / "clean.pgn")
    planned = planned_recipe_id(recipe, engine)
    assert planned_recipe_id(recipe, engine) == planned
    assert workspace.backlog(recipe, engine=engine).recipe_id == planned
    assert starts_of(engine) == 1
    assert workspace.analyse(recipe, engine=engine, jobs=1, limit=1).recipe_id == planned
    assert starts_of(engine) == 2  # the one that does the work
    assert workspace.recipe_id() == planned
    assert len(workspace.backlog(recipe, engine=engine.path, limit=1)) == 1  # an engine may be a path


def test_players_without_a_name_are_not_one(tmp_path: Path) -> None:
    """Two games of four nameless sides, and one with names: six players."""
    games = tmp_path / "games.pgn"
    lines = [("?", "?", "1. e4 e5 1-0"), ("?", "?", "1. d4 d5 0-1"), ("Ann", "Bob", "1. c4 c5 1-0")]
    games.write_text("".join(f'[White "{w}"]\n[Black "{b}"]\n\n{moves}\n\n' for w, b, moves in lines))
    workspace = Workspace(tmp_path / "games.assay")
    workspace.import_games(games)
    assert workspace.status()["players"] == 6
