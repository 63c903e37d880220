"""The sample event that ships, moves that are tried, and training: on real analyses of Stockfish 15.1."""

import io
import json
from collections.abc import Callable
from typing import Any

import chess
import chess.pgn
import pytest

from assay.rating.posterior import GRID
from assay.web.site import Site
from assay.web.stored import path_of, stored_prior, stored_ratings
from examples.served import whole

PLAYER = "Rowan,H"


@pytest.fixture
def client(served: Callable[..., Any]) -> Any:
    opened = served()
    assert opened.post("/sample").status_code == 303
    return opened


def test_the_sample_event_opens_rated_and_only_in_an_empty_folder(client: Any) -> None:
    home = whole(client, "/")
    assert "Train " in home
    assert '<h3 id="best-title">Ratings</h3>' in home
    assert home.count('class="open-game"') == 6
    assert len(client.get("/players?as=json").json()["players"]) == 8
    assert client.post("/sample").status_code == 422


def test_ratings_on_the_elo_scale_are_stored_and_progress_is_the_same_after_a_restart(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = client.site.reading()
    progress = {"player": PLAYER, "as": "csv"}
    told = client.get("/progress", params=progress).text
    assert told.count("\n") == 2  # the heads, and one month
    again = Site(client.site.folder.path, client.site.options).reading()
    assert stored_ratings(again) is not None
    assert again.ratings == before.ratings
    monkeypatch.setattr("assay.study.Study.rate", lambda *_, **__: pytest.fail("it is stored"))
    stored, computed = (reading.rating_with_prior(PLAYER) for reading in (again, before))
    assert stored is not None
    assert stored == computed
    assert stored.prior.log_density(GRID) == pytest.approx(computed.prior.log_density(GRID))
    assert stored.prior.shared == computed.prior.shared
    path_of(again).write_bytes(b"PK\x03\x04 not what it should be")
    assert stored_prior(again, PLAYER) is None


def test_games_are_filtered_and_sorted(client: Any) -> None:
    def ask(**asked: str) -> list[Any]:
        return client.get("/games", params={"as": "json", **asked}).json()  # type: ignore[no-any-return]

    assert len(ask()) == 28
    assert {row["white"] for row in ask(player="rowan", colour="white")} == {PLAYER}
    won = ask(player="alder", result="won")
    assert {row["result"] for row in won if row["white"] == "Alder,A"} == {1.0}
    assert {row["result"] for row in won if row["black"] == "Alder,A"} == {0.0}
    assert sum(len(ask(player="alder", result=result)) for result in ("won", "drawn", "lost")) == 7
    assert (len(ask(year="2012")), ask(year="1999"), ask(opening="reti")) == (28, [], [])
    assert {row["eco"][0] for row in ask(opening="sicilian")} == {"B"}
    losses = [row["largest_loss"] for row in ask(sort="loss")]
    assert losses == sorted(losses, reverse=True)
    some = int(100 * losses[3])
    assert len(ask(loss=str(some))) == sum(100 * loss >= some for loss in losses) >= 4
    moves = [row["n_plies"] for row in ask(sort="moves", order="up")]
    assert moves == sorted(moves)
    assert "No game fits all of this" in whole(client, "/games", year="1999")


def test_a_review_has_the_engines_line_and_how_long_a_mistake_looked_good(client: Any) -> None:
    lines, until = [], []
    for row in client.get("/games?as=json").json()[:4]:
        positions = client.get(f"/games/{row['game_id']}/board").json()["positions"]
        for here in positions[:-1]:
            board = chess.Board(here["fen"])
            assert sorted(here["legal"]) == sorted(move.uci() for move in board.legal_moves)
            for san in here["line"]:
                board.push_san(san)
            lines.append(len(here["line"]))
            if "until" in here:
                assert here["lost"] >= 0.05
                until.append(here["until"])
        text = client.get(f"/games/{row['game_id']}?as=pgn").text
    assert sum(lines) / len(lines) > 4
    assert until
    assert max(until) >= 5
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    better = [node.parent.variations[1] for node in game.mainline() if len(node.parent.variations) > 1]
    assert max(len(list(variation.mainline())) for variation in better) >= 3


def test_a_move_that_is_tried_has_a_value_and_how_many_play_it(client: Any) -> None:
    one = client.get("/games?as=json").json()[0]["game_id"]
    here = client.get(f"/games/{one}/board").json()["positions"][30]
    address = f"/games/{one}/try"
    best = client.get(address, params={"ply": 30, "elo": 2000, "moves": here["best"]}).json()
    assert (best["lost"], best["better"]) == (0.0, None)
    assert best["value"] == here["options"][0]["value"]
    assert 0 < best["of_100"] <= 100
    board = chess.Board(here["fen"])
    board.push_uci(here["best"])
    assert best["fen"] == board.fen()
    listed = {option["uci"] for option in here["options"]}
    other = next(move for move in here["legal"] if move not in listed)
    asked = client.get(address, params={"ply": 30, "elo": 2000, "moves": other}).json()  # by the engine
    assert asked["uci"] == other
    reply = asked["legal"][0]
    further = client.get(address, params={"ply": 30, "elo": 2000, "moves": f"{other},{reply}"}).json()
    assert further["uci"] == reply
    for moves, ply in (("e2e5", 30), ("nothing", 30), ("e2e4", 999)):
        refused = client.get(address, params={"ply": ply, "elo": 2000, "moves": moves})
        assert refused.status_code == 422


def test_positions_are_asked_and_what_was_wrong_comes_first_the_next_time(client: Any) -> None:
    def exercises() -> list[Any]:
        asked = client.get("/train", params={"player": PLAYER, "as": "json"})
        return asked.json()["exercises"]  # type: ignore[no-any-return]

    first = exercises()
    assert len(first) >= 8
    assert all(one["last"] == "" for one in first)
    answers = [
        client.post("/train/answer", data={"player": PLAYER, "key": one["key"], "move": ""}).json()
        for one in first[:2]
    ]
    told = answers[0]["best"]["uci"]
    assert not answers[0]["right"]
    assert "Of 100 players" in answers[0]["text"]
    right = client.post("/train/answer", data={"player": PLAYER, "key": first[0]["key"], "move": told}).json()
    assert right["right"]
    assert right["lost"] <= 0.05
    again = exercises()
    assert again[0]["key"] == first[1]["key"]  # the one that is still wrong
    assert again[-1]["key"] == first[0]["key"]  # the one that is known
    stored = json.loads((client.site.folder.workspace / "training.json").read_text())
    assert stored[PLAYER][first[0]["key"]]["last"] == "right"
    assert "1 position went wrong last time and comes first" in whole(client, "/train", player=PLAYER)
    text = client.get("/train", params={"player": PLAYER, "as": "pgn"}).text
    assert text.count("[FEN ") == len(first)
    gone = client.post("/train/answer", data={"player": PLAYER, "key": "no:1", "move": "e2e4"})
    assert gone.status_code == 422


def test_a_damaged_file_of_answers_is_begun_anew(client: Any) -> None:
    for damaged in ("[", "[]", '{"Rowan,H": 3}', '{"Rowan,H": {"a": 1}}'):
        (client.site.folder.workspace / "training.json").write_text(damaged)
        asked = client.get("/train", params={"player": PLAYER, "as": "json"}).json()["exercises"]
        assert {one["last"] for one in asked} == {""}
