"""Damage under every command: one sentence and exit code 2, no traceback, nothing believed."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import AssayError, DamagedError, InputError, SchemaError
from assay.workspace import Workspace
from assay.workspace.repair import State, examine, repair
from assay.workspace.tables import PartTable
from examples import SIMULATED
from examples.commands import sentence
from examples.links import FILES, FOLDERS, content, outside_of

COMMANDS = (
    ("status", "W"),
    ("rate", "W", "--engine", "E"),
    ("export", "games", "W"),
    ("export", "decisions", "W"),
    ("export", "pgn", "W"),
    ("analyse", "W", "--engine", "E"),
    ("analyse", "W", "--engine", "E", "--dry-run"),
    ("tournament", "W", "--engine", "E"),
    ("career", "W", "Fischer", "--engine", "E"),
    ("compare", "W", "Fischer", "Byrne", "--engine", "E"),
    ("forecast", "W", "Fischer", "Byrne", "--engine", "E"),
    ("versus", "W", "--engine", "E"),
    ("method", "gain", "W", "--engine", "E"),
    ("import", "P", "-w", "W"),
    ("remove", "W", "--player", "Fischer", "--yes"),
)
"""Every command that reads the table of games, or a table that depends on it."""


@pytest.mark.parametrize("damage", ["flipped", "cut", "gone", "old and cut"])
def test_every_command_says_one_sentence(
    damage: str,
    workspace: Workspace,
    engine: EngineConfig,
    examples: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pgn = examples / "game_of_the_century.pgn"
    workspace.import_games(pgn)
    (part,) = workspace.table_games.parts()
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content if damage == "flipped" else content[: len(content) // 2])
    if damage == "gone":
        part.unlink()
    if damage == "old and cut":
        workspace.table_games.checksums.path.unlink()
    words = {"W": workspace.path, "E": engine.path, "P": pgn}
    for command in COMMANDS:
        said = sentence(capsys, *(words.get(word, word) for word in command))
        assert said.startswith(f"assay: {part} is {'missing' if damage == 'gone' else 'damaged'}"), command
        assert f"assay doctor {workspace.path} --repair" in said
        assert "assay import" in said


# What is damaged is set aside and never deleted; what was lost is then had again.


def states(workspace: Workspace) -> set[str]:
    return {one.state.value for one in examine(Workspace(workspace.path, check=False))}


def mend(workspace: Workspace) -> list[str]:
    said: list[str] = []
    repair(Workspace(workspace.path, check=False), said.append)
    return said


def flip(part: Path) -> bytes:
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 8
    part.write_bytes(content)
    return bytes(content)


def test_what_is_whole_stays_as_it_is(analysed: Workspace) -> None:
    before = {path: path.read_bytes() for path in analysed.path.rglob("*.parquet")}
    assert states(analysed) == {"whole"}
    assert mend(analysed) == []
    assert before == {path: path.read_bytes() for path in analysed.path.rglob("*.parquet")}


def test_analyses_that_are_damaged_are_set_aside_and_made_again(
    analysed: Workspace, engine: EngineConfig, recipe: Recipe
) -> None:
    whole = analysed.table_analyses.read().num_rows
    (part,) = analysed.table_analyses.parts()
    content = flip(part)
    with pytest.raises(DamagedError, match=f"the {whole} analysed positions in it"):
        Workspace(analysed.path).analyse(recipe, engine=engine, jobs=1)
    (said,) = mend(analysed)
    assert (analysed.path / "damaged" / "analyses" / part.name).read_bytes() == content
    assert said == f"{part} was set aside: it is now {analysed.path / 'damaged' / 'analyses' / part.name}"
    again = Workspace(analysed.path)
    assert again.table_analyses.count() == 0
    assert again.analyse(recipe, engine=engine, jobs=1).done == whole
    assert states(again) == {"whole"}
    flip(again.table_analyses.parts()[0])
    mend(again)
    assert len(list((analysed.path / "damaged" / "analyses").iterdir())) == 2  # neither in place of the other


def test_names_that_are_damaged_are_settled_anew(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples)
    names = workspace.table_players.read()
    workspace.table_players.parts()[0].write_bytes(b"")
    assert mend(workspace)[-1] == "the names were settled anew"
    assert Workspace(workspace.path).table_players.read().equals(names)


def test_what_a_damaged_part_replaced_is_in_force_again(
    workspace: Workspace, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (examples / "game_of_the_century.pgn", SIMULATED):
        workspace.import_games(path)
    games = workspace.table_games.count()
    monkeypatch.setattr(PartTable, "_remove_superseded", lambda self: None)
    workspace.table_games.compact()
    monkeypatch.undo()
    flip(workspace.table_games.parts()[0])
    mend(workspace)
    assert Workspace(workspace.path).table_games.count() == games


def test_a_damaged_list_is_made_anew(analysed: Workspace) -> None:
    path = analysed.table_games.checksums.path
    path.write_text("{")
    with pytest.raises(DamagedError, match="the list of the parts of games"):
        Workspace(analysed.path).games()
    mend(analysed)
    assert (analysed.path / "damaged" / "checksums" / "games.json").read_text() == "{"
    assert states(analysed) == {"whole"}


@pytest.mark.parametrize(
    "content", [None, "{", "[]", '{"schema_version": 1e999}', '{"schema_version": "x"}', "[" * 9999]
)
def test_a_marker_that_is_gone_or_damaged_is_written_anew(analysed: Workspace, content: str | None) -> None:
    marker = analysed.path / "workspace.json"
    marker.unlink()
    if content is not None:
        marker.write_text(content)
    with pytest.raises((InputError, SchemaError), match=r"assay doctor .* --repair"):
        Workspace(analysed.path).games()
    assert mend(analysed) == [f"{marker} was written anew"]
    assert Workspace(analysed.path).games().num_rows == 1


def test_a_newer_workspace_and_another_folder_are_not_touched(analysed: Workspace, tmp_path: Path) -> None:
    marker = analysed.path / "workspace.json"
    marker.write_text(json.dumps({"schema_version": 99}))
    with pytest.raises(SchemaError, match="newer assay"):
        mend(analysed)
    assert json.loads(marker.read_text()) == {"schema_version": 99}
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="there is no workspace"):
        repair(Workspace(tmp_path / "mine"), print)
    assert list((tmp_path / "mine").iterdir()) == []


def test_nothing_is_moved_out_of_a_folder_that_is_a_link(analysed: Workspace, tmp_path: Path) -> None:
    folder = analysed.table_games.folder
    other = tmp_path / "elsewhere"
    folder.rename(other)
    folder.symlink_to(other)
    flip(next(other.iterdir()))
    with pytest.raises(InputError, match="is a link"):
        mend(analysed)
    assert len(list(other.iterdir())) == 1
    assert {one.state for one in examine(analysed)} == {State.WHOLE, State.DAMAGED}


# A workspace that comes from anyone, with links in it that lead out: nothing outside is written.


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    return outside_of(tmp_path)


ANALYSED = (".lock", "recipes.json", "recipes.json.part", "recipes.tmp", "analyses", "checksums")
"""Where a link would be met by an analysis and by nothing before it."""


def use(workspace: Workspace, name: str, engine: EngineConfig, recipe: Recipe) -> int:
    """Do whatever writes; how much of it is refused."""
    path = workspace.path

    def remove() -> None:
        opened = Workspace(path)
        opened.remove(opened.plan_removal(players=["Fischer"]))

    steps: tuple[Callable[[], object], ...] = (
        lambda: Workspace(path).import_games(SIMULATED, aliases={"A": "B"}),
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
    name: str, foreign: Workspace, outside: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    link = foreign.path / name
    link.unlink(missing_ok=True)
    link.symlink_to(outside / "victim")
    before = content(outside)
    use(foreign, name, engine, recipe)
    assert content(outside) == before


@pytest.mark.parametrize("name", FOLDERS)
def test_no_folder_outside_is_written_to_through_a_link(
    name: str, foreign: Workspace, outside: Path, engine: EngineConfig, recipe: Recipe
) -> None:
    link = foreign.path / name
    if link.is_dir():
        link.rename(foreign.path.parent / f"real-{name}")
    link.symlink_to(outside)
    before = content(outside)
    refused = use(foreign, name, engine, recipe)
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
def test_no_pipe_is_waited_for(name: str, foreign: Workspace, engine: EngineConfig, recipe: Recipe) -> None:
    pipe = foreign.path / name
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    if name == "recipes.json":
        with pytest.raises(SchemaError, match="damaged"):
            foreign.recipes()
    else:
        with pytest.raises(AssayError, match=r"not a file|damaged"):
            Workspace(foreign.path).import_games(SIMULATED)
    use(foreign, name, engine, recipe)


def test_a_link_to_nothing_is_a_missing_part(foreign: Workspace, tmp_path: Path) -> None:
    (part,) = foreign.table_games.parts()
    part.unlink()
    part.symlink_to(tmp_path / "nothing")
    with pytest.raises(DamagedError, match=f"{part.name} is missing"):
        Workspace(foreign.path).games()
