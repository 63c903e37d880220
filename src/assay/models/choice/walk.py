"""Turns at many points (s, c) one after another, with the paper's curve and conversion: the fast way.

The same numbers as `assay.models.choice.probabilities`, up to rounding. What makes it fast: the power delta^c
is taken once for each c, solutions of neighbouring points tell where the next one is, steps are Halley's
(the error of one is the cube of that before it), and the loops over options have no branch and no call, so
that the compiler makes vector instructions of them.
"""

import math

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.compiled import exponential, njit
from assay.models.choice.curves import LARGEST_INVERSE

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
def walk_grid(
    log_delta: Floats,
    delta: Floats,
    offsets: Ints,
    played: Ints,
    group: Ints,
    turns: Ints,
    log_s: Floats,
    c: Floats,
    percentiles: Floats,
    widest: int,
    out: Floats,
) -> None:
    """Add the values of the summaries of some turns at every node to `out` (group, s, c, row)."""
    room = widest + _AT_ONCE
    rival, lost, power, above = np.empty(room), np.empty(room), np.empty(room), np.empty(room)
    term, p = np.empty(room), np.empty(room)
    found = np.zeros((len(log_s), len(c)))
    units = np.exp(-log_s.reshape(-1, 1) * c)
    row = len(percentiles)
    for t in turns:
        a, b = offsets[t], offsets[t + 1]
        place = out[group[t]]
        if b - a == 1:  # a forced move: its probability is one, and nothing is lost
            place[:, :, :row] += percentiles
            place[:, :, row] += 1.0
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
                for k in range(row):  # `up_share`
                    place[i, j, k] += min(max((percentiles[k] - below) * by, 0.0), 1.0)
                place[i, j, row] += first
                place[i, j, row + 1] += expected
                place[i, j, row + 2] -= u if played[t] == 0 else u * (least + above[played[t] - 1])


@njit(nogil=True)
def walk_products(
    log_delta: Floats,
    delta: Floats,
    offsets: Ints,
    played: Ints,
    group: Ints,
    turns: Ints,
    nodes: Floats,
    percentiles: Floats,
    widest: int,
    out: Floats,
) -> None:
    """Add the products up(q) up(r), r <= q, of some turns at nodes (ln s, c) to `out` (group, node, pair)."""
    room = widest + _AT_ONCE
    rival, lost, power, above = np.empty(room), np.empty(room), np.empty(room), np.empty(room)
    term, p, up = np.empty(room), np.empty(room), np.empty(len(percentiles))
    for t in turns:
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
            for i in range(len(percentiles)):
                up[i] = min(max((percentiles[i] - below) * by, 0.0), 1.0)
                for j in range(i + 1):
                    out[group[t], k, pair + j] += up[i] * up[j]
                pair += i + 1
