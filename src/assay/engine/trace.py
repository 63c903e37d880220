"""What the engine said while it searched: its lines, the complete depths, the changes between them.

A depth is complete when every line of it was reported at that depth, exactly, one after the other. Engines
repeat lines of the depth before (Stockfish when it is stopped, Toga while it goes on), so a block that mixes
depths is no evidence that its values can be compared, and is passed over. Once a search lasts three seconds
Stockfish also reports in the middle of a depth, and such a report can look complete. So a depth counts only
when a greater one has been begun, or when it is the one asked for: else an answer would depend on how busy
the machine is.
"""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from assay.decisions.evaluation import MATE, MATE_BOUND, from_cp, from_mate
from assay.decisions.measures import expectation
from assay.errors import EngineError

REPORTS_WITHIN = 3.0
"""Seconds into a search from which on Stockfish reports within a depth, too."""

LINE_PLIES = 8
"""Moves that are kept of the variation of the best move."""

_MOVE = re.compile(rb"[a-h][1-8][a-h][1-8][nbrq]?")

MOST_DEPTH = 1000
MOST_NODES = 10**15
_MOST = {b"depth": MOST_DEPTH, b"seldepth": MOST_DEPTH, b"nodes": MOST_NODES, b"tbhits": MOST_NODES}
"""What an engine says beyond these is not so, and does not fit the table."""


class Line(NamedTuple):
    """One line of an engine: a first move and its value at a depth, mover's view."""

    depth: int
    rank: int
    move: str
    value: int
    nodes: int
    seldepth: int | None = None
    tbhits: int | None = None
    wdl: tuple[int, int, int] | None = None
    exact: bool = True
    seconds: float | None = None
    """Since the search began, as the engine says."""
    variation: bytes = b""
    """The moves that the engine expects, as it wrote them."""

    def moves(self) -> tuple[str, ...]:
        """The first moves of the variation, as far as they are written as moves."""
        return tuple(
            word.decode("ascii") for word in takewhile(_MOVE.fullmatch, self.variation.split()[:LINE_PLIES])
        )


def parse_line(text: bytes) -> Line | None:
    """The line in an `info` message; None where it holds none or makes no sense.

    Numbers that cannot be (a mate in a million moves) are an error: nothing that this engine says of the
    position can be believed then.
    """
    head, separator, variation = text.partition(b" pv ")
    if not separator:
        return None
    words = head.split()
    value: int | None = None
    exact = True
    wdl = None
    numbers: dict[bytes, int] = {}
    try:
        index = 1
        while index < len(words):
            word = words[index]
            if word == b"score":
                amount = int(words[index + 2])
                value = _mate(amount) if words[index + 1] == b"mate" else from_cp(amount)
                index += 3
            elif word == b"wdl":
                wdl = (int(words[index + 1]), int(words[index + 2]), int(words[index + 3]))
                index += 4
            elif word in (b"upperbound", b"lowerbound"):
                exact = False
                index += 1
            else:
                numbers[word] = int(words[index + 1])
                index += 2
        if value is None:
            return None
        _check_possible(numbers, wdl)
        return Line(
            depth=numbers[b"depth"],
            rank=numbers.get(b"multipv", 1),
            move=variation.split(None, 1)[0].decode("ascii"),
            value=value,
            nodes=numbers.get(b"nodes", 0),
            seldepth=numbers.get(b"seldepth"),
            tbhits=numbers.get(b"tbhits"),
            wdl=wdl,
            exact=exact,
            seconds=_seconds(numbers.get(b"time")),
            variation=variation,
        )
    except (ValueError, IndexError, KeyError):
        return None


def _mate(moves: int) -> int:
    if abs(moves) > MATE - MATE_BOUND:
        raise EngineError(f"the engine reports a mate in {_short(moves)} moves, which cannot be")
    return from_mate(moves)


def _seconds(milliseconds: int | None) -> float | None:
    """A time that an engine gives; nothing where it cannot be so, since no value depends on it."""
    if milliseconds is None or not 0 <= milliseconds <= MOST_NODES:
        return None
    return milliseconds / 1000


def _check_possible(numbers: dict[bytes, int], wdl: tuple[int, int, int] | None) -> None:
    for name, most in _MOST.items():
        if not 0 <= (number := numbers.get(name, 0)) <= most:
            raise EngineError(f"the engine reports {name.decode()} {_short(number)}, which cannot be")
    if wdl is not None and not all(0 <= share <= 1000 for share in wdl):
        raise EngineError("the engine reports shares of wins that are not in thousandths")


def _short(number: int) -> str:
    text = str(number)
    return text if len(text) <= 20 else f"{text[:20]}..."


class Trace:
    """The complete depths of one search, filled line by line."""

    def __init__(self, n_lines: int, last_depth: int | None = None) -> None:
        self.n_lines = n_lines
        self.last_depth = last_depth
        self.nodes = 0
        self._begun = 0
        self._block: list[Line] = []
        self._depths: dict[int, tuple[Line, ...]] = {}

    def add(self, line: Line) -> bool:
        """Take one line; whether it completed a depth."""
        self.nodes = max(self.nodes, line.nodes)
        self._begun = max(self._begun, line.depth)
        if line.rank == 1 or not line.exact:
            self._block = []
        if not line.exact or line.rank != len(self._block) + 1 or line.rank > self.n_lines:
            return False
        self._block.append(line)
        if line.rank < self.n_lines:
            return False
        # Toga goes on refining a depth after it is complete, so the last block of a depth counts.
        return self._complete(self._block)

    def _complete(self, block: list[Line]) -> bool:
        depth = block[0].depth
        if any(line.depth != depth for line in block) or len({line.move for line in block}) < len(block):
            return False
        # Best first: Ethereal 12 reports its lines in the order in which it searched them.
        self._depths[depth] = tuple(sorted(block, key=lambda line: -line.value))
        return True

    @property
    def reported(self) -> list[tuple[Line, ...]]:
        """The lines of each depth of which all were reported, the one under way included."""
        return [self._depths[depth] for depth in sorted(self._depths)]

    def settle(self) -> None:
        """Take the depth reported last for complete: the search was stopped at that report."""
        self._begun += 1

    @property
    def depths(self) -> list[tuple[Line, ...]]:
        """The lines of each complete depth, shallow first."""
        reported = sorted(self._depths)
        complete = [depth for depth in reported if depth < self._begun or depth == self.last_depth]
        # An engine that answers at once, as to a forced move, has nothing deeper to begin.
        return [self._depths[depth] for depth in complete or reported]

    @property
    def certain(self) -> list[tuple[Line, ...]]:
        """The lines of each depth that is known to be complete while the search goes on.

        Beyond those that a greater one follows: what was reported before reports within a depth begin.
        """
        return [
            lines
            for lines in self.reported
            if lines[0].depth < self._begun or lines[0].depth == self.last_depth or _early(lines)
        ]

    @property
    def deepest(self) -> tuple[Line, ...]:
        """The lines of the deepest complete depth, best first; empty where there is none."""
        return depths[-1] if (depths := self.depths) else ()


def _early(lines: Sequence[Line]) -> bool:
    """Whether the engine's own clock says that it reported these before it reports within a depth."""
    return all(line.seconds is not None and line.seconds < REPORTS_WITHIN for line in lines)


def nodes_by_depth(depths: Sequence[Sequence[Line]]) -> tuple[int, ...]:
    """Nodes searched when each of these complete depths was."""
    return tuple(max(line.nodes for line in lines) for lines in depths)


def seconds_by_depth(depths: Sequence[Sequence[Line]]) -> tuple[float, ...] | None:
    """Seconds searched when each of these complete depths was; None where the engine says nothing of it."""
    times_by_depth = [[line.seconds for line in lines if line.seconds is not None] for lines in depths]
    return tuple(max(times) for times in times_by_depth) if all(times_by_depth) else None


class Changes(NamedTuple):
    """How one move's value changed from depth to depth (Alliot 2017, section 2.4)."""

    mean: float
    largest: int
    at_depth: int


def changes(depths: Sequence[int], moves: Sequence[str], values: Sequence[int], move: str) -> Changes | None:
    """Mean and largest absolute change of `move` between depths n and n + 1, and the n of the largest.

    The first three arguments are the columns `trace_depth`, `trace_move` and `trace_value` of one analysis.
    None where the move is in the lines of no two successive depths.
    """
    by_depth = {
        depth: value for depth, name, value in zip(depths, moves, values, strict=True) if name == move
    }
    steps = [
        (abs(by_depth[depth + 1] - value), depth)
        for depth, value in sorted(by_depth.items())
        if depth + 1 in by_depth
    ]
    if not steps:
        return None
    largest, at_depth = max(steps, key=lambda step: (step[0], -step[1]))
    return Changes(sum(step for step, _ in steps) / len(steps), largest, at_depth)


# When to stop a search: two rules as functions of values, so that answers depend on nothing else.
#
# The adaptive rule of Alliot 2017, section 2.3 (`may_stop`). Evaluations are in centipawns. Time is in the
# paper's minutes, of which a search has four at most; of another budget, or one counted in nodes, a minute is
# a quarter.
#
# The rule of the recipe `thrifty` (`is_enough`). At the end of each depth it looks at the values of its lines
# and of those before: no clock, no count of nodes, not the move that was played. So the answer is the same on
# every machine. Values are compared as expected scores, in which a pawn counts for less where a game is
# decided.

BUDGET_MINUTES = 4.0
"""The paper's limit for one position; the budget of a recipe stands for this many minutes."""

_LEAST_MINUTES = 1.0
_MOST_MINUTES = 3.0


def decided_minutes(e0: float, e1: float, e2: float) -> float | None:
    """Condition 2: minutes after which a search may stop in a game that leans one way; None if it does not.

    The evaluations are those of three successive positions, each from its mover's view, so that an
    advantage that stays with one player has alternating signs.
    """
    if not (e0 * e1 < 0 and e1 * e2 < 0):
        return None
    return 4 * max(100, (1000 - min(abs(e0), abs(e1), abs(e2))) / 3) / 400


def stable_minutes(e0: float, e1: float, e2: float) -> float:
    """Condition 3: minutes after which a search may stop whose last three depths gave these evaluations.

    As printed, the signs of successive depths alternate: 53, -63, 57 are three evaluations that differ by
    at most 10.
    """
    return 4 * (10 + max(abs(e0 + e1), abs(e0 - e2), abs(e1 + e2))) / 40


def may_stop(minutes: float, depths: Sequence[float], neighbours: Sequence[float]) -> bool:
    """Whether the search stops now, the lines of one more depth being complete.

    `depths` are the evaluations of the complete depths so far, all from the mover's view as UCI gives them;
    `neighbours` those of the two positions that follow in the game, nearest first, each from its mover's
    view (the game is walked backwards, so they are known).
    """
    if minutes < _LEAST_MINUTES:
        return False
    if minutes >= _MOST_MINUTES:
        return True
    if len(depths) >= 1 and len(neighbours) >= 2:
        decided = decided_minutes(depths[-1], neighbours[0], neighbours[1])
        if decided is not None and minutes > decided:
            return True
    if len(depths) < 3:
        return False
    # UCI keeps one view at all depths; the printed formula alternates.
    return minutes > stable_minutes(depths[-3], -depths[-2], depths[-1])


FAR_AHEAD = 0.10
"""The best move is so far before the second: two plies less are enough."""

DECIDED = 0.15
"""The best move leaves one side no more than this expectation: likewise."""

AHEAD = 0.02
"""The best move is so far before the second: one ply less is enough."""

AGREEING = 3
"""So many depths in a row have the same best move: likewise."""

ENOUGH_RULE = (
    f"two plies before: far ahead {FAR_AHEAD}, decided {DECIDED}; "
    f"one ply before: ahead {AHEAD}, {AGREEING} depths agreeing"
)
"""The rule in words: part of the id of a recipe that uses it, so that another rule is another recipe."""

LEAST_ENOUGH = 4
"""A recipe may not call less than this depth enough: the rule looks at three."""


def is_enough(depths: Sequence[Sequence[Line]], n_legal: int, most: int) -> bool:
    """Whether a search may end whose complete depths these are, the last one just finished.

    `most` is the depth that is enough whatever the values are.
    """
    lines = depths[-1]
    depth = lines[0].depth
    if n_legal <= 1 or depth >= most:
        return True
    if depth < most - 2 or len(lines) < 2:
        return False
    best, second = expectation([lines[0].value, lines[1].value]).tolist()
    if best - second >= FAR_AHEAD or min(best, 1 - best) <= DECIDED:
        return True
    return depth == most - 1 and (best - second >= AHEAD or _agree(depths[-AGREEING:]))


def _agree(depths: Sequence[Sequence[Line]]) -> bool:
    """Whether these depths are successive, as many as it takes, and have the same best move."""
    in_a_row = depths[-1][0].depth - depths[0][0].depth == AGREEING - 1 == len(depths) - 1
    return in_a_row and len({lines[0].move for lines in depths}) == 1


def until_enough(
    depths: Sequence[tuple[Line, ...]], n_legal: int, most: int
) -> list[tuple[Line, ...]] | None:
    """The depths up to the first at which a search may end; None where it may not end at any of them."""
    for end in range(1, len(depths) + 1):
        if is_enough(depths[:end], n_legal, most):
            return list(depths[:end])
    return None
