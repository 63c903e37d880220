"""Knowing an engine without starting it again: its identity is asked for once in the life of this process.

What an engine calls itself and how it is set are part of a recipe's id, which is needed before anything is
analysed. An engine file that has changed since is another engine, and asked anew.
"""

import dataclasses
from pathlib import Path

from assay.engine.engines import EngineConfig, find_engine, identify, tables_in
from assay.engine.recipe import EngineIdentity, Recipe, recipe_id

EngineKey = tuple[str, int, int, str, Recipe]

_known: dict[EngineKey, EngineIdentity] = {}


def known_identity(config: EngineConfig, recipe: Recipe) -> EngineIdentity:
    """The identity that the engine has under this recipe. Starts it where it has not been asked before.

    So the faults of an engine show before any work. Two threads that ask at once may both start it.
    """
    key = engine_key(config, recipe)
    if key not in _known:
        _known[key] = identify(config, recipe)
    return _known[key]


def planned_recipe_id(recipe: Recipe, config: EngineConfig) -> str:
    """The id under which analyses of this recipe with this engine are kept, whether there are any or not."""
    return recipe_id(recipe, known_identity(config, recipe))


def engine_key(config: EngineConfig, recipe: Recipe) -> EngineKey:
    """All that decides an identity: the file, its end-game tables, and the recipe but for its name."""
    path = Path(find_engine(config.path)).resolve()
    file = path.stat()
    tables = "" if config.syzygy is None else tables_in(config.syzygy)
    nameless = dataclasses.replace(recipe, name="", meaning="")
    return str(path), file.st_mtime_ns, file.st_size, tables, nameless
