"""What every benchmark needs: the best of several runs, peak memory of a run, the shared data."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


class MissingError(Exception):
    """The shared development data, or an engine, is not there."""


def shared(relative: str) -> Path:
    """Path of shared development data."""
    path = Path(os.environ.get("ASSAY_SHARED", ROOT.parent / "shared")) / "data" / relative
    if not path.exists():
        raise MissingError(f"it needs the shared development data ({relative})")
    return path


def best_seconds(call: Callable[[], object], runs: int = 3) -> float:
    """Seconds of the fastest of several runs: other work on the machine only slows a run down."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_megabytes(code: str, *arguments: str) -> float:
    """Measure the peak memory of a fresh Python process that runs `code`, in MB."""
    # Not ru_maxrss: a child inherits that from the process that started it, which may be larger.
    report = "\nprint([line for line in open('/proc/self/status') if line.startswith('VmHWM')][0].split()[1])"
    command = [sys.executable, "-c", code + report, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1]) / 1024


def row(
    name: str, measured: float, unit: str = "", *, least: float = -math.inf, most: float = math.inf
) -> dict[str, Any]:
    """Make a line of the table, with what it should be at least or at most."""
    target = f"at least {least:g}" if least > -math.inf else f"at most {most:g}" if most < math.inf else ""
    return {
        "name": name,
        "measured": measured,
        "unit": unit,
        "target": target,
        "ok": least <= measured <= most,
    }
