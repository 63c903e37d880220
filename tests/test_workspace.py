import bz2
import gzip
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import zstandard

import assay
from assay.domain.measures import gain
from assay.domain.rules import has_gain
from assay.errors import InputError, LockedError, PgnError, SchemaError
from assay.workspace import Workspace

DIRTY = Path(__file__).parent / "dirty"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w.assay")


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


def test_the_same_game_again(workspace: Workspace, tmp_path: Path) -> None:
    report = workspace.import_games(DIRTY / "twice.pgn")
    assert (report.added, dict(report.excluded)) == (3, {"duplicate": 2})
    copied = tmp_path / "other.pgn"
    copied.write_bytes((DIRTY / "twice.pgn").read_bytes())
    report = workspace.import_games(copied)
    assert (report.added, dict(report.excluded)) == (3, {"duplicate": 3})
    assert workspace.import_games([DIRTY / "twice.pgn", copied]).added == 0
    games = workspace.games()
    assert len(set(games["game_id"].to_pylist())) == games.num_rows == 6


def test_same_moves_are_no_duplicate_of_other_players_or_years(workspace: Workspace) -> None:
    assert not workspace.import_games(DIRTY / "same_moves_other_players.pgn").excluded


def test_names_become_players(workspace: Workspace, tmp_path: Path) -> None:
    workspace.import_games(DIRTY / "twice.pgn")
    games = workspace.games()
    assert set(games["white"].to_pylist()) == {"Able, Ann"}
    assert set(games["white_name"].to_pylist()) == {"Able, Ann", "A. Able"}
    (tmp_path / "aliases.txt").write_text("Baker, Bob = Smith, Sam\n")
    workspace.import_games(DIRTY / "twice.pgn", aliases=tmp_path / "aliases.txt")
    assert set(workspace.games()["black"].to_pylist()) == {"Smith, Sam"}
    workspace.import_games(DIRTY / "twice.pgn")  # aliases are kept
    assert set(workspace.games()["black"].to_pylist()) == {"Smith, Sam"}
    assert workspace.games(players=["Able, Ann"]).num_rows == 3
    assert workspace.games(players=["Nobody"]).num_rows == 0


def test_published_ratings_stand_in(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    spelling = tmp_path / "own.ssp"
    spelling.write_text('@PLAYER ""\nAble, Annabel #\n   = Able, Ann\n   %Elo 2001:2345 2002:2400\n')
    workspace.import_games(DIRTY / "clean.pgn", spelling=spelling)
    games = workspace.games().to_pylist()
    assert (games[0]["white"], games[0]["white_elo"], games[0]["black_elo"]) == ("Able, Annabel", 2345, None)


def test_status(workspace: Workspace, examples: Path) -> None:
    with pytest.raises(InputError, match="no workspace"):
        workspace.status()
    workspace.import_games([examples, DIRTY / "simul.pgn"])
    status = workspace.status()
    assert status["games"] == 15
    assert status["excluded"] == {"odds_or_simul": 1, "too_short": 1, "duplicate": 1}
    assert status["analyses"] == {}
    assert status["players"] == 8


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
    (workspace.path / "workspace.tmp").write_text("")
    assert workspace.import_games(examples).added == 13


def test_an_import_that_fails_leaves_no_workspace(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(PgnError, match="does not exist"):
        workspace.import_games(tmp_path / "absent.pgn")
    assert not workspace.path.exists()


def test_one_writer_and_many_readers(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples)
    with workspace.writing():
        with pytest.raises(LockedError, match="being written to by process"):
            Workspace(workspace.path).import_games(examples)
        assert Workspace(workspace.path).games().num_rows == 13


IMPORTER = """
    import sys
    from assay.ingest import importer, pgn
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


def test_decisions_from_comments(workspace: Workspace) -> None:
    report = workspace.import_games(DIRTY / "many_comments.pgn")
    assert report.annotations == 4
    decisions = workspace.decisions("annotations")
    rows = decisions.to_table().to_pylist()
    assert len(rows) == 40
    # Before the first move +0.18, after it +0.25 for White.
    assert (rows[0]["before"], rows[0]["after"], rows[0]["cp"], rows[0]["moves"]) == (18, 25, [25], ["e2e4"])
    assert (rows[1]["before"], rows[1]["after"]) == (-25, 10)
    assert rows[5]["exclusion"] == "not_analysed"
    assert gain(decisions.filter(has_gain())).tolist() == [7, 35]
    assert workspace.decisions("annotations", players=["Able, Ann"]).players == ["Able, Ann"]


def test_exports(workspace: Workspace, examples: Path, tmp_path: Path) -> None:
    workspace.import_games([examples, DIRTY / "formula_names.pgn"])
    assert workspace.export("games", "parquet", tmp_path / "g.parquet") == 14
    assert pq.read_table(tmp_path / "g.parquet").num_rows == 14
    workspace.export("games", "csv", tmp_path / "g.csv")
    text = (tmp_path / "g.csv").read_text()
    assert text.splitlines()[0].startswith("game_id,event")
    assert "'=cmd" in text  # a spreadsheet must not take a name for a formula
    assert ",=cmd" not in text
    workspace.export("games", "jsonl", tmp_path / "g.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "g.jsonl").read_text().splitlines()]
    assert rows[0]["white"] == workspace.games()["white"][0].as_py()
    for arguments, message in {
        ("ratings", "csv"): "nothing in .* has been rated",
        ("decisions", "csv"): "run assay analyse",
        ("shoes", "csv"): "no table 'shoes'",
        ("games", "xml"): "unknown format",
    }.items():
        with pytest.raises(InputError, match=message):
            workspace.export(*arguments, tmp_path / "x")
    with pytest.raises(InputError, match="name a file"):
        workspace.export("games", "parquet", None)
    with pytest.raises(InputError, match="folder of"):
        workspace.export("games", "csv", tmp_path / "absent" / "x.csv")


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
