"""Sums over turns that every fit is made of: percentile counts, first-move agreement, difference, likelihood.

A *summary* has one row for each percentile q (how many turns are 'up', Regan and Haworth 2011, section 6),
then the expected number of first choices, the expected scaled difference, and the log-likelihood. All of it
adds up over turns. Columns are the value and its derivatives by ln s and ln c.

There are two ways to them. `Summaries.at` serves every curve and conversion, one point at a time, with
derivatives. On a grid of points, with the paper's curve and conversion, turns are walked through one after
another: the same numbers up to rounding. What makes that fast: the power delta^c is taken once for each c,
solutions of neighbouring points tell where the next one is, steps are Halley's (the error of one is the cube
of that before it), and the loops over options have no branch and no call, so that the compiler makes vector
instructions of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.compiled import exponential, njit
from assay.machine import usable_cores
from assay.models.choice.probabilities import (
    CONVERSIONS,
    CURVES,
    LARGEST_INVERSE,
    conversion_code,
    curve_code,
    probabilities,
    turn_probabilities,
)
from assay.models.choice.spreads import Spreads

PERCENTILES: Floats = np.arange(1, 20) / 20
"""The paper steps q by 0.05 from 0 to 1; the two ends say nothing."""

AGREEMENT, DIFFERENCE, LIKELIHOOD = -3, -2, -1
"""Rows of a summary after the percentiles."""

N_ROWS = len(PERCENTILES) + 3

N_PAIRS = (len(PERCENTILES) + 1) * (len(PERCENTILES) + 2) // 2
"""Number of products of two up-shares (see `up_products`)."""

_N_UP = len(PERCENTILES)
_WITH_ALL = np.append(PERCENTILES, 2.0)

_WORTH_THREADS = 1000
"""Turns from which it pays to share them out."""


@dataclass(eq=False)
class Summaries:
    """Summaries of turns at any (s, c): the sums that fits and projections rest on.

    Each turn's last solution is kept as the next first guess, which halves the work of a fit.
    """

    spreads: Spreads
    curve: str = CURVES[0]
    conversion: str = CONVERSIONS[0]

    def __post_init__(self) -> None:
        self.codes = curve_code(self.curve), conversion_code(self.conversion)
        self._guess = np.zeros(len(self.spreads))

    @property
    def usual(self) -> bool:
        """Whether curve and conversion are the paper's choice, which there is a faster way for."""
        return self.codes == (0, 0)

    def at(self, log_s: float, log_c: float) -> Floats:
        """Summary at (ln s, ln c): rows as above, columns value, derivative by ln s, derivative by ln c."""
        return np.asarray(self._by_group(log_s, log_c, np.zeros(len(self.spreads), np.int64), 1)[0])

    def _by_group(self, log_s: float, log_c: float, group: Ints, n_groups: int) -> Floats:
        out = np.zeros((n_groups, N_ROWS, 3))
        _add_summaries(*self.codes, self.spreads.arrays, self._guess, log_s, math.exp(log_c), group, out)
        return out

    def on_grid(
        self, log_s: Sequence[float] | Floats, log_c: Sequence[float] | Floats, group: Ints, n_groups: int
    ) -> Floats:
        """Values of the summaries on a grid, by group: shape (groups, rows, len(log_s), len(log_c))."""
        if not self.usual:
            nodes = [[self._by_group(s, c, group, n_groups)[..., 0] for c in log_c] for s in log_s]
            return np.ascontiguousarray(np.moveaxis(np.array(nodes), (2, 3), (0, 1)))
        out = np.zeros((n_groups, len(log_s), len(log_c), N_ROWS))
        points = np.asarray(log_s, dtype=np.float64), np.exp(log_c)
        _by_core(lambda turns: _walk_grid(self.spreads.arrays, group, turns, *points, out), group)
        return np.ascontiguousarray(np.moveaxis(out, -1, 1))


def up_products(summaries: Summaries, nodes: Floats, group: Ints, n_groups: int) -> Floats:
    """Sums of products of up-shares at nodes (ln s, ln c), by group: shape (groups, nodes, N_PAIRS).

    Beside the percentiles there is one that every turn is up at, so the sums themselves and the number of
    turns are among the products: from them comes the covariance of the percentile counts.
    """
    spreads = summaries.spreads
    out = np.zeros((n_groups, len(nodes), N_PAIRS))
    if summaries.usual:
        points = np.column_stack((nodes[:, 0], np.exp(nodes[:, 1])))
        _by_core(lambda turns: _walk_products(spreads.arrays, group, turns, points, out), group)
        return out
    rank = np.arange(spreads.offsets[-1]) - np.repeat(spreads.offsets[:-1], np.diff(spreads.offsets))
    before = rank < np.repeat(spreads.played, np.diff(spreads.offsets))
    for node, (log_s, log_c) in enumerate(nodes.tolist()):
        p = probabilities(spreads, math.exp(log_s), math.exp(log_c), summaries.curve, summaries.conversion)
        below = np.add.reduceat(np.where(before, p, 0.0), spreads.offsets[:-1])
        played = np.maximum(p[spreads.offsets[:-1] + spreads.played], 1e-300)
        up = np.clip((_WITH_ALL[:, None] - below) / played, 0.0, 1.0)
        for pair, (i, j) in enumerate(zip(*np.tril_indices(len(up)), strict=True)):
            out[:, node, pair] = np.bincount(group, up[i] * up[j], minlength=n_groups)
    return out


def _by_core(add: Callable[[Ints], None], group: Ints) -> None:
    """Call `add` with the turns of some groups on every core: each group's turns stay together, in order."""
    n_threads = usable_cores() if len(group) >= _WORTH_THREADS else 1
    shares = [np.flatnonzero(group % n_threads == thread) for thread in range(n_threads)]
    if n_threads == 1:
        add(shares[0])
        return
    with ThreadPoolExecutor(n_threads) as threads:
        for done in [threads.submit(add, share) for share in shares]:
            done.result()


@njit(nogil=True)
def up_share(q: float, below: float, p: float) -> float:
    """How far a turn is 'up' at percentile q, when the played option covers (below, below + p)."""
    if below >= q:
        return 0.0
    if below + p <= q:
        return 1.0
    return (q - below) / p


@njit(nogil=True)
def _widest(offsets: Ints) -> int:
    """The largest number of options of a turn."""
    widest = 1
    for t in range(len(offsets) - 1):
        widest = max(widest, offsets[t + 1] - offsets[t])
    return widest


@njit(nogil=True)
def _add_summaries(  # type: ignore[no-untyped-def] # pragma: no cover
    curve, conversion, turns, guess, log_s, c, group, out
):
    """Add each turn's summary at one point, with derivatives, to `out` (group, row, 3)."""
    log_delta, delta, offsets, played = turns
    widest = _widest(offsets)
    w, dw, p, dp = np.empty(widest), np.empty((widest, 2)), np.empty(widest), np.empty((widest, 2))
    for t in range(len(played)):
        a, b = offsets[t], offsets[t + 1]
        mine, n, total = played[t], b - a, out[group[t]]
        guess[t] = turn_probabilities(curve, conversion, log_delta[a:b], log_s, c, guess[t], w, dw, p, dp)
        below, below_s, below_c = 0.0, 0.0, 0.0
        for i in range(mine):
            below += p[i]
            below_s += dp[i, 0]
            below_c += dp[i, 1]
        for k in range(_N_UP):
            share = up_share(PERCENTILES[k], below, p[mine])
            total[k, 0] += share
            if 0.0 < share < 1.0:
                total[k, 1] -= (below_s + share * dp[mine, 0]) / p[mine]
                total[k, 2] -= (below_c + share * dp[mine, 1]) / p[mine]
        total[_N_UP, 0] += p[0]
        for i in range(n):
            total[_N_UP + 1, 0] += delta[a + i] * p[i]
        # ln p of the played option without underflow: -u w, and du = -dp_0 / p_0, since w_0 is 1.
        power = conversion == 0 and n > 1
        u = math.exp(guess[t])
        total[_N_UP + 2, 0] += -u * w[mine] if power else math.log(p[mine])
        for k in range(2):
            total[_N_UP, 1 + k] += dp[0, k]
            for i in range(n):
                total[_N_UP + 1, 1 + k] += delta[a + i] * dp[i, k]
            slope = dp[0, k] / p[0] * w[mine] - u * dw[mine, k] if power else dp[mine, k] / p[mine]
            total[_N_UP + 2, 1 + k] += slope


# The fast way, on many points ----------------------------------------------------------------------------

_LARGEST_LOG = math.log(LARGEST_INVERSE)
_LOWEST = -500.0
"""Exponents are kept above this: numbers near the smallest there are take a hundred times as long."""
_AT_ONCE = 4
"""Options are filled up to a multiple of this, the numbers that a vector instruction takes, by some that
nobody would choose."""
_NEVER = 1e18
_STEPS = 60
_CLOSE = 1e-4
"""After a step of this length the error is below 1e-11."""


@njit(nogil=True, fastmath={"reassoc", "contract"})
def _weigh(above: Floats, m: int, u: float, term: Floats) -> tuple[float, float, float]:
    """Fill the terms exp(-u above_i); give their sum, and their moments by `above`."""
    total, first, second = 0.0, 0.0, 0.0
    for i in range(m):
        one = exponential(max(-u * above[i], _LOWEST))
        term[i] = one
        total += one
        first += one * above[i]
        second += one * above[i] * above[i]
    return total, first, second


@njit(nogil=True)
def _rest(u: float) -> float:
    """1 - exp(-u), of which nothing is lost where u is small."""
    if u > 0.01:
        return float(1.0 - exponential(-u))
    return u * (1.0 - u / 2.0 * (1.0 - u / 3.0 * (1.0 - u / 4.0 * (1.0 - u / 5.0))))


@njit(nogil=True)
def _solve(
    above: Floats, m: int, high: float, log_least: float, least: float, guess: float, term: Floats
) -> tuple[float, float, float]:
    """Solve the equation of `solve_log_first` for v = ln u, where rivals have w = least + above.

    `high` is more than v can be. Gives v, u, and how far u is from that of the terms.
    """
    low = -log_least - 7.0
    v = guess if low < guess < high else 0.5 * (max(low, high - 4.0) + high)
    u = exponential(v)
    for _ in range(_STEPS):
        total, first, second = _weigh(above, m, u, term)
        share, by = 1.0 / total, 1.0 / _rest(u)
        mean = first * share
        gap = u * least - math.log(total * by)
        if gap > 0.0:
            high = v
        else:
            low = v
        odds = by - 1.0
        slope = u * (odds + least + mean)
        bend = slope - u * u * (odds * by + second * share - mean * mean)
        step = gap / slope
        if abs(step * bend) < slope:
            step /= 1.0 - 0.5 * step * bend / slope
        if abs(step) < _CLOSE:
            further = u * step * (-1.0 + step * (0.5 - step / 6.0))
            return v - step, u + further, further
        v -= step
        if not low <= v <= high:
            v = 0.5 * (low + high)
        u = exponential(v)
    _weigh(above, m, u, term)
    return v, u, 0.0


@njit(nogil=True, fastmath={"reassoc", "contract"})
def _shares(
    above: Floats, m: int, further: float, term: Floats, scale: float, delta: Floats, p: Floats
) -> float:
    """Fill the probabilities of the rivals from the terms; give the expected difference."""
    expected = 0.0
    for i in range(m):
        x = -further * above[i]
        grown = 1.0 + x * (1.0 + x * (0.5 + x * (1 / 6 + x * (1 / 24))))
        p[i] = scale * term[i] * grown
        expected += p[i] * delta[i]
    return expected


@njit(nogil=True)
def _highest(n: int) -> float:
    """What ln u of n options cannot exceed: all w are at least one, so that p_0 is at least 1/n."""
    return math.log(math.log(n)) + 1e-6


@njit(nogil=True)
def _fill(log_delta: Floats, delta: Floats, rival: Floats, lost: Floats) -> tuple[int, int]:
    """The rivals of the first option, filled up; how many there are then, and where the nearest one is."""
    n = len(delta) - 1
    m = (n + _AT_ONCE - 1) // _AT_ONCE * _AT_ONCE
    nearest = 0
    for i in range(n):
        rival[i], lost[i] = log_delta[i + 1], delta[i + 1]
        if rival[i] < rival[nearest]:
            nearest = i
    for i in range(n, m):
        rival[i], lost[i] = 0.0, 0.0
    return m, nearest


@njit(nogil=True)
def _raise(rival: Floats, m: int, c: float, power: Floats) -> None:
    """The powers delta^c of the rivals."""
    for i in range(m):
        power[i] = exponential(min(max(c * rival[i], _LOWEST), -_LOWEST))


@njit(nogil=True)
def _at(
    power: Floats,
    n: int,
    m: int,
    nearest: int,
    high: float,
    unit: float,
    ahead: float,
    lost: Floats,
    above: Floats,
    term: Floats,
    p: Floats,
) -> tuple[float, float, float, float]:
    """One turn at one point; `unit` is s^-c, `ahead` the guess of the first number that it gives.

    Fills the rivals' p. Gives ln(u w) of the nearest rival, which changes smoothly from point to point, u,
    the least w, and the expected difference.
    """
    for i in range(m):
        above[i] = exponential(min(power[i] * unit, _LARGEST_LOG))
    log_least = min(power[nearest] * unit, _LARGEST_LOG)
    least = above[nearest]
    for i in range(m):
        above[i] -= least
    for i in range(n - 1, m):
        above[i] = _NEVER
    v, u, further = _solve(above, m, high, log_least, least, ahead - log_least, term)
    expected = _shares(above, m, further, term, exponential(max(-u * least, _LOWEST)), lost, p)
    return v + log_least, u, least, expected


@njit(nogil=True)
def _played(played: int, first: float, p: Floats) -> tuple[float, float]:
    """What the options before the played one have together, and one divided by its own probability."""
    if played == 0:
        return 0.0, 1.0 / first
    below = first
    for i in range(played - 1):
        below += p[i]
    return below, 1.0 / max(p[played - 1], 1e-300)


@njit(nogil=True)
def _ahead(found: Floats, i: int, j: int) -> float:
    """What comes at place (i, j) of a grid, from what was found before it and beside it."""
    if i > 1 and j > 0:
        here = 2.0 * found[i - 1, j] - found[i - 2, j]
        return float(here + found[i, j - 1] - 2.0 * found[i - 1, j - 1] + found[i - 2, j - 1])
    if i > 0 and j > 0:
        return float(found[i - 1, j] + found[i, j - 1] - found[i - 1, j - 1])
    if i > 1:
        return float(2.0 * found[i - 1, j] - found[i - 2, j])
    if i > 0:
        return float(found[i - 1, j])
    if j > 0:
        return float(found[i, j - 1])
    return 0.0


@njit(nogil=True)
def _walk_grid(turns, group, chosen, log_s, c, out):  # type: ignore[no-untyped-def] # pragma: no cover
    """Add the values of the summaries of the chosen turns at every node to `out` (group, s, c, row)."""
    log_delta, delta, offsets, played = turns
    room = _widest(offsets) + _AT_ONCE
    rival, lost, power, above = np.empty(room), np.empty(room), np.empty(room), np.empty(room)
    term, p = np.empty(room), np.empty(room)
    found = np.zeros((len(log_s), len(c)))
    units = np.exp(-log_s.reshape(-1, 1) * c)
    for t in chosen:
        a, b = offsets[t], offsets[t + 1]
        place = out[group[t]]
        if b - a == 1:  # a forced move: its probability is one, and nothing is lost
            place[:, :, :_N_UP] += PERCENTILES
            place[:, :, _N_UP] += 1.0
            continue
        m, nearest = _fill(log_delta[a:b], delta[a:b], rival, lost)
        high = _highest(b - a)
        for j in range(len(c)):
            _raise(rival, m, c[j], power)
            for i in range(len(log_s)):
                ahead = _ahead(found, i, j)
                found[i, j], u, least, expected = _at(
                    power, b - a, m, nearest, high, units[i, j], ahead, lost, above, term, p
                )
                first = exponential(-u)
                below, by = _played(played[t], first, p)
                for k in range(_N_UP):  # `up_share`
                    place[i, j, k] += min(max((PERCENTILES[k] - below) * by, 0.0), 1.0)
                place[i, j, _N_UP] += first
                place[i, j, _N_UP + 1] += expected
                place[i, j, _N_UP + 2] -= u if played[t] == 0 else u * (least + above[played[t] - 1])


@njit(nogil=True)
def _walk_products(turns, group, chosen, nodes, out):  # type: ignore[no-untyped-def] # pragma: no cover
    """Add the products up(q) up(r), r <= q, of the chosen turns at nodes (ln s, c) to `out`.

    Its shape is (group, node, pair).
    """
    log_delta, delta, offsets, played = turns
    room = _widest(offsets) + _AT_ONCE
    rival, lost, power, above = np.empty(room), np.empty(room), np.empty(room), np.empty(room)
    term, p, up = np.empty(room), np.empty(room), np.empty(len(_WITH_ALL))
    for t in chosen:
        a, b = offsets[t], offsets[t + 1]
        if b - a > 1:
            m, nearest = _fill(log_delta[a:b], delta[a:b], rival, lost)
            high = _highest(b - a)
        ahead, first = 0.0, 1.0
        for k in range(len(nodes)):
            if b - a > 1:
                if k == 0 or nodes[k, 1] != nodes[k - 1, 1]:
                    _raise(rival, m, nodes[k, 1], power)
                unit = math.exp(-nodes[k, 1] * nodes[k, 0])
                ahead, u, _, _ = _at(power, b - a, m, nearest, high, unit, ahead, lost, above, term, p)
                first = exponential(-u)
            below, by = _played(played[t], first, p)
            pair = 0
            for i in range(len(_WITH_ALL)):
                up[i] = min(max((_WITH_ALL[i] - below) * by, 0.0), 1.0)
                for j in range(i + 1):
                    out[group[t], k, pair + j] += up[i] * up[j]
                pair += i + 1
