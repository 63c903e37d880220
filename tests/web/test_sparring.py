import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import pytest

from assay.errors import EngineError, InputError
from assay.web.place import Place
from assay.web.sparring import Sparring, upload_of


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


def test_black_waits_for_the_agent(sparring: Answers) -> None:
    sparring.begin(2800, False, "Ann")
    game = settled(sparring)
    assert len(game["moves"]) == 1
    assert game["legal"]


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
    assert title == "A n n against agent 1500"
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
    assert settled(sparring)["error"] == "no chess engine found"


@pytest.mark.parametrize("elo", [0, 1499, 2801])
def test_elos_that_no_agent_has(sparring: Answers, elo: int) -> None:
    with pytest.raises(InputError, match="between 1500 and 2800"):
        sparring.begin(elo, True, "Ann")


def test_the_agent_is_that_of_the_command(kitchen: Path, kept: list[tuple[str, str]]) -> None:
    made = Sparring(lambda *_: None, str(kitchen / "few.toml"), str(kitchen / "engine"))
    made.begin(2000, False, "Ann")
    game = settled(made)
    assert game["error"] == ""
    assert chess.Move.from_uci(game["last"]) in chess.Board().legal_moves
    assert "not known" in game["said"]  # no calibration of this engine, and it is said
    made.close()


def test_a_game_becomes_an_upload(tmp_path: Path) -> None:
    path = upload_of(Place(tmp_path), "1. e4 *")
    assert Place(tmp_path).left_uploads() == [path]
