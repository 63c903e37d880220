from collections.abc import Callable
from typing import Any

from examples.served import until, whole


def test_a_game_is_played_kept_and_analysed(served: Callable[..., Any]) -> None:
    client = served()
    assert client.get("/spar?as=json").json() == {"game": None}
    assert client.post("/spar/new", data={"elo": "9999"}).status_code == 422
    assert client.post("/spar/new", data={"elo": "x"}).status_code == 422
    found = client.post("/spar/new", data={"elo": "2000", "colour": "white", "name": "<b>Ann"}).json()
    assert found["game"]["legal"]
    assert client.post("/spar/move", data={"uci": "nonsense"}).status_code == 422
    client.post("/spar/move", data={"uci": "e2e4"})
    for _ in range(2000):
        if not (game := client.get("/spar?as=json").json()["game"])["thinking"]:
            break
    assert len(game["moves"]) == 2
    assert client.post("/spar/resign").json()["game"]["result"] == "0-1"
    assert until(client, "import", "done")["answer"]["added"] == 1
    text = whole(client, "/spar")
    assert "&lt;b&gt;Ann" in text
    assert "Agent 2000" in text
    assert '[Event "Spar"]' in client.get("/spar?as=pgn").text
    client.post("/spar/rate", data={"name": "<b>Ann"})
    assert until(client, "analyse", "done", "failed")["title"] == "few, games of <b>Ann"
    assert client.post("/spar/dance").status_code == 404
