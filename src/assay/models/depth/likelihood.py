"""What agents would play in analysed decisions: likelihood on the grid of agents, probabilities of options.

`Positions` holds decisions with their traces as flat arrays, from a table or one position at a time. The
kernels give, for consistencies on an even grid, Z_d (the sum of g over all legal moves at depth d) and the
mean of g over moves below the last line of that depth. Those lie between the last line and a lost position
(`base.tail_losses`): moves that another depth has among its lines near the last line, moves that none has
evenly. How near was measured in positions with all moves valued at all depths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.compiled import njit
from assay.decisions.decisions import Decisions
from assay.decisions.depths import ROWS, DepthValues, Small, values_by_depth
from assay.errors import InputError
from assay.models.base import TAIL_UNIT
from assay.models.depth.agents import (
    AXES,
    BELOW_SEEN,
    BELOW_UNSEEN,
    LIMIT,
    POINTS,
    SCALE,
    SHAPE,
    DepthAgent,
    depth_weights,
)

_AT_ONCE = 12
"""Shares of so many decisions are multiplied before a logarithm is taken: the least is about 1e-18."""


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
    def of(cls, decisions: Decisions) -> Positions:
        """Decisions that were read with their trace."""
        offsets, depth, _, value = decisions.trace()
        legal = np.nan_to_num(decisions.numbers("n_legal"), nan=0.0).astype(np.int64)
        return cls(
            offsets=decisions.offsets,
            legal=np.maximum(legal, decisions.n_options),
            trace_offsets=offsets,
            trace_depth=depth,
            trace_value=value,
            by_depth=values_by_depth(decisions),
        )

    @property
    def _trace(self) -> tuple[Any, ...]:
        """The lines of every search, and the number of moves that any depth lists, and of legal ones."""
        ends, depth, value = self.trace_offsets, self.trace_depth, self.trace_value
        return ends, depth, value, self.by_depth.n_seen, self.legal

    @property
    def _options(self) -> tuple[Any, ...]:
        """What each depth said of the options."""
        return self.by_depth.best, self.by_depth.values, self.by_depth.censored, self.by_depth.seen


def in_batches(decisions: Decisions) -> Iterator[tuple[Ints, Decisions, Positions]]:
    """Numbers of rows, the decisions, and their positions: as many at a time as memory is spared for."""
    for start in range(0, len(decisions), ROWS):
        rows = np.arange(start, min(start + ROWS, len(decisions)))
        batch = decisions if len(rows) == len(decisions) else decisions.take(rows)
        yield rows, batch, Positions.of(batch)


def log_likelihoods(positions: Positions, played: Ints, group: Ints, n_groups: int) -> Floats:
    """Log-likelihood at every point of the grid: one row per group. `played` are indices of options."""
    total = np.zeros((n_groups, math.prod(SHAPE)))
    if len(group):
        consistency, logits, rises = AXES
        _add_likelihoods(
            positions._trace,
            positions._options,
            positions.offsets[:-1] + played,
            np.argsort(group, kind="stable"),
            group,
            (float(consistency[0]), float(consistency[1] - consistency[0])),
            1 / (1 + np.exp(-logits)),
            depth_weights(np.zeros(len(rises)), rises, positions.by_depth.depths),
            total,
        )
    return total


def log_probabilities(positions: Positions, played: Ints, parameters: Floats) -> Floats:
    """Logarithm of the probability of each played move for some agents: shape (decisions, agents).

    `parameters` has c, which rises in equal steps, the logit of sight and rise of each agent.
    """
    c, logits, rises = parameters.T
    weights = depth_weights(1 / (1 + np.exp(-logits)), rises, positions.by_depth.depths)
    logs = np.zeros((len(positions), len(c)))
    place, step = positions.offsets[:-1] + played, float(c[1] - c[0])
    _fill_logs(positions._trace, positions._options, place, float(c[0]), step, weights, logs)
    return logs


@dataclass(frozen=True, eq=False)
class OptionProbabilities:
    """What an agent would play."""

    options: Floats
    """Probability of every option, flat; NaN in decisions without a trace."""
    tail: Floats
    """Probability of all other legal moves together, for each decision."""


def probabilities(positions: Positions, agent: DepthAgent | Sequence[DepthAgent]) -> OptionProbabilities:
    """Probabilities for one agent, or for one agent of each decision.

    An option that was searched alone counts with its own value at the last depth, where the sum over all
    moves has the mean of unlisted ones: its probability does not lower those of the others.
    """
    agents = [agent] * len(positions) if isinstance(agent, DepthAgent) else agent
    if len(agents) != len(positions):
        raise InputError(
            f"{len(positions)} decisions need as many simulated players, or one, not {len(agents)}"
        )
    c, sight, rise = (np.array([getattr(a, name) for a in agents]) for name in ("c", "sight", "rise"))
    weights = depth_weights(sight, rise, positions.by_depth.depths)
    options, tail = np.full(int(positions.offsets[-1]), np.nan), np.full(len(positions), np.nan)
    _fill_probabilities(positions._trace, positions._options, positions.offsets, c, weights, options, tail)
    return OptionProbabilities(options, tail)


# Kernels -------------------------------------------------------------------------------------------------


@njit(nogil=True)
def _exponent(best: float, value: float) -> float:
    """-ln(1 + delta/s): times c, the logarithm of g."""
    top = min(max(best, -LIMIT), LIMIT)
    low = min(max(value, -LIMIT), LIMIT)
    return -math.log1p(max(top - low, 0.0) / SCALE)


@njit(nogil=True)
def _add_powers(power: float, times: float, first: float, step: float, row: int, out: Floats) -> None:
    """Add `times` g to out[row, k] for c = first + k step: two exponentials, then multiplications."""
    ratio = math.exp(power * step)
    term = times * math.exp(power * first)
    for k in range(out.shape[1]):
        out[row, k] += term
        term *= ratio


@njit(nogil=True)
def _add_tail(best, last, first, step, parts, row, out):  # type: ignore[no-untyped-def] # pragma: no cover
    """The mean of g over moves below the last line (`tail_losses`)."""
    top = min(max(best, -LIMIT), LIMIT)
    at_last = math.log1p((top - min(max(last, -LIMIT), LIMIT)) / TAIL_UNIT)
    way = max(math.log1p((top + LIMIT) / TAIL_UNIT) - at_last, 0.0)
    for part in parts:
        below = TAIL_UNIT * math.expm1(at_last + way * part)
        _add_powers(-math.log1p(below / SCALE), 1.0 / POINTS, first, step, row, out)


@njit(nogil=True)
def _fill_sums(trace, decision, first, step, sums, near, far):  # type: ignore[no-untyped-def] # pragma: no cover
    """Z_d of one decision at consistencies from `first` in steps: shape (depths, consistencies).

    `near` and `far` are the means of g below the last line: of moves that are seen at another depth, and of
    those that are not. Depths that were not reported are as the one before, or else as the first.
    """
    ends, depth, value, n_seen, n_legal = trace
    stop, seen, legal = ends[decision + 1], n_seen[decision], n_legal[decision]
    depths = len(sums)
    entry, done = ends[decision], 0
    while entry < stop and depth[entry] <= depths:
        place = depth[entry] - 1
        best, last, close = float(value[entry]), float(value[entry]), entry
        sums[place], near[place], far[place] = 0.0, 0.0, 0.0
        while close < stop and depth[close] == depth[entry]:
            last = min(last, float(value[close]))
            _add_powers(_exponent(best, float(value[close])), 1.0, first, step, place, sums)
            close += 1
        _add_tail(best, last, first, step, BELOW_SEEN[min(place, len(BELOW_SEEN) - 1)], place, near)
        _add_tail(best, last, first, step, BELOW_UNSEEN[0], place, far)
        elsewhere, nowhere = max(seen - (close - entry), 0), max(legal - seen, 0)
        sums[place] += elsewhere * near[place] + nowhere * far[place]
        source = done - 1 if done > 0 else place
        for target in range(done, place):
            sums[target], near[target], far[target] = sums[source], near[source], far[source]
        done, entry = place + 1, close
    if done > 0:
        for target in range(done, depths):
            sums[target], near[target], far[target] = sums[done - 1], near[done - 1], far[done - 1]


@njit(nogil=True)
def _fill_played(options, row, option, first, step, near, far, of_played):  # type: ignore[no-untyped-def] # pragma: no cover
    """G of the played option at each depth, at consistencies from `first` in steps."""
    best, values, censored, seen = options
    tail = near if seen[option] else far
    for d in range(len(of_played)):
        if censored[option, d]:
            of_played[d] = tail[d]
        else:
            of_played[d] = 0.0
            power = _exponent(float(best[row, d]), float(values[option, d]))
            _add_powers(power, 1.0, first, step, d, of_played)


@njit(nogil=True)
def _fill_logs(trace, options, played, first, step, weights, logs):  # type: ignore[no-untyped-def] # pragma: no cover
    agents, depths = weights.shape
    sums, of_played = np.empty((depths, agents)), np.empty((depths, agents))
    near, far = np.empty((depths, agents)), np.empty((depths, agents))
    for row in range(len(logs)):
        _fill_sums(trace, row, first, step, sums, near, far)
        _fill_played(options, row, played[row], first, step, near, far, of_played)
        for k in range(agents):
            chosen, whole = 0.0, 0.0
            for d in range(depths):
                chosen += weights[k, d] * of_played[d, k]
                whole += weights[k, d] * sums[d, k]
            logs[row, k] = math.log(chosen / whole)


@njit(nogil=True, fastmath=True)
def _add_likelihoods(  # type: ignore[no-untyped-def] # pragma: no cover
    trace, options, played, order, group, consistencies, shares, rest, total
):
    """Add the log-likelihood of each decision to the row of its group; `played` are places in flat arrays."""
    first, step = consistencies
    n_rise, depths = rest.shape
    n_c = total.shape[1] // (n_rise * len(shares))
    sums, of_played = np.empty((depths, n_c)), np.empty((depths, n_c))
    near, far = np.empty((depths, n_c)), np.empty((depths, n_c))
    above, below = np.empty(n_rise), np.empty(n_rise)
    product = np.ones(total.shape[1])
    held, current = 0, group[order[0]]
    for row in order:
        if group[row] != current or held == _AT_ONCE:
            _flush(product, current, total)
            held, current = 0, group[row]
        held += 1
        _fill_sums(trace, row, first, step, sums, near, far)
        _fill_played(options, row, played[row], first, step, near, far, of_played)
        place = 0
        for k in range(n_c):
            for r in range(n_rise):
                above[r], below[r] = 0.0, 0.0
                for d in range(1, depths):
                    above[r] += rest[r, d] * of_played[d, k]
                    below[r] += rest[r, d] * sums[d, k]
            for share in shares:
                for r in range(n_rise):
                    chosen = share * of_played[0, k] + (1 - share) * above[r]
                    product[place] *= chosen / (share * sums[0, k] + (1 - share) * below[r])
                    place += 1
    _flush(product, current, total)


@njit(nogil=True)
def _flush(product: Floats, row: int, total: Floats) -> None:
    for index in range(len(product)):
        total[row, index] += math.log(product[index])
        product[index] = 1.0


@njit(nogil=True)
def _fill_probabilities(  # type: ignore[no-untyped-def] # pragma: no cover
    trace, options, offsets, c, weights, answer, tail
):
    best, values, censored, seen = options
    ends = trace[0]
    depths = weights.shape[1]
    sums, near, far = np.empty((depths, 1)), np.empty((depths, 1)), np.empty((depths, 1))
    for row in range(len(tail)):
        if ends[row] == ends[row + 1]:
            continue
        _fill_sums(trace, row, c[row], 0.0, sums, near, far)
        whole = 0.0
        for d in range(depths):
            whole += weights[row, d] * sums[d, 0]
        together = 0.0
        for option in range(offsets[row], offsets[row + 1]):
            y = 0.0
            below = near if seen[option] else far
            for d in range(depths):
                if censored[option, d]:
                    y += weights[row, d] * below[d, 0]
                else:
                    power = _exponent(float(best[row, d]), float(values[option, d]))
                    y += weights[row, d] * np.exp(c[row] * power)
            answer[option] = y / whole
            together += answer[option]
        if together > 1.0:  # an option searched alone was better than the mean of unlisted moves
            for option in range(offsets[row], offsets[row + 1]):
                answer[option] /= together
        tail[row] = max(1.0 - together, 0.0)
