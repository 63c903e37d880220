"""A game as it is being played: a file that grows (Ferreira 2012, section 7).

A broadcast tool writes a PGN file again and again. Each time it has changed, the game is read anew. Moves
that were taken back, corrected or half written cost nothing: only the positions matter.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from assay.decisions.arrays import decode_moves
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, evaluated_by
from assay.decisions.exclusions import UNFOLLOWABLE, Exclusion
from assay.decisions.schema import ALONE, ANALYSES, ANNOTATIONS
from assay.engine.replay import replay
from assay.engine.run import Outcome
from assay.errors import InputError, LockedError, ReadOnlyError
from assay.pgn.reader import GameRecord, games_table, read_games
from assay.workspace.assemble import assemble, assemble_annotated

if TYPE_CHECKING:
    from assay.engine.run import SingleEvaluator
    from assay.workspace import Workspace


@dataclass(frozen=True, eq=False)
class GameSoFar:
    """A game as far as its file goes."""

    record: GameRecord
    annotations: pa.Table = field(default_factory=ANNOTATIONS.arrow.empty_table)
    """What its comments say of positions: rows of the table annotations."""

    @property
    def evaluated(self) -> bool:
        """Whether comments contain the value of any position."""
        columns = (self.annotations[name] for name in ("cp", "mate"))
        return any(column.null_count < len(column) for column in columns)

    @property
    def values_from(self) -> str:
        """Whose values its comments contain, by its tags (assay.decisions.evaluation)."""
        tags = self.record
        return evaluated_by(tags.site or "", tags.event or "", tags.evaluator or "", tags.time_class)

    @property
    def state(self) -> tuple[object, ...]:
        """Changes whenever its moves, its result or its comments do."""
        return self.record.start_fen, self.moves, self.record.result, self.annotations

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves, UCI."""
        return tuple(decode_moves(self.record.moves).to_pylist())


def read_game(path: Path, number: int | None = None) -> GameSoFar:
    """Read the last game of a PGN file, or the one with this number from 1."""
    games = read_all(path)
    if not games:
        raise InputError(f"there is no game in {path} yet: give a PGN file with a game")
    if number is not None and not 1 <= number <= len(games):
        raise InputError(f"{path} has {len(games)} games: there is no game {number}")
    game = games[-1 if number is None else number - 1]
    if reason := unfollowable(game):
        raise InputError(f"the game in {path} cannot be followed: {reason}")
    return game


def read_all(path: Path) -> list[GameSoFar]:
    """Read all games of a PGN file, also those that cannot be followed."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: give the PGN file of a game") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder: give the PGN file of a game") from None
    return [
        GameSoFar(record, batch.annotations_table([place]))
        for batch in read_games(io.BytesIO(content), path.name)
        for place, record in enumerate(batch.games)
    ]


def unfollowable(game: GameSoFar) -> str:
    """Say why a game cannot be followed; empty where it can."""
    reason = game.record.exclusion
    if reason is not None and reason in UNFOLLOWABLE:
        return f"it is {reason.meaning}"
    if reason is Exclusion.NONSTANDARD_START and game.record.start_fen is None:
        return "it begins from a position that is not possible, mend its tag FEN"
    return ""


def follow(
    path: Path,
    number: int | None = None,
    *,
    every: float = 1.0,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[GameSoFar]:
    """Give the game of a file, now and whenever its moves or its result have changed; ends with its result.

    A file that is not there yet, or is being written, is waited for.
    """
    seen: tuple[object, ...] | None = None
    state: tuple[object, ...] | None = None
    while True:
        before, state, game = state, None, None
        with suppress(FileNotFoundError):
            written = path.stat()
            state = written.st_mtime_ns, written.st_size, written.st_ino
        if state is not None and state != before:
            with suppress(InputError):
                game = read_game(path, number)
        if game is not None:
            if game.state != seen:
                seen = game.state
                yield game
            if game.record.result is not None:
                return
        sleep(every)


SIDES = ("white", "black")
"""The players in the decisions of a game under way: both may be called the same in a file."""

Progress = Callable[[int, int], None]


class GameAnalysis:
    """Turns a game so far into decisions; remembers every position that was analysed."""

    def __init__(
        self,
        evaluator: SingleEvaluator | None,
        values_from: str = ANNOTATED,
        workspace: Workspace | None = None,
    ) -> None:
        """None takes the evaluations from the comments of the file: `values_from` says whose they are.

        A workspace keeps what is analysed, for the next call and for `assay rate`.
        """
        self._evaluator = evaluator
        self._values_from = values_from
        self._workspace = workspace
        self._tables = ANALYSES.arrow.empty_table(), ALONE.arrow.empty_table()
        self._asked: set[str] = set()
        """Positions that were looked for in the workspace."""
        self._lines: dict[str, tuple[int, Sequence[str]]] = {}
        """Depth and moves of the lines of each position."""
        self._alone: set[tuple[str, str]] = set()

    def decisions(self, game: GameSoFar, progress: Progress = lambda *_: None) -> Decisions:
        """Make decisions of all moves so far, by players `white` and `black`; empty where none has a value.

        The game was asked for by name, so no reason why games are left out is kept in it.
        """
        if self._evaluator is not None:
            self._analyse(game, self._evaluator, progress)
        games = games_table([replace(game.record, exclusion=None)])
        for side in SIDES:
            games = games.append_column(side, pa.array([side]))
        if self._evaluator is None:
            return assemble_annotated(games, game.annotations, self._values_from)
        analyses, alone = self._tables
        # With trace, as `assay rate` reads games: two of the methods need what each depth said.
        return assemble(games, analyses, alone, self._evaluator.recipe_id, trace=True)

    def _analyse(self, game: GameSoFar, evaluator: SingleEvaluator, progress: Progress) -> None:
        """Ask for every position that is new, the first and the last included, and for moves played there."""
        start, moves = game.record.start_fen, game.moves
        keys = replay(pa.array([moves], pa.list_(pa.string())), [start]).keys.to_pylist()
        self._read(keys, evaluator.recipe_id)
        new = Outcome()
        try:
            for ply, key in enumerate(keys):
                depth, lines = self._lines.get(key, (None, ()))
                played = moves[ply] if ply < len(moves) else None
                if depth is None or not (played is None or played in lines or (key, played) in self._alone):
                    history = f"{f'fen {start}' if start else 'startpos'} moves {' '.join(moves[:ply])}"
                    outcome = evaluator.analyse(key, history, played, depth)
                    new.add(outcome)
                    self._lines |= {row.position_key: (row.depth, row.moves) for row in outcome.rows}
                    if played is not None:
                        self._alone.add((key, played))
                progress(ply + 1, len(keys))
        finally:  # what was found is kept however the run ends
            self._keep(new, evaluator)

    def _read(self, keys: Sequence[str], recipe_id: str) -> None:
        """Take what the workspace has of positions that were not looked for yet."""
        wanted = sorted(set(keys) - self._asked)
        self._asked |= set(keys)
        if self._workspace is None or not self._workspace.path.exists() or not wanted:
            return
        where = {"position_key": wanted, "recipe_id": [recipe_id]}
        tables = self._workspace.table_analyses, self._workspace.table_alone
        analyses, alone = (table.select(where) for table in tables)
        self._add(analyses, alone)
        for row in analyses.select(["position_key", "depth", "moves"]).to_pylist():
            self._lines[row["position_key"]] = row["depth"], row["moves"]
        self._alone |= {(row["position_key"], row["move"]) for row in alone.to_pylist()}

    def _add(self, analyses: pa.Table, alone: pa.Table) -> None:
        pairs = zip(self._tables, (analyses, alone), strict=True)
        first, second = (
            pa.concat_tables([known, new.select(known.column_names).cast(known.schema)])
            for known, new in pairs
        )
        self._tables = first, second

    def _keep(self, new: Outcome, evaluator: SingleEvaluator) -> None:
        """Keep what was found, in the workspace too where that can be written to now."""
        if not new.rows and not new.alone:
            return
        self._add(*new.tables(evaluator.recipe_id))
        if self._workspace is not None:
            with suppress(LockedError, ReadOnlyError):
                self._workspace.keep_analyses(evaluator.recipe, evaluator.identity, new)
