"""What the machine gives to this process."""

import ctypes
import os
import sys
from contextlib import suppress


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
