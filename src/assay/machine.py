"""What the machine gives to this process."""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path


def usable_cores() -> int:
    """How many cores this process may use: not all there are where it is bound to some, as batch jobs are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def return_memory() -> None:
    """Give memory that was freed back to the system, where the C library keeps it for itself (glibc)."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library has no such call
            ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep numpy's and scipy's linear algebra to one thread: on many small matrices the others only spin."""
    calls = _blas()
    before = [get() for get, _ in calls]
    try:
        for _, set_number in calls:
            set_number(1)
        yield
    finally:
        for number, (_, set_number) in zip(before, calls, strict=True):
            set_number(number)


@cache
def _blas() -> tuple[tuple[Callable[[], int], Callable[[int], object]], ...]:
    """Calls that get and set the threads of each OpenBLAS that came with the wheels of numpy and scipy."""
    calls = []
    for name in ("numpy", "scipy"):
        package = sys.modules.get(name)
        if package is None or package.__file__ is None:
            continue
        for path in (Path(package.__file__).parents[1] / f"{name}.libs").glob("*openblas*"):
            for end in ("64_", ""):
                with suppress(OSError, AttributeError):
                    library = ctypes.CDLL(str(path))
                    names = [f"scipy_openblas_{verb}_num_threads{end}" for verb in ("get", "set")]
                    calls.append((getattr(library, names[0]), getattr(library, names[1])))
    return tuple(calls)
