import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import pytest

from assay.errors import EngineError, InputError
from assay.web.pages.spar import Sparring
from examples.engines import scripted_engine
from examples.served import until, whole


def test_a_game_is_played_kept_and_analysed(served: Callable[..., Any]) -> None:
    client = served()
    assert client.get("/spar?as=json").json() == {"game": None}
    for elo in ("9999", "999", "2801", "x"):
        assert client.post("/spar/new", data={"elo": elo}).status_code == 422
    found = client.post("/spar/new", data={"elo": "2000", "colour": "white", "name": "<b>Ann"}).json()
    assert found["game"]["legal"]
    assert client.post("/spar/move", data={"uci": "nonsense"}).status_code == 422
    client.post("/spar/move", data={"uci": "e2e4"})
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if not (game := client.get("/spar?as=json").json()["game"])["thinking"]:
            break
    assert len(game["moves"]) == 2
    assert client.post("/spar/resign").json()["game"]["result"] == "0-1"
    assert until(client, "import", "done")["answer"]["added"] == 1
    text = whole(client, "/spar")
    assert "&lt;b&gt;Ann" in text
    assert "Agent 2000" in text
    assert '[Event "Spar"]' in client.get("/spar?as=pgn").text
    assert (game := client.post("/spar/rate").json()["game"])["reviewing"] or game["verdict"]
    assert until(client, "review", "done", "failed")["state"] == "done"
    while time.monotonic() < end:  # a game of one move has an answer too
        if (game := client.get("/spar?as=json").json()["game"])["verdict"]:
            break
    assert re.match(r"<b>Ann lost \d+\.\d points of 100 in a move on average", game["verdict"])
    assert game["verdict"].endswith("These evaluations have no Elo scale.")
    assert client.get(f"/games/{game['game_id']}").status_code == 200
    assert client.post("/spar/dance").status_code == 404


class Answers(Sparring):
    """Plays the first legal move, or fails as told."""

    failing: Exception | None = None

    def _choose(self, game: Any) -> tuple[str, str]:
        if self.failing is not None:
            raise self.failing
        return game.board.legal[0], "said"


@pytest.fixture
def kept() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def sparring(kept: list[tuple[str, str]]) -> Iterator[Answers]:
    made = Answers(lambda pgn, title: kept.append((pgn, title)), None, None)
    yield made
    made.close()


def settled(sparring: Sparring) -> dict[str, Any]:
    """The game when the agent has answered."""
    for _ in range(6000):
        game: dict[str, Any] = sparring.document()["game"]
        if not game["thinking"]:
            return game
        threading.Event().wait(0.01)
    raise AssertionError("it thinks for ever")


def test_moves_in_turn(sparring: Answers) -> None:
    assert sparring.document() == {"game": None}
    sparring.begin(1800, True, "Ann")
    assert len(sparring.document()["game"]["legal"]) == 20
    sparring.move("e2e4")
    game = settled(sparring)
    assert (len(game["moves"]), game["moves"][0], game["said"]) == (2, "e4", "said")
    sparring.move("Nf3")  # as people write it
    assert settled(sparring)["moves"][2] == "Nf3"
    for bad in ("e2e5", "", "castle", "Nf3", "e9e1"):
        with pytest.raises(InputError, match="not a legal move"):
            sparring.move(bad)


def test_a_game_that_is_over_is_kept_once(sparring: Answers, kept: list[tuple[str, str]]) -> None:
    sparring.begin(1500, True, 'A"n\\n]')
    sparring.resign()
    assert kept == []  # nothing was played
    sparring.move("e2e4")
    settled(sparring)
    sparring.resign()
    sparring.resign()
    (pgn, title) = kept[0]
    assert len(kept) == 1
    assert '[White "A n n"]' in pgn
    assert '[Black "Agent 1500"]' in pgn
    assert "0-1" in pgn
    assert title == "A n n against 1500"
    with pytest.raises(InputError, match="not your move"):
        sparring.move("d2d4")


def test_mate_ends_it(sparring: Answers, kept: list[tuple[str, str]]) -> None:
    sparring.begin(1500, True, "Ann")
    game = sparring.game
    assert game is not None
    for uci in ("e2e4", "a7a6", "f1c4", "a6a5", "d1h5", "a5a4"):
        game.board.play(uci)
        game.moves.append(uci)
    sparring.move("h5f7")
    assert (game.result, game.why) == ("1-0", "by the rules")
    assert "Qxf7#" in kept[0][0]


def test_an_engine_that_fails_is_one_sentence(sparring: Answers) -> None:
    sparring.failing = EngineError("no chess engine found")
    sparring.begin(1800, True, "Ann")
    sparring.move("e2e4")
    found = settled(sparring)
    assert (found["error"], found["stuck"], found["moves"]) == ("no chess engine found", True, ["e4"])
    sparring.again()
    assert settled(sparring)["stuck"]
    sparring.failing = None
    sparring.again()
    found = settled(sparring)
    assert (found["error"], found["stuck"], len(found["moves"])) == ("", False, 2)
    sparring.again()  # nothing is the matter
    assert len(settled(sparring)["moves"]) == 2


def test_a_game_that_cannot_be_kept_is_not_lost(kept: list[tuple[str, str]]) -> None:
    full = [OSError(28, "No space left on device")] * 2

    def keep(pgn: str, title: str) -> None:
        if full:
            raise full.pop()
        kept.append((pgn, title))

    made = Answers(keep, None, None)
    made.begin(1800, True, "Ann")
    made.move("e2e4")
    settled(made)
    made.resign()
    found = settled(made)
    assert "the disk is full" in found["error"]
    assert (found["result"], found["stuck"], kept) == ("0-1", True, [])
    made.again()
    assert settled(made)["stuck"]
    made.again()
    found = settled(made)
    assert (found["error"], found["stuck"], len(kept)) == ("", False, 1)
    made.close()
    assert len(kept) == 1


def test_a_game_under_way_is_kept_when_the_server_ends(kept: list[tuple[str, str]]) -> None:
    made = Answers(lambda pgn, title: kept.append((pgn, title)), None, None)
    made.begin(1800, True, "Ann")
    made.move("e2e4")
    settled(made)
    made.close()
    assert "1. e4" in kept[0][0]
    assert '[Result "*"]' in kept[0][0]


def test_the_engine_is_asked_by_one_game_at_a_time() -> None:
    at_once, most, begun, go_on = [0], [0], threading.Event(), threading.Event()

    class Slow(Sparring):
        def _choose(self, game: Any) -> tuple[str, str]:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
            begun.set()
            go_on.wait(60)
            at_once[0] -= 1
            return game.board.legal[0], ""

    made = Slow(lambda *_: None, None, None)
    made.begin(1800, False, "Ann")
    assert begun.wait(60)
    made.begin(1900, False, "Ann")  # while the agent thinks about the first
    go_on.set()
    game = settled(made)
    made.close()
    assert (most[0], game["elo"], len(game["moves"])) == (1, 1900, 1)


@pytest.mark.parametrize(("times", "moves"), [(1, 1), (10_000, 0)])
def test_an_engine_that_dies_in_a_game(tmp_path: Path, kitchen: Path, times: int, moves: int) -> None:
    """It is started again; where that does not help there is a sentence, and no move by chance."""
    state = tmp_path / "state"
    engine = scripted_engine(tmp_path, "--fault", "die", "--times", times, "--state", state)
    made = Sparring(lambda *_: None, str(kitchen / "few.toml"), engine.path)
    made.begin(2000, True, "Ann")
    made.move("e2e4")
    game = settled(made)
    assert len(game["moves"]) == 1 + moves
    assert ("any legal" in game["said"]) is False
    assert ("engine" in game["error"], game["stuck"]) == (not moves, not moves)
    made.close()


def test_the_agent_is_that_of_the_command(kitchen: Path, kept: list[tuple[str, str]]) -> None:
    made = Sparring(lambda *_: None, str(kitchen / "few.toml"), str(kitchen / "engine"))
    made.begin(2000, False, "Ann")
    game = settled(made)
    assert game["error"] == ""
    assert chess.Move.from_uci(game["last"]) in chess.Board().legal_moves
    assert "not known" in game["said"]  # no calibration of this engine, and it is said
    made.close()
