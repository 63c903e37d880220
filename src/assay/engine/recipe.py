"""Recipes: everything that decides an analysis.

A recipe together with the engine it ran on is hashed into a `recipe_id`, the cache key beside the position:
change anything that could change an answer, and earlier analyses are left alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.engine.trace import ENOUGH_RULE, LEAST_ENOUGH
from assay.errors import InputError, has_control, printable

LEAST_HASH_MB = 16
PLY_COST = 1.6
"""How many times dearer a search one ply deeper is: as measured with Stockfish 15.1."""

MOST = {
    "nodes": 10**15,
    "depth": 1000,
    "seconds": 10**7,
    "lines": 1000,
    "hash_mb": 1 << 24,
    "cap": 30_000,
    "first_turn": 6000,
    "enough": 1000,
}
"""Beyond these nothing is meant seriously, and numbers no longer fit their columns."""


@dataclass(frozen=True)
class Recipe:
    """How positions are analysed. Exactly one of nodes, depth and seconds limits a search."""

    name: str
    meaning: str
    nodes: int | None = None
    depth: int | None = None
    seconds: float | None = None
    lines: int = 10
    hash_mb: int = 32
    walk: bool = False
    """Whether games are walked backwards, the hash table kept; else it is cleared for each search."""
    adaptive: bool = False
    """Whether searches stop early by the rule of Alliot 2017, the limit standing for its four minutes."""
    alone: bool = True
    """Whether a played move outside the lines is searched alone, to the same depth."""
    cap: int | None = None
    """Options found further behind the best than this many centipawns get no exact value."""
    first_turn: int = 1
    """The first turn of a game that is analysed."""
    history: bool = False
    """Whether the engine is told the moves before the position, and so sees repetitions."""
    settings: tuple[tuple[str, str], ...] = ()
    """Further engine settings."""
    enough: int | None = None
    """The depth at which searches end, or one or two before, by what the values say (trace.is_enough)."""

    def __post_init__(self) -> None:
        for name, value in self.settings:
            check_setting(name, value)
        if has_control(self.name) or has_control(self.meaning):
            raise InputError("the name and the meaning of a recipe are one line of text each")
        for name, most in MOST.items():
            # Not a number is not at most anything.
            if (value := getattr(self, name)) is not None and not value <= most:
                raise InputError(f"recipe '{self.name}': {name} must be a number up to {most:,}")
        limits = [limit for limit in (self.nodes, self.depth, self.seconds) if limit is not None]
        if len(limits) != 1 or limits[0] <= 0:
            raise InputError(f"recipe '{self.name}' needs one limit: nodes, depth or seconds, above zero")
        if self.lines < 1 or self.first_turn < 1 or self.hash_mb < 1:
            raise InputError(f"recipe '{self.name}': lines, first_turn and hash_mb start at 1")
        if self.history and not self.walk:
            raise InputError(f"recipe '{self.name}' sends the history: that needs walk = true")
        if self.adaptive and self.depth is not None:
            raise InputError(f"recipe '{self.name}' is adaptive: limit it by seconds or nodes, not by depth")
        if self.cap is not None and (self.depth is None or self.cap <= 0):
            raise InputError(f"recipe '{self.name}' has a cap: give it a depth, and a cap above zero")
        if self.enough is not None and (self.nodes is None or self.adaptive or self.enough < LEAST_ENOUGH):
            raise InputError(
                f"recipe '{self.name}' says which depth is enough: give it nodes, adaptive = false, "
                f"and a depth from {LEAST_ENOUGH} on"
            )

    def scaled(self, scale: float) -> Recipe:
        """The recipe with `scale` times the cost; a depth changes by the plies which that buys."""
        if not (math.isfinite(scale) and scale > 0):
            raise InputError(f"the scale must be a number above zero, not {scale}")
        if scale == 1:
            return self
        plies = round(math.log(scale) / math.log(PLY_COST))
        return dataclasses.replace(
            self,
            name=f"{self.name}:{scale:g}",
            nodes=None if self.nodes is None else max(1, round(self.nodes * scale)),
            depth=None if self.depth is None else max(1, self.depth + plies),
            seconds=None if self.seconds is None else self.seconds * scale,
            enough=None if self.enough is None else max(LEAST_ENOUGH, self.enough + plies),
            hash_mb=max(min(self.hash_mb, LEAST_HASH_MB), round(self.hash_mb * min(scale, 1.0))),
        )

    def with_settings(self, settings: Mapping[str, str]) -> Recipe:
        """The recipe with further engine settings, which go before its own of the same name.

        They are part of the recipe's id. This is the way of users who give a setting themselves
        (`parse_settings`), so settings that make an engine write files are allowed,
        unlike in a recipe file.
        """
        if not settings:
            return self
        named = {name.lower() for name in settings}
        others = [(name, value) for name, value in self.settings if name.lower() not in named]
        shown = ",".join(f"{name}={value}" for name, value in settings.items())
        return dataclasses.replace(
            self, name=f"{self.name}+{shown}", settings=tuple(sorted((*others, *settings.items())))
        )

    @property
    def limit(self) -> str:
        """The limit as UCI's `go` takes it."""
        if self.nodes is not None:
            return f"nodes {self.nodes}"
        if self.depth is not None:
            return f"depth {self.depth}"
        assert self.seconds is not None
        return f"movetime {max(1, round(self.seconds * 1000))}"

    @property
    def ceiling(self) -> float:
        """Seconds after which a search must have gone wrong."""
        if self.nodes is not None:
            return 60 + self.nodes / 1000
        return 3600.0 if self.seconds is None else 60 + 2 * self.seconds

    def describe(self) -> dict[str, Any]:
        """The recipe as plain values, as TOML and JSON have them; `enough` only where there is one."""
        plain = {**dataclasses.asdict(self), "settings": dict(self.settings)}
        if self.enough is None:
            del plain["enough"]
        return plain


@dataclass(frozen=True)
class EngineIdentity:
    """What is known of an engine that could change its answers."""

    name: str
    network: str
    settings: tuple[tuple[str, str], ...]
    """Every setting that differs from the engine's own default."""
    lines: bool = True
    """Whether it gives exact values for several lines; else, as with Toga II, options are valued by searches
    of the positions after them, one ply less deep."""
    tables: str = ""
    """Which end-game tables it was given."""
    children: str = ""
    """The rule by which options are searched where the engine gives no exact lines, or searches no move alone
    (assay.engine.search)."""

    def describe(self) -> dict[str, Any]:
        """The identity as plain values; no rule where there is none, as before there were rules."""
        plain = {**dataclasses.asdict(self), "settings": dict(self.settings)}
        if not self.children:
            del plain["children"]
        return plain


def recipe_id(recipe: Recipe, engine: EngineIdentity) -> str:
    """Hash of all that decides an answer: 16 hexadecimal digits. Names and meanings decide nothing."""
    return remember({"recipe": recipe.describe(), "engine": engine.describe()})


_described: dict[str, Mapping[str, Any]] = {}


def remember(described: Mapping[str, Any]) -> str:
    """The id of a recipe with an engine, as plain values; `described` then answers what it stands for."""
    decisive = {name: dict(described[name]) for name in ("recipe", "engine")}
    for name in ("name", "meaning"):
        decisive["recipe"].pop(name, None)
    if decisive["recipe"].get("enough") is not None:
        decisive["recipe"]["rule"] = ENOUGH_RULE
    text = json.dumps(decisive, sort_keys=True)
    identifier = hashlib.sha256(text.encode()).hexdigest()[:16]
    _described[identifier] = described
    return identifier


def described(recipe_id: str) -> Mapping[str, Any] | None:
    """Recipe and engine of an id that was met in this process, as plain values; None for another."""
    return _described.get(recipe_id)


_NAMED = (
    Recipe(
        "standard",
        "Every position alone: 150,000 nodes, 10 lines, hash cleared. The same answer on every machine.",
        nodes=150_000,
    ),
    Recipe(
        "thrifty",
        "4 lines to depth 10, less far where the values are clear: a third of standard's time.",
        nodes=150_000,
        lines=4,
        hash_mb=16,
        enough=10,
    ),
    Recipe("quick", "As standard with 15,000 nodes and 5 lines: a first look.", nodes=15_000, lines=5),
    Recipe(
        "single",
        "Depth 10, one line, from the first move: for gain, which needs no others; 16 ms a position.",
        depth=10,
        lines=1,
        alone=False,
        hash_mb=16,
    ),
    Recipe("deep", "As standard with 1,500,000 nodes.", nodes=1_500_000, hash_mb=256),
    Recipe(
        "ferreira2012",
        "Depth 20, one line, from the first move: values before and after each move.",
        depth=20,
        lines=1,
        alone=False,
        hash_mb=256,
    ),
    Recipe("difatta2009", "Depth 10, 10 lines; the paper's engine is Toga II, without its book.", depth=10),
    Recipe(
        "regan2011",
        "Depth 13, 50 lines, from move 9; no exact value for options over 4.00 pawns behind.",
        depth=13,
        lines=50,
        cap=400,
        first_turn=9,
        hash_mb=64,
    ),
    Recipe(
        "alliot2017",
        "1 to 4 minutes by the paper's stopping rule, 2 lines, games walked backwards, from move 10.",
        seconds=240.0,
        lines=2,
        adaptive=True,
        walk=True,
        first_turn=10,
        hash_mb=4096,
    ),
    Recipe(
        "alliot2017-nodes",
        "As alliot2017, time counted in nodes: a million a second.",
        nodes=240_000_000,
        lines=2,
        adaptive=True,
        walk=True,
        first_turn=10,
        hash_mb=4096,
    ),
)

NAMED = {recipe.name: recipe for recipe in _NAMED}
"""The recipes that have a name."""


OLDEST_STOCKFISH = 15.1
_STOCKFISH = re.compile(r"Stockfish (\d+(?:\.\d+)?)")
_USUAL_SETTINGS = {"Hash", "MultiPV", "UCI_ShowWDL", "Threads"}


def stockfish_recipe(recipe_id: str) -> str | None:
    """The named recipe of an id, if its engine is a Stockfish from 15.1 on with its own settings."""
    description = described(recipe_id)
    if description is None:
        return None
    engine, recipe = description["engine"], description["recipe"]
    version = _STOCKFISH.fullmatch(engine["name"])
    settings = engine.get("settings")
    if version is None or float(version[1]) < OLDEST_STOCKFISH or not isinstance(settings, dict):
        return None
    if engine.get("tables") or engine.get("children") or not set(settings) <= _USUAL_SETTINGS:
        return None
    decisive = {**recipe, "name": "", "meaning": ""}
    plain = {name: {**named.describe(), "name": "", "meaning": ""} for name, named in NAMED.items()}
    return next((name for name, values in plain.items() if values == decisive), None)


def find_recipe(wanted: str) -> Recipe:
    """The recipe of a name or in a TOML file; `standard:0.1` is a tenth of its cost (`Recipe.scaled`)."""
    name, colon, scale = wanted.rpartition(":")
    if colon and re.fullmatch(r"[0-9.eE+-]+", scale):
        try:
            return find_recipe(name).scaled(float(scale))
        except ValueError:
            raise InputError(f"'{scale}' is not a number: write {name}:0.01 for a hundredth") from None
    if wanted in NAMED:
        return NAMED[wanted]
    if wanted.endswith(".toml"):
        return read_recipe(Path(wanted))
    raise InputError(
        f"there is no recipe '{_short(wanted)}': choose standard, thrifty or quick (assay recipes lists all, "
        "and which have an Elo scale), NAME:0.01 for a hundredth of the cost, a .toml file, or the id of "
        "analyses in the workspace (assay status)"
    )


def described_recipe(description: Mapping[str, Any]) -> Recipe | None:
    """The recipe that `Recipe.describe` described; None where it describes something else."""
    try:
        settings = tuple(sorted(description["settings"].items()))
        return Recipe(**{**description, "settings": settings})
    except (InputError, TypeError, KeyError, AttributeError):
        return None


def read_recipe(path: Path) -> Recipe:
    """A recipe from a TOML file: the fields of `Recipe`, and `base` to start from a named one.

    Such files are shared, so nothing in one can be a command to the engine, or make it write files.
    """
    fields = _read_toml(path)
    base = fields.pop("base", None)
    if base is not None and base not in tuple(NAMED):
        raise InputError(
            f"{path}: there is no recipe {_shown(base)} to start from: base is one of {', '.join(NAMED)}"
        )
    start: dict[str, Any] = {"name": path.stem, "meaning": f"from {path.name}"}
    if base is not None:
        inherited = {key: value for key, value in NAMED[base].describe().items() if key not in start}
        if {"nodes", "depth", "seconds"} & fields.keys():
            inherited |= {"nodes": None, "depth": None, "seconds": None}
        start = inherited | start
    return _build(path, start | fields)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise InputError(f"{path} is too large for a recipe")
        return tomllib.loads(content.decode("utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no recipe file {path}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise InputError(f"{path} is not TOML: {error}") from None
    except (RecursionError, ValueError):  # of a number Python would tell how to allow it
        raise InputError(f"{path} is not a recipe: nested too deeply, or thousands of digits") from None


def _build(path: Path, fields: dict[str, Any]) -> Recipe:
    names = [field.name for field in dataclasses.fields(Recipe)]
    if unknown := sorted(fields.keys() - set(names)):
        shown = ", ".join(_shown(name)[1:-1] for name in unknown[:5])
        raise InputError(f"{path}: unknown {shown}; a recipe has {', '.join(names)}")
    for key, value in fields.items():
        kinds = _KINDS.get(key, (int,))
        fits = type(value) in kinds and not (isinstance(value, str) and len(value) > _MOST_TEXT)
        if not fits and not (value is None and key in _OPTIONAL):
            raise InputError(f"{path}: '{key}' cannot be {_shown(value)}")
    settings = _settings_in_file(fields.get("settings", {}), str(path))
    try:
        return Recipe(**{**fields, "settings": settings})
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _shown(value: object) -> str:
    """A value from a file, short enough for a sentence."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        text = "such a value"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


_MOST_BYTES = 1 << 20
_MOST_SHOWN = 80
_MOST_TEXT = 300
_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("name", "meaning"), (str,)),
    **dict.fromkeys(("walk", "adaptive", "alone", "history"), (bool,)),
    "settings": (dict,),
    "seconds": (int, float),
}
"""What the fields of a recipe file are that are not whole numbers."""

_OPTIONAL = ("nodes", "depth", "seconds", "cap", "enough")


# Settings of an engine. Recipe files are shared, so none of them may make an engine write files.

MOST_CHARACTERS = 4096
"""Of a setting's value: the longest path that Linux takes."""

_MOST_NAME = 100
_WRITES = re.compile(
    "log|debug|write|save|store|export|dump|record|output|learn|experience|session|persist|^hashfile|^cachefile"
)


def makes_files(name: str) -> bool:
    """Whether a setting of this name may make the engine write files: told by the words of the name.

    "Debug Log File" of Stockfish, "LogFile" of Lc0, "Experience File", "Save Hash to File", "Session File",
    "Persistent Hash". Rather one too many: whoever wants such a setting gives it by --set.
    """
    return _WRITES.search("".join(filter(str.isalnum, name.lower()))) is not None


def check_setting(name: str, value: str) -> None:
    """Refuse what cannot be sent to an engine as one line: a line end would begin a command of its own."""
    if not name.strip() or has_control(name) or len(name) > _MOST_NAME:
        raise InputError(f"'{_short(name)}' cannot be the name of an engine setting")
    if has_control(value):
        raise InputError(
            f"the engine setting '{name}' has a control character in its value, such as a line end, which "
            "an engine would take for a command: remove it"
        )
    if len(value) > MOST_CHARACTERS:
        raise InputError(f"the engine setting '{name}' is longer than {MOST_CHARACTERS:,} characters")


def parse_settings(texts: Iterable[str]) -> dict[str, str]:
    """Settings as a user gives them: NAME=VALUE each."""
    settings: dict[str, str] = {}
    for text in texts:
        name, given, value = text.partition("=")
        if not given:
            raise InputError(f"'{_short(text)}' is not a setting of an engine: write NAME=VALUE")
        name = name.strip()
        check_setting(name, value)
        settings[name] = value
    return settings


def _settings_in_file(given: dict[str, object], where: str) -> tuple[tuple[str, str], ...]:
    """The settings of a recipe file, as UCI spells them: single values, none that makes an engine write."""
    settings: dict[str, str] = {}
    for name, value in given.items():
        if makes_files(name):
            raise InputError(
                f"{where}: '{_short(name)}' may make an engine write files, so a recipe file cannot give "
                f"it: give it yourself with --set '{_short(name)}=...'"
            )
        if not isinstance(value, (str, int)) and not (isinstance(value, float) and math.isfinite(value)):
            raise InputError(
                f"{where}: the engine setting '{_short(name)}' must be a text, a number or a flag"
            )
        settings[name] = str(value).lower() if isinstance(value, bool) else str(value)
        check_setting(name, settings[name])
    return tuple(sorted(settings.items()))


def _short(text: str) -> str:
    """A name from a file, short enough for a sentence."""
    line = printable(text)
    return line if len(line) <= _MOST_NAME else f"{line[:_MOST_NAME]}..."
