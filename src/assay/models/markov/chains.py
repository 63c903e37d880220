"""Two players' transition matrices against each other: the stationary vector of their product.

Alliot 2017, section 3.4: M = F S with White's lower and Black's upper triangular matrix, pi M = pi; the last
class is a win of White, the first a loss, all between a draw.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from assay.decisions.arrays import Floats, Ints
from assay.decisions.compiled import njit
from assay.errors import FitError
from assay.machine import usable_cores


def mirrored(matrix: Floats) -> Floats:
    """The same player's matrix from the other side of the board: M(n-1-i, n-1-j) (section 3.4)."""
    return np.ascontiguousarray(matrix[..., ::-1, ::-1])


def stationary(matrix: npt.ArrayLike) -> Floats:
    """The one stochastic vector with pi M = pi; a FitError where there are several."""
    work = np.array(matrix, dtype=np.float64)
    vector = np.empty(len(work))
    if not _stationary(work, vector):
        raise FitError(
            "the transition matrices have no single stationary vector (won and lost games are both never "
            "left): use more games, or the prior"
        )
    return vector


def outcomes(white: Floats, black: Floats, rows: Ints, columns: Ints, threads: int | None = None) -> Floats:
    """Win, draw and loss of White for pairs of `white[rows]` and `black[columns]`, shape (pairs, 3).

    `white` holds matrices from White's view, `black` from Black's own (they are mirrored here). Pairs without
    a single stationary vector are NaN.
    """
    whites, blacks = np.ascontiguousarray(white, dtype=np.float64), mirrored(np.asarray(black, np.float64))
    answer = np.empty((len(rows), 3))
    workers = max(1, min(threads or usable_cores(), len(rows) // 500))
    bounds = np.linspace(0, len(rows), workers + 1).astype(np.int64)

    def part(index: int) -> None:
        span = slice(bounds[index], bounds[index + 1])
        _outcomes(whites, blacks, rows[span], columns[span], answer[span])

    if workers == 1:
        part(0)
    else:
        with ThreadPoolExecutor(workers) as pool:  # the compiled loop lets go of the interpreter's lock
            list(pool.map(part, range(workers)))
    return answer


def all_pairs(white: Floats, black: Floats, threads: int | None = None) -> Floats:
    """Win, draw and loss of every White against every Black, shape (whites, blacks, 3)."""
    rows, columns = np.divmod(np.arange(len(white) * len(black)), max(len(black), 1))
    return outcomes(white, black, rows, columns, threads).reshape(len(white), len(black), 3)


@njit(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _outcomes(whites, blacks, rows, columns, answer):  # type: ignore[no-untyped-def] # pragma: no cover
    n = whites.shape[1]
    matrix = np.empty((n, n))
    vector = np.empty(n)
    for pair in range(len(rows)):
        white, black = whites[rows[pair]], blacks[columns[pair]]
        for i in range(n):
            for j in range(n):
                matrix[i, j] = 0.0
            for k in range(i + 1):  # White's matrix is zero above, Black's below its diagonal
                share = white[i, k]
                for j in range(k, n):
                    matrix[i, j] += share * black[k, j]
        if _stationary(matrix, vector):
            answer[pair, 0] = vector[n - 1]
            answer[pair, 1] = 1.0 - vector[n - 1] - vector[0]
            answer[pair, 2] = vector[0]
        else:
            answer[pair, :] = np.nan


@njit(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _stationary(matrix, vector):  # type: ignore[no-untyped-def] # pragma: no cover
    """Grassmann, Taksar and Heyman's elimination: no subtraction, so rare transitions keep their digits.

    `matrix` is used up. False where more than one set of classes is never left.
    """
    n = len(matrix)
    base = 0
    for k in range(n - 1, 0, -1):
        leaving = 0.0
        for j in range(k):
            leaving += matrix[k, j]
        if leaving <= 0.0:
            base = k  # never left for lower classes: all mass ends here, if all others lead here
            break
        for i in range(k):
            share = matrix[i, k] / leaving
            matrix[i, k] = share
            if share > 0.0:
                for j in range(k):
                    matrix[i, j] += share * matrix[k, j]
    if base > 0 and not _all_lead_to(matrix, base):
        return False
    total = 1.0
    for k in range(base):
        vector[k] = 0.0
    vector[base] = 1.0
    for k in range(base + 1, n):
        mass = 0.0
        for i in range(base, k):
            mass += vector[i] * matrix[i, k]
        vector[k] = mass
        total += mass
    for k in range(base, n):
        vector[k] /= total
    return True


@njit(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _all_lead_to(matrix, target):  # type: ignore[no-untyped-def] # pragma: no cover
    """Whether every class below `target` can reach it, through classes below it."""
    leads = np.zeros(target + 1, np.bool_)
    leads[target] = True
    changed = True
    while changed:
        changed = False
        for i in range(target):
            if not leads[i]:
                for j in range(target + 1):
                    if leads[j] and matrix[i, j] > 0.0:
                        leads[i] = True
                        changed = True
                        break
    return bool(leads.all())
