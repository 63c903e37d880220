"""Functions compiled to machine code, kept from run to run where there is a place for that.

numba keeps them beside the package or below the user's home. In a container with neither writable it refuses
to compile at all; here it compiles anew in each run, which takes seconds. No other place is tried: what is
kept is run when it is read back, so a folder that others can write to must not hold it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `numba.njit(cache=True, ...)`, and without the cache where it finds no place."""

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options)(function)
        with suppress(RuntimeError):  # "no locator available"
            dispatcher.enable_caching()
        return dispatcher

    return compiled
