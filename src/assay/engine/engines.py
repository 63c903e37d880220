"""Finding an engine, starting it as a recipe asks, and knowing it again."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.engine.recipe import EngineIdentity, Recipe, recipe_id, stockfish_recipe
from assay.engine.search import CHILDREN_RULE
from assay.engine.uci import Search, UciSession
from assay.errors import EngineError, InputError, MachineError

ENGINE_VARIABLE = "ASSAY_ENGINE"
_PLACES = ("/usr/games", "/usr/local/bin", "/opt/homebrew/bin")

_PROBE_DEPTH = 6
_MOVES_AT_START = 20

# Wanted of every engine that offers them: no book, one thread, win-draw-loss shown. Names as in UCI and Toga.
_ALWAYS = {"OwnBook": "false", "Threads": "1", "Number of Threads": "1", "UCI_ShowWDL": "true"}


@dataclass(frozen=True)
class EngineConfig:
    """Which engine, and what it is given on this machine. A path of None means: look for one."""

    path: str | None = None
    syzygy: str | None = None
    patience: float = 60.0
    """Seconds that the engine may be silent before it counts as hung."""
    start_patience: float = 30.0
    """Seconds that it may take to start."""


def find_engine(named: str | None = None) -> str:
    """Path of the engine: the one named, then ASSAY_ENGINE, then the program `stockfish` of this machine."""
    wanted = named or os.environ.get(ENGINE_VARIABLE)
    if wanted:
        path = _program(wanted)
        if path is None:
            raise EngineError(f"there is no engine '{wanted}': give the path of a UCI engine with --engine")
        return str(Path(path).absolute())
    path = _program("stockfish")
    if path is None:
        raise EngineError(
            "no chess engine found: install Stockfish (Debian: apt-get install stockfish; macOS: brew "
            f"install stockfish), or name one with --engine or {ENGINE_VARIABLE}"
        )
    return path


def is_named(named: str | None = None) -> bool:
    """Whether somebody said which engine to use, by an option, the settings or ASSAY_ENGINE."""
    return bool(named or os.environ.get(ENGINE_VARIABLE))


def _program(name: str) -> str | None:
    """Path of a program on the PATH, or where engines are put that are not on it."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(_PLACES))


def open_engine(config: EngineConfig, recipe: Recipe) -> tuple[UciSession, EngineIdentity]:
    """A running engine with the settings of the recipe, and its identity."""
    session = UciSession([find_engine(config.path)], config.patience, config.start_patience)
    try:
        chosen = _settings(session, config, recipe)
        for name, value in chosen.items():
            session.set_option(name, value)
        children = _children_rule(session, recipe)
        if children and chosen.pop("MultiPV", None) is not None:
            session.set_option("MultiPV", "1")
        return session, _identity(session, config, chosen, children)
    except BaseException:
        session.close()
        raise


def identify(config: EngineConfig, recipe: Recipe) -> EngineIdentity:
    """The identity that the engine has under this recipe. Starts it; `known_identity` does so but once."""
    session, identity = open_engine(config, recipe)
    session.close()
    return identity


def identities(config: EngineConfig, recipes: Sequence[Recipe]) -> list[EngineIdentity]:
    """The identity that the engine has under each recipe, from one start of it under the first.

    Settings that are only named and not made cost nothing: a recipe may ask for gigabytes of memory. Where an
    engine gives no lines, none of the identities is known but the first.
    """
    session, first = open_engine(config, recipes[0])
    try:
        if first.children:
            return [first]
        others = [
            _identity(session, config, _settings(session, config, recipe), "") for recipe in recipes[1:]
        ]
        return [first, *others]
    finally:
        session.close()


def _settings(session: UciSession, config: EngineConfig, recipe: Recipe) -> dict[str, str]:
    chosen = {name: value for name, value in _ALWAYS.items() if name.lower() in session.options}
    if "hash" in session.options:
        chosen["Hash"] = str(recipe.hash_mb)
    if "multipv" in session.options:
        most = session.options["multipv"].most
        chosen["MultiPV"] = str(recipe.lines if most is None else min(recipe.lines, most))
    if config.syzygy is not None:
        if not Path(config.syzygy).is_dir():
            raise InputError(f"there is no folder {config.syzygy}: give the one with the Syzygy tables")
        chosen["SyzygyPath"] = config.syzygy
    return chosen | dict(recipe.settings)


def _identity(
    session: UciSession, config: EngineConfig, chosen: dict[str, str], children: str
) -> EngineIdentity:
    differing = {
        name: value
        for name, value in chosen.items()
        # Where the tables lie decides nothing; which there are does.
        if name != "SyzygyPath" and value != session.options[name.lower()].default
    }
    spelled = {name.lower(): value for name, value in chosen.items()}
    networks = [
        spelled.get(key, option.default)
        for key, option in session.options.items()
        if key.startswith(("evalfile", "weightsfile"))
    ]
    return EngineIdentity(
        name=plain_name(session.name),
        network=" ".join(Path(network).name for network in networks if network),
        settings=tuple(sorted(differing.items())),
        lines=not children,
        tables=tables_in(config.syzygy) if config.syzygy is not None else "",
        children=children,
    )


_BUILD = re.compile(
    r"^(Stockfish \d+(?:\.\d+)*)(?: (?:64|32|POPCNT|BMI2|AVX2|SSE41|WASM|Single-threaded|Multithreaded))+$"
)


def plain_name(name: str) -> str:
    """The name of an engine without that of its build: what it is compiled to changes no answer.

    Stockfish 18 as WebAssembly searches node for node as the native release does (same bench signature); a
    build with other networks is told apart by them.
    """
    match = _BUILD.match(name)
    return match[1] if match else name


def tables_in(folder: str) -> str:
    """A short name for the set of Syzygy tables in a folder."""
    names = sorted(path.name for path in Path(folder).glob("*.rtb[wz]"))
    return f"{len(names)} files, {hashlib.sha256(' '.join(names).encode()).hexdigest()[:8]}"


def _children_rule(session: UciSession, recipe: Recipe) -> str:
    """The rule by which options are valued from the positions after them; none where the engine does it all.

    That is, gives exact lines and searches one move when told to. Proves that it can search.

    Toga II 3.0 ignores `searchmoves`, marks most of its lines as bounds, which they are, and of few lines
    repeats those of the depth before. Ethereal 12 gives exact lines and ignores `searchmoves`; both ignore a
    limit of nodes.
    """
    go = f"depth {_PROBE_DEPTH}"
    n_lines = min(recipe.lines, _MOVES_AT_START)
    ceiling = session.start_patience
    try:
        lines = session.search(
            "startpos", go, n_lines=n_lines, clear=True, ceiling=ceiling, last_depth=_PROBE_DEPTH
        )
        alone = session.search("startpos", f"{go} searchmoves a2a3", n_lines=1, clear=True, ceiling=ceiling)
    except EngineError as error:
        raise EngineError(f"the engine cannot search: {error}") from error
    if not lines.trace.nodes:
        raise EngineError(f"{session.name} prints nothing about its search: use another engine")
    reached = [line.depth for line in lines.trace.deepest[:1]] == [_PROBE_DEPTH]
    if (reached and alone.best == "a2a3") or (recipe.lines == 1 and not recipe.alone):
        return ""
    if recipe.depth is None or recipe.adaptive:
        lacks = (
            "does not search one move when told to (searchmoves)"
            if reached
            else f"gives no exact values for {recipe.lines} lines"
        )
        raise EngineError(
            f"{session.name} {lacks}: use another engine, or a recipe limited by depth, such as difatta2009"
        )
    return CHILDREN_RULE


def same_engine(expected: EngineIdentity, actual: EngineIdentity, where: str) -> None:
    """Refuse an engine that is not the one a run was started with."""
    if expected != actual:
        differing = [
            entry.name
            for entry in dataclasses.fields(EngineIdentity)
            if getattr(expected, entry.name) != getattr(actual, entry.name)
        ]
        raise MachineError(
            f"the engine on {where} is {actual.name}, not the same as {expected.name} of this run "
            f"(they differ in {', '.join(differing)}): install the same one everywhere"
        )


# Knowing an engine without starting it again: its identity is asked for once in the life of this process.

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


# Whether an engine is the one that it calls itself, by what it says of the first position of chess.

SIGNATURES = {
    "672593ce2551e878": "d2d4 40 e2e4 37 g1f3 36 e2e3 27 c2c4 22 c2c3 18 g2g3 17 b1c3 15 a2a3 13 b2b3 2",
    "266262b92aeaddbc": "e2e4 56 g1f3 34 g2g3 31 c2c4 11 d2d4 11",
    "96c80e9bcd554da6": "g1f3 31",
    "970dedda3272a5d6": "e2e4 31 d2d4 31 g1f3 30 e2e3 25 c2c3 14 c2c4 12 b1c3 10 a2a3 0 g2g3 0 d2d3 -9",
    "c9c96e74d5ed2eac": "e2e4 53 d2d4 32 e2e3 19 c2c4 14 b1c3 14",
    "6dc07429b58b5030": "e2e4 23 d2d4 15 g1f3 11 g2g3 11 e2e3 7 c2c3 6 c2c4 5 b1c3 3 d2d3 0 b2b3 -11",
    "dfed8c53c95d67db": "e2e4 23 g1f3 15 d2d4 14 c2c4 11 e2e3 11",
    "8f7d1ac2113b3546": "d2d4 37 e2e4 37 g1f3 27 c2c4 11",
    "da1363715620d7cd": "e2e4 46 d2d4 17 g1f3 14 e2e3 13 g2g3 6 c2c4 3 b1c3 1 d2d3 1 c2c3 -2 a2a3 -7",
    "0cd058974aaa8d44": "e2e4 40 d2d4 21 g1f3 18 c2c4 13 e2e3 10",
    "2906e50e3c9c2aed": "e2e4 33 d2d4 30 e2e3 28 g1f3 21",
    "296f5e530cda52b0": "e2e4 44 g1f3 33 d2d4 32 c2c3 14",
    "8dbf464f114d3840": "e2e4 28 d2d4 13 e2e3 13 g1f3 12",
    "a83da8d5a2c7d559": "e2e4 44 d2d4 17 g1f3 16 e2e3 15",
    "f109f74df4d06e44": "e2e4 37 d2d4 32 g1f3 25 b1c3 15 a2a3 10",
}
"""Moves and values in centipawns at the first position, by recipe id: of the recipes with a shipped scale."""


_FIRST_MOVES = {"e2e4", "d2d4", "g1f3", "c2c4"}
_MOST_AT_START = 100
"""A Stockfish whose values at the first position are not known begins with one of these, and sees a small
advantage in it."""

_sound: set[EngineKey] = set()


def check_signature(config: EngineConfig, recipe: Recipe) -> None:
    """Refuse an engine that has the name and the network of a known one, and other values.

    Of a version of Stockfish that is not known only what any of them would do is required. Asked for once in
    the life of this process, of engines and recipes that have a scale.
    """
    planned = planned_recipe_id(recipe, config)
    signature = SIGNATURES.get(planned)
    key = engine_key(config, recipe)
    if (signature is None and stockfish_recipe(planned) is None) or key in _sound:
        return
    session, identity = open_engine(config, recipe)
    try:
        search = session.search(
            "startpos", recipe.limit, n_lines=recipe.lines, clear=True, ceiling=recipe.ceiling
        )
    finally:
        session.close()
    first = search.trace.deepest[:1]
    plausible = bool(first) and first[0].move in _FIRST_MOVES and 0 <= first[0].value <= _MOST_AT_START
    if not plausible if signature is None else signature_of(search) != signature:
        raise EngineError(
            f"the engine calls itself {identity.name}, and its values are not those of {identity.name}: give "
            "the path of another with --engine"
        )
    _sound.add(key)


def signature_of(search: Search) -> str:
    """The result of a search of the first position, in short."""
    return " ".join(f"{line.move} {line.value}" for line in search.trace.deepest)
