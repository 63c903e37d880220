"""What the machine gives to this process."""

import os


def usable_cores() -> int:
    """How many cores this process may use: not all there are where it is bound to some, as batch jobs are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
