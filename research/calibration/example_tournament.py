"""Play the bundled example tournament: agents of four Elos, everyone against everyone, twice.

They choose as people of their Elo do, so their true Elo is known on the scale of FIDE's
classical ratings. The same seed plays the same games again. Made once, with Debian's Stockfish 15.1:

    python -m research example-tournament FOLDER > src/assay/data/examples/tournament.pgn

FOLDER becomes a workspace that keeps the searches; a run that was ended goes on where it was.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import chess.pgn

from assay.engine.engines import EngineConfig
from assay.engine.recipe import find_recipe
from research import command
from research.evidence.agent import RoundRobin, schedule

LEVELS = (1600, 1900, 2200, 2500)
ROUNDS = 2
SEED = 2026
EVENT = "Assay example tournament"


def main(words: Sequence[str]) -> None:
    """Play the games that are missing, and print all of them."""
    parser = command("example-tournament", __doc__)
    parser.add_argument("folder", type=Path)
    robin = RoundRobin(parser.parse_args(words).folder, find_recipe("standard"), EngineConfig(), seed=SEED)
    for pairing, played in robin.play(schedule(LEVELS, ROUNDS), 2, EVENT):
        print(f"{pairing.number}: {played.result}, {len(played.moves)} plies", file=sys.stderr, flush=True)
    # Games end in any order; the file has them in the order of the rounds.
    file = io.StringIO(robin.pgn.read_text(encoding="utf-8"))
    games = []
    while (game := chess.pgn.read_game(file)) is not None:
        games.append(game)
    for game in sorted(games, key=lambda game: int(game.headers["Round"].split(".")[1])):
        print(game.accept(chess.pgn.StringExporter(columns=80)), end="\n\n")
