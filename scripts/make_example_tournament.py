"""Play the bundled example tournament: Stockfish limited to several strengths, everyone against everyone.

The strengths are set, so the true order of the players is known. Made once, with Debian's Stockfish 15.1:

    python scripts/make_example_tournament.py > src/assay/examples/tournament.pgn
"""

import itertools
import sys

import chess
import chess.engine
import chess.pgn

STRENGTHS = (1400, 1800, 2200, 2600)
SECONDS_PER_MOVE = 0.1
MAX_PLIES = 240


def play(white: int, black: int, round_number: int, path: str) -> chess.pgn.Game:
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci(path) as engine:
        while not board.is_game_over(claim_draw=True) and board.ply() < MAX_PLIES:
            strength = white if board.turn else black
            engine.configure({"UCI_LimitStrength": True, "UCI_Elo": strength})
            limit = chess.engine.Limit(time=SECONDS_PER_MOVE)
            move = engine.play(board, limit, game=(board.turn, round_number)).move
            assert move is not None
            board.push(move)
    game = chess.pgn.Game.from_board(board)
    game.headers.update(
        {
            "Event": "Assay example tournament",
            "Site": "One computer",
            "Date": "2026.11.15",
            "Round": str(round_number),
            "White": f"Stockfish {white}",
            "Black": f"Stockfish {black}",
            "WhiteElo": str(white),
            "BlackElo": str(black),
            "Result": board.result(claim_draw=True) if board.ply() < MAX_PLIES else "1/2-1/2",
        }
    )
    return game


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else "/usr/games/stockfish"
    for number, (white, black) in enumerate(itertools.permutations(STRENGTHS, 2), start=1):
        game = play(white, black, number, path)
        print(game.accept(chess.pgn.StringExporter(columns=80)), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
