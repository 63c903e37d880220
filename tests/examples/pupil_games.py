"""Games of legal moves at random, every decision valued and traced: a pupil's games."""

import chess
import numpy as np
import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.testing import with_trace

STANDARD = "672593ce2551e878"
"""The recipe that has a calibration."""

ENDING = "8/5pk1/4p1p1/3n4/3P4/3B1PK1/6P1/8 w - - 0 1"


def pupil_games(
    games: int = 4, plies: int = 60, seed: int = 0, options: int = 6, depths: int = 8
) -> Decisions:
    """Every other game begins in an ending; moves lose as those of club players do."""
    rng = np.random.default_rng(seed)
    rows = []
    for game in range(games):
        board = chess.Board(ENDING if game % 2 else chess.STARTING_FEN)
        names = ("Pupil, Pat", "Rival, Ray") if game % 4 < 2 else ("Rival, Ray", "Pupil, Pat")
        for ply in range(plies):
            legal = [move.uci() for move in board.legal_moves]
            if not legal:
                break
            n = min(options, len(legal))
            chosen = rng.permutation(len(legal))[:n]
            drops = np.concatenate(([0], np.sort(rng.exponential(120, n - 1).astype(int)))) if n > 1 else [0]
            best = int(rng.normal(0, 80))
            index = min(int(rng.geometric(0.5)) - 1, n - 1)
            white = board.turn == chess.WHITE
            move = legal[chosen[index]]
            rows.append(
                {
                    "game_id": f"game{game}",
                    "ply": ply,
                    "player": names[0] if white else names[1],
                    "opponent": names[1] if white else names[0],
                    "colour": "white" if white else "black",
                    "year": 2020 + game // 4,
                    "event": "Club evening",
                    "result": 0.5,
                    "player_elo": 1800,
                    "opponent_elo": 1800,
                    "position_key": " ".join(board.fen().split(" ")[:4]),
                    "n_legal": len(legal),
                    "moves": [legal[one] for one in chosen],
                    "cp": [int(best - drop) for drop in drops],
                    "played": move,
                    "after": int(best - drops[index]),
                    "recipe_id": STANDARD,
                    "depth": depths,
                }
            )
            board.push_uci(move)
    return with_trace(Decisions.from_table(pa.Table.from_pylist(rows)), depths=depths, seed=seed + 1)
