"""What is damaged is set aside and never deleted; what was lost is then had again."""

import json
from pathlib import Path

import pytest

from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import DamagedError, InputError, SchemaError
from assay.workspace import Workspace
from assay.workspace.repair import State, examine, repair
from assay.workspace.tables import PartTable


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


def test_games_that_are_gone_are_given_up_and_imported_again(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples)
    (part,) = workspace.table_games.parts()
    part.unlink()
    with pytest.raises(DamagedError, match="is missing, and the 13 games in it"):
        workspace.games()
    assert mend(workspace) == [f"{part} is not expected any more"]
    assert Workspace(workspace.path).import_games(examples).added == 13


def test_names_that_are_damaged_are_settled_anew(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples)
    names = workspace.table_players.read()
    workspace.table_players.parts()[0].write_bytes(b"")
    assert mend(workspace)[-1] == "the names were settled anew"
    assert Workspace(workspace.path).table_players.read().equals(names)


def test_what_a_damaged_part_replaced_is_in_force_again(
    workspace: Workspace, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("game_of_the_century.pgn", "tournament.pgn"):
        workspace.import_games(examples / name)
    games = workspace.table_games.count()
    monkeypatch.setattr(PartTable, "_remove_superseded", lambda self: None)
    workspace.table_games.compact()
    monkeypatch.undo()
    flip(workspace.table_games.parts()[0])
    mend(workspace)
    assert Workspace(workspace.path).table_games.count() == games


def test_parts_of_an_earlier_assay_get_checksums(analysed: Workspace) -> None:
    for path in (analysed.path / "checksums").iterdir():
        path.unlink()
    assert states(analysed) == {"unverified"}
    assert mend(analysed)
    assert states(analysed) == {"whole"}


def test_a_damaged_list_is_made_anew(analysed: Workspace) -> None:
    path = analysed.table_games.checksums.path
    path.write_text("{")
    with pytest.raises(DamagedError, match="the list of the parts of games"):
        Workspace(analysed.path).games()
    mend(analysed)
    assert (analysed.path / "damaged" / "checksums" / "games.json").read_text() == "{"
    assert states(analysed) == {"whole"}


@pytest.mark.parametrize("content", [None, "{", "[]", '{"schema_version": 1e999}', '{"schema_version": "x"}'])
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
