"""Agents of sensitivity s and consistency c: probabilities of options, and the sums that fits are made of.

Regan and Haworth 2011. A curve y = g(delta / s) with exponent c weighs the options of a turn (section 4), and
a conversion makes probabilities of the weights (section 3): `power`, p_i = p_0^(1/y_i), the paper's choice,
or `share`, p_i = y_i / sum y. With w = 1/y and u = ln(1/p_0), `power` is one equation in u a turn:
sum exp(-u w_i) = 1.

A *summary* of turns has a row for each percentile q (how many turns are 'up', section 6), then the expected
number of first choices, the expected scaled difference, and the log-likelihood. All of it adds up over turns.

Turns are walked through one after another. The power delta^c is taken once for each c, solutions of
neighbouring points tell where the next one is, steps are Halley's (the error of one is the cube of that
before it), and the loops over options have no branch and no call, so that they become vector instructions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats, Ints
from assay.decisions.compiled import exponential, njit
from assay.errors import InputError
from assay.executors import usable_cores
from assay.models.choice.spreads import Spreads

CURVES = ("inverse-exponential", "ipa", "ipb", "secha", "sechb")
"""The first is the paper's choice (Eq. 1). Their places are the codes that kernels take."""

CONVERSIONS = ("power", "share")
"""The first is what the paper found better."""

UNITS = {
    "power": ((1.0, 1.0), (0.5, 1.75), (0.34, 1.55), (0.22, 0.67), (0.07, 0.6)),
    "share": ((0.48, 1.33), (0.49, 3.9), (1.55, 6.5), (0.19, 1.04), (0.094, 0.91)),
}
"""What (s, c) of each curve are beside those of the first, measured on the mileposts 1600 to 2700: bounds,
first guesses and pulls of a fit are placed by them."""

PERCENTILES: Floats = np.arange(1, 20) / 20
"""The paper steps q by 0.05 from 0 to 1; the two ends say nothing."""

AGREEMENT, DIFFERENCE, LIKELIHOOD = -3, -2, -1
"""Rows of a summary after the percentiles."""

N_UP = len(PERCENTILES)
N_ROWS = N_UP + 3
N_PAIRS = (N_UP + 1) * (N_UP + 2) // 2
"""Products of two up-shares (see `Summaries.up_products`)."""

LARGEST_INVERSE = 1e12
"""Inverse proxies stop here: options that are worse than this all have a probability of about 1e-11."""

_STEP = 1e-7
"""Slopes are differences over so much of ln s and ln c."""
_WORTH_THREADS = 1000
"""Turns from which it pays to share them out."""


def log_units(curve: str, conversion: str) -> Floats:
    """Logarithms of the units of s and c of a curve with a conversion."""
    code, _ = _codes(curve, conversion)
    return np.asarray(np.log(UNITS[conversion][code]), dtype=np.float64)


def _codes(curve: str, conversion: str) -> tuple[int, int]:
    if curve not in CURVES:
        raise InputError(f"no curve named '{curve}': choose one of {', '.join(CURVES)}")
    if conversion not in CONVERSIONS:
        raise InputError(f"no conversion named '{conversion}': choose one of {', '.join(CONVERSIONS)}")
    return CURVES.index(curve), CONVERSIONS.index(conversion)


class Summaries:
    """Summaries of turns at any (ln s, ln c). Each turn's last solution is the next first guess."""

    def __init__(self, spreads: Spreads, curve: str = CURVES[0], conversion: str = CONVERSIONS[0]) -> None:
        self.spreads, self.curve, self.conversion = spreads, curve, conversion
        self._kind = _codes(curve, conversion)
        self._guess = np.zeros(len(spreads))

    def at(self, log_s: float, log_c: float) -> Floats:
        """The summary of all turns at one point."""
        sums = self.on_grid([log_s], [log_c], np.zeros(len(self.spreads), np.int64), 1)
        return np.asarray(sums[0, :, 0, 0])

    def slopes(self, log_s: float, log_c: float) -> Floats:
        """Derivatives of the summary by ln s and ln c: shape (rows, 2)."""
        one = np.zeros(len(self.spreads), np.int64)
        here, by_s = self.on_grid([log_s, log_s + _STEP], [log_c], one, 1)[0, :, :, 0].T
        return np.column_stack((by_s - here, self.at(log_s, log_c + _STEP) - here)) / _STEP

    def on_grid(self, log_s: npt.ArrayLike, log_c: npt.ArrayLike, group: Ints, n_groups: int) -> Floats:
        """The summaries on a grid, by group of turns: shape (groups, rows, len(log_s), len(log_c))."""
        return np.ascontiguousarray(np.moveaxis(self._walk(log_s, log_c, group, n_groups, N_ROWS), -1, 1))

    def up_products(self, log_s: npt.ArrayLike, log_c: float, group: Ints, n_groups: int) -> Floats:
        """Sums of products of up-shares by group: shape (groups, len(log_s), N_PAIRS).

        Beside the percentiles there is one that every turn is up at, so the sums themselves and the number of
        turns are among the products: from them comes the covariance of the percentile counts.
        """
        return self._walk(log_s, [log_c], group, n_groups, N_PAIRS)[:, :, 0]

    def _walk(
        self, log_s: npt.ArrayLike, log_c: npt.ArrayLike, group: Ints, n_groups: int, width: int
    ) -> Floats:
        at_s, at_c = np.asarray(log_s, np.float64), np.exp(np.asarray(log_c, np.float64))
        out = np.zeros((n_groups, len(at_s), len(at_c), width))
        arrays = self.spreads.arrays
        _by_core(lambda turns: _walk(self._kind, arrays, turns, group, self._guess, at_s, at_c, out), group)
        return out


def _by_core(add: Callable[[Ints], None], group: Ints) -> None:
    """Call `add` with the turns of some groups on every core: each group's turns stay together, in order."""
    n_threads = usable_cores() if len(group) >= _WORTH_THREADS and group.any() else 1
    shares = [np.flatnonzero(group % n_threads == thread) for thread in range(n_threads)]
    if n_threads == 1:
        add(shares[0])
        return
    with ThreadPoolExecutor(n_threads) as threads:
        for done in [threads.submit(add, share) for share in shares]:
            done.result()


def probabilities(
    spreads: Spreads, s: float, c: float, curve: str = CURVES[0], conversion: str = CONVERSIONS[0]
) -> Floats:
    """Probability of every option of every turn, flat like the spreads: what the agent (s, c) would play."""
    if not (s > 0 and c > 0):
        raise InputError(f"sensitivity and consistency must be positive, not s={s:g}, c={c:g}")
    flat = np.empty(len(spreads.delta))
    _fill_probabilities(_codes(curve, conversion), spreads.arrays, math.log(s), c, flat)
    return flat


def play(spreads: Spreads, flat: Floats, seed: int | np.random.Generator) -> Spreads:
    """The same turns with choices drawn from the probabilities of their options: an agent at play."""
    reached = np.concatenate(([0.0], np.cumsum(flat)))
    low, high = reached[spreads.offsets[:-1]], reached[spreads.offsets[1:]]
    drawn = low + np.random.default_rng(seed).random(len(spreads)) * (high - low)
    place = np.searchsorted(reached, drawn, side="right") - 1 - spreads.offsets[:-1]
    return spreads.replayed(np.clip(place, 0, np.diff(spreads.offsets) - 1))


# Kernels -------------------------------------------------------------------------------------------------

_LARGEST_LOG = math.log(LARGEST_INVERSE)
_LOWEST = -500.0
"""Exponents are kept above this: numbers near the smallest there are take a hundred times as long."""
_AT_ONCE = 4
"""Options are filled up to a multiple of this, the numbers that a vector instruction takes, by some that
nobody would choose."""
_NEVER = 1e18
_ROUNDS = 60
_CLOSE = 1e-4
"""After a step of this length the error is below 1e-11."""

_RIVAL, _LOST, _POWER, _ABOVE, _TERM, _P = range(6)
"""Rows of the place to work in: ln delta of the rivals of the first option, their delta, delta^c, how far w
is above the least, exp(-u above), and their probabilities."""


@njit(nogil=True)
def _room(offsets: Ints) -> Floats:
    widest = 1
    for t in range(len(offsets) - 1):
        widest = max(widest, offsets[t + 1] - offsets[t])
    return np.empty((6, widest + _AT_ONCE))


@njit(nogil=True)
def _fill(log_delta: Floats, delta: Floats, work: Floats) -> tuple[int, int]:
    """The rivals of the first option, filled up; how many there are then, and where the nearest one is."""
    n = len(delta) - 1
    m = (n + _AT_ONCE - 1) // _AT_ONCE * _AT_ONCE
    nearest = 0
    for i in range(n):
        work[_RIVAL, i], work[_LOST, i] = log_delta[i + 1], delta[i + 1]
        if work[_RIVAL, i] < work[_RIVAL, nearest]:
            nearest = i
    for i in range(n, m):
        work[_RIVAL, i], work[_LOST, i] = 0.0, 0.0
    return m, nearest


@njit(nogil=True)
def _raise(curve: int, m: int, c: float, work: Floats) -> None:
    """The powers delta^c of the rivals; of ipb, which takes the power last, delta itself."""
    exponent = 1.0 if curve == 2 else c
    for i in range(m):
        work[_POWER, i] = exponential(min(max(exponent * work[_RIVAL, i], _LOWEST), -_LOWEST))


@njit(nogil=True)
def _inverses(curve: int, power: Floats, m: int, unit: float, c: float, w: Floats) -> None:
    """Fill w = 1/y of the rivals; `unit` is s^-c, of ipb 1/s, so that z is the power of delta/s."""
    if curve == 0:  # e^z
        for i in range(m):
            w[i] = exponential(min(power[i] * unit, _LARGEST_LOG))
        return
    for i in range(m):
        z = power[i] * unit
        if curve == 1:  # 1 + z
            w[i] = min(1.0 + z, LARGEST_INVERSE)
        elif curve == 2:  # (1 + delta/s)^c
            w[i] = math.exp(min(c * math.log1p(z), _LARGEST_LOG))
        elif curve == 3:  # cosh z
            w[i] = min(math.cosh(min(z, 30.0)), LARGEST_INVERSE)
        else:  # (cosh z + 1) / 2
            w[i] = min((math.cosh(min(z, 30.0)) + 1.0) / 2.0, LARGEST_INVERSE)


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
    above: Floats, n: int, m: int, least: float, log_least: float, ahead: float, term: Floats
) -> tuple[float, float, float]:
    """Solve sum exp(-u w_i) = 1 for v = ln u, where w is 1 for the first option and least + above for rivals.

    Written as ln(1 - p_0) = ln sum of the rivals' p, which loses nothing where p_0 is near one. Gives v, u,
    and how far u is from that of the terms.
    """
    low, high = -log_least - 7.0, math.log(math.log(n)) + 1e-6  # all w are at least 1: p_0 is at least 1/n
    v = ahead if low < ahead < high else 0.5 * (max(low, high - 4.0) + high)
    u = exponential(v)
    for _ in range(_ROUNDS):
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
def _at(kind, n, m, nearest, unit, c, ahead, work):  # type: ignore[no-untyped-def] # pragma: no cover
    """One turn of n options at one point; `ahead` is the guess of the first number that it gives.

    Fills the rivals' p. Gives ln(u w) of the nearest rival, which changes smoothly from point to point, u,
    the least w, the probability of the first option, and the expected difference.
    """
    curve, conversion = kind
    if n == 1:
        return ahead, 0.0, 1.0, 1.0, 0.0
    above, p = work[_ABOVE], work[_P]
    _inverses(curve, work[_POWER], m, unit, c, above)
    if conversion == 1:
        total, expected = 1.0, 0.0
        for i in range(n - 1):
            total += 1.0 / above[i]
        for i in range(n - 1):
            p[i] = 1.0 / (above[i] * total)
            expected += p[i] * work[_LOST, i]
        return ahead, 0.0, 1.0, 1.0 / total, expected
    least = above[nearest]
    log_least = math.log(least)
    for i in range(m):
        above[i] -= least
    for i in range(n - 1, m):
        above[i] = _NEVER
    v, u, further = _solve(above, n, m, least, log_least, ahead - log_least, work[_TERM])
    scale = exponential(max(-u * least, _LOWEST))
    expected = _shares(above, m, further, work[_TERM], scale, work[_LOST], p)
    return v + log_least, u, least, exponential(-u), expected


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
    return float(found[i - 1, j] if i > 0 else found[i, j - 1])


@njit(nogil=True)
def up_share(q: float, below: float, p: float) -> float:
    """How far a turn is 'up' at percentile q, when the played option covers (below, below + p)."""
    return min(max((q - below) / p, 0.0), 1.0)


@njit(nogil=True)
def _walk(kind, turns, chosen, group, guess, log_s, c, out):  # type: ignore[no-untyped-def] # pragma: no cover
    """Add the summaries of the chosen turns at every node to `out` (group, s, c, row).

    Where `out` has room for them, the products up(q) up(r), r <= q, in their place.
    """
    log_delta, delta, offsets, played = turns
    work, found, up = _room(offsets), np.empty((len(log_s), len(c))), np.ones(N_UP + 1)
    pairs = out.shape[3] == N_PAIRS
    for t in chosen:
        a, n, mine = offsets[t], offsets[t + 1] - offsets[t], played[t]
        m, nearest = _fill(log_delta[a : a + n], delta[a : a + n], work)
        for j in range(len(c)):
            _raise(kind[0], m, c[j], work)
            for i in range(len(log_s)):
                unit = math.exp(-log_s[i] * (1.0 if kind[0] == 2 else c[j]))
                ahead = _ahead(found, i, j) if i > 0 or j > 0 else guess[t]
                found[i, j], u, least, first, expected = _at(kind, n, m, nearest, unit, c[j], ahead, work)
                below, own = 0.0, first
                if mine > 0:  # what the options before the played one have together
                    below = first
                    for k in range(mine - 1):
                        below += work[_P, k]
                    own = work[_P, mine - 1]
                place = out[group[t], i, j]
                for k in range(N_UP):
                    up[k] = up_share(PERCENTILES[k], below, max(own, 1e-300))
                if pairs:
                    pair = 0
                    for k in range(N_UP + 1):
                        for r in range(k + 1):
                            place[pair + r] += up[k] * up[r]
                        pair += k + 1
                    continue
                for k in range(N_UP):
                    place[k] += up[k]
                place[N_UP] += first
                place[N_UP + 1] += expected
                if kind[1] == 1:
                    place[N_UP + 2] += math.log(own)
                else:  # without underflow
                    place[N_UP + 2] -= u if mine == 0 else u * (least + work[_ABOVE, mine - 1])
        guess[t] = found[0, 0]


@njit(nogil=True)
def _fill_probabilities(kind, turns, log_s, c, flat):  # type: ignore[no-untyped-def] # pragma: no cover
    log_delta, delta, offsets, _ = turns
    work = _room(offsets)
    unit = math.exp(-log_s * (1.0 if kind[0] == 2 else c))
    for t in range(len(offsets) - 1):
        a, n = offsets[t], offsets[t + 1] - offsets[t]
        m, nearest = _fill(log_delta[a : a + n], delta[a : a + n], work)
        _raise(kind[0], m, c, work)
        flat[a] = _at(kind, n, m, nearest, unit, c, 0.0, work)[3]
        flat[a + 1 : a + n] = work[_P, : n - 1]
