"""Which kind of source a path is."""

import shutil
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.source.files import DecisionsFile, ResultsFile
from assay.source.opening import VARIABLE, beside, default_workspace, open_source
from assay.source.stored import PgnSource, WorkspaceSource
from assay.testing import make_decisions
from assay.workspace import Workspace


@pytest.fixture
def place(tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one of each kind."""
    shutil.copy(examples / "tournament.pgn", tmp_path / "games.pgn")
    make_decisions(games=2, plies=30).write(tmp_path / "decisions.parquet")
    (tmp_path / "results.csv").write_text("Month #,White Player #,Black Player #,Score\n1,1,2,1\n")
    (tmp_path / "results.txt").write_text("Month #,White Player #,Black Player #,Score\n1,1,2,1\n")
    Workspace(tmp_path / "w.assay").import_games(tmp_path / "games.pgn")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_kind(place: Path) -> None:
    kinds = {
        "games.pgn": PgnSource,
        ".": PgnSource,
        "w.assay": WorkspaceSource,
        "decisions.parquet": DecisionsFile,
        "results.csv": ResultsFile,
        "results.txt": ResultsFile,
    }
    assert {name: type(open_source(name)) for name in kinds} == kinds
    assert len({open_source(name).describe() for name in kinds}) == 4


def test_opening_writes_nothing(place: Path) -> None:
    before = sorted(place.rglob("*"))
    source = open_source("games.pgn")
    assert source.place == beside(Path("games.pgn")) == Path("games.pgn.assay")
    assert sorted(place.rglob("*")) == before
    assert source.games().num_rows == 12
    assert (place / "games.pgn.assay").is_dir()


def test_without_a_path_a_workspace(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_source(None, "w.assay").games().num_rows == 12
    assert default_workspace() == Path("games.assay")
    monkeypatch.setenv(VARIABLE, "w.assay")
    assert open_source().games().num_rows == 12


@pytest.mark.parametrize(
    ("path", "workspace", "say"),
    [
        ("none.pgn", None, "does not exist"),
        ("-", None, "need a workspace"),
        ("w.assay", "other.assay", "a workspace already"),
    ],
)
def test_what_cannot_be_opened(place: Path, path: str, workspace: str | None, say: str) -> None:
    with pytest.raises(InputError, match=say):
        open_source(path, workspace)


def test_settings_beside_the_games_name_players(place: Path) -> None:
    """Aliases of a workspace's settings hold for what is imported into it."""
    kept = place / "games.pgn.assay"
    Workspace(kept).import_games(place / "games.pgn")
    (kept / "settings.toml").write_text('[aliases]\n"Agent 1600" = "Beginner"\n')
    assert "Beginner" in open_source("games.pgn").games()["white"].to_pylist()
