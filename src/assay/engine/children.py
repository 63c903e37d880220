"""Options valued by searches of the positions after them, for engines that give no exact lines (Toga II).

An engine that gives exact lines, and only does not search one move when told to (Ethereal 12), is asked for
its lines as any other; the played moves outside them are valued here.

Every search that counts starts with a cleared hash table and goes to the same depth, so a value depends on
nothing that was searched before. What is saved is the rest of a search that will not reach the lines:

1. all options are searched to depth 4, which gives an order (by name where the full depth is below 6);
2. in this order they are searched to the full depth, the first ones, as many as lines, in any case;
3. from then on a search is stopped at the first report of depth 6 or more that lies over 20 centipawns behind
   the last line so far, or at the full depth behind it at all.

At the full depth that loses nothing: while it goes on, a search finds only better replies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import chess

from assay.decisions.evaluation import MATE, MATE_BOUND
from assay.engine.options import AloneRow, AnalysisRow, Asker, Rows, at_cap, line_rows
from assay.engine.recipe import Recipe
from assay.engine.trace import Trace
from assay.engine.uci import Search, UciSession

if TYPE_CHECKING:
    from assay.engine.worker import Task

_SCREEN_DEPTH = 4
_LEAST_DEPTH = 6
_MARGIN = 20

RULE = f"ordered at depth {_SCREEN_DEPTH}, stopped from depth {_LEAST_DEPTH} at {_MARGIN} behind the lines"
"""The rule in words: part of an engine's identity, since it decides answers."""

ALONE_RULE = "played moves outside the lines by the position after them, one ply less deep"
"""The same where the engine gives lines, and does not search one move alone."""


class Child(NamedTuple):
    """Values of one option by depth, from its mover's view."""

    by_depth: dict[int, int]
    nodes: int
    seconds: float
    stopped: bool = False
    """Whether the search was stopped, the option being outside the lines."""

    @property
    def last(self) -> tuple[int, int]:
        """Value and depth of the deepest search."""
        depth = max(self.by_depth)
        return self.by_depth[depth], depth

    def at(self, depth: int) -> int | None:
        """The value at `depth`, or the deepest before it: a search that found a mate ends early."""
        known = [step for step in self.by_depth if step <= depth]
        if not known or (self.stopped and depth > max(self.by_depth)):
            return None
        return self.by_depth[max(known)]


def children_rows(engine: UciSession, recipe: Recipe, task: "Task", board: chess.Board) -> Rows:
    """Rows from searches of the positions after the options, one ply less deep."""
    searcher = _Searcher(engine, recipe, board)
    found: dict[str, Child] = {}
    row = None
    if task.depth is None:
        order, screen = searcher.order()
        found = searcher.options(order)
        row = _as_row(task.position_key, found, screen, recipe)
    alone = []
    # Whichever moves were played, the lines are the same: these searches come after them.
    for move in task.played if recipe.alone else ():
        if row is None or move not in row.moves:
            child = found.get(move)
            if child is None or child.stopped:
                child = searcher.child(move)
            trace = tuple(sorted(child.by_depth.items()))
            alone.append(AloneRow(task.position_key, move, *child.last, child.nodes, child.seconds, trace))
    return row, alone


def lines_and_children(
    engine: UciSession,
    recipe: Recipe,
    task: "Task",
    board: chess.Board,
    neighbours: Sequence[int],
    *,
    clear: bool,
) -> Rows:
    """Rows from the engine's lines; played moves outside them from the positions after them."""
    legal = sorted(move.uci() for move in board.legal_moves)
    row, _ = line_rows(engine, replace(recipe, alone=False), task, legal, neighbours, clear=clear)
    depth = task.depth if row is None else row.depth
    searcher = _Searcher(engine, recipe, board)
    alone = []
    for move in task.played:
        if row is None or move not in row.moves:
            child = searcher.child(move, depth, clear=not recipe.walk)
            trace = tuple(sorted(child.by_depth.items()))
            alone.append(AloneRow(task.position_key, move, *child.last, child.nodes, child.seconds, trace))
    return row, alone


class _Searcher:
    """Searches of the positions after the options of one position."""

    def __init__(self, engine: UciSession, recipe: Recipe, board: chess.Board) -> None:
        assert recipe.depth is not None
        self.engine, self.recipe, self.board, self.depth = engine, recipe, board, recipe.depth

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
            screen.append(self.child(move, _SCREEN_DEPTH, clear=not searched))
        ranked = sorted(zip(moves, screen, strict=True), key=lambda pair: (-pair[1].last[0], pair[0]))
        return [move for move, _ in ranked], screen

    def options(self, order: list[str]) -> dict[str, Child]:
        """Each option searched to the full depth, or until it is seen to be outside the lines."""
        found: dict[str, Child] = {}
        for move in order:
            known = sorted((child.last[0] for child in found.values() if not child.stopped), reverse=True)
            last_line = known[self.recipe.lines - 1] if len(known) >= self.recipe.lines else None
            found[move] = self.child(move, last_line=last_line)
        return found

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
        found = asker.ask(f"depth {depth}", 1, clear=clear, last_depth=depth, stop_after=outside)
        # Toga II goes a ply further than told where there is only one reply.
        values = {step: value for step, value in _values(found) if step <= depth + 1}
        if stopped:
            # Better replies may have been left to find at the depth under way.
            del values[max(values)]
        return Child(values, found.nodes, found.seconds, stopped)

    def _outside(self, depth: int, reply: int, last_line: int) -> bool:
        if depth < self.depth:
            return depth >= _LEAST_DEPTH and _seen_from_before(reply) < last_line - _MARGIN
        return depth == self.depth and _seen_from_before(reply) < last_line


def _values(found: Search) -> Iterator[tuple[int, int]]:
    for lines in found.trace.depths:
        yield lines[0].depth + 1, _seen_from_before(lines[0].value)


def _seen_from_before(value: int) -> int:
    """Value of a move from that of the position after it; a mate is one move further away."""
    return -value - 1 if value <= -MATE_BOUND else -value


def _as_row(position_key: str, found: dict[str, Child], screen: list[Child], recipe: Recipe) -> AnalysisRow:
    """The best options of the full depth; at each smaller depth the best of those still searched there."""
    whole = [child for child in found.values() if not child.stopped]
    depth = max(child.last[1] for child in whole)
    trace = []
    for step in range(1, depth + 1):
        if all(child.at(step) is not None for child in whole):
            known = [(child.at(step), move) for move, child in found.items()]
            ranked = sorted((-value, move) for value, move in known if value is not None)
            trace += [(step, move, -value) for value, move in ranked[: recipe.lines]]
    last = [(move, value) for step, move, value in trace if step == depth]
    searches = [*found.values(), *screen]
    row = AnalysisRow(
        position_key=position_key,
        n_legal=len(found),
        depth=depth,
        nodes=sum(child.nodes for child in searches),
        seconds=sum(child.seconds for child in searches),
        moves=tuple(move for move, _ in last),
        values=tuple(value for _, value in last),
        wdl=None,
        seldepth=None,
        tbhits=None,
        trace=tuple(trace),
    )
    return row if recipe.cap is None else at_cap(row, recipe.cap)
