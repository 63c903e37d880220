from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.agent.session import AgentSession, position_of
from assay.decisions.profile import Profile
from assay.engine.engines import EngineConfig
from assay.errors import InputError

Scripted = Callable[..., EngineConfig]


class Heard:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.told: list[str] = []
        self.session = AgentSession(self.said.append, self.told.append)

    def move(self, words: str = "") -> str:
        self.session.go(words.split())
        return self.said[-1].removeprefix("bestmove ")


@pytest.fixture
def heard(scripted: Scripted) -> Heard:
    found = Heard()
    found.session.set_option("engine", scripted().path or "")
    found.session.set_option("seed", "5")
    return found


def test_a_move_is_said_with_its_probability(heard: Heard) -> None:
    heard.session.set_position(["startpos", "moves", "e2e4"])
    move = heard.move("wtime 60000 btime 60000")
    heard.session.close()
    assert len(move) == 4
    assert any("no calibration of Scripted 1" in one for one in heard.told)
    assert any(f"plays {move}" in one and "%" in one for one in heard.told)


def test_the_likeliest_moves_are_listed(heard: Heard) -> None:
    heard.session.set_option("multipv", "3")
    heard.move()
    heard.session.close()
    ranks = [one.split()[4] for one in heard.said if " multipv " in one]
    assert ranks == ["1", "2", "3"]
    shown = next(one for one in heard.told if "probability" in one).split(": ")[1].split(";")[0]
    parts = [float(one.split()[1].rstrip("%")) for one in shown.split(", ")]
    assert parts == sorted(parts, reverse=True)


def test_the_same_seed_and_game_give_the_same_moves_and_the_next_game_others(heard: Heard) -> None:
    later = ["fen", "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1", "w", "-", "-", "0", "12"]
    heard.session.set_position(later)
    first = [heard.move() for _ in range(2)]
    others = set()
    for _ in range(25):
        heard.session.new_game()
        heard.session.set_position(later)
        others.add(heard.move())
    heard.session.close()
    assert first[0] == first[1]
    assert len(others) > 1


def test_a_seed_of_zero_is_drawn_and_told(scripted: Scripted) -> None:
    heard = Heard()
    heard.session.set_option("engine", scripted().path or "")
    heard.move()
    heard.session.close()
    assert sum(one.startswith("seed ") for one in heard.told) == 1


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("uci_elo", "1400", "from 1500 to 2800"),
        ("uci_elo", "x", "from 1500 to 2800"),
        ("model", "gain", "depth, bayes, choice"),
        ("multipv", "0", "from 1"),
        ("seed", "-1", "from 0"),
        ("uci_limitstrength", "maybe", "true or false"),
        ("contempt", "3", "no option 'contempt'"),
    ],
)
def test_options_out_of_range_are_refused_in_words(heard: Heard, name: str, value: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        heard.session.set_option(name, value)


def test_positions_that_are_none_or_over(heard: Heard) -> None:
    for words, said in (
        ("fen banana", "no position"),
        ("fen 8/8/8/8/8/8/8/8 w - - 0 1", "not possible"),
        ("startpos moves e2e5", "not a legal move"),
        ("moves e2e4", "'startpos' or 'fen"),
    ):
        with pytest.raises(InputError, match=said):
            heard.session.set_position(words.split())
        assert heard.move() == "(none)"
    heard.session.set_position(["fen", "R5k1/5ppp/8/8/8/8/8/6K1", "b", "-", "-", "0", "1"])
    assert heard.move() == "(none)"
    assert "the game is over" in heard.told
    assert position_of("8/8/8/3k4/8/8/8/R3K3 w - - 0 1").bare_king


def test_unlimited_it_is_the_engine_itself(heard: Heard) -> None:
    heard.session.set_option("uci_limitstrength", "false")
    heard.session.set_option("multipv", "1")
    move = heard.move()
    heard.session.close()
    best = next(one for one in heard.said if one.startswith("info depth"))
    assert best.endswith(f"pv {move}")
    assert not any("probability" in one for one in heard.told)


def test_a_player_who_cannot_be_read_is_said_and_the_elo_plays(heard: Heard, tmp_path: Path) -> None:
    for content in (None, b"nothing"):
        path = tmp_path / "tal.npz"
        if content is not None:
            path.write_bytes(content)
        heard.session.set_option("player", str(path))
        assert len(heard.move()) >= 4
        assert any("the agent of 1800 plays" in one for one in heard.told)
        heard.told.clear()
    Profile("gain", np.zeros(3), 900, 9).write(tmp_path / "tal.npz")
    heard.session.set_option("player", str(tmp_path / "tal.npz"))
    heard.move()
    heard.session.close()
    assert any("profile of gain" in one for one in heard.told)


def test_an_answer_that_must_wait_waits(heard: Heard) -> None:
    heard.session.begin()
    heard.session.ponderhit()  # else it would never answer
    assert heard.move("ponder wtime 60000 btime 60000") != "(none)"
    heard.session.begin()
    heard.session.stop()
    assert heard.move("infinite") != "(none)"
    heard.session.close()
