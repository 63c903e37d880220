"""One game for the board: every position with its options, what was played, what it cost, and the clocks."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import chess
import numpy as np
import pyarrow as pa

from assay.decisions import evaluation, measures, move_codes
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import MEANINGS, UNFOLLOWABLE, Exclusion
from assay.errors import InputError
from assay.live.analysis import LiveAnalysis, LiveGame
from assay.live.game import SIDES, GameSoFar
from assay.models.depth.likelihood import Positions, probabilities
from assay.pgn.reader import GameRecord
from assay.rating.calibration import find_calibration
from assay.workspace.tables import query

if TYPE_CHECKING:
    from assay.rating.calibration import Calibration
    from assay.web.reading import Reading

LOWEST, HIGHEST = 1500, 2800
"""The Elos between which the page asks how many players would play a move: those of the mileposts."""


@dataclass(frozen=True, eq=False)
class GameOnBoard:
    """A game with what is stored of it."""

    row: dict[str, Any]
    """The game's row in the table of games."""
    so_far: GameSoFar
    decisions: Decisions
    """One for each ply, players by their sides; empty where nothing is analysed."""
    clocks: dict[int, float]
    """Seconds left after each ply, where comments tell."""
    recipe_id: str

    @property
    def calibration(self) -> Calibration | None:
        """The scale of its values."""
        return find_calibration(self.recipe_id)

    def live(self) -> LiveGame:
        """Both players after every move, as `assay live` has them."""
        return LiveAnalysis(None, calibration=self.calibration).of(self.so_far, self.decisions)


def game_on_board(reading: Reading, game_id: str) -> GameOnBoard:
    """A game of the workspace with its analyses.

    It was asked for by name, so no reason to leave games out is kept in its decisions; the reason is said.
    """
    games = reading.workspace.game(game_id, reading.choice)
    row = games.to_pylist()[0]
    if row["exclusion"] in UNFOLLOWABLE:
        raise InputError(f"the game cannot be shown: it is {MEANINGS[row['exclusion']]}")
    try:
        recipe_id = reading.recipe_id
    except InputError:
        recipe_id = ""
    shown = games
    for side in SIDES:
        shown = shown.set_column(shown.schema.get_field_index(side), side, pa.array([side]))
    place = shown.schema.get_field_index("exclusion")
    shown = shown.set_column(place, "exclusion", pa.nulls(1, pa.string()))
    if recipe_id:
        decisions = reading.workspace.decisions_of_games(recipe_id, shown, trace=recipe_id != "annotations")
    else:
        decisions = Decisions.concat([])
    return GameOnBoard(row, _so_far(row), decisions, _clocks(reading, game_id), recipe_id)


def _so_far(row: dict[str, Any]) -> GameSoFar:
    known = {one.name for one in fields(GameRecord)}
    values = {name: value for name, value in row.items() if name in known}
    values |= {"white_name": row["white"], "black_name": row["black"]}
    values["moves"] = move_codes.encode(pa.array(row["moves"], pa.string()))
    values["exclusion"] = next((one for one in Exclusion if one == row["exclusion"]), None)
    return GameSoFar(GameRecord(**{"moves_key": 0, **values}))


def _clocks(reading: Reading, game_id: str) -> dict[int, float]:
    sql = "SELECT position, clock FROM annotations WHERE game_id = ? AND clock IS NOT NULL"
    found = query(sql, {"annotations": reading.workspace.table_annotations}, [game_id]).to_pylist()
    return {row["position"] - 1: row["clock"] for row in found if row["position"] > 0}


# For the board -------------------------------------------------------------------------------------------


def board_document(game: GameOnBoard) -> dict[str, Any]:
    """Every position: the squares, the options with their values, the move played and its loss."""
    record, decisions = game.so_far.record, game.decisions
    rows = {int(ply): place for place, ply in enumerate(decisions.numbers("ply"))} if len(decisions) else {}
    lost = _lost(decisions)
    board = chess.Board(record.start_fen or chess.STARTING_FEN)
    positions: list[dict[str, Any]] = [{"fen": board.fen()}]
    for ply, uci in enumerate(game.so_far.moves):
        move = chess.Move.from_uci(uci)
        here = positions[-1]
        here |= {"ply": ply, "san": board.san(move), "uci": uci, "turn": board.fullmove_number}
        here["white"] = board.turn == chess.WHITE
        if ply in rows:
            place = rows[ply]
            here["options"] = _options(board, decisions, place)
            here["lost"] = _number(lost[place], 4)
        if ply in game.clocks:
            here["clock"] = round(game.clocks[ply], 1)
        board.push(move)
        positions.append({"fen": board.fen()})
    row = game.row
    names = ("game_id", "white", "black", "white_elo", "black_elo", "event", "date", "round", "result")
    return {**{name: row[name] for name in names}, "exclusion": row["exclusion"], "positions": positions}


def _options(board: chess.Board, decisions: Decisions, place: int) -> list[dict[str, Any]]:
    found = []
    for uci, value in decisions.options(place):
        move = chess.Move.from_uci(uci)
        san = board.san(move) if board.is_legal(move) else uci
        expected = float(measures.expectation(value))
        found.append({"uci": uci, "san": san, "value": _value(value), "expectation": round(expected, 4)})
    return found


def _value(value: float) -> dict[str, int]:
    """Centipawns or moves to mate, the mover's view."""
    if abs(value) < evaluation.MATE_BOUND:
        return {"cp": round(value)}
    distance = round(evaluation.MATE - abs(value))
    return {"mate": distance if value > 0 else -distance}


def _lost(decisions: Decisions) -> Any:
    """Expectation that each move lost, by its analysis; else by the value of the next position."""
    if not len(decisions):
        return np.zeros(0)
    known = ~np.isnan(measures.loss(decisions))
    best = np.where(known, decisions.best_value, decisions.numbers("before"))
    played = np.where(known, decisions.played_value, decisions.numbers("after"))
    return np.maximum(measures.expectation(best) - measures.expectation(played), 0.0)


def _number(value: float, digits: int) -> float | None:
    return round(float(value), digits) if math.isfinite(value) else None


def chances(game: GameOnBoard, elo: int) -> dict[str, Any]:
    """How many of 100 players of an Elo would play each option, in every position that has a trace."""
    calibration = game.calibration
    if calibration is None or calibration.agents is None:
        raise InputError("how players of an Elo choose is not known for this engine and recipe")
    if not LOWEST <= elo <= HIGHEST:
        raise InputError(f"the Elo is between {LOWEST} and {HIGHEST}")
    traced = np.flatnonzero(game.decisions.traced) if len(game.decisions) else np.zeros(0, np.int64)
    if not len(traced):
        raise InputError(
            "these analyses do not say what the engine saw at smaller depths: analyse the game anew"
        )
    own = game.decisions.take(traced)
    found = probabilities(Positions.of(own), calibration.agents.at(float(elo)))
    plies, offsets = own.numbers("ply").astype(int), own.offsets
    return {
        "elo": elo,
        "chances": {
            int(ply): {
                "options": [_number(100 * one, 1) for one in found.options[offsets[row] : offsets[row + 1]]],
                "others": _number(100 * found.tail[row], 1),
            }
            for row, ply in enumerate(plies)
        },
    }
