"""Whether an engine is the one that it calls itself, by what it says of the first position of chess.

An engine with one thread, a fixed number of nodes and a cleared hash table says the same on every machine.
One that goes by another's name, or a build with another network that has kept the name, does not.
"""

from assay.engine.engines import EngineConfig, open_engine
from assay.engine.identity import EngineKey, engine_key, planned_recipe_id
from assay.engine.recipe import Recipe
from assay.engine.uci import Search
from assay.errors import EngineError

SIGNATURES = {
    "672593ce2551e878": "d2d4 40 e2e4 37 g1f3 36 e2e3 27 c2c4 22 c2c3 18 g2g3 17 b1c3 15 a2a3 13 b2b3 2",
    "266262b92aeaddbc": "e2e4 56 g1f3 34 g2g3 31 c2c4 11 d2d4 11",
    "970dedda3272a5d6": "e2e4 31 d2d4 31 g1f3 30 e2e3 25 c2c3 14 c2c4 12 b1c3 10 a2a3 0 g2g3 0 d2d3 -9",
    "c9c96e74d5ed2eac": "e2e4 53 d2d4 32 e2e3 19 c2c4 14 b1c3 14",
    "6dc07429b58b5030": "e2e4 23 d2d4 15 g1f3 11 g2g3 11 e2e3 7 c2c3 6 c2c4 5 b1c3 3 d2d3 0 b2b3 -11",
    "dfed8c53c95d67db": "e2e4 23 g1f3 15 d2d4 14 c2c4 11 e2e3 11",
}
"""Moves and values in centipawns at the first position, by recipe id: of the recipes with a shipped scale."""


_sound: set[EngineKey] = set()


def check_signature(config: EngineConfig, recipe: Recipe) -> None:
    """Refuse an engine that has the name and the network of a known one, and other values.

    Asked for once in the life of this process, of engines and recipes that are known.
    """
    known = SIGNATURES.get(planned_recipe_id(recipe, config))
    key = engine_key(config, recipe)
    if known is None or key in _sound:
        return
    session, identity = open_engine(config, recipe)
    try:
        found = session.search(
            "startpos", recipe.limit, n_lines=recipe.lines, clear=True, ceiling=recipe.ceiling
        )
    finally:
        session.close()
    if signature_of(found) != known:
        raise EngineError(
            f"the engine calls itself {identity.name}, and its values are not those of {identity.name}: give "
            "the path of another with --engine, or --like-engine"
        )
    _sound.add(key)


def signature_of(search: Search) -> str:
    """What a search of the first position says, in short."""
    return " ".join(f"{line.move} {line.value}" for line in search.trace.deepest)
