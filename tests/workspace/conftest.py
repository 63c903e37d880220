"""What the tests of a workspace share."""

import dataclasses
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.engine.recipe import NAMED, Recipe
from assay.workspace import Workspace
from examples.engines import scripted_engine


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w.assay")


@pytest.fixture(scope="session")
def dirty() -> Path:
    """The folder of games as they are found in the wild."""
    return Path(__file__).parent.parent / "dirty"


@pytest.fixture
def engine(tmp_path: Path) -> EngineConfig:
    """An engine whose answers are made up."""
    return scripted_engine(tmp_path)


@pytest.fixture(scope="session")
def recipe() -> Recipe:
    return dataclasses.replace(NAMED["standard"], name="few lines", lines=3)


@pytest.fixture
def analysed(workspace: Workspace, examples: Path, engine: EngineConfig, recipe: Recipe) -> Workspace:
    """A workspace with one game, of which every position is analysed."""
    workspace.import_games(examples / "game_of_the_century.pgn")
    workspace.analyse(recipe, engine=engine, jobs=1)
    return workspace
