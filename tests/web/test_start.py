import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from assay.errors import InputError
from assay.pgn import accounts
from assay.study import Study
from assay.web.pages.start import size_of
from assay.workspace import Workspace
from examples.engines import scripted_engine
from examples.gain_examples import annotated_pgn
from examples.game_server import games, serving
from examples.served import until, whole


def other_game() -> str:
    """A game of which no position is in the example, by moves drawn at random."""
    drawn = random.Random(5)
    game = chess.pgn.Game({"White": "New, A", "Black": "New, B", "Date": "2001.01.02", "Result": "1-0"})
    node: chess.pgn.GameNode = game
    for _ in range(60):
        node = node.add_variation(drawn.choice(list(node.board().legal_moves)))
    return f"{game}\n"


def test_drop_estimate_analyse_rate(served: Callable[..., Any]) -> None:
    client = served()
    answer = client.post("/upload?name=../../games.pgn", content=annotated_pgn().encode())
    assert answer.status_code == 202
    done = until(client, "import", "done")
    assert (done["answer"]["added"], done["title"]) == (1, "games.pgn")
    text = whole(client, "/")
    assert "1 game added" in text
    assert "positions are not analysed yet" in text
    assert client.post("/analyse").status_code == 303
    done = until(client, "analyse", "done")
    assert done["answer"]["analysed"] > 70
    assert "Everything that may be rated is analysed" in whole(client, "/")
    players = client.get("/players", headers={"accept": "application/json"}).json()["players"]
    assert {one["player"].split(",")[0].split()[-1] for one in players} == {"Byrne", "Fischer"}
    assert sorted(path.name for path in client.site.folder.path.iterdir()) == ["games.assay"]


def test_ratings_that_are_to_come_are_no_failure(
    served: Callable[..., Any], analysed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_early(_: Any, **__: Any) -> None:
        raise InputError("nobody has 10 evaluated decisions")

    monkeypatch.setattr(Study, "rate", too_early)
    client = served(analysed)
    assert 'role="alert">nobody has 10' in whole(client, "/players")
    client.site.jobs.add_analysis("quick", state="paused")
    for address in ("/players", "/players/Ann"):
        text = whole(client, address)
        assert "Ratings appear here while the analysis goes on. So far nobody has 10" in text
        assert 'role="alert"' not in text


def test_pasted_games_and_named_files(served: Callable[..., Any], pgn: Path) -> None:
    client = served()
    assert client.post("/import", data={"pgn": annotated_pgn()}).status_code == 303
    assert until(client, "import", "done")["title"] == "pasted games"
    assert client.post("/import", data={"path": str(pgn)}).status_code == 303
    assert client.site.jobs.wait(lambda jobs: [job.state for job in jobs] == ["done", "done"], 60)
    assert client.site.jobs.snapshot()[0]["answer"]["rated"] == 0  # the same game once more
    assert pgn.exists()  # what is named stays where it is


def test_what_cannot_be_imported_is_one_sentence(served: Callable[..., Any]) -> None:
    client = served(most_bytes=1000, anywhere=False)
    client.post("/upload?name=a.pgn", content=b"\0\1\2 no chess here")
    assert "not PGN" in until(client, "import", "failed")["error"]
    assert 'role="alert"' in whole(client, "/")
    too_much = client.post("/upload?name=a.pgn", content=b"1" * 1001)
    assert too_much.status_code == 422
    assert "more than the 0 MB" in too_much.text
    assert client.post("/upload?name=a.pgn", content=b"").status_code == 422
    assert "only files in the folder" in client.post("/import", data={"path": "/etc/passwd"}).text
    assert "does not exist" in client.post("/import", data={"path": ""}).text
    assert client.site.folder.left_uploads() == []


def test_only_recipes_that_are_offered(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    answer = client.post("/analyse", data={"recipe": "/etc/passwd"})
    assert (answer.status_code, "is not offered" in answer.text) == (422, True)
    assert client.post("/work/explode").status_code == 422
    assert client.post("/work/pause", headers={"accept": "application/json"}).json() == {"jobs": []}


def test_without_an_engine_it_is_said_and_comments_are_offered(served: Callable[..., Any], pgn: Path) -> None:
    client = served(engine="/no/such/engine")
    client.post("/import", data={"path": str(pgn)})
    until(client, "import", "done")
    text = whole(client, "/")
    assert "there is no engine" in text
    assert "The games contain evaluations" in text
    client.post("/analyse")
    assert "there is no engine" in until(client, "analyse", "failed")["error"]
    assert client.get("/players?as=json").json()["engine"] == "the games' own comments"


def test_a_workspace_of_a_newer_assay_is_one_sentence(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    (client.site.folder.workspace / "workspace.json").write_text('{"schema_version": 999}')
    for address in ("/", "/players", "/workspace"):
        assert "was written by a newer assay" in whole(client, address)
    client.post("/import", data={"pgn": annotated_pgn()})
    assert "newer assay" in until(client, "import", "failed")["error"]


def test_an_engine_that_dies_in_the_middle_of_an_analysis(
    served: Callable[..., Any],
    analysed: Path,
    tmp_path: Path,
    kitchen: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assay.engine.run._HOPELESS", 2)  # soon enough: a start of it takes its time
    engine = scripted_engine(tmp_path, "--fault", "die")
    client = served(analysed, engine=engine.path)
    before = client.site.reading().workspace.table_analyses.count()
    client.post("/upload?name=new.pgn", content=other_game().encode())
    until(client, "import", "done")
    client.post("/analyse")
    failed = until(client, "analyse", "failed")
    assert "engine" in failed["error"]
    text = client.get("/").text  # without waiting for an estimate by the engine that dies
    assert "Try again" in text
    assert "What was analysed before is kept" in text
    assert client.site.reading().workspace.table_analyses.count() == before
    assert client.get("/players?as=json").json()["players"]  # what there was is shown as before
    shutil.copy(kitchen / "engine", engine.path)  # the engine is mended
    assert client.post("/work/again", data={"job": str(failed["number"])}).status_code == 303
    assert until(client, "analyse", "done")["answer"]["analysed"] > 10
    client.post("/work/forget", data={"job": "x"})


def test_positions_on_which_the_engine_dies_are_put_aside(served: Callable[..., Any], tmp_path: Path) -> None:
    part = "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w"
    client = served(engine=scripted_engine(tmp_path, "--fault", "die", "--only", part).path)
    client.post("/upload?name=games.pgn", content=annotated_pgn().encode())
    until(client, "import", "done")
    client.post("/analyse")
    done = until(client, "analyse", "done")
    assert len(done["answer"]["put_aside"]) == 1
    assert "1 was put aside, since the engine failed on it" in whole(client, "/")


def test_a_full_disk_is_one_sentence_and_the_upload_waits(
    served: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    client = served()
    with monkeypatch.context() as context:
        context.setattr("assay.web.folder.ServedFolder.new_upload", full)
        answer = client.post("/upload?name=a.pgn", content=b"1. e4", headers={"accept": "application/json"})
        assert (answer.status_code, answer.json()["error"][:16]) == (500, "the disk is full")
    with monkeypatch.context() as context:
        context.setattr("assay.workspace.Workspace.import_games", full)
        client.post("/upload?name=a.pgn", content=annotated_pgn().encode())
        failed = until(client, "import", "failed")
    assert "the disk is full" in failed["error"]
    assert len(client.site.folder.left_uploads()) == 1
    client.post("/work/again", data={"job": str(failed["number"])})
    assert until(client, "import", "done")["answer"]["added"] == 1
    assert client.site.folder.left_uploads() == []


def test_what_is_there(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    found = client.get("/workspace", headers={"accept": "application/json"}).json()
    assert found == Workspace(client.site.folder.workspace).status()
    text = whole(client, "/workspace")
    assert "This machine" in text
    assert "few" in text
    assert size_of(client.site.folder.workspace) > 1000


def test_the_newest_games_of_an_account(
    served: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSAY_SETTINGS", str(tmp_path / "settings.toml"))
    with serving(games(20)) as server:
        monkeypatch.setattr(accounts, "LICHESS", server.address)
        client = served()
        form = {"server": "lichess", "name": "Ann_1", "newest": "5"}
        assert client.post("/import", data=form).status_code == 303
        done = until(client, "import", "done", "failed")
        assert (done["title"], done["answer"]["added"]) == ("lichess:Ann_1", 5)
        assert client.post("/import", data={**form, "name": "../../etc"}).status_code == 422
        assert client.post("/import", data={**form, "server": "elsewhere"}).status_code == 422
        server.faults.extend(["404"] * 3)
        client.post("/import", data={**form, "name": "Nobody"})
        failed = until(client, "import", "failed")
        assert failed["again"]
