import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.web.pages.live import Follower
from examples.engines import scripted_engine
from examples.gain_examples import annotated_pgn


def test_a_broadcast_is_followed(
    served: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("assay.engine.engines._PLACES", ())
    client = served(engine=None)
    path = tmp_path / "live.pgn"
    path.write_text(annotated_pgn(30, result="*"))
    assert client.get("/live?as=json").status_code == 422
    assert client.post("/live/follow", data={"path": str(path)}).status_code == 303
    reached(client.site.follower, "f.games and f.games[0].live")
    assert len(client.get("/live", headers={"accept": "application/json"}).json()["moves"]) == 30
    text = client.get("/live").text
    assert "Going on." in text
    assert "The last moves" in text
    assert client.get("/live?as=svg").text.startswith("<svg")
    assert client.post("/live/stop").status_code == 303
    assert "Over." in client.get("/live").text


def test_all_boards_of_a_file_are_shown_and_each_game_can_be_looked_at(
    served: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("assay.engine.engines._PLACES", ())
    client = served(engine=None)
    path = tmp_path / "live.pgn"
    path.write_text(annotated_pgn(12, result="*") + "\n\n" + annotated_pgn(30, result="*"))
    client.post("/live/follow", data={"path": str(path)})
    reached(client.site.follower, "len(f.games) == 2 and all(each.live for each in f.games)")
    text = client.get("/live").text
    assert text.count("data-fen=") == 2
    assert text.count('data-last=""') == 0
    assert len(client.get("/live?as=json").json()["moves"]) == 30
    assert len(client.get("/live?as=json&game=1").json()["moves"]) == 12


def test_files_elsewhere_are_not_followed_from_another_machine(served: Callable[..., Any]) -> None:
    client = served(anywhere=False)
    assert client.post("/live/follow", data={"path": "/etc/passwd"}).status_code == 422
    assert client.site.follower.path is None


def reached(follower: Follower, condition: str) -> None:
    """Wait until what is known of the game is as wanted; looks often, and gives up after a minute."""
    pause = threading.Event()
    for _ in range(6000):
        if eval(condition, {"f": follower}):
            return
        pause.wait(0.01)
    raise AssertionError((condition, follower.error))


def test_a_file_that_grows_is_followed_to_its_end(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("assay.engine.engines._PLACES", ())  # no engine: the comments tell
    path = tmp_path / "live.pgn"
    follower = Follower(every=0.01)
    follower.begin(path)  # it is not there yet
    path.write_text(annotated_pgn(20, result="*"))
    reached(follower, "f.games and f.games[0].live and len(f.games[0].live.moves) == 20")
    assert not follower.over
    before = follower.version
    path.write_text(annotated_pgn())
    reached(follower, "f.over")
    assert follower.version > before
    shown = follower.choose()
    assert shown is not None
    assert shown.live is not None
    assert len(shown.live.moves) == 82


def test_another_file_takes_the_place_of_the_first(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("assay.engine.engines._PLACES", ())
    follower = Follower(every=0.01)
    follower.begin(tmp_path / "never.pgn")
    follower.begin(tmp_path / "neither.pgn")
    assert follower.path == tmp_path / "neither.pgn"
    follower.end()
    assert follower.over
    assert follower.choose() is None


def test_an_engine_that_is_not_there_is_one_sentence(tmp_path: Path, pgn: Path) -> None:
    follower = Follower(engine="/no/such/engine", every=0.01)
    follower.begin(pgn)
    reached(follower, "f.over")
    assert "there is no engine" in follower.error


def test_an_engine_that_dies_is_one_sentence(tmp_path: Path, kitchen: Path) -> None:
    path = tmp_path / "live.pgn"
    path.write_text(annotated_pgn(4, result="*"))
    engine = scripted_engine(tmp_path, "--fault", "die", "--only", " w ")
    follower = Follower(recipe=str(kitchen / "few.toml"), engine=engine.path, every=0.01)
    follower.begin(path)
    reached(follower, "f.over")
    assert "engine" in follower.error
