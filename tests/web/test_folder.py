import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.web.folder import ServedFolder, harmless_name


def test_a_workspace_is_served_itself_and_another_folder_gets_one(tmp_path: Path) -> None:
    assert ServedFolder(tmp_path).workspace == tmp_path / "games.assay"
    (tmp_path / "workspace.json").write_text('{"schema_version": 1}')
    assert ServedFolder(tmp_path).workspace == tmp_path


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("")
    with pytest.raises(InputError, match="is a file"):
        ServedFolder(tmp_path / "a.pgn")


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("games.pgn", "games.pgn"),
        ("../../etc/passwd", "passwd.pgn"),
        ("C:\\games\\mine.PGN", "mine.PGN"),
        ("..", "games.pgn"),
        ("", "games.pgn"),
        ("week 3 (äö).pgn.zst", "week_3_äö_.pgn.zst"),
        ("a\0b\n.pgn", "a_b_.pgn"),
        (".hidden", "hidden.pgn"),
    ],
)
def test_names_of_uploads_lead_nowhere(name: str, kept: str) -> None:
    assert harmless_name(name) == kept


def test_uploads_stay_within_and_are_found_again(tmp_path: Path) -> None:
    folder = ServedFolder(tmp_path)
    path = folder.new_upload("../../x.pgn")
    assert path.resolve().is_relative_to(tmp_path.resolve())
    path.write_text("1. e4")
    path.with_name("half.part").write_text("1.")
    assert ServedFolder(tmp_path).left_uploads() == [path]
    folder.forget_upload(path)
    assert list(tmp_path.iterdir()) == []


def test_only_uploads_are_forgotten(tmp_path: Path) -> None:
    kept = tmp_path / "own" / "games.pgn"
    kept.parent.mkdir()
    kept.write_text("mine")
    ServedFolder(tmp_path).forget_upload(kept)
    assert kept.read_text() == "mine"


def test_uploads_are_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "uploads").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="link"):
        ServedFolder(tmp_path / "served").new_upload("a.pgn")
    assert ServedFolder(tmp_path / "served").left_uploads() == []


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": ' * 2000, "\xff"])
def test_what_is_kept_may_be_damaged(tmp_path: Path, content: str) -> None:
    (tmp_path / "serve.json").write_text(content, encoding="latin-1")
    assert ServedFolder(tmp_path).wishes() == {}


def test_what_is_to_go_on_is_kept_until_nothing_is(tmp_path: Path) -> None:
    folder = ServedFolder(tmp_path)
    folder.keep_wish("analysis", {"recipe": "quick"})
    assert ServedFolder(tmp_path).wishes() == {"analysis": {"recipe": "quick"}}
    folder.keep_wish("analysis", None)
    assert not (tmp_path / "serve.json").exists()


def test_files_outside_are_named_only_by_those_who_may(tmp_path: Path) -> None:
    folder = ServedFolder(tmp_path / "served")
    folder.path.mkdir()
    for path in (tmp_path / "outside.pgn", folder.path / "inside.pgn"):
        path.write_text("1. e4")
    assert folder.named(str(tmp_path / "outside.pgn"), anywhere=True).name == "outside.pgn"
    assert folder.named("inside.pgn", anywhere=False) == folder.path / "inside.pgn"
    for text in (str(tmp_path / "outside.pgn"), "../outside.pgn"):
        with pytest.raises(InputError, match="only files in the folder"):
            folder.named(text, anywhere=False)
    with pytest.raises(InputError, match="does not exist"):
        folder.named("nothing.pgn", anywhere=True)


def test_the_state_changes_with_the_tables(tmp_path: Path) -> None:
    folder = ServedFolder(tmp_path)
    before = folder.state()
    table = folder.workspace / "games"
    table.mkdir(parents=True)
    (table / "part-1.parquet").write_text("")
    assert before == () != folder.state()


async def pieces(*parts: bytes | Exception) -> AsyncIterator[bytes]:
    for part in parts:
        if isinstance(part, Exception):
            raise part
        yield part


def test_an_upload_is_written_as_it_comes(tmp_path: Path) -> None:
    path = asyncio.run(ServedFolder(tmp_path).receive("a.pgn", pieces(b"1. e4", b" e5"), 100))
    assert path.read_bytes() == b"1. e4 e5"
    assert path.name == "a.pgn"


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ((b"12345", b"67890", b"1"), InputError),
        ((), InputError),
        ((b"123", ConnectionError("gone")), ConnectionError),
    ],
)
def test_nothing_stays_of_one_that_fails(tmp_path: Path, parts: tuple[bytes], error: type[Exception]) -> None:
    with pytest.raises(error):
        asyncio.run(ServedFolder(tmp_path).receive("a.pgn", pieces(*parts), 10))
    assert list(tmp_path.iterdir()) == []
