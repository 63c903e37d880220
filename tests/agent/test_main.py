import io
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import chess
import chess.engine
import pytest

from assay.agent.main import OPTIONS, Loop
from assay.agent.session import HIGHEST, LOWEST, MODELS, MOST_MOVES, MOST_SEED
from assay.engine.engines import EngineConfig, find_engine
from assay.errors import EngineError
from examples.engines import engines_running

Scripted = Callable[..., EngineConfig]
COMMAND = [sys.executable, "-m", "assay.agent.main"]


def test_what_is_told_before_loading_is_what_holds() -> None:
    told = " ".join(OPTIONS)
    assert f"UCI_Elo type spin default 1800 min {LOWEST} max {HIGHEST}" in told
    assert f"max {MOST_MOVES}" in told
    assert f"Seed type spin default 0 min 0 max {MOST_SEED}" in told
    assert [word for word in told.split("Model")[1].split("option")[0].split() if word in MODELS][1:] == list(
        MODELS
    )


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
    assert "info string UCI_Elo is a whole number from 1500 to 2800, not '900'" in said
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
    assert sum(line.startswith("info string this is no position") for line in said) == 1
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
