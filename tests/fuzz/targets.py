"""Every kind of file that is read: an example to change, how it is changed, and how it is read.

A reader gives what it read or an AssayError, and nothing else. What it read is looked at: a damaged file must
not become a table that breaks its own rules.
"""

import gzip
import io
import json
import random
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.decisions.schema import ANALYSES, ANNOTATIONS, GAMES, SCHEMA_VERSION
from assay.engine.recipe import EngineIdentity, find_recipe, makes_files, recipe_id
from assay.engine.trace import parse_line
from assay.errors import has_control
from assay.pgn.importer import SeenGames, import_files
from assay.pgn.lichess_evaluations import read_evaluations
from assay.pgn.players import Spelling
from assay.rating.calibration import Calibration
from assay.results.competition import COLUMNS, read_competition
from assay.settings import find_settings
from assay.testing import make_decisions
from assay.workspace import Workspace
from assay.workspace.analyses import read_recipes
from assay.workspace.tables import crc32_of

from . import mutations
from .mutations import BYTES, TEXT, several

ROOT = Path(__file__).resolve().parents[2]
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


@dataclass(frozen=True)
class Target:
    """One kind of file."""

    name: str
    suffix: str
    make: Callable[[random.Random], bytes]
    """A file with something wrong in it."""
    read: Callable[[Path], object]


def _changed(content: bytes) -> Callable[[random.Random], bytes]:
    return lambda chance: several(content, chance, TEXT)


def _changed_json(*rows: Any) -> Callable[[random.Random], bytes]:
    """Rows of JSON, the first of them or the text changed, or both."""

    def make(chance: random.Random) -> bytes:
        first = mutations.change_json(rows[0], chance) if chance.random() < 0.6 else rows[0]
        content = b"\n".join(json.dumps(row).encode() for row in (first, *rows[1:]))
        return several(content, chance, TEXT) if chance.random() < 0.6 else content

    return make


# PGN ---------------------------------------------------------------------------------------------------


@cache
def _games() -> tuple[bytes, ...]:
    dirty = sorted((ROOT / "tests" / "dirty").glob("*.pgn"))
    return tuple(path.read_bytes() for path in dirty)


def _make_pgn(chance: random.Random) -> bytes:
    content = b"\n\n".join(chance.choice(_games()) for _ in range(chance.choice((1, 2, 5))))
    content = several(content, chance, TEXT)
    packed = chance.random()
    if packed < 0.1:
        content = several(gzip.compress(content), chance, BYTES)
    elif packed < 0.2:
        content = several(zstandard.ZstdCompressor().compress(content), chance, BYTES)
    return content


def _read_pgn(path: Path) -> object:
    def keep(games: pa.Table, annotations: pa.Table) -> None:
        GAMES.validate(games)
        ANNOTATIONS.validate(annotations)
        for column in ("white_name", "black_name", "event", "site"):
            assert not any(has_control(name) for name in games[column].to_pylist() if name)

    return import_files([path], SeenGames(GAMES.arrow.empty_table()), keep)


_LICHESS_GAME = {
    "id": "q7ZvsdUF",
    "rated": True,
    "variant": "standard",
    "speed": "blitz",
    "createdAt": 1514505150384,
    "status": "draw",
    "players": {
        "white": {"user": {"name": "Lance", "title": "LM"}, "rating": 2389},
        "black": {"aiLevel": 3},
    },
    "initialFen": f"{START} 0 1",
    "opening": {"eco": "C20"},
    "moves": "e4 e5 Qh5 Nc6",
    "clocks": [30000, 30000, 29950],
    "analysis": [{"eval": 30}, {"mate": -3}],
    "clock": {"initial": 300, "increment": 3},
}


def _make_zip(chance: random.Random) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a.pgn", "../b.pgn.gz", "c.txt", "a.pgn.zst"):
            archive.writestr(name, _make_pgn(chance))
    return several(file.getvalue(), chance, BYTES)


# Recipes -----------------------------------------------------------------------------------------------

_RECIPE = b"""base = "standard"
name = "mine"
depth = 12
lines = 3
hash_mb = 64
[settings]
Contempt = 0
Ponder = false
SyzygyPath = "<empty>"
"Style" = "solid"
"""


def _read_recipe(path: Path) -> object:
    recipe = find_recipe(str(path))
    for name, value in recipe.settings:
        assert not has_control(name + value)
        assert not makes_files(name)
    assert recipe.ceiling > 0
    assert "\n" not in recipe.limit
    return recipe_id(recipe, EngineIdentity("x", "", ()))


# Results -----------------------------------------------------------------------------------------------

_RESULTS = (",".join(COLUMNS) + '\n1,73,1246,0.5\n1,73,5097,1\n2,9,73,0\n3,8,"A, B",1\n').encode()


def _read_results(path: Path) -> object:
    found = read_competition(path, forecast=True)
    assert len(found.rows) == len(found.games)
    return found.with_forecast(np.full(len(found.games), 0.5))


# Calibrations ------------------------------------------------------------------------------------------


@cache
def _calibration() -> tuple[bytes, dict[str, Any]]:
    path = ROOT / "src" / "assay" / "data" / "calibrations" / "672593ce2551e878.npz"
    with np.load(path) as stored:
        return path.read_bytes(), {name: stored[name] for name in stored.files}


def _make_calibration(chance: random.Random) -> bytes:
    content, stored = _calibration()
    if chance.random() < 0.4:
        return several(content, chance, BYTES)
    arrays = dict(stored)
    if chance.random() < 0.5:
        header = mutations.change_json(json.loads(str(arrays["header"])), chance)
        arrays["header"] = np.array(json.dumps(header))
    else:
        name = chance.choice([name for name in arrays if name != "header"])
        arrays[name] = _other_array(arrays[name], chance)
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _other_array(array: Any, chance: random.Random) -> Any:
    ways: tuple[Callable[[], Any], ...] = (
        lambda: array[::-1],
        lambda: array[:0],
        lambda: array[..., :1],
        lambda: array * 0,
        lambda: -array,
        lambda: array + np.nan,
        lambda: array * 1e300,
        lambda: array.astype(str),
        lambda: array.astype(np.int8),
        lambda: array.ravel(),
        lambda: array.astype(complex),
    )
    with np.errstate(all="ignore"):
        return chance.choice(ways)()


def _read_calibration(path: Path) -> object:
    found = Calibration.read(path)
    assert np.isfinite(found.mileposts).all()
    for mapping in found.mappings.values():
        if hasattr(mapping, "knots_elo"):
            assert np.isfinite(mapping.elo([-10.0, 0.0, 10.0])).all()
    return found.spread.at(np.array([1.0, 30.0]), 0)


# Decisions ---------------------------------------------------------------------------------------------


@cache
def _decisions() -> pa.Table:
    return make_decisions(games=2, plies=6).table()


def _make_decisions(chance: random.Random) -> bytes:
    table = _decisions()
    kind = chance.random()
    if kind < 0.6:
        name = chance.choice(table.column_names)
        if chance.random() < 0.3:
            table = table.drop_columns([name])
        else:
            content = [chance.choice(mutations.VALUES[:12]) for _ in range(2)] * (len(table) // 2)
            place = table.column_names.index(name)
            table = table.set_column(place, name, _column(content))
    if kind > 0.5:
        table = table.replace_schema_metadata({b"assay.schema_version": several(b"1", chance, TEXT)[:100]})
    out = io.BytesIO()
    pq.write_table(table, out)
    return several(out.getvalue(), chance, BYTES) if kind > 0.7 else out.getvalue()


def _column(content: list[Any]) -> pa.Array:
    try:
        return pa.array(content)
    except (pa.ArrowException, OverflowError):
        return pa.array([str(one) for one in content])


def _read_decisions(path: Path) -> object:
    found = Decisions.read(path)
    assert (loss(found)[~np.isnan(loss(found))] >= -(1 << 20)).all()
    assert found.players == sorted(set(found.players))
    return found.table()


# Evaluations -------------------------------------------------------------------------------------------

_EVALUATED = {
    "fen": START,
    "evals": [
        {"pvs": [{"cp": 20, "line": "e2e4 e7e5"}, {"mate": 3, "line": "d2d4"}], "knodes": 5, "depth": 9}
    ],
}


def _read_evaluations(path: Path) -> object:
    with path.open("rb") as file:
        return [ANALYSES.validate(table) for table in read_evaluations(file, {START})]


# Spellings, and what an engine says --------------------------------------------------------------------

_SPELLING = b"""@PLAYER
Kasparov, Garry #GM RUS 1963
%Elo 1990:2800,2810 1991:2800
= Kasparov, G
Karpov, Anatoly
"""


def _read_spelling(path: Path) -> object:
    spelling = Spelling(path)
    players = spelling.players(["Kasparov, G", "Karpov, Anatoly"])
    return spelling.ratings(players.values())


_LINES = b"""info depth 5 seldepth 7 multipv 1 score cp 20 wdl 10 980 10 nodes 100 tbhits 0 pv e2e4 e7e5
info depth 6 seldepth 8 multipv 2 score mate -3 nodes 500 pv d2d4"""


def _read_lines(path: Path) -> object:
    lines = [parse_line(line) for line in path.read_bytes().split(b"\n")]
    for line in lines:
        assert line is None or (abs(line.value) <= 32_000 and 0 <= line.depth <= 1000)
    return lines


# The files beside the tables of a workspace ------------------------------------------------------------

_MARKER = {"schema_version": SCHEMA_VERSION}
_RECIPES = {
    "672593ce2551e878": {
        "recipe": {"name": "standard", "nodes": 100, "lines": 10, "settings": []},
        "engine": {"name": "Scripted 1", "network": "", "options": []},
    }
}
_SUMMED = {**_RECIPES, "crc32": crc32_of(_RECIPES)}
_SETTINGS = b"""jobs = 4
recipe = "standard"
engine = "stockfish"
[aliases]
"Kasparov, Gary" = "Kasparov, Garry"
"""


def _workspace_with(path: Path, name: str) -> Workspace:
    """A new workspace with this file in it."""
    folder = path.with_suffix(".assay")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if name != "workspace.json":
        (folder / "workspace.json").write_text(json.dumps(_MARKER))
    shutil.copyfile(path, folder / name)
    return Workspace(folder)


def _read_marker(path: Path) -> object:
    workspace = _workspace_with(path, "workspace.json")
    assert workspace.exists()
    with workspace.writing():
        return workspace.version()


def _read_recipes(path: Path) -> object:
    workspace = _workspace_with(path, "recipes.json")
    for about in workspace.recipes().values():
        assert isinstance(about["recipe"], dict)
        assert isinstance(about["engine"], dict)
    return workspace


def _read_summed(path: Path) -> object:
    """With its checksum, a list that is read says what was written."""
    workspace = _workspace_with(path, "recipes.json")
    assert not read_recipes(workspace.table_analyses)[1] or workspace.recipes() == _RECIPES
    return workspace


def _read_settings(path: Path) -> object:
    found = find_settings(_workspace_with(path, "settings.toml").path)
    assert found.jobs is None or found.jobs > 0
    assert found.engine is None or found.engine == find_settings().engine  # never one of a workspace
    return found


TARGETS = (
    Target("pgn", ".pgn", _make_pgn, _read_pgn),
    Target("ndjson", ".ndjson", _changed_json(_LICHESS_GAME, _LICHESS_GAME), _read_pgn),
    Target("zip", ".zip", _make_zip, _read_pgn),
    Target("recipe", ".toml", _changed(_RECIPE), _read_recipe),
    Target("results", ".csv", _changed(_RESULTS), _read_results),
    Target("calibration", ".npz", _make_calibration, _read_calibration),
    Target("decisions", ".parquet", _make_decisions, _read_decisions),
    Target("evaluations", ".jsonl", _changed_json(_EVALUATED, _EVALUATED), _read_evaluations),
    Target("spelling", ".ssp", _changed(_SPELLING), _read_spelling),
    Target("engine", ".txt", _changed(_LINES), _read_lines),
    Target("workspace", ".json", _changed_json(_MARKER), _read_marker),
    Target("recipes", ".json", _changed_json(_RECIPES), _read_recipes),
    Target("summed", ".json", _changed_json(_SUMMED), _read_summed),
    Target("settings", ".toml", _changed(_SETTINGS), _read_settings),
)
