"""Functions compiled to machine code, kept from run to run where there is a place for that.

numba keeps them beside the package or below the user's home. In a container with neither writable it refuses
to compile at all; here it compiles anew in each run, which takes seconds. No other place is tried: what is
kept is run when it is read back, so a folder that others can write to must not hold it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import RLock
from typing import Any

import numpy as np

_LOG2_E = 1.4426950408889634
_LN_2 = (0.6931471803691238, 1.9082149292705877e-10)
"""Its first 32 bits and the rest: a whole number times the first loses nothing."""
_ROUNDS = 6755399441055744.0  # 1.5 * 2**52: a number added to it is rounded to a whole one, in its last bits
_ONE = 0x3FF0000000000000  # the bits of 1.0
_A2, _A3, _A4, _A5, _A6 = (
    0.5000000000000003,
    0.16666666666666846,
    0.04166666666654412,
    0.00833333333313697,
    0.0013888888957119224,
)
_A7, _A8, _A9, _A10, _A11 = (
    0.00019841270445622824,
    2.480146188727038e-05,
    2.7556608076523026e-06,
    2.764666806575934e-07,
    2.53504707562406e-08,
)
"""exp(r) = 1 + r + _A2 r^2 + ... within half of ln 2 from zero, through Chebyshev's points."""


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `numba.njit(cache=True, ...)`, at the first call, and without the cache where it has no place.

    Importing numba takes a tenth of a second, which no command should spend that compiles nothing.
    """
    return lambda function: _Compiled(function, options)


class _Compiled:
    """A function that is compiled when it is first called, with those that it calls."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function, self._options = function, options
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self._compiled()(*arguments)

    def _compiled(self) -> Any:
        with _COMPILING:
            if self._dispatcher is None:
                import numba

                self._dispatcher = numba.njit(**self._options)(self._function)
                with suppress(RuntimeError):  # "no locator available"
                    self._dispatcher.enable_caching()
                # numba looks up what the function calls in its module: it must meet its own kind there.
                names = self._function.__globals__
                names.update({k: v._compiled() for k, v in list(names.items()) if isinstance(v, _Compiled)})
            return self._dispatcher


_COMPILING = RLock()


@njit(nogil=True, fastmath={"contract"})
def exponential(x: float) -> float:
    """As math.exp from -708 to 709, to the last bit or the one before it, and three to five times as fast.

    Nothing in it branches or calls, so that a loop over it becomes vector instructions. Beyond those bounds
    it is wrong: who calls it keeps within them.
    """
    shifted = x * _LOG2_E + _ROUNDS
    power = shifted - _ROUNDS
    r = (x - power * _LN_2[0]) - power * _LN_2[1]
    r2 = r * r
    r4 = r2 * r2
    high = (_A11 * r + _A10) * r4 + ((_A9 * r + _A8) * r2 + (_A7 * r + _A6))
    low = (_A5 * r + _A4) * r2 + (_A3 * r + _A2)
    part = 1.0 + (r + r2 * (high * r4 + low))
    two_to_power = (np.float64(shifted).view(np.int64) << 52) + np.int64(_ONE)
    return float(part * np.int64(two_to_power).view(np.float64))
