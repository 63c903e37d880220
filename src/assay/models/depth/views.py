"""What each depth says of a decision: the sum of g over all legal moves, and g of single options.

`Positions` holds decisions with their traces as flat arrays, from a table or one position at a time. The
kernels give, for consistencies on an even grid, Z_d (the sum of g over all legal moves at depth d) and the
mean of g over moves below the last line of that depth. Those lie between the last line and a lost position,
on the scale of ln(1 + loss / 0.1 pawns): moves that another depth has among its lines near the last line,
moves that none has evenly. How near was measured in positions with all moves valued at all depths (`python -m
research.papers.regan2011.depth_unlisted`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions
from assay.decisions.depths import DEPTHS, DepthValues, Small, values_by_depth, values_of_lines
from assay.errors import InputError
from assay.models.depth.agent import LIMIT, SCALE

POINTS = 8
"""Unlisted moves are represented by so many points below the last line."""

SEEN_BENDS = (4.4, 3.4, 3.4, 3.4, 4.2)
"""The move at the fraction x of those below that another depth lists lies at x^BEND of the way from the last
line to a lost position: at depth 1, 2, 3, 4, and all deeper ones."""

UNSEEN_BEND = 1.1
"""The same of moves that no depth lists, at every depth."""

TAIL_UNIT = 10.0
_EVEN = (np.arange(POINTS) + 0.5) / POINTS
BELOW_SEEN = _EVEN ** np.array(SEEN_BENDS)[:, None]
BELOW_UNSEEN = _EVEN[None, :] ** UNSEEN_BEND


@dataclass(frozen=True, eq=False, kw_only=True)
class Positions:
    """Decisions with what every depth said of them."""

    offsets: Ints
    """Options of row i are at `offsets[i]` up to `offsets[i + 1]` of the flat arrays."""
    legal: Ints
    """Number of legal moves, or at least how many have a value."""
    trace_offsets: Ints
    trace_depth: Small
    trace_value: Small
    by_depth: DepthValues

    def __len__(self) -> int:
        return len(self.legal)

    @classmethod
    def of(cls, decisions: Decisions, depths: int = DEPTHS) -> Positions:
        """Decisions that were read with their trace."""
        offsets, depth, _, value = decisions.trace()
        legal = np.nan_to_num(decisions.numbers("n_legal"), nan=0.0).astype(np.int64)
        return cls(
            offsets=decisions.offsets,
            legal=np.maximum(legal, decisions.n_options),
            trace_offsets=offsets,
            trace_depth=depth,
            trace_value=value,
            by_depth=values_by_depth(decisions, depths),
        )

    @classmethod
    def one(
        cls,
        options: Sequence[tuple[str, int]],
        trace: Sequence[tuple[int, str, int]],
        n_legal: int,
        depths: int = DEPTHS,
    ) -> Positions:
        """A single position: options with values, best first; its lines as (depth, move, value)."""
        if not options or not trace:
            raise InputError("a position needs options, and the lines of its search at every depth")
        codes: dict[str, int] = {}
        moves = [codes.setdefault(move, len(codes)) for _, move, _ in trace]
        offsets, ends = np.array([0, len(options)]), np.array([0, len(trace)])
        depth = np.array([line[0] for line in trace], np.int16)
        value = np.array([line[2] for line in trace], np.int16)
        return cls(
            offsets=offsets,
            legal=np.array([max(n_legal, len(options))]),
            trace_offsets=ends,
            trace_depth=depth,
            trace_value=value,
            by_depth=values_of_lines(
                offsets,
                np.array([value for _, value in options], np.int64),
                np.array([codes.get(move, -1) for move, _ in options], np.int32),
                ends,
                depth,
                np.array(moves, np.int32),
                value,
                depths,
            ),
        )

    @property
    def searched(self) -> Mask:
        """Which of them have a trace at all."""
        return np.asarray(np.diff(self.trace_offsets) > 0)


@njit(nogil=True)
def exponent(best: float, value: float) -> float:
    """-ln(1 + delta/s): times c, the logarithm of g."""
    top = min(max(best, -LIMIT), LIMIT)
    low = min(max(value, -LIMIT), LIMIT)
    return -math.log1p(max(top - low, 0.0) / SCALE)


@njit(nogil=True)
def add_powers(power: float, times: float, first: float, step: float, row: int, out: Floats) -> None:
    """Add `times` g to out[row, k] for c = first + k step: two exponentials, then multiplications."""
    ratio = math.exp(power * step)
    term = times * math.exp(power * first)
    for k in range(out.shape[1]):
        out[row, k] += term
        term *= ratio


@njit(nogil=True)
def fill_sums(
    begin: int,
    stop: int,
    depth: Small,
    value: Small,
    seen: int,
    legal: int,
    first: float,
    step: float,
    sums: Floats,
    near: Floats,
    far: Floats,
) -> None:
    """Z_d of one decision, whose lines are at `begin` up to `stop`: shape (depths, consistencies).

    `near` and `far` are the means of g below the last line: of moves that are seen at another depth, and of
    those that are not. Depths that were not reported are as the one before, or else as the first.
    """
    depths, n_c = sums.shape
    entry, done = begin, 0
    while entry < stop and depth[entry] <= depths:
        place = depth[entry] - 1
        best, last, close = float(value[entry]), float(value[entry]), entry
        for k in range(n_c):
            sums[place, k] = 0.0
            near[place, k] = 0.0
            far[place, k] = 0.0
        while close < stop and depth[close] == depth[entry]:
            last = min(last, float(value[close]))
            add_powers(exponent(best, float(value[close])), 1.0, first, step, place, sums)
            close += 1
        _add_tail(best, last, first, step, BELOW_SEEN, min(place, len(BELOW_SEEN) - 1), place, near)
        _add_tail(best, last, first, step, BELOW_UNSEEN, 0, place, far)
        elsewhere, nowhere = max(seen - (close - entry), 0), max(legal - seen, 0)
        for k in range(n_c):
            sums[place, k] += elsewhere * near[place, k] + nowhere * far[place, k]
        _copy(done - 1 if done > 0 else place, done, place, sums, near, far)
        done, entry = place + 1, close
    if done > 0:
        _copy(done - 1, done, depths, sums, near, far)


@njit(nogil=True)
def _copy(source: int, begin: int, end: int, sums: Floats, near: Floats, far: Floats) -> None:
    for target in range(begin, end):
        for k in range(sums.shape[1]):
            sums[target, k] = sums[source, k]
            near[target, k] = near[source, k]
            far[target, k] = far[source, k]


@njit(nogil=True)
def _add_tail(
    best: float, last: float, first: float, step: float, parts: Floats, kind: int, row: int, out: Floats
) -> None:
    """The mean of g over moves below the last line."""
    top = min(max(best, -LIMIT), LIMIT)
    loss = top - min(max(last, -LIMIT), LIMIT)
    at_last = math.log1p(loss / TAIL_UNIT)
    way = max(math.log1p((top + LIMIT) / TAIL_UNIT) - at_last, 0.0)
    for point in range(POINTS):
        below = TAIL_UNIT * math.expm1(at_last + way * parts[kind, point])
        add_powers(-math.log1p(below / SCALE), 1.0 / POINTS, first, step, row, out)
