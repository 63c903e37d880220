"""Records sessions with real engines for tests that need none: python tests/engine/record.py

Each recording holds what the engine said to every search of a few positions, and the rows that came of it,
to be looked over before they are committed.
"""

import dataclasses
import json
from pathlib import Path

from assay.engine.engines import EngineConfig, identify
from assay.engine.recipe import NAMED
from assay.engine.run import Task, Worker
from assay.engine.uci import UciSession

FOLDER = Path(__file__).parent / "recordings"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
SESSIONS = {
    # Many lines and moves alone; a mate; a forced move; a finished game.
    "stockfish": (
        "/usr/games/stockfish",
        dataclasses.replace(NAMED["standard"], nodes=5000, lines=4),
        [
            Task(START, ("a2a4", "e2e4")),
            Task("kbK5/pp6/1P6/8/8/8/8/R7 w - -"),
            Task("7k/8/8/8/8/8/r7/1K6 w - -", ("b1a2",)),
            Task("7k/8/8/8/8/8/q7/K7 w - -", ("a1a2",)),
            Task("r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq -"),
        ],
    ),
    # Lines that are bounds: every option by a search of its own.
    "toga": (
        "/usr/games/toga2",
        dataclasses.replace(NAMED["difatta2009"], depth=4, lines=3),
        [Task("8/8/8/8/8/5k2/6q1/4K2R b - -", ("g2h1",)), Task("8/8/8/8/8/4k3/4P3/4K3 w - -")],
    ),
}


def main() -> None:
    for name, (path, recipe, tasks) in SESSIONS.items():
        said: dict[str, list[str]] = {}
        options: list[str] = []
        _listen(said, options)
        config = EngineConfig(path)
        identity = identify(config, recipe)
        worker = Worker(config, recipe, identity)
        outcome = worker.run(tasks)
        worker.close()
        recording = {
            "name": identity.name,
            "options": list(dict.fromkeys(options)),
            "searches": said,
            "rows": [row._replace(seconds=0) for row in outcome.rows],
            "alone": [row._replace(seconds=0) for row in outcome.alone],
        }
        (FOLDER / f"{name}.json").write_text(json.dumps(recording, indent=1) + "\n")


def _listen(said: dict[str, list[str]], options: list[str]) -> None:
    """Note all that goes through sessions from now on."""
    send, read = _plain
    current: list[str] = []
    position = ""

    def noting_send(session: UciSession, text: str) -> None:
        nonlocal current, position
        for line in text.splitlines():
            if line.startswith("position"):
                position = line
            elif line.startswith("go"):
                current = said[f"{position} | {line}"] = []
        send(session, text)

    def noting_read(session: UciSession, seconds: float) -> bytes:
        text = read(session, seconds)
        if text.startswith((b"info depth", b"info multipv", b"bestmove")):
            current.append(text.decode())
        elif text.startswith(b"option"):
            options.append(text.decode())
        return text

    UciSession._send, UciSession._read = noting_send, noting_read  # type: ignore[method-assign]


_plain = (UciSession._send, UciSession._read)

if __name__ == "__main__":
    main()
