from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.web import game as module
from examples.served import game_id, whole
from web.test_game import _Scale


def test_all_games_searched(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    assert len(client.get("/games?as=json").json()) == 2
    assert len(client.get("/games?as=json&q=fischer byrne").json()) == 1
    assert "left out" in whole(client, "/games", q="1999")
    assert client.get("/games?as=csv").text.count("\n") == 3
    pgn = client.get("/games.pgn")
    assert "[%eval" in pgn.text
    assert pgn.headers["content-disposition"] == 'attachment; filename="games.pgn"'


def test_one_game(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    one = game_id(client)
    text = whole(client, f"/games/{one}")
    assert "game-figure" in text
    assert text.count("data-ply=") == 82
    found = client.get(f"/games/{one}", headers={"accept": "application/json"}).json()
    assert len(found["moves"]) == 82
    assert {"combined", "measures", "gain"} <= found["moves"][40].keys()
    assert found["positions"][40]["options"]
    assert "17. Kf1" in client.get(f"/games/{one}?as=pgn").text
    assert client.get(f"/games/{one}?as=svg").text.startswith("<svg")
    assert client.get(f"/games/{one}?as=csv").status_code == 422
    assert client.get("/games/none?as=json").status_code == 422
    assert "there is no game" in whole(client, "/games/none")


def test_chances(served: Callable[..., Any], analysed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = served(analysed)
    one = game_id(client)
    assert "not known for this engine" in client.get(f"/games/{one}/chances?elo=2000").json()["error"]
    monkeypatch.setattr(module, "find_calibration", lambda _: _Scale())
    assert client.get(f"/games/{one}/chances?elo=2000").json()["chances"]["30"]["options"]
    for elo in ("", "x", "-5", "9" * 50, "nan"):
        assert client.get(f"/games/{one}/chances?elo={elo}").status_code == 422
    assert client.get("/games/none/chances?elo=2000").status_code == 422


def test_a_hostile_game_on_its_page(served: Callable[..., Any], analysed: Path) -> None:
    client = served(analysed)
    one = game_id(client, "script")
    assert "<script>alert" not in whole(client, f"/games/{one}")
    assert client.get(f"/games/{one}/board").json()["white"].startswith("<script>")
