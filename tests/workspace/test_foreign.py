"""A workspace that comes from anyone, with links in it that lead out: nothing outside is written."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import AssayError, DamagedError, SchemaError
from assay.workspace import Workspace
from assay.workspace.repair import repair
from examples.links import FILES, FOLDERS, content, outside_of


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    return outside_of(tmp_path)


ANALYSED = (".lock", "recipes.json", "recipes.json.part", "recipes.tmp", "analyses", "checksums")
"""Where a link would be met by an analysis and by nothing before it."""


def use(workspace: Workspace, name: str, examples: Path, engine: EngineConfig, recipe: Recipe) -> int:
    """Do whatever writes; how much of it is refused."""
    path = workspace.path

    def remove() -> None:
        opened = Workspace(path)
        opened.remove(opened.plan_removal(players=["Fischer"]))

    steps: tuple[Callable[[], object], ...] = (
        lambda: Workspace(path).import_games(examples / "tournament.pgn", aliases={"A": "B"}),
        lambda: name in ANALYSED and Workspace(path).analyse(recipe, engine=engine, jobs=1, limit=2),
        lambda: repair(Workspace(path, check=False), lambda _: None),
        remove,
    )
    refused = 0
    for step in steps:
        try:
            step()
        except AssayError:
            refused += 1
    return refused


@pytest.fixture
def foreign(workspace: Workspace, examples: Path) -> Workspace:
    workspace.import_games(examples / "game_of_the_century.pgn", aliases={"C": "D"})
    return workspace


@pytest.mark.parametrize("name", FILES)
def test_no_file_outside_is_written_through_a_link(
    name: str, foreign: Workspace, outside: Path, examples: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    link = foreign.path / name
    link.unlink(missing_ok=True)
    link.symlink_to(outside / "victim")
    before = content(outside)
    use(foreign, name, examples, engine, recipe)
    assert content(outside) == before


@pytest.mark.parametrize("name", FOLDERS)
def test_no_folder_outside_is_written_to_through_a_link(
    name: str, foreign: Workspace, outside: Path, examples: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    link = foreign.path / name
    if link.is_dir():
        link.rename(foreign.path.parent / f"real-{name}")
    link.symlink_to(outside)
    before = content(outside)
    refused = use(foreign, name, examples, engine, recipe)
    assert content(outside) == before
    assert refused or name in ("changed", "changing", "damaged")


PIPES = (
    ".lock",
    "workspace.json",
    "recipes.json",
    "checksums/games.json",
    "games/00000001-00000001.parquet",
    "games/00000002-00000002.parquet",
)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", PIPES)
def test_no_pipe_is_waited_for(
    name: str, foreign: Workspace, examples: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    pipe = foreign.path / name
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    if name == "recipes.json":
        with pytest.raises(SchemaError, match="damaged"):
            foreign.recipes()
    else:
        with pytest.raises(AssayError, match=r"no file|damaged"):
            Workspace(foreign.path).import_games(examples / "tournament.pgn")
    use(foreign, name, examples, engine, recipe)


def test_a_link_to_nothing_is_a_missing_part(foreign: Workspace, tmp_path: Path) -> None:
    (part,) = foreign.table_games.parts()
    part.unlink()
    part.symlink_to(tmp_path / "nothing")
    with pytest.raises(DamagedError, match=f"{part.name} is missing"):
        Workspace(foreign.path).games()
