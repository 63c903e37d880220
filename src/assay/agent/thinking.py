"""An agent at the board: its engine's lines, the probabilities of moves, and the move that it plays.

The engine searches as the recipe says that the agents were fitted with: as many nodes, as many lines, each
position alone. What a clock does not allow is searched less, and it is said. Where the draw falls on the
moves that no depth lists, these are searched as well, to a small depth, to tell a quiet move from one that
loses a queen: the model gives their sum, and that search shares it out.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from assay.agent.board import GameBoard
from assay.agent.choosing import Chooser, Seen, best_move, draw, probabilities_of
from assay.agent.endings import solved_values
from assay.agent.limits import Limits, affordable
from assay.agent.technique import Trace
from assay.decisions.arrays import Floats
from assay.engine.engines import EngineConfig, open_engine
from assay.engine.options import AnalysisRow, Asker, as_row
from assay.engine.recipe import Recipe, recipe_id
from assay.engine.trace import Line
from assay.engine.uci import Search, UciSession
from assay.errors import EngineError

REST_DEPTH = 6
"""Depth to which moves are searched that no depth of the lines has."""

LEAST_LEFT = 0.2
"""With fewer seconds left these moves are not searched."""

LEAST_MEASURED = 5000
"""Nodes from which a search tells how fast the engine is."""

MOST_DEPTH = 30
"""A search that reaches this depth has little left to find, however few its nodes."""

_FIRST_RATE = 100_000.0


@dataclass(frozen=True)
class Thought:
    """What came of thinking about one move."""

    move: str
    legal: list[str]
    share: Floats
    """Probability of each legal move; equal where there was no search."""
    values: dict[str, int] = field(default_factory=dict)
    """Values of the lines at the last depth."""
    trace: Trace = ()
    """The lines of every depth."""
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    said: tuple[str, ...] = ()
    """What must be told beside the move."""

    def probability(self, move: str) -> float:
        """Of one move."""
        return float(self.share[self.legal.index(move)])


class Thinker:
    """An engine with the recipe of the agents, which is started when first needed, and again if it dies."""

    def __init__(
        self,
        recipe: Recipe,
        config: EngineConfig,
        known: MutableMapping[str, AnalysisRow] | None = None,
    ) -> None:
        """`known` keeps every whole search by its position, which is then not searched again."""
        self.recipe, self.config, self.known = recipe, config, known
        self.recipe_id = ""
        self.engine_name = ""
        self._session: UciSession | None = None
        self._rate = _FIRST_RATE
        self._stopped = threading.Event()

    def start(self) -> None:
        """Start the engine, where it does not run."""
        if self._session is None:
            self._session, identity = open_engine(self.config, self.recipe)
            self.recipe_id, self.engine_name = recipe_id(self.recipe, identity), identity.name

    def close(self) -> None:
        """End the engine."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def stop(self) -> None:
        """End the search that is under way; safe from any thread."""
        self._stopped.set()
        session = self._session
        if session is not None:
            session.stop()

    def ready(self) -> None:
        """Forget that an earlier search was stopped."""
        self._stopped.clear()

    def think(
        self, game: GameBoard, limits: Limits, chooser: Chooser | None, seed: int, game_number: int
    ) -> Thought:
        """The move of an agent; of the engine itself where there is no chooser. Never without an answer."""
        try:
            return self.attempt(game, limits, chooser, seed, game_number)
        except EngineError as error:
            legal = _allowed(game, limits)
            even = np.full(len(legal), 1 / len(legal))
            said = f"{error}; this move is any legal one"
            return Thought(draw(legal, even, seed, game_number, game.ply), legal, even, said=(said,))

    def attempt(
        self, game: GameBoard, limits: Limits, chooser: Chooser | None, seed: int, game_number: int
    ) -> Thought:
        """The same, but an engine that fails is an error; it is ended, and may be started again."""
        try:
            place = seed, game_number, game.ply
            return self._think(game, _allowed(game, limits), limits, chooser, place)
        except EngineError:
            self.close()
            raise

    def _think(
        self,
        game: GameBoard,
        legal: list[str],
        limits: Limits,
        chooser: Chooser | None,
        place: tuple[int, int, int],
    ) -> Thought:
        start = time.monotonic()
        solved = solved_values(game.board, wait=limits.seconds is None)
        row, said = (_solved_row(game, solved), ()) if solved else self._row(game, limits)
        seen = Seen(row.trace, game.legal, game.drawn(), game.bare_king, game.opening)
        if chooser is None:
            everything = np.array([float(move == best_move(seen)) for move in seen.legal])
        else:
            everything = probabilities_of(seen, chooser)
        share = np.array([everything[seen.legal.index(move)] for move in legal])
        if not share.sum() > 0:
            share = np.ones(len(legal))
        share /= share.sum()
        move = draw(legal, share, *place)
        if chooser is not None and move in (rest := [move for move in seen.unlisted if move in legal]):
            move = self._among(rest, seen, game, limits, chooser, place, start)
        return Thought(
            move=move,
            legal=legal,
            share=share,
            values=seen.last_values,
            trace=row.trace,
            depth=row.depth,
            nodes=row.nodes,
            seconds=time.monotonic() - start,
            said=said,
        )

    def _row(self, game: GameBoard, limits: Limits) -> tuple[AnalysisRow, tuple[str, ...]]:
        """The analysis of the position: kept from before where the search is a whole one."""
        if self.known is not None and game.key in self.known and limits == Limits():
            return self.known[game.key], ()
        search, said = self._searched(game, limits)
        row = as_row(game.key, len(game.legal), search.trace.depths, search.nodes, search.seconds)
        if self.known is not None and limits == Limits():
            self.known[game.key] = row
        return row, said

    def _searched(self, game: GameBoard, limits: Limits) -> tuple[Search, tuple[str, ...]]:
        """The search of the recipe, as far as it is allowed; tried again where the engine has died.

        Or where it was stopped before its first depth was complete: the second time the nodes alone limit it.
        """
        try:
            self.start()
            return self._search(game, limits)
        except EngineError:
            self.close()
            self.start()
            if self.recipe.nodes is not None:
                nodes = affordable(limits, self.recipe.nodes, self._rate)
                limits = replace(limits, seconds=None, nodes=nodes)
            return self._search(game, limits)

    def _search(self, game: GameBoard, limits: Limits) -> tuple[Search, tuple[str, ...]]:
        assert self._session is not None
        legal = game.legal
        whole = self.recipe.nodes
        go, nodes = self.recipe.limit, None
        if whole is not None:
            nodes = affordable(limits, whole, self._rate)
            go = f"nodes {nodes}"
        if limits.depth is not None:
            go = f"{go} depth {limits.depth}" if whole is not None else f"depth {limits.depth}"
        if self._stopped.is_set():
            go = "depth 1"
        asker = Asker(self._session, self.recipe, f"fen {game.key} 0 1", legal)
        with _alarm(limits.seconds, self._session.stop):
            search = asker.ask(go, min(self.recipe.lines, len(legal)), clear=True, last_depth=limits.depth)
        if search.seconds > 0 and search.nodes > LEAST_MEASURED:
            self._rate = search.nodes / search.seconds
        fewer = nodes is not None and whole is not None and (nodes < whole or search.nodes < 0.5 * nodes)
        if len(legal) == 1 or not fewer or search.trace.deepest[0].depth >= MOST_DEPTH:
            return search, ()
        note = f"{search.nodes} nodes instead of the recipe's {whole}: the Elo holds for the whole search"
        return search, (note,)

    def _among(
        self,
        rest: list[str],
        seen: Seen,
        game: GameBoard,
        limits: Limits,
        chooser: Chooser,
        place: tuple[int, int, int],
        start: float,
    ) -> str:
        """One of the moves that no depth lists, by their values at a small depth."""
        even = np.full(len(rest), 1 / len(rest))
        left = None if limits.seconds is None else limits.seconds - (time.monotonic() - start)
        second = (place[0], place[1], place[2], 1)
        if len(rest) == 1 or self._stopped.is_set() or (left is not None and left < LEAST_LEFT):
            return draw(rest, even, *second)
        assert self._session is not None
        session = self._session
        session.set_option("MultiPV", str(len(rest)))
        try:
            asker = Asker(session, self.recipe, f"fen {game.key} 0 1", game.legal)
            with _alarm(left, session.stop):
                go = f"depth {REST_DEPTH} searchmoves {' '.join(rest)}"
                search = asker.ask(go, len(rest), clear=True, last_depth=REST_DEPTH)
        finally:
            session.set_option("MultiPV", str(self.recipe.lines))
        trace = [(line.depth, line.move, line.value) for lines in search.trace.depths for line in lines]
        return draw(rest, rest_shares(rest, seen, trace, chooser), *second)


def _allowed(game: GameBoard, limits: Limits) -> list[str]:
    """The legal moves that may be played here; all of them where none of those asked for is legal."""
    return [move for move in game.legal if not limits.moves or move in limits.moves] or game.legal


def _solved_row(game: GameBoard, values: dict[str, int]) -> AnalysisRow:
    """A solved ending as if it had been analysed: all moves, at one depth."""
    order = sorted(values.items(), key=lambda item: -item[1])
    lines = tuple(Line(1, rank, move, value, 0) for rank, (move, value) in enumerate(order, start=1))
    return as_row(game.key, len(values), [lines], 0, 0.0)


def rest_shares(rest: list[str], seen: Seen, trace: Trace, chooser: Chooser) -> Floats:
    """How moves that no depth lists share their part: as if their values had been listed."""
    depths = {depth for depth, _, _ in trace}
    both = [line for line in seen.trace if line[0] in depths]
    share = np.zeros(len(rest))
    if both:
        joined = sorted([*both, *(line for line in trace if line[1] in rest)], key=lambda line: line[0])
        everything = probabilities_of(replace(seen, trace=joined), chooser)
        share = np.array([everything[seen.legal.index(move)] for move in rest])
    return np.asarray(share / share.sum()) if share.sum() > 0 else np.full(len(rest), 1 / len(rest))


@contextmanager
def _alarm(seconds: float | None, call: Callable[[], None]) -> Iterator[None]:
    """Call after some seconds, unless the block has ended before."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
