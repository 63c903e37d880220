"""Names become players; published ratings stand in where tags give none."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.workspace import Workspace


def test_names_become_players(workspace: Workspace, tmp_path: Path, dirty: Path) -> None:
    workspace.import_games(dirty / "twice.pgn")
    games = workspace.games()
    assert set(games["white"].to_pylist()) == {"Able, Ann"}
    assert set(games["white_name"].to_pylist()) == {"Able, Ann", "A. Able"}
    (tmp_path / "aliases.txt").write_text("Baker, Bob = Smith, Sam\n")
    workspace.import_games(dirty / "twice.pgn", aliases=tmp_path / "aliases.txt")
    assert set(workspace.games()["black"].to_pylist()) == {"Smith, Sam"}
    workspace.import_games(dirty / "twice.pgn")  # aliases are kept
    assert set(workspace.games()["black"].to_pylist()) == {"Smith, Sam"}
    assert workspace.games(players=["Able, Ann"]).num_rows == 3
    assert workspace.games(players=["Nobody"]).num_rows == 0


def test_published_ratings_stand_in(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dirty: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    spelling = tmp_path / "own.ssp"
    spelling.write_text('@PLAYER ""\nAble, Annabel #\n   = Able, Ann\n   %Elo 2001:2345 2002:2400\n')
    workspace.import_games(dirty / "clean.pgn", spelling=spelling)
    games = workspace.games().to_pylist()
    assert (games[0]["white"], games[0]["white_elo"], games[0]["black_elo"]) == ("Able, Annabel", 2345, None)


def test_a_part_of_a_name_is_enough(workspace: Workspace, examples: Path) -> None:
    workspace.import_games(examples / "game_of_the_century.pgn")
    assert workspace.find_players(["fischer", "Byrne, Donald"]) == ["Fischer, Robert James", "Byrne, Donald"]
    with pytest.raises(InputError, match="Nobody"):
        workspace.find_players(["Nobody"])
