"""What is removed is gone from every file; whole or not at all, wherever it is killed."""

import sys
from pathlib import Path

import pyarrow.compute as pc
import pytest

from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import InputError
from assay.workspace import Workspace
from assay.workspace.removal import Removal

PGN = """[Event "{event}"]
[Site "?"]
[Date "1990.01.01"]
[White "{white}"]
[Black "{black}"]
[Result "1-0"]

{moves} 1-0

"""
SHARED = "1. e4 e5 2. Nf3 Nc6"
GAMES = (
    ("Riga", "Zyx, Wolf", "Adams, M", f"{SHARED} 3. Bb5 a6"),
    ("Riga", "Adams, M", "Brown, C", f"{SHARED} 3. Bc4 Bc5"),
    ("Oslo", "Brown, C", "Zyxx, W", f"{SHARED} 3. d4 exd4"),
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    path = tmp_path / "games.pgn"
    text = "".join(PGN.format(event=e, white=w, black=b, moves=m) for e, w, b, m in GAMES)
    path.write_text(text)
    opened = Workspace(tmp_path / "w.assay")
    opened.import_games(path, aliases={"Zyxx, W": "Zyx, Wolf", "Never Seen": "Zyx, Wolf", "C": "Brown, C"})
    return opened


def everything(workspace: Workspace) -> bytes:
    """The content of all files, and what the tables say: Parquet packs its text."""
    files = b"".join(path.read_bytes() for path in workspace.path.rglob("*") if path.is_file())
    tables = [table.read().to_pylist() for table in Workspace(workspace.path).tables]
    return files + repr(tables).encode()


def removal_of(workspace: Workspace, *players: str) -> Removal:
    return workspace.plan_removal(players=players)


def test_a_player_is_gone_from_every_file(
    workspace: Workspace, engine: EngineConfig, recipe: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.decisions.exclusions import Choice

    workspace.analyse(recipe, engine=engine, jobs=1, choice=Choice(min_turns=1))
    (workspace.path / "damaged" / "games").mkdir(parents=True)
    (workspace.path / "damaged" / "games" / "part").write_text("Zyx, Wolf")
    workspace.cache.mkdir()
    (workspace.cache / "ratings.json").write_text("Zyx, Wolf")
    monkeypatch.setattr(sys, "argv", ["assay", "remove", "--player", "Zyx"])
    assert b"zyx" in everything(workspace).lower()
    planned = removal_of(workspace, "Zyx")
    assert planned.names.to_pylist() == ["Zyx, Wolf", "Zyxx, W"]
    assert planned.players.to_pylist() == ["Zyx, Wolf"]
    before = workspace.table_analyses.count()
    report = workspace.remove(planned)
    assert (report.games, report.players, report.aliases) == (2, 1, 2)
    assert report.analyses == len(planned.positions) == 4  # after 3. Bb5, a6, d4, exd4
    assert workspace.table_analyses.count() == before - 4
    assert b"zyx" not in everything(workspace).lower()
    assert b"Never" not in everything(workspace)
    again = Workspace(workspace.path)
    assert again.games()["white"].to_pylist() == ["Adams, M"]
    assert again.analyse(recipe, engine=engine, jobs=1, choice=Choice(min_turns=1)).missing == 0
    assert not {"damaged", "changed", "changing"} & {path.name for path in again.path.iterdir()}


def test_an_event_and_a_game(workspace: Workspace) -> None:
    assert len(workspace.plan_removal(events=["riga"])) == 2
    ids = workspace.games()["game_id"].to_pylist()
    workspace.remove(workspace.plan_removal(events=["Oslo"], game_ids=ids[:1]))
    left = Workspace(workspace.path).games()
    assert left["game_id"].to_pylist() == ids[1:2]
    assert pc.unique(left["event"]).to_pylist() == ["Riga"]


def test_a_copy_of_a_game_goes_with_it(workspace: Workspace, tmp_path: Path) -> None:
    """It would be left behind unrated, marked as the same as a game that is not there."""
    _, white, black, moves = GAMES[0]
    again = tmp_path / "again.pgn"
    again.write_text(PGN.format(event="Riga again", white=white, black=black, moves=moves))
    workspace.import_games(again)
    first, *_, copy = workspace.games()["game_id"].to_pylist()
    assert workspace.plan_removal(game_ids=[first]).game_ids.to_pylist() == [first, copy]
    assert workspace.plan_removal(game_ids=[copy]).game_ids.to_pylist() == [copy]


def test_what_is_not_there_is_one_sentence(workspace: Workspace) -> None:
    for asked, said in (
        ({"players": ["Nobody"]}, "there is no player"),
        ({"events": ["Paris"]}, "there is no event 'Paris' in these games: there are Oslo; Riga"),
        ({"events": [""]}, "the event '' may be Oslo; Riga"),
        ({"game_ids": ["x"]}, "there is no game 'x'"),
        ({}, "no game is meant"),
    ):
        with pytest.raises(InputError, match=said):
            workspace.plan_removal(**asked)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there is no workspace"):
        Workspace(workspace.path / "absent").plan_removal(players=["x"])


def test_everything_can_be_removed_and_imported_again(workspace: Workspace, tmp_path: Path) -> None:
    workspace.remove(workspace.plan_removal(events=["Riga", "Oslo"]))
    assert Workspace(workspace.path).games().num_rows == 0
    assert Workspace(workspace.path).import_games(tmp_path / "games.pgn").added == 3
