"""A million decisions of ten options: from the store, and through a filter."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.arrays import decode_moves, make_lists, single
from assay.decisions.rules import after_turn, not_forced, not_repeated, rated, within
from assay.decisions.schema import ANALYSES
from assay.workspace import Workspace
from assay.workspace.assemble import positions_of
from benchmarks.measure import best_seconds, row, shared

DECISIONS = 1_000_000
OPTIONS = 10


def _analyse(workspace: Workspace) -> None:
    """Analyses of every position, ten random moves each: the shape of the real thing."""
    positions = positions_of(workspace.games())
    keys = pc.unique(positions.keys)
    generator = np.random.default_rng(0)
    n = len(keys)
    offsets = np.arange(n + 1, dtype=np.int64) * OPTIONS
    codes = generator.integers(0, 4096, n * OPTIONS).astype(np.int16)
    cp = np.sort(generator.normal(0, 150, (n, OPTIONS)).astype(np.int32), axis=1)[:, ::-1].ravel()
    empty = pa.ListArray.from_arrays(pa.array(np.zeros(n + 1, np.int32)), pa.array([], pa.int16()))
    rows = {
        "position_key": keys,
        "recipe_id": pa.array(["bench"] * n),
        "n_legal": np.full(n, 30, np.int16),
        "depth": np.full(n, 10, np.int16),
        "nodes": np.full(n, 150_000),
        "seconds": np.full(n, 0.17, np.float32),
        "moves": make_lists(offsets, decode_moves(codes)),
        "cp": make_lists(offsets, pa.array(cp)),
        "mate": make_lists(offsets, pa.nulls(n * OPTIONS, pa.int16())),
        "wdl": pa.nulls(n, pa.list_(pa.int16())),
        "seldepth": pa.nulls(n, pa.int16()),
        "tbhits": pa.nulls(n, pa.int64()),
        "trace_depth": empty,
        "trace_move": empty.cast(pa.list_(pa.string())),
        "trace_value": empty,
    }
    absent = [field for field in ANALYSES.arrow if field.name not in rows]  # columns that may be null
    rows |= {field.name: pa.nulls(len(rows["position_key"]), field.type) for field in absent}
    workspace.table_analyses.append(pa.table(rows).select(ANALYSES.arrow.names))


def _fill(place: Path) -> Workspace:
    workspace = Workspace(place / "w.assay")
    workspace.import_games(shared("careers"))
    games = workspace.table_games.read()
    plies = np.cumsum(single(games["n_plies"]).to_numpy())
    workspace.table_games.replace(games.slice(0, int(np.searchsorted(plies, DECISIONS)) + 1))
    _analyse(workspace)
    return workspace


def run() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as place:
        workspace = _fill(Path(place))
        decisions = workspace.decisions("bench")
        build = best_seconds(lambda: workspace.decisions("bench"))
    rules = (after_turn(8), not_forced(), not_repeated(), within(300), rated())
    filtering = best_seconds(lambda: decisions.filter(*rules), runs=5)
    per_million = 1e6 / len(decisions)
    return [
        row("a million decisions of 10 options from the store", build * per_million, "s", most=5),
        row("five rules over a million decisions", filtering * per_million, "s", most=0.2),
    ]
