"""The Game of the Century with the evaluations that Ferreira 2012 prints, in the forms that tests need."""

import chess
import pyarrow as pa

from assay.answers.comparisons import CrossTable
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import from_mate
from assay.reproduce import facts
from assay.testing import make_decisions

GAME = facts("ferreira2012")["game_of_the_century"]


BYRNE, FISCHER = "Byrne, Donald", "Fischer, Robert James"


def printed_decisions() -> Decisions:
    """The game as decisions. Its 39.00 stand for mates that the engine saw."""
    values = [GAME["start_evaluation"], *GAME["evaluations"]]
    white_view = [from_mate(-5) if value == -3900 else value for value in values]
    rows = []
    for ply, move in enumerate(GAME["moves"]):
        sign = 1 if ply % 2 == 0 else -1
        rows.append(
            {
                "game_id": "game of the century",
                "ply": ply,
                "player": BYRNE if ply % 2 == 0 else FISCHER,
                "opponent": FISCHER if ply % 2 == 0 else BYRNE,
                "result": 0.0 if ply % 2 == 0 else 1.0,
                "moves": [move],
                "cp": [max(-3900, min(3900, sign * values[ply]))],
                "played": move,
                "before": sign * white_view[ply],
                "after": sign * white_view[ply + 1],
            }
        )
    return Decisions.from_table(pa.Table.from_pylist(rows))


def annotated_pgn(plies: int | None = None, result: str = "0-1") -> str:
    """The game as PGN with its evaluations in comments, up to some ply."""
    board = chess.Board()
    parts = [f'[White "{BYRNE}"]\n[Black "{FISCHER}"]\n[Result "{result}"]\n', "{ [%eval 0.13] }"]
    for uci, value in list(zip(GAME["moves"], GAME["evaluations"], strict=True))[:plies]:
        turn = f"{board.fullmove_number}{'.' if board.turn else '...'}"
        move = chess.Move.from_uci(uci)
        parts.append(f"{turn} {board.san(move)} {{ [%eval {value / 100:.2f}] }}")
        board.push(move)
    return "\n".join([*parts, result, ""])


def with_column(decisions: Decisions, name: str, values: list[object]) -> Decisions:
    """The decisions with other values in one column."""
    table = decisions.table()
    field = table.schema.field(name)
    column = pa.array(values, field.type)
    return Decisions.from_table(table.set_column(table.schema.get_field_index(name), field, column))


def with_game_ids(decisions: Decisions, prefix: str) -> Decisions:
    """The decisions with ids of games that no other decisions have."""
    return with_column(decisions, "game_id", [f"{prefix}-{name}" for name in decisions.text("game_id")])


def round_robin(names: str = "ABCD", games: int = 4) -> Decisions:
    """Everybody against everybody, some games each; ids of games are unlike each other."""
    parts = []
    for seed, (one, other) in enumerate((a, b) for a in names for b in names if a < b):
        played = make_decisions(games=games, seed=seed, players=(one, other))
        named = with_game_ids(played, one + other)
        parts.append(with_column(named, "event", ["The Event"] * len(named)))
    return Decisions.concat(parts)


def place(table: CrossTable, name: str) -> int:
    return table.players.index(name)
