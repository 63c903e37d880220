"""First moves of other searches in positions of honest games: what somebody would play who takes them.

    python -m research taken-moves WORKSPACE FILE --search NAME LIMIT COMMAND ... [--minutes 60] [--after N]

Games are visited one of each milepost after the other, so that a run that ends early has as many of each.
LIMIT is as `nodes=150000` or `depth=13`; one line, one thread, 16 MB of hash, cleared before each position. A
move that is not among the recipe's lines is searched alone with the engine and nodes of the recipe, so that
it has a value. The answer has no names: game, ply, search, move, and its centipawns where searched alone.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import chess
import chess.engine
import numpy as np

from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions
from assay.screening.statistics import rules
from assay.workspace import Workspace
from research import command_on_workspace

HASH = 16
MATE = 32_000
ALONE = chess.engine.Limit(nodes=150_000)
COLUMNS = ("game", "ply", "search", "move", "alone")


def main(words: Sequence[str]) -> None:
    """Search, and write each game when it is done."""
    parser = command_on_workspace("taken-moves", __doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--search", nargs="+", action="append", required=True, metavar="NAME LIMIT COMMAND")
    parser.add_argument("--engine", default="stockfish", help="the recipe's engine")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--after", type=int, default=0, help="leave out so many games: an earlier run's")
    given = parser.parse_args(words)
    workspace = Workspace(given.workspace)
    decisions = workspace.decisions(workspace.recipe_id(given.recipe), trace=True).filter(*rules())
    searches = [(name, limit_of(limit), start(path)) for name, limit, *path in given.search]
    values = start([given.engine])
    end = time.monotonic() + 60 * given.minutes
    with given.file.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(COLUMNS)
        for game in islice(in_turn(decisions), given.after, None):
            if time.monotonic() > end:
                break
            rows.writerows(moves_of(decisions.take(game), searches, values))
            stream.flush()
    for engine in (values, *(engine for _, _, engine in searches)):
        engine.quit()


def limit_of(text: str) -> chess.engine.Limit:
    """Read `nodes=150000` or `depth=13`."""
    kind, number = text.split("=")
    return chess.engine.Limit(**{kind: int(number)})


def start(path: Sequence[str]) -> chess.engine.SimpleEngine:
    """Start an engine with little hash."""
    engine = chess.engine.SimpleEngine.popen_uci(list(path), timeout=60)
    engine.configure({"Hash": HASH})
    return engine


def in_turn(decisions: Decisions) -> Iterator[Ints]:
    """Rows of each game: the first game of every century of ratings, then the second of each, and so on."""
    game = decisions.codes("game_id")
    elo = np.round(decisions.numbers("player_elo") / 100)
    by_century: dict[float, list[int]] = {}
    for code in np.unique(game):
        by_century.setdefault(float(elo[game == code][0]), []).append(int(code))
    for place in range(max(map(len, by_century.values()))):
        for _, games in sorted(by_century.items()):
            if place < len(games):
                yield np.flatnonzero(game == games[place])


def moves_of(
    decisions: Decisions,
    searches: Sequence[tuple[str, chess.engine.Limit, chess.engine.SimpleEngine]],
    values: chess.engine.SimpleEngine,
) -> Iterator[list[object]]:
    """The first move of each search in each of these positions."""
    game, key, ply = decisions.text("game_id"), decisions.text("position_key"), decisions.numbers("ply")
    for row in range(len(decisions)):
        board = chess.Board(f"{key[row]} 0 1")
        value: dict[str, object] = dict.fromkeys((move for move, _ in decisions.options(row)), "")
        for name, limit, engine in searches:
            move = engine.play(board, limit, game=object()).move
            assert move is not None
            if move.uci() not in value:
                searched = values.analyse(board, ALONE, root_moves=[move], game=object())
                value[move.uci()] = searched["score"].relative.score(mate_score=MATE)
            yield [game[row], int(ply[row]), name, move.uci(), value[move.uci()]]
