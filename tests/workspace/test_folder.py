"""Where files live, what is refused, and who may write."""

import json
from pathlib import Path

import pytest

from assay.decisions.schema import SCHEMA_VERSION, TABLES
from assay.errors import InputError, LockedError, PgnError, SchemaError
from assay.workspace import Workspace
from examples.commands import exit_code, sentence


def test_other_folders_and_newer_versions(tmp_path: Path, examples: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="holds other files"):
        Workspace(tmp_path / "mine").import_games(examples)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        Workspace(tmp_path / "file")
    Workspace(tmp_path / "w").import_games(examples)
    (tmp_path / "w" / "workspace.json").write_text('{"schema_version": 99}')
    with pytest.raises(SchemaError, match="newer assay"):
        Workspace(tmp_path / "w")
    (tmp_path / "w" / "workspace.json").write_text("{")
    with pytest.raises(SchemaError, match="damaged"):
        Workspace(tmp_path / "w")


def test_a_writer_killed_at_its_first_step_is_no_obstacle(workspace: Workspace, examples: Path) -> None:
    workspace.path.mkdir()
    (workspace.path / ".lock").write_text("{}")
    (workspace.path / "workspace.json.part").write_text("")
    assert workspace.import_games(examples).added == 13


def test_an_import_that_fails_leaves_no_workspace(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(PgnError, match="does not exist"):
        workspace.import_games(tmp_path / "absent.pgn")
    assert not workspace.path.exists()


def test_one_writer_and_many_readers(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples)
    with workspace.writing():
        with pytest.raises(LockedError, match="being written to by process"):
            Workspace(workspace.path).import_games(examples, aliases={"Fischer": "Fischer, Robert James"})
        assert Workspace(workspace.path).import_games(examples).added == 0  # nothing is to be written
        assert Workspace(workspace.path).games().num_rows == 13


def test_a_workspace_that_was_there_survives_an_import_that_fails(
    workspace: Workspace, examples: Path, tmp_path: Path
) -> None:
    workspace.import_games(examples)
    (tmp_path / "bad.pgn").write_text("nothing here")
    with pytest.raises(PgnError, match="not PGN"):
        workspace.import_games(tmp_path / "bad.pgn")
    assert workspace.exists()
    assert workspace.games().num_rows == 13


def test_every_table_has_a_folder_of_its_own_and_is_cleaned_before_writing(tmp_path: Path) -> None:
    folder = Workspace(tmp_path / "w")
    assert [table.folder.name for table in folder.tables] == [
        schema.name for schema in TABLES if schema.name != "decisions"
    ]
    left = [table.folder / "00000001-00000001.tmp" for table in folder.tables]
    with folder.filling():
        for path in left:
            path.parent.mkdir()
            path.write_text("a killed writer's")
        folder.prepare()
        assert not any(path.exists() for path in left)
    assert Workspace(tmp_path / "w").exists()


def test_nothing_half_written_is_left_where_nothing_is_new_to_write(
    workspace: Workspace, examples: Path
) -> None:
    """A writer killed in its last list of checksums: the next import has nothing to add."""
    workspace.import_games(examples)
    halves = ("checksums/games.json", "games/000000.parquet", "aliases.txt", "workspace.json")
    names = [f"{name}.part" for name in halves]
    for name in names:
        (workspace.path / name).write_text("{")
    assert workspace.import_games(examples).added == 0
    assert not [name for name in names if (workspace.path / name).exists()]


def test_the_marker_follows_the_version_of_the_tables_and_keeps_what_else_it_says(tmp_path: Path) -> None:
    folder = Workspace(tmp_path / "w")
    with folder.filling():
        pass
    folder.marker.write_text('{"schema_version": 0, "note": "mine"}')
    with Workspace(tmp_path / "w").writing():
        pass
    assert json.loads(folder.marker.read_text()) == {"schema_version": SCHEMA_VERSION, "note": "mine"}


def test_a_workspace_without_its_marker_says_how_to_take_it_up(
    workspace: Workspace, examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.import_games(examples)
    (workspace.path / "workspace.json").unlink()
    for command in (("status", workspace.path), ("import", examples, "-w", workspace.path)):
        said = sentence(capsys, *command)
        assert f"assay doctor {workspace.path} --repair takes it up again" in said
    assert exit_code("doctor", workspace.path, "--repair") == 0
    assert Workspace(workspace.path).games().num_rows == 13


@pytest.mark.parametrize(
    "content", ["[]", "1", '{"schema_version": {}}', '{"schema_version": 1e999}', "[" * 9999]
)
def test_a_marker_of_another_shape_is_one_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "workspace.json").write_text(content)
    with pytest.raises(SchemaError, match="damaged"):
        Workspace(tmp_path)
