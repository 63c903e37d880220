"""The options of one position and their values: what to ask the engine, and what to make of the answer."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from assay.decisions.evaluation import MATE_BOUND
from assay.engine.enough import until_enough
from assay.engine.recipe import Recipe
from assay.engine.stopping import BUDGET_MINUTES, may_stop
from assay.engine.trace import Line, Trace, nodes_by_depth, seconds_by_depth
from assay.engine.uci import Search, UciSession
from assay.errors import EngineError

if TYPE_CHECKING:
    from assay.engine.worker import Task

_SCREEN_DEPTH = 8
"""Depth at which options far behind the best are left out of a recipe with a cap."""


class AnalysisRow(NamedTuple):
    """One row of the table analyses, values as integers (assay.decisions.evaluation), recipe left out."""

    position_key: str
    n_legal: int
    depth: int
    nodes: int
    seconds: float
    moves: tuple[str, ...]
    values: tuple[int, ...]
    wdl: tuple[int, int, int] | None
    seldepth: int | None
    tbhits: int | None
    trace: tuple[tuple[int, str, int], ...]
    trace_nodes: tuple[int, ...] | None = None
    """Nodes when each complete depth was; None where the search is several, as without exact lines."""
    trace_seconds: tuple[float, ...] | None = None

    @staticmethod
    def without_options(position_key: str) -> "AnalysisRow":
        """The row of a position in which the game is over: no option, nothing searched."""
        return AnalysisRow(
            position_key=position_key,
            n_legal=0,
            depth=0,
            nodes=0,
            seconds=0.0,
            moves=(),
            values=(),
            wdl=None,
            seldepth=None,
            tbhits=None,
            trace=(),
        )


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


T = TypeVar("T", int, float)
Rows = tuple[AnalysisRow | None, list[AloneRow]]


def line_rows(
    engine: UciSession,
    recipe: Recipe,
    task: "Task",
    legal: list[str],
    neighbours: Sequence[int],
    *,
    clear: bool,
) -> Rows:
    """Rows from the engine's lines, and from searches of the played moves outside them."""
    asker = Asker(engine, recipe, task.history or f"fen {task.position_key} 0 1", legal)
    row = None
    depth = task.depth
    missing = task.played
    if depth is None:
        row = _row(task.position_key, asker, neighbours, clear)
        depth = row.depth
        missing = tuple(move for move in task.played if move not in row.moves)
    alone: list[AloneRow] = []
    for move in missing if recipe.alone else ():
        most = f" nodes {recipe.nodes}" if recipe.nodes is not None and not recipe.adaptive else ""
        go = f"depth {depth}{most} searchmoves {move}"
        first = clear and row is None and not alone
        found = asker.ask(go, 1, clear=first or not recipe.walk, last_depth=depth)
        line = found.trace.deepest[0]
        if line.move != move:
            raise EngineError(f"{engine.name} was to search {move} alone and searched {line.move}")
        trace = tuple((lines[0].depth, lines[0].value) for lines in found.trace.depths)
        alone.append(
            AloneRow(task.position_key, move, line.value, line.depth, found.nodes, found.seconds, trace)
        )
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
        found = self.engine.search(
            self.position,
            go,
            n_lines=n_lines,
            clear=clear,
            ceiling=self.recipe.ceiling,
            last_depth=last_depth,
            stop_after=stop_after,
        )
        lines = found.trace.deepest
        if not lines:
            raise EngineError(f"{self.engine.name} ended its search without {n_lines} lines of one depth")
        if found.best not in self.legal or any(line.move not in self.legal for line in lines):
            raise EngineError(f"{self.engine.name} gave a move that is not legal")
        return found


def _row(position_key: str, asker: Asker, neighbours: Sequence[int], clear: bool) -> AnalysisRow:
    recipe = asker.recipe
    n_lines = min(recipe.lines, len(asker.legal))
    if recipe.cap is not None:
        return _capped_row(position_key, asker, n_lines, clear)
    if recipe.enough is not None:
        return _thrifty_row(position_key, asker, n_lines, clear, recipe.enough)

    def enough(trace: Trace, seconds: float) -> bool:
        share = trace.nodes / recipe.nodes if recipe.nodes else seconds / recipe.seconds  # type: ignore[operator]
        values = [lines[0].value for lines in trace.reported]
        return may_stop(BUDGET_MINUTES * share, values, neighbours)

    found = asker.ask(
        recipe.limit,
        n_lines,
        clear=clear,
        last_depth=recipe.depth,
        stop_after=enough if recipe.adaptive else None,
    )
    return as_row(position_key, len(asker.legal), found.trace.depths, found.nodes, found.seconds)


def _thrifty_row(position_key: str, asker: Asker, n_lines: int, clear: bool, most: int) -> AnalysisRow:
    """The lines up to the first depth that is enough.

    How soon the engine is told does not matter: what it said of greater depths is not kept.
    """
    n_legal = len(asker.legal)

    def told(trace: Trace, _seconds: float) -> bool:
        return until_enough(trace.certain, n_legal, most) is not None

    found = asker.ask(asker.recipe.limit, n_lines, clear=clear, stop_after=told)
    depths = until_enough(found.trace.depths, n_legal, most)
    if depths is None:
        return as_row(position_key, n_legal, found.trace.depths, found.nodes, found.seconds)
    return as_row(position_key, n_legal, depths, nodes_by_depth(depths)[-1], found.seconds)


def _capped_row(position_key: str, asker: Asker, n_lines: int, clear: bool) -> AnalysisRow:
    """All lines to a small depth, then only those within the cap to the full one (Regan and Haworth 2011).

    Rybka 3 left the others out as soon as it found them too far behind. They are kept as options at the
    cap: at least so far behind.
    """
    recipe = asker.recipe
    assert recipe.cap is not None
    assert recipe.depth is not None
    screen = min(_SCREEN_DEPTH, recipe.depth)
    first = asker.ask(f"depth {screen}", n_lines, clear=clear, last_depth=screen)
    best = first.trace.deepest[0].value
    near = [line.move for line in first.trace.deepest if line.value >= best - recipe.cap]
    if recipe.depth <= _SCREEN_DEPTH or best >= MATE_BOUND:
        near = [line.move for line in first.trace.deepest]
    go = f"depth {recipe.depth} searchmoves {' '.join(near)}"
    second = asker.ask(go, len(near), clear=False, last_depth=recipe.depth)
    screened = [lines for lines in first.trace.depths if lines[0].depth <= _SCREEN_DEPTH]
    deeper = [lines for lines in second.trace.depths if lines[0].depth > _SCREEN_DEPTH]
    row = as_row(
        position_key,
        len(asker.legal),
        screened + deeper,
        first.nodes + second.nodes,
        first.seconds + second.seconds,
    )
    if deeper:
        row = _after_the_first(row, len(screened), first)
    far = tuple(line.move for line in first.trace.deepest if line.move not in near)
    return at_cap(row, recipe.cap, far if deeper else ())


def _after_the_first(row: AnalysisRow, screened: int, first: Search) -> AnalysisRow:
    """The row with what the first search cost before the depths of the second."""
    nodes, seconds = row.trace_nodes, row.trace_seconds
    return row._replace(
        trace_nodes=None if nodes is None else _shifted(nodes, screened, first.nodes),
        trace_seconds=None if seconds is None else _shifted(seconds, screened, first.seconds),
    )


def _shifted(costs: tuple[T, ...], screened: int, by: T) -> tuple[T, ...]:
    return costs[:screened] + tuple(cost + by for cost in costs[screened:])


def at_cap(row: AnalysisRow, cap: int, further: tuple[str, ...] = ()) -> AnalysisRow:
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
        position_key=position_key,
        n_legal=n_legal,
        depth=lines[0].depth,
        nodes=nodes,
        seconds=seconds,
        moves=tuple(line.move for line in lines),
        values=tuple(line.value for line in lines),
        wdl=lines[0].wdl,
        seldepth=lines[0].seldepth,
        tbhits=lines[0].tbhits,
        trace=tuple((line.depth, line.move, line.value) for depth in depths for line in depth),
        trace_nodes=nodes_by_depth(depths),
        trace_seconds=seconds_by_depth(depths),
    )
