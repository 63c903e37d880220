"""An agent at the board: its engine's lines, the probabilities of moves, and the move that it plays.

The engine searches as the recipe says that the agents were fitted with: as many nodes, as many lines, each
position alone. What a clock does not allow is searched less, and it is said. Where the draw falls on the
moves that no depth lists, these are searched as well, to a small depth, to tell a quiet move from one that
loses a queen: the model gives their sum, and that search shares it out.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

import chess
import chess.pgn
import numpy as np

from assay.agent.choosing import Seen, Trace, best_move, draw, probabilities_of
from assay.agent.endings import solved_values
from assay.decisions.arrays import Floats
from assay.decisions.slices import phase
from assay.engine.engines import EngineConfig, open_engine
from assay.engine.recipe import Recipe, recipe_id
from assay.engine.search import AnalysisRow, Asker, as_row
from assay.engine.trace import Line
from assay.engine.uci import Search, UciSession
from assay.errors import EngineError
from assay.models.depth.agents import OPENING_TURNS, DepthAgent

FIFTY = 100
"""Plies without capture or pawn move after which a game is drawn."""

REPEATED = 8
"""Plies without capture or pawn move that a third repetition takes at least."""


@dataclass(frozen=True)
class GameBoard:
    """A game as it stands."""

    board: chess.Board

    @classmethod
    def start(cls, fen: str | None = None) -> GameBoard:
        """Begin a game from the usual first position, or from another."""
        return cls(chess.Board() if fen is None else chess.Board(fen))

    @property
    def key(self) -> str:
        """The position as analyses have it: without its counters."""
        return self.board.epd()

    @property
    def ply(self) -> int:
        """Half-moves since the first move of a game."""
        return self.board.ply()

    @property
    def legal(self) -> list[str]:
        """Legal moves, sorted: a draw among them must not depend on how they were made."""
        return sorted(move.uci() for move in self.board.legal_moves)

    @property
    def bare_king(self) -> bool:
        """Whether the opponent has nothing but the king."""
        return chess.popcount(self.board.occupied_co[not self.board.turn]) == 1

    def play(self, move: str) -> None:
        """Make a legal move."""
        parsed = chess.Move.from_uci(move)
        if parsed not in self.board.legal_moves:
            raise ValueError(f"{move} is not legal")
        self.board.push(parsed)

    def drawn(self) -> frozenset[str]:
        """Find the moves after which the game is a draw by the third repetition or the fiftieth move."""
        board, moves = self.board, []
        if board.halfmove_clock < REPEATED - 1:
            return frozenset()
        for move in list(board.legal_moves):
            if not board.is_zeroing(move):
                board.push(move)
                if board.halfmove_clock >= FIFTY or board.is_repetition(3):
                    moves.append(move.uci())
                board.pop()
        return frozenset(moves)

    def result(self) -> str | None:
        """Give the result by mate, stalemate, too little material, repetition or fifty moves; None before."""
        outcome = self.board.outcome()
        if outcome is not None:
            return outcome.result()
        drawn = self.board.halfmove_clock >= FIFTY or self.board.is_repetition(3)
        return "1/2-1/2" if drawn else None

    def seen(self, trace: Trace) -> Seen:
        """Give what an agent sees here, with the lines of an analysis."""
        # FENs of endings may count from 1: the opening must look like it too.
        opening = self.board.fullmove_number <= OPENING_TURNS and phase(self.key) == 0
        return Seen(trace, self.legal, self.drawn(), self.bare_king, opening)


def as_pgn(moves: Sequence[str], result: str, headers: Mapping[str, str]) -> str:
    """Write a game as PGN."""
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    game = chess.pgn.Game.from_board(board)
    game.headers.update(headers)
    game.headers["Result"] = result
    return str(game.accept(chess.pgn.StringExporter(columns=80))) + "\n\n"


MOVES_TO_GO = 30
"""Moves for which the clock must last where nothing is said of it."""

OVERHEAD = 0.03
"""Seconds of a move that are left for the way to the other program."""

LEAST_SECONDS = 0.01
LEAST_NODES = 500
"""Fewer nodes do not complete the first depths."""

_NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate")
_WORDS = ("infinite", "ponder", "searchmoves")
_MOST = 10**12


@dataclass(frozen=True)
class Limits:
    """One `go`, understood."""

    seconds: float | None = None
    """For this move; None where time does not matter."""
    nodes: int | None = None
    depth: int | None = None
    waits: bool = False
    """Whether the answer waits for `stop` or `ponderhit`."""
    moves: tuple[str, ...] = ()
    """Only these moves may be played."""


def parse_go(words: Sequence[str], *, white: bool) -> Limits:
    """Read the words after `go`; what is not understood is skipped, as the protocol demands."""
    numbers: dict[str, int] = {}
    moves: list[str] = []
    flags: set[str] = set()
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word == "searchmoves":
            while index < len(words) and words[index] not in (*_NUMBERS, *_WORDS):
                moves.append(words[index])
                index += 1
        elif word in _WORDS:
            flags.add(word)
        elif word in _NUMBERS and index < len(words):
            with suppress(ValueError):
                numbers[word] = max(min(int(words[index][:20]), _MOST), -_MOST)
                index += 1
    return Limits(
        seconds=None if "infinite" in flags else _seconds(numbers, white),
        nodes=_positive(numbers.get("nodes")),
        depth=_positive(numbers.get("depth")),
        waits=bool(flags & {"infinite", "ponder"}),
        moves=tuple(moves),
    )


def affordable(limits: Limits, nodes: int, per_second: float) -> int:
    """Nodes of this search: those of the recipe, or as many as are allowed and fit the time."""
    most = nodes if limits.nodes is None else min(nodes, limits.nodes)
    if limits.seconds is not None:
        most = min(most, round(0.9 * limits.seconds * per_second))
    return max(most, min(nodes, LEAST_NODES))


def _seconds(numbers: dict[str, int], white: bool) -> float | None:
    if "movetime" in numbers:
        return max(numbers["movetime"] / 1000 - OVERHEAD, LEAST_SECONDS)
    left = numbers.get("wtime" if white else "btime")
    if left is None:
        return None
    added = numbers.get("winc" if white else "binc", 0)
    moves = _positive(numbers.get("movestogo")) or MOVES_TO_GO
    share = left / 1000 / min(moves, MOVES_TO_GO) + 0.8 * added / 1000
    # Never so much that the flag falls, whatever is added after the move.
    return max(min(share, 0.5 * left / 1000) - OVERHEAD, LEAST_SECONDS)


def _positive(number: int | None) -> int | None:
    return None if number is None or number <= 0 else number


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
    notes: tuple[str, ...] = ()
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
        cache: MutableMapping[str, AnalysisRow] | None = None,
    ) -> None:
        """`cache` keeps every whole search by its position, which is then not searched again."""
        self.recipe, self.config, self.cache = recipe, config, cache
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
        self, game: GameBoard, limits: Limits, agent: DepthAgent | None, seed: int, game_number: int
    ) -> Thought:
        """Choose as `attempt` does; where the engine fails, draw any legal move."""
        try:
            return self.attempt(game, limits, agent, seed, game_number)
        except EngineError as error:
            legal = _allowed(game, limits)
            even = np.full(len(legal), 1 / len(legal))
            note = f"{error}; this move is any legal one"
            return Thought(draw(legal, even, seed, game_number, game.ply), legal, even, notes=(note,))

    def attempt(
        self, game: GameBoard, limits: Limits, agent: DepthAgent | None, seed: int, game_number: int
    ) -> Thought:
        """Choose the move of an agent, or of the engine itself without one.

        An engine that fails is an error; it is ended, and may be started again.
        """
        start, place = time.monotonic(), (seed, game_number, game.ply)
        legal = _allowed(game, limits)
        try:
            solved = solved_values(game.board, wait=limits.seconds is None)
            row, notes = (_solved_row(game, solved), ()) if solved else self._row(game, limits)
            seen = game.seen(row.trace)
            if agent is None:
                share = np.array([float(move == best_move(seen)) for move in legal])
            else:
                probabilities = dict(zip(seen.legal, probabilities_of(seen, agent), strict=True))
                share = np.array([probabilities[move] for move in legal])
            share = share / share.sum() if share.sum() > 0 else np.full(len(legal), 1 / len(legal))
            move = draw(legal, share, *place)
            if agent is not None and move in (rest := [move for move in seen.unlisted if move in legal]):
                left = None if limits.seconds is None else limits.seconds - (time.monotonic() - start)
                move = draw(rest, self._rest_shares(rest, seen, game, left, agent), *place, 1)
        except EngineError:
            self.close()
            raise
        return Thought(
            move=move,
            legal=legal,
            share=share,
            values=seen.last_values,
            trace=row.trace,
            depth=row.depth,
            nodes=row.nodes,
            seconds=time.monotonic() - start,
            notes=notes,
        )

    def _row(self, game: GameBoard, limits: Limits) -> tuple[AnalysisRow, tuple[str, ...]]:
        """Analyse the position, or take a whole search from the cache; with notes.

        It is tried again where the engine has died, or was stopped before its first depth was complete: the
        second time the nodes alone limit it.
        """
        whole = limits == Limits()
        if self.cache is not None and whole and game.key in self.cache:
            return self.cache[game.key], ()
        try:
            self.start()
            search, notes = self._search(game, limits)
        except EngineError:
            self.close()
            self.start()
            if self.recipe.nodes is not None:
                nodes = affordable(limits, self.recipe.nodes, self._rate)
                limits = replace(limits, seconds=None, nodes=nodes)
            search, notes = self._search(game, limits)
        row = as_row(game.key, len(game.legal), search.trace.depths, search.nodes, search.seconds)
        if self.cache is not None and whole:
            self.cache[game.key] = row
        return row, notes

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
        note = f"{search.nodes} nodes instead of the recipe's {whole}: the Elo is that of the whole search"
        return search, (note,)

    def _rest_shares(
        self, rest: list[str], seen: Seen, game: GameBoard, left: float | None, agent: DepthAgent
    ) -> Floats:
        """Share out the part of the moves that no depth lists, by their values at a small depth.

        `left` is the time in seconds; where there is too little, the shares are even.
        """
        if len(rest) == 1 or self._stopped.is_set() or (left is not None and left < LEAST_LEFT):
            return np.full(len(rest), 1 / len(rest))
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
        return rest_shares(rest, seen, trace, agent)


def _allowed(game: GameBoard, limits: Limits) -> list[str]:
    """The legal moves that may be played here; all of them where none of those asked for is legal."""
    return [move for move in game.legal if not limits.moves or move in limits.moves] or game.legal


def _solved_row(game: GameBoard, values: dict[str, int]) -> AnalysisRow:
    """A solved ending as if it had been analysed: all moves, at one depth."""
    order = sorted(values.items(), key=lambda item: -item[1])
    lines = tuple(Line(1, rank, move, value, 0) for rank, (move, value) in enumerate(order, start=1))
    return as_row(game.key, len(values), [lines], 0, 0.0)


def rest_shares(rest: list[str], seen: Seen, trace: Trace, agent: DepthAgent) -> Floats:
    """How moves that no depth lists share their part: as if their values had been listed."""
    depths = {depth for depth, _, _ in trace}
    both = [line for line in seen.trace if line[0] in depths]
    share = np.zeros(len(rest))
    if both:
        joined = sorted([*both, *(line for line in trace if line[1] in rest)], key=lambda line: line[0])
        everything = probabilities_of(replace(seen, trace=joined), agent)
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
