"""Decisions of a game under way: what is new is asked of the engine, or read from the file's comments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED
from assay.engine.ledger import as_tables
from assay.engine.options import AnalysisRow
from assay.engine.worker import Outcome
from assay.live.game import GameSoFar, Position
from assay.pgn.reader import annotations_table, games_table
from assay.store.annotated import assemble_annotated
from assay.store.assemble import assemble

SIDES = ("white", "black")
"""The players in the decisions of a game under way: both may be called the same in a file."""

Progress = Callable[[int, int], None]


class Evaluator(Protocol):
    """What an engine is asked through (assay.engine.single)."""

    recipe_id: str

    def analyse(
        self, position_key: str, history: str, played: str | None = None, depth: int | None = None
    ) -> Outcome:
        """The lines of a position, and the played move alone; only that where a depth is given."""


class GameAnalysis:
    """Turns a game so far into decisions; remembers every position that was analysed."""

    def __init__(self, evaluator: Evaluator | None, values_from: str = ANNOTATED) -> None:
        """None takes the evaluations from the comments of the file: `values_from` says whose they are."""
        self._evaluator = evaluator
        self._values_from = values_from
        self._found = Outcome()
        self._rows: dict[str, AnalysisRow] = {}
        self._alone: set[tuple[str, str]] = set()

    @property
    def recipe_id(self) -> str:
        """What decides the values."""
        return self._values_from if self._evaluator is None else self._evaluator.recipe_id

    def decisions(self, game: GameSoFar, progress: Progress = lambda *_: None) -> Decisions:
        """Decisions of all moves so far, with `white` and `black` as players; empty where none has a value.

        The game was asked for by name, so no reason why games are left out is kept in it.
        """
        if self._evaluator is not None:
            positions = game.positions()
            for done, position in enumerate(positions, 1):
                self._ask(position, self._evaluator)
                progress(done, len(positions))
        games = _with_sides(game)
        if self._evaluator is None:
            comments = annotations_table({game.record.game_id: list(game.annotations)})
            return assemble_annotated(games, comments, self._values_from)
        analyses, alone = as_tables(self._found, self._evaluator.recipe_id)
        # With trace, as `assay rate` reads games: two of the methods need what each depth said.
        return assemble(games, analyses, alone, self._evaluator.recipe_id, trace=True)

    def _ask(self, position: Position, evaluator: Evaluator) -> None:
        known = self._rows.get(position.key)
        wanted = position.played
        if known is not None and (
            wanted is None or wanted in known.moves or (position.key, wanted) in self._alone
        ):
            return
        depth = None if known is None else known.depth
        found = evaluator.analyse(position.key, position.history, wanted, depth)
        self._found.add(found)
        self._rows |= {row.position_key: row for row in found.rows}
        if wanted is not None:
            self._alone.add((position.key, wanted))


def _with_sides(game: GameSoFar) -> pa.Table:
    """The game as a row of the table games, fit to be rated, its players called by their sides."""
    table = games_table([replace(game.record, exclusion=None)])
    for side in SIDES:
        table = table.append_column(side, pa.array([side]))
    return table
