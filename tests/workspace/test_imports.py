"""Importing: the same game again, packed and damaged files, a kill at any moment."""

import bz2
import gzip
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import zstandard

from assay.errors import PgnError
from assay.workspace import Workspace


def test_import_twice_adds_nothing(workspace: Workspace, examples: Path) -> None:
    first = workspace.import_games(examples)
    assert (first.read, first.added, first.known, first.files) == (13, 13, 0, 2)
    again = workspace.import_games(examples)
    assert (again.read, again.added, again.known) == (13, 0, 13)
    assert workspace.games().num_rows == 13


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".zst", zstandard.ZstdCompressor().compress),
        ("", bytes),
    ],
)
def test_compressed_files(
    workspace: Workspace, examples: Path, tmp_path: Path, suffix: str, pack: object
) -> None:
    text = (examples / "tournament.pgn").read_bytes()
    assert callable(pack)
    path = tmp_path / f"tournament.pgn{suffix}"
    path.write_bytes(pack(text[:4000]) + pack(text[4000:]) if suffix else text)  # several frames in one file
    assert workspace.import_games(path).added == 12
    plain = tmp_path / "plain" / "tournament.pgn"
    plain.parent.mkdir()
    plain.write_bytes(text)
    assert workspace.import_games(plain).added == 0  # the same file, unpacked


def test_a_damaged_archive_keeps_what_came_before(
    workspace: Workspace, examples: Path, tmp_path: Path
) -> None:
    packed = gzip.compress((examples / "tournament.pgn").read_bytes())
    path = tmp_path / "cut.pgn.gz"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(PgnError, match="damaged"):
        workspace.import_games(path)


def test_a_bad_file_does_not_stop_the_others(workspace: Workspace, examples: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.pgn").write_text("nothing here")
    with pytest.raises(PgnError, match=r"bad\.pgn is not PGN"):
        workspace.import_games([tmp_path / "bad.pgn", examples])
    assert workspace.games().num_rows == 13


def test_the_same_game_again(workspace: Workspace, tmp_path: Path, dirty: Path) -> None:
    report = workspace.import_games(dirty / "twice.pgn")
    assert (report.added, dict(report.excluded)) == (3, {"duplicate": 2})
    copied = tmp_path / "other.pgn"
    copied.write_bytes((dirty / "twice.pgn").read_bytes())
    report = workspace.import_games(copied)
    assert (report.added, dict(report.excluded)) == (3, {"duplicate": 3})
    assert workspace.import_games([dirty / "twice.pgn", copied]).added == 0
    games = workspace.games()
    assert len(set(games["game_id"].to_pylist())) == games.num_rows == 6


def test_same_moves_are_no_duplicate_of_other_players_or_years(workspace: Workspace, dirty: Path) -> None:
    assert not workspace.import_games(dirty / "same_moves_other_players.pgn").excluded


IMPORTER = """
    import sys
    from assay.pgn import importer
    from assay.pgn import reader as pgn
    from assay.workspace import Workspace

    importer.FLUSH_GAMES = pgn.BATCH_GAMES = 3
    Workspace(sys.argv[1]).import_games(sys.argv[2], progress=lambda *a: print(a, flush=True))
    print("done", flush=True)
"""


@pytest.mark.parametrize("lines", [1, 3, 4])
def test_kill_9_during_an_import(workspace: Workspace, examples: Path, lines: int) -> None:
    """Killed and started again, the result is that of an import left in peace."""
    command = [
        sys.executable,
        "-c",
        textwrap.dedent(IMPORTER),
        str(workspace.path),
        str(examples / "tournament.pgn"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for _ in range(lines):
        process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.stdout.close()
    process.wait()
    workspace.import_games(examples / "tournament.pgn")
    peaceful = Workspace(workspace.path.with_name("peaceful.assay"))
    peaceful.import_games(examples / "tournament.pgn")
    assert workspace.games().equals(peaceful.games())
    assert workspace.table_players.read().equals(peaceful.table_players.read())
