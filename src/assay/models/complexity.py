"""How hard a position was, from the trace of its search (Alliot 2017, sections 3.1 and 4.1).

Functions over decisions with their trace; the size of the error is the loss. Values are clipped, so that one
mate does not outweigh a thousand positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.decisions import evaluation
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.decisions.rules import MORE_LINES, Rule, after_turn, evaluated, loss_known, not_forced, rated
from assay.errors import InputError
from assay.models.intervals import correlation

INDICATORS = ("depth_time", "stability", "jump_value", "jump_depth", "jump_product", "sullivan")
"""The columns of Table 4, and Sullivan's measure."""

LIMIT = 1000
"""Centipawns to which values are clipped, mates included."""


def rules() -> tuple[Rule, ...]:
    """From turn 10 on, moves that were not forced and of which it is known what they lost."""
    return (rated(), after_turn(9), not_forced(), evaluated(), loss_known())


@dataclass(frozen=True, eq=False, kw_only=True)
class Trace:
    """The lines of every depth, flat, with what belongs to which decision."""

    rows: int
    row: Ints
    """Decision of each entry."""
    depth: Ints
    move: Ints
    value: Floats
    first: npt.NDArray[np.bool_]
    """Whether the entry is the best line of its depth."""
    last: npt.NDArray[np.bool_]
    """Whether the entry is the last line of its depth."""

    @classmethod
    def of(cls, decisions: Decisions) -> Trace:
        """The trace of decisions; an error where they have none."""
        offsets, depth, move, value = decisions.trace()
        row = np.repeat(np.arange(len(decisions)), np.diff(offsets))
        new = np.ones(len(row), dtype=bool)
        new[1:] = (row[1:] != row[:-1]) | (depth[1:] != depth[:-1])
        clipped = evaluation.clip(value.astype(np.float64), LIMIT)
        return cls(
            rows=len(decisions),
            row=row,
            depth=depth.astype(np.int64),
            move=move.astype(np.int64),
            value=clipped,
            first=new,
            last=np.append(new[1:], True),
        )

    @property
    def final_move(self) -> Ints:
        """The best move of the last depth of each decision; -1 where there is no trace."""
        row, move = self.row[self.first], self.move[self.first]
        ends = np.flatnonzero(np.diff(row, append=-1))
        final = np.full(self.rows, -1)
        final[row[ends]] = move[ends]
        return final


def jumps(trace: Trace) -> tuple[Floats, Floats, Floats]:
    """Mean and largest change of the best move's value between depths n and n + 1, and the n of the largest.

    The three are stability, jump value and jump depth (section 2.4, where they are of each evaluated move);
    NaN where the best move was in the lines of no two successive depths.
    """
    of_best = trace.move == trace.final_move[trace.row]
    row, depth, value = trace.row[of_best], trace.depth[of_best], trace.value[of_best]
    within = (row[1:] == row[:-1]) & (np.diff(depth) == 1)
    change, of, at = np.abs(np.diff(value))[within], row[:-1][within], depth[:-1][within]
    count = np.bincount(of, minlength=trace.rows)
    sums = np.bincount(of, change, minlength=trace.rows)
    mean = np.divide(sums, count, out=np.full(trace.rows, np.nan), where=count > 0)
    largest, deepest = np.full(trace.rows, np.nan), np.full(trace.rows, np.nan)
    # By decision, the largest change last; of equal ones the shallowest: there the jump appears.
    order = np.lexsort((-at, change, of))
    ends = np.flatnonzero(np.diff(of[order], append=-1))
    largest[of[order][ends]], deepest[of[order][ends]] = change[order][ends], at[order][ends]
    return mean, largest, deepest


def depth_against_budget(depth: npt.ArrayLike) -> Floats:
    """C: how far the depth reached falls short of the usual one, all for one budget t.

    With p(d) the share of positions that reach d and d_max the most frequent: (p_max - p) / p_max below
    d_max, (p - p_max) / p_max above. This is the printed formula with its sign turned, so that a shallower
    search is a harder position, as the paper's text has it.
    """
    reached = np.asarray(depth, dtype=np.int64)
    if not len(reached):
        return np.zeros(0)
    share = np.bincount(reached) / len(reached)
    usual = int(np.argmax(share))
    short = (share[usual] - share[reached]) / share[usual]
    return np.asarray(np.where(reached <= usual, short, -short))


BUDGETS = tuple(eighths / 8 for eighths in range(2, 9))
"""Figure 1 has t = 60, 90, ..., 240 seconds of a limit of 240: so many eighths of the largest budget."""

_OVER = 1.02
"""A search ends a little after its budget."""


def largest_budget(whole: Floats) -> float:
    """What the longest searches cost, but for one in a hundred."""
    return float(np.quantile(whole, 0.99))


def depths_at(trace: Trace, offsets: Ints, costs: Floats, budget: float) -> Ints:
    """The deepest depth of each search that was complete within a budget; 0 where none was."""
    row, depth = trace.row[trace.first], trace.depth[trace.first]
    if not np.array_equal(np.diff(offsets), np.bincount(row, minlength=trace.rows)):
        raise InputError("some of these searches do not contain what their depths cost: analyse them anew")
    reached = np.zeros(trace.rows, dtype=np.int64)
    within = costs <= budget * _OVER
    np.maximum.at(reached, row[within], depth[within])
    return reached


def depth_against_cost(trace: Trace, offsets: Ints, costs: Floats, whole: Floats) -> Floats:
    """C(m) with p(d, t) as printed: t is the largest budget that the search of the move has spent."""
    top = largest_budget(whole)
    answer = np.zeros(trace.rows)
    # Searches that end before the least budget are compared with all others at it.
    largest = np.maximum(np.searchsorted(np.array(BUDGETS) * top, whole * _OVER, side="right") - 1, 0)
    for place, share in enumerate(BUDGETS):
        reached = depths_at(trace, offsets, costs, share * top)
        lasted = whole * _OVER >= share * top if place else np.ones(trace.rows, dtype=bool)
        at_budget = np.zeros(trace.rows)
        at_budget[lasted] = depth_against_budget(reached[lasted])
        answer[largest == place] = at_budget[largest == place]
    return answer


def depth_against_time(depth: Ints, seconds: Floats) -> Floats:
    """C(m) from the depth and the time of whole searches: among those that ended in the same eighth."""
    top = largest_budget(seconds)
    eighth = np.clip(np.rint(8 * seconds / top), 2, 8) if top > 0 else np.full(len(seconds), 8.0)
    answer = np.zeros(len(depth))
    for part in np.unique(eighth):
        answer[eighth == part] = depth_against_budget(depth[eighth == part])
    return answer


def sullivan(trace: Trace) -> Floats:
    """Sullivan's measure (footnote 7): what the best move was not yet seen to be worth before it was found.

    The best move of the last depth was found at the depth from which on it stayed best. Its last value less
    its value one depth before that, times the depth over ten. Where it was not among the lines one depth
    before, the last line's value stands in: the measure is then at least this. Zero if it was best from the
    start.
    """
    row, depth, move = trace.row[trace.first], trace.depth[trace.first], trace.move[trace.first]
    ends = np.flatnonzero(np.diff(row, append=-1))
    final, worth = trace.final_move, np.zeros(trace.rows)
    worth[row[ends]] = trace.value[trace.first][ends]
    # In order of depth, so that of several assignments to one decision the deepest stays.
    other = np.flatnonzero(move != final[row])
    before, iteration = np.full(trace.rows, -1), np.zeros(trace.rows)
    before[row[other]], iteration[row[other]] = depth[other], depth[np.minimum(other + 1, len(depth) - 1)]
    earlier = np.zeros(trace.rows)
    there = trace.depth == before[trace.row]
    for entries in (there & trace.last, there & (trace.move == final[trace.row])):
        earlier[trace.row[entries]] = trace.value[entries]
    return np.where(before >= 0, (worth - earlier) * iteration / 10, 0.0)


def has_costs(decisions: Decisions, unit: str = "nodes") -> bool:
    """Whether every search contains what each of its depths cost: older analyses do not."""
    try:
        offsets, _, whole = decisions.trace_costs(unit)
    except InputError:
        return False
    return bool((np.diff(offsets) > 0).all() and (whole > 0).all())


def indicators(decisions: Decisions, unit: str = "nodes") -> dict[str, Floats]:
    """Every indicator of every decision, by name.

    `unit` is what a budget is counted in, nodes or seconds. Where depths do not say what they cost, all
    searches count as of one budget: right for a fixed number of nodes. Alliot's comments have the changes of
    the value in place of the trace, so that Sullivan's measure is not known (NaN).
    """
    trace = Trace.of(decisions) if decisions.changes is None else None
    depth = decisions.numbers("depth")
    if np.isnan(depth).any():
        raise InputError("the depth of some searches is not known: complexity needs it")
    if decisions.changes is not None:
        *changed, seconds = decisions.changes
        # A jump at depth 0 stands for a move that was in the lines of no two successive depths.
        unknown = changed[2] == 0
        stability, jump_value, jump_depth = (np.where(unknown, np.nan, column) for column in changed)
        depth_time = depth_against_time(depth.astype(np.int64), seconds)
        unseen = np.full(len(decisions), np.nan)
    else:
        assert trace is not None
        stability, jump_value, jump_depth = jumps(trace)
        costs = decisions.trace_costs(unit) if has_costs(decisions, unit) else None
        depth_time = depth_against_budget(depth) if costs is None else depth_against_cost(trace, *costs)
        unseen = sullivan(trace)
    columns = depth_time, stability, jump_value, jump_depth, jump_value * jump_depth, unseen
    return dict(zip(INDICATORS, columns, strict=True))


def error_correlations(decisions: Decisions, unit: str = "nodes") -> list[dict[str, Any]]:
    """Table 4: correlation of each indicator with the loss, a row for each player and one for all."""
    passed = decisions.filter(*rules())
    if len(passed) < 3:
        raise InputError(
            f"complexity needs three moves or more whose loss is known, and here are {len(passed)}: give "
            f"more games, or {MORE_LINES}"
        )
    lost, measured = loss(passed, LIMIT), indicators(passed, unit)
    codes, names = passed.codes("player"), passed.names("player")
    players = sorted(set(codes.tolist()), key=lambda code: names[code])
    parts = [*((names[code], codes == code) for code in players), ("All", np.ones(len(codes), dtype=bool))]
    table = []
    for name, part in parts:
        rho = {
            key: correlation(x[part & ~np.isnan(x)], lost[part & ~np.isnan(x)]) for key, x in measured.items()
        }
        table.append({"player": name, "moves": int(part.sum()), **rho})
    return table


def complexity(decisions: Decisions) -> Floats:
    """Guid and Bratko's complexity (2006, ICGA Journal 29) in pawns: how often the best move changes.

    NaN where there is no trace.
    """
    trace = Trace.of(decisions)
    first = np.flatnonzero(trace.first)
    row, move, value = trace.row[first], trace.move[first], trace.value[first]
    second = np.minimum(first + 1, len(trace.row) - 1)
    alike = (trace.row[second] == row) & (trace.depth[second] == trace.depth[first]) & (second > first)
    gap = np.where(alike, np.abs(value - trace.value[second]), 0.0)
    changed = np.zeros(len(first), bool)
    changed[1:] = (row[1:] == row[:-1]) & (move[1:] != move[:-1])
    total = np.bincount(row[changed], gap[changed] / 100, minlength=trace.rows)
    searched = np.bincount(row, minlength=trace.rows) > 0
    return np.asarray(np.where(searched, total, np.nan))
