import io
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import chess
import chess.engine
import numpy as np
import pytest

from assay.agent.main import OPTIONS, Loop
from assay.agent.session import MOST_MOVES, MOST_SEED, AgentSession, position_of
from assay.decisions.profile import Profile
from assay.engine.engines import EngineConfig, find_engine
from assay.errors import EngineError, InputError
from examples.engines import engines_running

Scripted = Callable[..., EngineConfig]
COMMAND = [sys.executable, "-m", "assay.agent.main"]


def test_what_is_told_before_loading_is_what_holds() -> None:
    told = " ".join(OPTIONS)
    assert f"max {MOST_MOVES}" in told
    assert f"Seed type spin default 0 min 0 max {MOST_SEED}" in told


def test_nothing_heavy_is_loaded_before_uciok() -> None:
    code = (
        "import sys, io\nfrom assay.agent.main import Loop\nout = io.StringIO()\nloop = Loop(out)\n"
        "loop.read(['uci\\n'])\nloop.run()\nassert out.getvalue().endswith('uciok\\n')\n"
        "print([name for name in ('numpy', 'chess', 'scipy', 'pyarrow', 'numba') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def conversation(lines: list[str]) -> list[str]:
    """All commands at once: what follows `go` acts on the search."""
    out = io.StringIO()
    loop = Loop(out)
    loop.read(iter([f"{line}\n" for line in lines]))
    loop.run()
    return out.getvalue().splitlines()


def test_options_that_come_before_anything_is_loaded_are_kept(scripted: Scripted) -> None:
    said = conversation(
        [
            "uci",
            f"setoption name Engine value {scripted().path}",
            "setoption name UCI_Elo value 900",
            "setoption name Seed value 3",
            "isready",
            "banana",
            "",
            "position startpos",
            "go depth 3",
        ]
    )
    assert "info string UCI_Elo is a whole number from 1000 to 2800, not '900'" in said
    assert said.index("readyok") > said.index("uciok")
    assert said[-1].startswith("bestmove ")
    assert said[-1] != "bestmove (none)"


def test_what_ends_a_search_is_heard_while_all_is_loaded(scripted: Scripted) -> None:
    for word in ("stop", "ponderhit"):
        path = scripted().path
        said = conversation([f"setoption name Engine value {path}", "go ponder", word])
        assert said[-1].startswith("bestmove ")


def test_without_an_engine_it_still_answers_and_says_why() -> None:
    said = conversation(["setoption name Engine value /nowhere/engine", "isready", "position startpos", "go"])
    assert "readyok" in said
    assert any("no engine '/nowhere/engine'" in line for line in said)
    assert said[-1].startswith("bestmove ")


def test_faults_are_one_line_each(scripted: Scripted) -> None:
    said = conversation(["position fen banana", "go", "quit", "isready"])
    assert sum(line.startswith("info string this is not a position") for line in said) == 1
    assert said[-1] == "bestmove (none)"


@pytest.fixture
def agent(scripted: Scripted) -> chess.engine.SimpleEngine:
    engine = chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=60)
    engine.configure({"Engine": scripted("--delay", 0.05).path, "Seed": 11, "UCI_Elo": 1700})
    return engine


def test_python_chess_plays_a_game_with_it(agent: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    with agent:
        for ply in range(6):
            limit = (
                chess.engine.Limit(time=5) if ply % 2 else chess.engine.Limit(white_clock=60, black_clock=60)
            )
            played = agent.play(board, limit, game=1, info=chess.engine.INFO_ALL)
            assert played.move in board.legal_moves
            assert "plays" in str(played.info["string"])
            board.push(played.move)
        assert agent.analyse(board, chess.engine.Limit(depth=2))["pv"]
        agent.configure({"UCI_LimitStrength": False})
        assert agent.play(chess.Board(), chess.engine.Limit(nodes=5)).move is not None
        agent.quit()  # waits for its end
    assert agent.protocol.returncode.result() == 0


def test_pondering_and_stopping(agent: chess.engine.SimpleEngine) -> None:
    with agent:
        with agent.analysis(chess.Board()) as going:  # go infinite, then stop
            going.get()
            time.sleep(0.2)
            going.stop()
            assert going.wait().move is not None
        assert agent.play(chess.Board(), chess.engine.Limit(time=5), ponder=True).move is not None
        assert agent.play(chess.Board(), chess.engine.Limit(time=5)).move is not None


def test_it_ends_with_whoever_started_it_and_so_does_its_engine(scripted: Scripted) -> None:
    engine = scripted("--delay", 600)  # it hangs already when it is started
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        process.stdin.write(f"setoption name Engine value {engine.path}\nposition startpos\ngo\n")
        process.stdin.flush()
        while not engines_running(engine):
            time.sleep(0.05)
        process.stdin.close()
        assert process.wait() == 0
    while engines_running(engine):
        time.sleep(0.05)


def test_a_reader_that_is_gone_ends_it() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write("uci\n")
        process.stdin.flush()
        assert process.wait() == 0  # with its input still open


@pytest.mark.engine
def test_stockfish_behind_it(tmp_path: Path) -> None:
    try:
        path = find_engine()
    except EngineError:
        pytest.skip("no engine")
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=60) as agent:
        agent.configure({"Engine": path, "Seed": 1, "UCI_Elo": 1500})
        mate = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
        assert agent.play(mate, chess.engine.Limit(time=5)).move == chess.Move.from_uci("a1a8")
        board = chess.Board()
        for _ in range(2):
            played = agent.play(board, chess.engine.Limit(time=0.05))
            assert played.move is not None
            board.push(played.move)


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
        ("uci_elo", "999", "from 1000 to 2800"),
        ("uci_elo", "x", "from 1000 to 2800"),
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
        ("fen banana", "not a position"),
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
        assert any("the simulated player of 1800 plays" in one for one in heard.told)
        heard.told.clear()
    Profile("gain", np.zeros(3), 900, 9).write(tmp_path / "tal.npz")
    heard.session.set_option("player", str(tmp_path / "tal.npz"))
    heard.move()
    heard.session.close()
    assert any("profile of gain" in one for one in heard.told)
