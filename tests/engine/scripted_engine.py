"""A UCI engine that plays a part: it answers from a hash of the position, and fails as it is told.

Arguments: --fault NAME how it fails; --times N how often, counted over all processes in the file --state;
--only TEXT in which positions (a part of the FEN); --delay SECONDS how long a search takes;
--replay FILE to answer from a recording (JSON: commands from `position` to `go` -> lines);
--values FILE to value moves as it has them (JSON: FEN without counters -> move -> centipawns), others least;
--remember to let an answer depend on the searches since `ucinewgame`, as a kept hash does;
--fork TEXT to start a child that outlives it;
--mark TEXT means nothing: by it a test finds its own engines among all processes.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess

OPTIONS = (
    "option name Hash type spin default 16 min 1 max 1024",
    "option name MultiPV type spin default 1 min 1 max 500",
    "option name UCI_ShowWDL type check default false",
    "option name EvalFile type string default scripted.nnue",
    "option name Debug Log File type string default ",
    "option name Style type spin default 0 min -100 max 100",
)

IMPOSSIBLE = {
    "mate": "depth 1 multipv {rank} score mate 99999999 nodes 1",
    "mated": "depth 1 multipv {rank} score mate -99999999 nodes 1",
    "nodes": "depth 1 multipv {rank} score cp 0 nodes 123456789012345678901234567890",
    "depth": "depth 600000 multipv {rank} score cp 0 nodes 1",
    "seldepth": "depth 1 seldepth 600000 multipv {rank} score cp 0 nodes 1",
    "wdl": "depth 1 multipv {rank} score cp 0 wdl 99999 0 0 nodes 1",
    "negative": "depth -5 multipv {rank} score cp 0 nodes 1",
}


def say(text):
    print(text, flush=True)


def value(known, move, depth):
    digest = hashlib.sha256(f"{known} {move} {depth}".encode()).digest()
    return int.from_bytes(digest[:2], "big") % 600 - 300


class Engine:
    def __init__(self, arguments):
        self.arguments = arguments
        self.n_lines = 1
        self.position = ""
        self.searched = []
        path = arguments.replay
        self.recording = json.loads(Path(path).read_text()) if path else None
        self.values = json.loads(Path(arguments.values).read_text()) if arguments.values else {}

    def fails(self, fen):
        """Whether this search is one of those that fail."""
        if self.arguments.fault is None or self.arguments.only not in fen:
            return False
        if self.arguments.state is None:
            return True
        with Path(self.arguments.state).open("a+") as file:
            file.write("x")
            file.flush()
            return file.tell() <= self.arguments.times

    def go(self, words):
        if self.recording is not None:
            for line in self.recording["searches"][f"{self.position} | {' '.join(words)}"]:
                say(line)
            return
        board = chess.Board() if "startpos" in self.position else chess.Board(self.position.split("fen ")[1])
        moves = sorted(move.uci() for move in board.legal_moves)
        if "searchmoves" in words and self.arguments.fault != "no_searchmoves":
            moves = words[words.index("searchmoves") + 1 :]
        n_lines = self.n_lines
        # The probe before a run is not meant, except by those who never work.
        if "startpos" not in self.position and self.fails(board.fen()):
            if self.arguments.fault == "one_line":
                n_lines = 1
            elif self.arguments.fault != "ignores_nodes":
                self.fail(moves)
                return
        time.sleep(self.arguments.delay)
        self.searched.append(board.fen())
        known = " ".join(self.searched) if self.arguments.remember else board.fen()
        depth = int(words[words.index("depth") + 1]) if "depth" in words else 6
        each = 10**9 if self.arguments.fault == "ignores_nodes" else 100
        for step in range(1, depth + 1):
            given = self.values.get(" ".join(board.fen().split()[:4]))
            ranked = sorted(
                (
                    (value(known, move, step) if given is None else given.get(move, -900), move)
                    for move in moves
                ),
                reverse=True,
            )
            for rank, (cp, move) in enumerate(ranked[:n_lines], start=1):
                say(
                    f"info depth {step} seldepth {step} multipv {rank} score cp {cp} wdl 1 998 1 "
                    f"nodes {step * each} time 1 pv {move}"
                )
        say(f"bestmove {ranked[0][1]}")

    def fail(self, moves):
        if self.arguments.fault in IMPOSSIBLE:
            for rank, move in enumerate(moves[: self.n_lines], start=1):
                say(f"info {IMPOSSIBLE[self.arguments.fault].format(rank=rank)} pv {move}")
            say(f"bestmove {moves[0]}")
            return
        match self.arguments.fault:
            case "die":
                sys.exit(1)
            case "kill_parent":
                os.kill(os.getppid(), signal.SIGKILL)
            case "hang":
                time.sleep(3600)
            case "garbage":
                while True:
                    say("Segmentation fault? \x00\xff ~~~")
            case "nonsense":
                say("info depth x score cp y pv ??\ninfo depth 3 score banana pv e2e4\nbestmove zzzz")
            case "none":
                say("bestmove (none)")
            case "illegal":
                say("info depth 1 multipv 1 score cp 0 nodes 1 pv a1a1\nbestmove a1a1")

    def serve(self):
        for line in sys.stdin:
            words = line.split()
            match words[:1]:
                case ["uci"]:
                    name = self.recording["name"] if self.recording else self.arguments.name
                    for text in [f"id name {name}", *(self.recording or {}).get("options", OPTIONS), "uciok"]:
                        say(text)
                case ["isready"]:
                    say("readyok")
                case ["setoption"] if self.arguments.heard:
                    with Path(self.arguments.heard).open("a") as file:
                        file.write(line)
                    if words[2] == "MultiPV":
                        self.n_lines = int(words[-1])
                case ["setoption"] if words[2] == "MultiPV":
                    self.n_lines = 1 if self.arguments.fault == "no_lines" else int(words[-1])
                case ["ucinewgame"]:
                    self.searched = []
                case ["position"]:
                    self.position = line.strip()
                case ["go"]:
                    self.go(words)
                case ["quit"]:
                    return


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="Scripted 1")
    parser.add_argument("--fault")
    parser.add_argument("--times", type=int, default=0)
    parser.add_argument("--state")
    parser.add_argument("--only", default="")
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--replay")
    parser.add_argument("--values")
    parser.add_argument("--remember", action="store_true")
    parser.add_argument("--mark")
    parser.add_argument("--heard", help="a file to write the settings to that were sent")
    parser.add_argument("--fork", help="start a child that never ends, with this in its command line")
    if (mark := parser.parse_args().fork) is not None:
        child = [sys.executable, "-c", "import time; time.sleep(3600)", mark]
        subprocess.Popen(child)
    Engine(parser.parse_args()).serve()


if __name__ == "__main__":
    main()
