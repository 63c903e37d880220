"""What a report was made from and with: enough to make it again, and to tell two reports apart."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("chess", "duckdb", "numba", "numpy", "pyarrow", "scipy")
"""Those that can change a number; what only draws is not named."""


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Program, engine, recipe and counts behind one report."""

    engine: str
    """Name and version of the engine, or where the evaluations come from."""
    recipe: Mapping[str, object]
    recipe_id: str
    games: int
    decisions: int
    settings: Mapping[str, object] = field(default_factory=dict)
    """The engine's own settings: hash, threads, ..."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many games or decisions each reason left out."""
    command: str = ""
    """The command that makes the report again; empty where it was made from Python."""
    date: str = ""
    """When it was made; empty where two runs must give the same file."""
    assay: str = field(default_factory=lambda: installed("assay-chess"))
    versions: Mapping[str, str] = field(default_factory=lambda: versions())


def versions() -> dict[str, str]:
    """Python and the libraries that compute, with their versions."""
    return {"python": platform.python_version(), **{name: installed(name) for name in LIBRARIES}}


def installed(package: str) -> str:
    """The installed version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
