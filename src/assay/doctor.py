"""What a machine lacks for assay to work well, and what to do about it."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import Requirement

from assay.analysis.engines import EngineConfig, find_engine, identify
from assay.analysis.recipe import NAMED
from assay.errors import AssayError
from assay.ingest.spelling import find_spelling_file

DISTRIBUTION = "assay-chess"
LEAST_FREE_GB = 1.0


@dataclass(frozen=True)
class Finding:
    """One check: what was found, and what to do if that is a problem."""

    check: str
    found: str
    ok: bool = True
    advice: str = ""


def examine(engine: str | None = None, place: Path | None = None) -> list[Finding]:
    """Every check, in the order in which problems are best solved."""
    return [*_python(), *_packages(), *_engine(engine), *_machine(place or Path.cwd()), *_optional()]


def _python() -> Iterator[Finding]:
    ok = sys.version_info >= (3, 11)
    yield Finding("Python", platform.python_version(), ok, "" if ok else "install Python 3.11 or later")


def _packages() -> Iterator[Finding]:
    """The packages that the distribution asks for, extras apart."""
    missing = []
    wanted = [Requirement(line) for line in requires(DISTRIBUTION) or []]
    needed = [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    for one in needed:
        try:
            if version(one.name) not in one.specifier:
                missing.append(f"{one.name} {version(one.name)} (needs {one.specifier})")
        except PackageNotFoundError:
            missing.append(f"{one.name} (not there)")
    if missing:
        advice = "install assay again: pip install --upgrade assay-chess"
        yield Finding("packages", ", ".join(missing), ok=False, advice=advice)
    else:
        yield Finding("packages", f"all {len(needed)} there")


def _engine(named: str | None) -> Iterator[Finding]:
    """Whether there is an engine that can do the standard recipe."""
    try:
        path = find_engine(named)
        identity = identify(EngineConfig(path), NAMED["quick"])
    except AssayError as error:
        sentence, _, advice = str(error).partition(": ")
        yield Finding("engine", sentence, ok=False, advice=advice or "name another with --engine")
        return
    network = f", network {identity.network}" if identity.network else ""
    yield Finding("engine", f"{identity.name} at {path}{network}")


def _machine(place: Path) -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    advice = "" if cores > 1 else "analysis uses one engine per core: a machine with more is faster"
    yield Finding("cores", str(cores), advice=advice)
    existing = next(one for one in (place, *place.absolute().parents) if one.exists())
    free = shutil.disk_usage(existing).free / 1e9
    enough = free >= LEAST_FREE_GB
    advice = "" if enough else "free some space: an analysed position takes about 2 kB"
    yield Finding("free disk", f"{free:.1f} GB", enough, advice)
    writable = os.access(existing, os.W_OK)
    advice = "" if writable else "choose another folder with --workspace"
    yield Finding("folder", f"{existing} {'can' if writable else 'cannot'} be written", writable, advice)


def _optional() -> Iterator[Finding]:
    """What is good to have: its absence is no problem."""
    spelling = find_spelling_file()
    advice = "" if spelling else "for canonical names and yearly ratings: apt-get install scid-rating-data"
    yield Finding("spelling file", str(spelling or "none"), advice=advice)
    try:
        yield Finding("cluster", f"dask.distributed {version('distributed')}")
    except PackageNotFoundError:
        yield Finding("cluster", "none", advice="for many machines: pip install 'assay-chess[cluster]'")
