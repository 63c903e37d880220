"""Moves that are tried on a board: what they are worth, and how many players of an Elo play them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import chess

from assay.engine.engines import EngineConfig
from assay.engine.recipe import find_recipe
from assay.engine.run import SingleEvaluator
from assay.errors import EngineError, InputError, printable
from assay.live.game import GameAnalysis
from assay.web.game import GameOnBoard, chances, described, so_far

if TYPE_CHECKING:
    from assay.web.site import Site

_MOST_MOVES = 40
"""Of a variation."""


class Tries:
    """An engine that looks at positions with the quickest recipe; it starts when first needed."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = threading.Lock()
        self._evaluator: SingleEvaluator | None = None
        self._analysis: GameAnalysis | None = None

    def game(self, fen: str, move: str) -> GameOnBoard:
        """Analyse a position and one move there, as a game of that move."""
        nothing = dict.fromkeys(
            ("event", "site", "date", "year", "round", "white_elo", "black_elo", "result")
        )
        row = {
            **nothing,
            "game_id": "tried",
            "white": "White",
            "black": "Black",
            "time_class": "unknown",
            "n_plies": 1,
            "moves": [move],
            "start_fen": fen,
            "source": "",
            "exclusion": None,
            "eco": None,
        }
        game = so_far(row)
        with self._lock:
            if self._evaluator is None or self._analysis is None:
                recipe = find_recipe(self._site.quickest)
                self._evaluator = SingleEvaluator(recipe, EngineConfig(self._site.engine))
                self._analysis = GameAnalysis(self._evaluator)
            evaluator = self._evaluator
            try:
                decisions = self._analysis.decisions(game)
            except EngineError:
                self._end()
                raise
        about = {"engine": {"name": evaluator.identity.name}, "recipe": {"name": evaluator.recipe.name}}
        return GameOnBoard(row, game, decisions, {}, evaluator.recipe_id, about)

    def close(self) -> None:
        """End the engine."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        evaluator, self._evaluator, self._analysis = self._evaluator, None, None
        if evaluator is not None:
            evaluator.close()


def tried(tries: Tries, game: GameOnBoard, ply: int, moves: list[str], elo: int) -> dict[str, Any]:
    """Say of the last of these moves, played from a position of a game on, what it is worth.

    What is stored of the game answers where it has the move among its options; the engine does otherwise.
    """
    positions = game.board["positions"]
    if not 0 <= ply < len(positions) or not 1 <= len(moves) <= _MOST_MOVES:
        raise InputError("there is no such position in this game: open the page again")
    board = chess.Board(positions[ply]["fen"])
    for text in moves[:-1]:
        board.push(legal_move(board, text))
    move = legal_move(board, moves[-1])
    in_game = len(moves) == 1 and any(one["uci"] == move.uci() for one in positions[ply].get("options", ()))
    if in_game and "best" in positions[ply]:
        here, shares = positions[ply], _chances(game, elo).get(ply)
    else:
        asked = tries.game(board.fen(), move.uci())
        here, shares = asked.board["positions"][0], _chances(asked, elo).get(0)
    options = here.get("options") or []
    place = next((number for number, one in enumerate(options) if one["uci"] == move.uci()), None)
    answer: dict[str, Any] = {"uci": move.uci(), "san": board.san(move), "turn": board.fullmove_number}
    answer |= {"white": board.turn == chess.WHITE, "elo": elo, "of_100": None, "at_most": None}
    if place is not None:
        best = options[0]
        answer |= {name: options[place][name] for name in ("value", "expectation")}
        answer["lost"] = round(max(best["expectation"] - options[place]["expectation"], 0.0), 4)
        answer["better"] = None if place == 0 else best
        if shares is not None and place < len(shares["options"]) and shares["options"][place] is not None:
            answer["of_100"] = shares["options"][place]
        elif shares is not None:
            answer["at_most"] = shares["others"]
    board.push(move)
    outcome = board.outcome()
    return {**answer, **described(board), "over": outcome.result() if outcome else ""}


def legal_move(board: chess.Board, text: str) -> chess.Move:
    """Read a legal move, as UCI has it or as people write it."""
    try:
        move = chess.Move.from_uci(text)
        if move in board.legal_moves:
            return move
    except ValueError:
        pass
    try:
        return board.parse_san(text)
    except ValueError:
        raise InputError(f"{printable(text)} is not a legal move here") from None


def _chances(game: GameOnBoard, elo: int) -> dict[int, Any]:
    """Give what players of an Elo play, by ply; empty where that is not known."""
    try:
        by_ply: dict[int, Any] = chances(game, elo)["chances"]
    except InputError:
        return {}
    return by_ply
