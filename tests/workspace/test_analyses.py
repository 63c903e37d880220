"""What is missing, getting it done, and the ids of recipes."""

import dataclasses
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import InputError
from assay.workspace import Workspace
from examples.engines import starts_of


def test_what_is_done_is_not_missing(analysed: Workspace, engine: EngineConfig, recipe: Recipe) -> None:
    assert analysed.table_analyses.count() > 70
    assert len(analysed.backlog(recipe, engine=engine)) == 0
    assert analysed.analyse(recipe, engine=engine, jobs=1).missing == 0
    assert len(analysed.backlog(dataclasses.replace(recipe, lines=2), engine=engine)) > 70


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
    planned = workspace.planned_recipe_id(recipe, engine=engine)
    assert workspace.planned_recipe_id(recipe, engine=engine) == planned
    assert workspace.backlog(recipe, engine=engine).recipe_id == planned
    assert starts_of(engine) == 1
    assert workspace.analyse(recipe, engine=engine, jobs=1, limit=1).recipe_id == planned
    assert starts_of(engine) == 2  # the one that does the work
    assert workspace.recipe_id() == planned


def test_engine_and_recipe_may_be_names(engine: EngineConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = Workspace.planned_recipe_id("quick", engine=engine)
    assert Workspace.planned_recipe_id("quick", engine=engine.path) == planned
    monkeypatch.setenv("ASSAY_ENGINE", str(engine.path))
    assert Workspace.planned_recipe_id("quick") == planned
    assert Workspace.planned_recipe_id("standard") != planned
