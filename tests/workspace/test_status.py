"""What is in a workspace, and what is missing."""

import dataclasses
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import InputError
from assay.workspace import Workspace


def test_status(workspace: Workspace, examples: Path, dirty: Path) -> None:
    with pytest.raises(InputError, match="no workspace"):
        workspace.status()
    workspace.import_games([examples, dirty / "simul.pgn"])
    status = workspace.status()
    assert status["games"] == 15
    assert status["excluded"] == {"odds_or_simul": 1, "duplicate": 1}
    assert status["analyses"] == {}
    assert status["players"] == 8


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
