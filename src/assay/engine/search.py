"""The options of one position and their values: what to ask the engine, and what to make of the answer.

Most engines give exact lines, and search one move alone when told to. Others do not (Toga II, Ethereal 12):
all their options are valued by searches of the positions after them, each with a cleared hash table and to
the same depth, so that a value depends on nothing that was searched before. What is saved is the rest of a
search that will not reach the lines:

1. all options are searched to depth 4, which gives an order (by name where the full depth is below 6);
2. in this order they are searched to the full depth, the first ones, as many as lines, in any case;
3. from then on a search is stopped at the first report of depth 6 or more that lies over 20 centipawns behind
   the last line so far, or at the full depth behind it at all.

At the full depth that loses nothing: while it goes on, a search finds only better replies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.decisions.evaluation import MATE, MATE_BOUND
from assay.engine.recipe import EngineIdentity, Recipe
from assay.engine.trace import (
    BUDGET_MINUTES,
    LINE_PLIES,
    Line,
    Trace,
    may_stop,
    nodes_by_depth,
    seconds_by_depth,
    until_enough,
)
from assay.engine.uci import Search, UciSession
from assay.errors import EngineError

if TYPE_CHECKING:
    import chess

_CAP_DEPTH = 8
"""Depth at which options far behind the best are left out of a recipe with a cap."""

_ORDER_DEPTH = 4
_LEAST_DEPTH = 6
_MARGIN = 20

CHILDREN_RULE = (
    f"ordered at depth {_ORDER_DEPTH}, stopped from depth {_LEAST_DEPTH} at {_MARGIN} behind the lines"
)
"""The rule for such engines in words: part of their identity, since it decides answers."""


class Task(NamedTuple):
    """All that decides the answer for one position, beside the recipe."""

    position_key: str
    played: tuple[str, ...] = ()
    """Moves played here in any game, to be searched alone if they are not among the lines."""
    depth: int | None = None
    """Depth of the lines where these are stored already and only the played moves are missing."""
    ply: int = 0
    game: int = 0
    history: str = ""
    """The first position and the moves since, as UCI's `position` takes them; empty: the position alone."""


class AnalysisRow(NamedTuple):
    """One row of the table analyses, values as integers (assay.decisions.evaluation), recipe left out."""

    position_key: str
    n_legal: int
    depth: int
    nodes: int
    seconds: float
    moves: tuple[str, ...]
    values: tuple[int, ...]
    wdl: tuple[int, int, int] | None = None
    seldepth: int | None = None
    tbhits: int | None = None
    trace: tuple[tuple[int, str, int], ...] = ()
    trace_nodes: tuple[int, ...] | None = None
    """Nodes when each complete depth was; None where the search is several, as without exact lines."""
    trace_seconds: tuple[float, ...] | None = None
    line: tuple[str, ...] | None = None
    """The moves that the engine expects, the best one first."""

    @staticmethod
    def without_options(position_key: str) -> AnalysisRow:
        """The row of a position in which the game is over: no option, nothing searched."""
        return AnalysisRow(position_key, n_legal=0, depth=0, nodes=0, seconds=0.0, moves=(), values=())


class AloneRow(NamedTuple):
    """One row of the table alone, likewise."""

    position_key: str
    move: str
    value: int
    depth: int
    nodes: int
    seconds: float
    trace: tuple[tuple[int, int], ...] | None = None
    """Every complete depth with the value there."""


Rows = tuple[AnalysisRow | None, list[AloneRow]]


def rows_of_position(
    engine: UciSession,
    identity: EngineIdentity,
    recipe: Recipe,
    task: Task,
    board: chess.Board,
    neighbours: Sequence[int] = (),
    *,
    clear: bool,
) -> Rows:
    """The row of a position, unless it is stored already, and those of the played moves outside its lines.

    Whichever moves were played, the lines are the same: played moves are searched after them.
    """
    key = task.position_key
    row, children = None, dict[str, Child]()
    searcher = _Searcher(engine, recipe, board)
    legal = sorted(move.uci() for move in board.legal_moves)
    asker = Asker(engine, recipe, task.history or f"fen {key} 0 1", legal)
    if task.depth is None and identity.children:
        order, screen = searcher.order()
        children = searcher.options(order)
        row = _children_row(key, children, screen, recipe)
    elif task.depth is None:
        row = _row(key, asker, neighbours, clear)
    depth = task.depth if row is None else row.depth
    alone: list[AloneRow] = []
    for move in task.played if recipe.alone else ():
        if row is not None and move in row.moves:
            continue
        if identity.children:
            child = children.get(move)
            alone.append((searcher.child(move) if child is None or child.stopped else child).row(key, move))
        else:
            first = clear and row is None and not alone
            alone.append(_searched_alone(key, asker, move, depth, first or not recipe.walk))
    return row, alone


class Asker:
    """Searches of one position, their answers checked."""

    def __init__(self, engine: UciSession, recipe: Recipe, position: str, legal: list[str]) -> None:
        self.engine, self.recipe, self.position, self.legal = engine, recipe, position, legal

    def ask(
        self,
        go: str,
        n_lines: int,
        *,
        clear: bool,
        last_depth: int | None = None,
        stop_after: Callable[[Trace, float], bool] | None = None,
    ) -> Search:
        """One search; an error where the answer makes no sense."""
        search = self.engine.search(
            self.position,
            go,
            n_lines=n_lines,
            clear=clear,
            ceiling=self.recipe.ceiling,
            last_depth=last_depth,
            stop_after=stop_after,
        )
        lines = search.trace.deepest
        if not lines:
            raise EngineError(f"{self.engine.name} ended its search without {n_lines} lines of one depth")
        if search.best not in self.legal or any(line.move not in self.legal for line in lines):
            raise EngineError(f"{self.engine.name} gave a move that is not legal")
        return search


def _searched_alone(position_key: str, asker: Asker, move: str, depth: int | None, clear: bool) -> AloneRow:
    recipe = asker.recipe
    most = f" nodes {recipe.nodes}" if recipe.nodes is not None and not recipe.adaptive else ""
    search = asker.ask(f"depth {depth}{most} searchmoves {move}", 1, clear=clear, last_depth=depth)
    line = search.trace.deepest[0]
    if line.move != move:
        raise EngineError(f"{asker.engine.name} was to search {move} alone and searched {line.move}")
    trace = tuple((lines[0].depth, lines[0].value) for lines in search.trace.depths)
    return AloneRow(position_key, move, line.value, line.depth, search.nodes, search.seconds, trace)


def _row(position_key: str, asker: Asker, neighbours: Sequence[int], clear: bool) -> AnalysisRow:
    recipe = asker.recipe
    n_legal = len(asker.legal)
    n_lines = min(recipe.lines, n_legal)
    if recipe.cap is not None:
        return _capped_row(position_key, asker, n_lines, clear)
    most = recipe.enough

    def settled(trace: Trace, seconds: float) -> bool:
        if most is not None:
            return until_enough(trace.certain, n_legal, most) is not None
        share = trace.nodes / recipe.nodes if recipe.nodes else seconds / recipe.seconds  # type: ignore[operator]
        values = [lines[0].value for lines in trace.reported]
        return may_stop(BUDGET_MINUTES * share, values, neighbours)

    stops = recipe.adaptive or most is not None
    search = asker.ask(
        recipe.limit, n_lines, clear=clear, last_depth=recipe.depth, stop_after=settled if stops else None
    )
    # How soon an engine is told that it is enough does not matter: what it said of greater depths is left.
    depths = None if most is None else until_enough(search.trace.depths, n_legal, most)
    if depths is None:
        return as_row(position_key, n_legal, search.trace.depths, search.nodes, search.seconds)
    return as_row(position_key, n_legal, depths, nodes_by_depth(depths)[-1], search.seconds)


def _capped_row(position_key: str, asker: Asker, n_lines: int, clear: bool) -> AnalysisRow:
    """All lines to a small depth, then only those within the cap to the full one (Regan and Haworth 2011).

    Rybka 3 left the others out as soon as it found them too far behind. They are kept as options at the
    cap: at least so far behind.
    """
    recipe = asker.recipe
    assert recipe.cap is not None
    assert recipe.depth is not None
    screen = min(_CAP_DEPTH, recipe.depth)
    first = asker.ask(f"depth {screen}", n_lines, clear=clear, last_depth=screen)
    best = first.trace.deepest[0].value
    near = [line.move for line in first.trace.deepest if line.value >= best - recipe.cap]
    if recipe.depth <= _CAP_DEPTH or best >= MATE_BOUND:
        near = [line.move for line in first.trace.deepest]
    go = f"depth {recipe.depth} searchmoves {' '.join(near)}"
    second = asker.ask(go, len(near), clear=False, last_depth=recipe.depth)
    screened = [lines for lines in first.trace.depths if lines[0].depth <= _CAP_DEPTH]
    deeper = [lines for lines in second.trace.depths if lines[0].depth > _CAP_DEPTH]
    nodes, seconds = first.nodes + second.nodes, first.seconds + second.seconds
    row = as_row(position_key, len(asker.legal), screened + deeper, nodes, seconds)
    if not deeper:
        return _at_cap(row, recipe.cap)
    n = len(screened)  # what the first search cost comes before the depths of the second
    if row.trace_nodes is not None:
        later = tuple(cost + first.nodes for cost in row.trace_nodes[n:])
        row = row._replace(trace_nodes=row.trace_nodes[:n] + later)
    if row.trace_seconds is not None:
        times = tuple(cost + first.seconds for cost in row.trace_seconds[n:])
        row = row._replace(trace_seconds=row.trace_seconds[:n] + times)
    return _at_cap(row, recipe.cap, tuple(line.move for line in first.trace.deepest if line.move not in near))


def _at_cap(row: AnalysisRow, cap: int, further: tuple[str, ...] = ()) -> AnalysisRow:
    """The row with no option further behind the best than the cap, and with the further options at it."""
    floor = row.values[0] - cap
    if abs(row.values[0]) >= MATE_BOUND:
        return row  # no number of pawns is behind a mate
    values = tuple(max(value, floor) for value in row.values) + (floor,) * len(further)
    return row._replace(moves=row.moves + further, values=values)


def as_row(
    position_key: str, n_legal: int, depths: list[tuple[Line, ...]], nodes: int, seconds: float
) -> AnalysisRow:
    """The row of a search, from the lines of its complete depths."""
    lines = depths[-1]
    return AnalysisRow(
        position_key,
        n_legal,
        lines[0].depth,
        nodes,
        seconds,
        moves=tuple(line.move for line in lines),
        values=tuple(line.value for line in lines),
        wdl=lines[0].wdl,
        seldepth=lines[0].seldepth,
        tbhits=lines[0].tbhits,
        trace=tuple((line.depth, line.move, line.value) for depth in depths for line in depth),
        trace_nodes=nodes_by_depth(depths),
        trace_seconds=seconds_by_depth(depths),
        line=lines[0].moves() or None,
    )


class Child(NamedTuple):
    """Values of one option by depth, from its mover's view, found in the position after it."""

    by_depth: dict[int, int]
    nodes: int
    seconds: float
    stopped: bool = False
    """Whether the search was stopped, the option being outside the lines."""
    reply: tuple[str, ...] = ()
    """The moves that the engine expects after it."""

    @property
    def last(self) -> tuple[int, int]:
        """Value and depth of the deepest search."""
        depth = max(self.by_depth)
        return self.by_depth[depth], depth

    def at(self, depth: int) -> int | None:
        """The value at `depth`, or the deepest before it: a search that found a mate ends early."""
        depths = [step for step in self.by_depth if step <= depth]
        if not depths or (self.stopped and depth > max(self.by_depth)):
            return None
        return self.by_depth[max(depths)]

    def row(self, position_key: str, move: str) -> AloneRow:
        """The option as a move searched alone."""
        trace = tuple(sorted(self.by_depth.items()))
        return AloneRow(position_key, move, *self.last, self.nodes, self.seconds, trace)


class _Searcher:
    """Searches of the positions after the options of one position."""

    def __init__(self, engine: UciSession, recipe: Recipe, board: chess.Board) -> None:
        # Without a limit of depth, engines that need this are refused when they are opened.
        self.engine, self.recipe, self.board, self.depth = engine, recipe, board, recipe.depth or 0

    def order(self) -> tuple[list[str], list[Child]]:
        """The options, those best at a small depth first; and the searches that this took.

        Here the hash table is kept from option to option, which is as deterministic: their order is fixed.
        """
        moves = sorted(move.uci() for move in self.board.legal_moves)
        if len(moves) <= self.recipe.lines or self.depth < _LEAST_DEPTH:
            return moves, []
        screen: list[Child] = []
        for move in moves:
            searched = any(child.nodes for child in screen)
            screen.append(self.child(move, _ORDER_DEPTH, clear=not searched))
        ranked = sorted(zip(moves, screen, strict=True), key=lambda pair: (-pair[1].last[0], pair[0]))
        return [move for move, _ in ranked], screen

    def options(self, order: list[str]) -> dict[str, Child]:
        """Each option searched to the full depth, or until it is seen to be outside the lines."""
        children: dict[str, Child] = {}
        for move in order:
            whole = sorted((child.last[0] for child in children.values() if not child.stopped), reverse=True)
            last_line = whole[self.recipe.lines - 1] if len(whole) >= self.recipe.lines else None
            children[move] = self.child(move, last_line=last_line)
        return children

    def child(
        self, move: str, depth: int | None = None, *, clear: bool = True, last_line: int | None = None
    ) -> Child:
        """One option searched to a depth, stopped early where it stays behind the last line."""
        depth = depth or self.depth
        self.board.push_uci(move)
        try:
            if not any(self.board.legal_moves):
                value = MATE - 1 if self.board.is_check() else 0
                return Child(dict.fromkeys((1, depth), value), 0, 0.0)
            return self._search(max(1, depth - 1), clear, last_line)
        finally:
            self.board.pop()

    def _search(self, depth: int, clear: bool, last_line: int | None) -> Child:
        stopped = False

        def outside(trace: Trace, _: float) -> bool:
            nonlocal stopped
            line = trace.reported[-1][0]
            stopped = last_line is not None and self._outside(line.depth + 1, line.value, last_line)
            return stopped

        replies = [reply.uci() for reply in self.board.legal_moves]
        asker = Asker(self.engine, self.recipe, f"fen {self.board.fen()}", replies)
        search = asker.ask(f"depth {depth}", 1, clear=clear, last_depth=depth, stop_after=outside)
        # Toga II goes a ply further than told where there is only one reply.
        values = {
            lines[0].depth + 1: _seen_from_before(lines[0].value)
            for lines in search.trace.depths
            if lines[0].depth <= depth
        }
        if stopped:
            # Better replies may have been left to find at the depth under way.
            del values[max(values)]
        return Child(values, search.nodes, search.seconds, stopped, search.trace.deepest[0].moves())

    def _outside(self, depth: int, reply: int, last_line: int) -> bool:
        if depth < self.depth:
            return depth >= _LEAST_DEPTH and _seen_from_before(reply) < last_line - _MARGIN
        return depth == self.depth and _seen_from_before(reply) < last_line


def _seen_from_before(value: int) -> int:
    """Value of a move from that of the position after it; a mate is one move further away."""
    return -value - 1 if value <= -MATE_BOUND else -value


def _children_row(
    position_key: str, children: dict[str, Child], screen: list[Child], recipe: Recipe
) -> AnalysisRow:
    """The best options of the full depth; at each smaller depth the best of those still searched there."""
    whole = [child for child in children.values() if not child.stopped]
    depth = max(child.last[1] for child in whole)
    trace = []
    for step in range(1, depth + 1):
        if all(child.at(step) is not None for child in whole):
            reached = [(child.at(step), move) for move, child in children.items()]
            ranked = sorted((-value, move) for value, move in reached if value is not None)
            trace += [(step, move, -value) for value, move in ranked[: recipe.lines]]
    last = [(move, value) for step, move, value in trace if step == depth]
    searches = [*children.values(), *screen]
    best = last[0][0]
    row = AnalysisRow(
        position_key,
        len(children),
        depth,
        nodes=sum(child.nodes for child in searches),
        seconds=sum(child.seconds for child in searches),
        moves=tuple(move for move, _ in last),
        values=tuple(value for _, value in last),
        trace=tuple(trace),
        line=(best, *children[best].reply)[:LINE_PLIES],
    )
    return row if recipe.cap is None else _at_cap(row, recipe.cap)
