"""What every option was worth at every depth: the trace of a search as arrays beside `Decisions.values`.

An engine deepens its search step by step and reports its lines at each complete depth. An option that is not
among the lines of a depth was worth no more there than the last of them: its value is *censored* at that
line. So is a played move outside the lines, which was searched alone and keeps no trace, at every depth but
the last, where its own search went. Regan and Haworth (2011, section 8) weigh values over depths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions

DEPTHS = 12
"""Depths that are kept unless told: `standard` reaches 9 to 11, more only where little is left to search."""

ROWS = 50_000
"""Decisions at a time: some 60 MB of trace, and as much for reading it."""

Small = npt.NDArray[np.int16]
"""Values as the trace holds them: centipawns, mates as 32000 less the distance."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DepthValues:
    """Values at depths 1 to D: column d - 1 is depth d. Mover's view."""

    values: Small
    """Options in the order of `Decisions.values`: shape (options, D). Where censored, the last line."""
    censored: Mask
    """Whether an option was outside the lines of a depth, so that its value is at most the one given."""
    best: Small
    """The first line of each depth: shape (decisions, D)."""
    last: Small
    """The last line of each depth: shape (decisions, D)."""
    lines: Small
    """How many lines each depth has: shape (decisions, D)."""
    seen: Mask
    """Whether an option is among the lines of any depth at all: shape (options,)."""
    n_seen: Ints
    """How many different moves are among the lines of any depth, options or not: shape (decisions,)."""
    reached: Mask
    """Whether the search reported the depth. Where not, the depth before stands there, or else the first."""

    @property
    def depths(self) -> int:
        """D, the number of depths."""
        return int(self.best.shape[1])


def values_by_depth(decisions: Decisions, depths: int = DEPTHS) -> DepthValues:
    """Values of all options at depths 1 to `depths`; an error where decisions were read without trace.

    A row without any line (a move that was not analysed, or values that came without a search) has the
    values of its options at every depth, none reached.
    """
    trace = trace_offsets, _, trace_move, _ = decisions.trace()
    offsets, values, codes = decisions.offsets, decisions.values, decisions.option_codes()
    rows, options = len(offsets) - 1, len(values)
    by_depth = DepthValues(
        values=np.empty((options, depths), np.int16),
        censored=np.zeros((options, depths), np.bool_),
        best=np.zeros((rows, depths), np.int16),
        last=np.zeros((rows, depths), np.int16),
        lines=np.zeros((rows, depths), np.int16),
        reached=np.zeros((rows, depths), np.bool_),
        seen=np.zeros(options, np.bool_),
        n_seen=np.zeros(rows, np.int64),
    )
    _count_seen(offsets, codes, trace_offsets, trace_move, by_depth.seen, by_depth.n_seen)
    filled = (by_depth.values, by_depth.censored, by_depth.best, by_depth.last, by_depth.lines)
    _fill(offsets, values, codes, trace, filled, by_depth.reached)
    return by_depth


def in_batches(
    decisions: Decisions, depths: int = DEPTHS, rows: int = ROWS
) -> Iterator[tuple[Ints, Decisions, DepthValues]]:
    """Some rows at a time, where all would be too many: row numbers, decisions, their values by depth."""
    for start in range(0, len(decisions), rows):
        numbers = np.arange(start, min(start + rows, len(decisions)))
        part = decisions if len(numbers) == len(decisions) else decisions.take(numbers)
        yield numbers, part, values_by_depth(part, depths)


@njit(nogil=True)
def _count_seen(offsets, codes, trace_offsets, trace_move, seen, n_seen):  # type: ignore[no-untyped-def]
    met = np.empty(512, np.int32)
    for row in range(len(offsets) - 1):
        n = 0
        for entry in range(trace_offsets[row], trace_offsets[row + 1]):
            again = False
            for place in range(n):
                if met[place] == trace_move[entry]:
                    again = True
                    break
            if not again and n < len(met):
                met[n] = trace_move[entry]
                n += 1
        n_seen[row] = n
        for option in range(offsets[row], offsets[row + 1]):
            for place in range(n):
                if met[place] == codes[option]:
                    seen[option] = True
                    break


@njit(nogil=True)
def _fill(offsets, final, codes, trace, filled, reached):  # type: ignore[no-untyped-def]
    trace_offsets, trace_depth, trace_move, trace_value = trace
    values, censored, best, last, lines = filled
    depths = best.shape[1]
    for row in range(len(offsets) - 1):
        first, end = offsets[row], offsets[row + 1]
        entry, stop = trace_offsets[row], trace_offsets[row + 1]
        before = 0  # columns filled so far
        while entry < stop and trace_depth[entry] <= depths:
            depth = trace_depth[entry]
            close = entry
            while close < stop and trace_depth[close] == depth:
                close += 1
            column = depth - 1
            if before > 0:  # depths that were passed over are as the one before them
                _copy(before - 1, before, column, row, first, end, filled)
            best[row, column], last[row, column] = trace_value[entry], trace_value[close - 1]
            lines[row, column], reached[row, column] = close - entry, True
            for option in range(first, end):
                values[option, column], censored[option, column] = trace_value[close - 1], True
                for line in range(entry, close):
                    if trace_move[line] == codes[option]:
                        values[option, column], censored[option, column] = trace_value[line], False
                        break
            if before == 0:
                _copy(column, 0, column, row, first, end, filled)
            before, entry = column + 1, close
        if entry == stop:  # the deepest lines are within: from there on the options have their own values
            begin = max(before - 1, 0)
            for option in range(first, end):
                for column in range(begin, depths):
                    values[option, column], censored[option, column] = final[option], False
            if before == 0 and end > first:
                best[row, 0], last[row, 0], lines[row, 0] = final[first], final[end - 1], end - first
            for column in range(begin + 1, depths):
                best[row, column], last[row, column] = best[row, begin], last[row, begin]
                lines[row, column] = lines[row, begin]
        elif before > 0:
            _copy(before - 1, before, depths, row, first, end, filled)


@njit(nogil=True)
def _copy(source, start, stop, row, first, end, filled):  # type: ignore[no-untyped-def]
    """Copy the column `source` of a row and its options to the columns from `start` to `stop`."""
    values, censored, best, last, lines = filled
    for target in range(start, stop):
        best[row, target], last[row, target] = best[row, source], last[row, source]
        lines[row, target] = lines[row, source]
        for option in range(first, end):
            values[option, target] = values[option, source]
            censored[option, target] = censored[option, source]
