"""What a backlog costs in time: by a rule of thumb, and by trying only where that does not settle it."""

from collections.abc import Callable
from typing import NamedTuple

from assay.engine.backlog import Backlog, engines_for, estimate
from assay.engine.engines import EngineConfig
from assay.engine.recipe import PLY_COST, Recipe
from assay.machine import usable_cores

NODES_PER_SECOND = 600_000
"""Of Stockfish with one thread on a machine of today, searched moves alone included."""

_DEPTH, _DEPTH_SECONDS = 16, 0.3
"""A depth, and the seconds that ten lines of it take."""


class Rough(NamedTuple):
    """Seconds by a rule of thumb, and the factor by which they may be wrong either way."""

    seconds: float
    factor: float


def rough_seconds(backlog: Backlog, jobs: int | None = None) -> Rough:
    """How long a backlog takes here, without starting an engine."""
    each = _of_one_position(backlog.recipe)
    return each._replace(seconds=each.seconds * len(backlog) / engines_for(backlog, jobs))


def rough_for(recipe: Recipe, positions: int) -> float:
    """Seconds that so many positions take with an engine on every core, by the rule of thumb."""
    return _of_one_position(recipe).seconds * positions / usable_cores()


def seconds_for(
    backlog: Backlog,
    engine: EngineConfig,
    jobs: int | None,
    limit: float,
    tried: Callable[..., float] | None = None,
) -> float:
    """How long a backlog takes here, exact enough to tell whether it is more than `limit` seconds.

    `tried` measures it by trying some positions; it is asked only where the rule of thumb leaves it open.
    """
    rough = rough_seconds(backlog, jobs)
    if not limit / rough.factor < rough.seconds < limit * rough.factor:
        return rough.seconds
    return (tried or _tried)(backlog, engine, jobs)


def _tried(backlog: Backlog, engine: EngineConfig, jobs: int | None) -> float:
    return estimate(backlog, engine, jobs).seconds


def _of_one_position(recipe: Recipe) -> Rough:
    if recipe.depth is not None:
        lines = recipe.lines / 10
        return Rough(_DEPTH_SECONDS * lines * PLY_COST ** (recipe.depth - _DEPTH), 10.0)
    seconds = recipe.seconds or (recipe.nodes or 0) / NODES_PER_SECOND
    if recipe.enough is not None:
        return Rough(seconds / 3, 3.0)  # measured (docs/analysis.md)
    # A search that stops early takes some part of its limit, nobody knows which beforehand.
    return Rough(seconds / 4, 10.0) if recipe.adaptive else Rough(seconds, 3.0)
