"""What a smaller search would have said: the same analyses, read from their trace at a smaller depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions import evaluation
from assay.decisions.arrays import flat, list_offsets, make_lists, single
from assay.decisions.decisions import Decisions
from assay.decisions.schema import ALONE, ANALYSES
from assay.engine.engines import EngineConfig, open_engine
from assay.engine.recipe import Recipe
from assay.workspace import Workspace
from assay.workspace.assemble import assemble


def decisions_at_depth(workspace: Workspace, recipe_id: str, depth: int) -> Decisions:
    """Decisions as they would be had every search ended at `depth`, or before it where it did.

    A played move that was not among the lines yet takes the value that it has in the end, capped at the last
    line as always: no search of it alone to the smaller depth is kept.
    """
    analyses = workspace.table_analyses.read()
    analyses = analyses.filter(pc.equal(analyses["recipe_id"], recipe_id))
    alone = workspace.table_alone.read()
    alone = alone.filter(pc.equal(alone["recipe_id"], recipe_id))
    known = pa.concat_tables([alone, _lines_as_alone(analyses)])
    return assemble(workspace.games(), at_depth(analyses, depth), known, recipe_id)


def at_depth(analyses: pa.Table, depth: int) -> pa.Table:
    """Analyses with the lines of their trace at `depth`."""
    offsets = list_offsets(analyses["trace_depth"])
    row = np.repeat(np.arange(len(analyses)), np.diff(offsets))
    deepest = single(analyses["depth"]).to_numpy(zero_copy_only=False).astype(np.int64)
    depths = flat(analyses["trace_depth"]).to_numpy(zero_copy_only=False)
    kept = np.flatnonzero(depths == np.minimum(depth, deepest)[row])
    ends = np.concatenate(([0], np.cumsum(np.bincount(row[kept], minlength=len(analyses)))))
    values = flat(analyses["trace_value"]).take(pa.array(kept)).to_numpy(zero_copy_only=False)
    cp, mate = evaluation.decode(values)
    columns = {
        "moves": make_lists(ends, flat(analyses["trace_move"]).take(pa.array(kept))),
        "cp": make_lists(ends, cp),
        "mate": make_lists(ends, mate),
    }
    for name, column in columns.items():
        kind = ANALYSES.arrow.field(name)
        place = analyses.schema.get_field_index(name)
        analyses = analyses.set_column(place, kind, column.cast(kind.type))
    return analyses


def _lines_as_alone(analyses: pa.Table) -> pa.Table:
    """The lines of the whole search as if each move had been searched alone."""
    counts = np.diff(list_offsets(analyses["moves"]))
    row = pa.array(np.repeat(np.arange(len(analyses)), counts))
    shared = ("position_key", "recipe_id", "depth", "nodes", "seconds")
    columns = {name: single(analyses[name]).take(row) for name in shared}
    columns |= {"move": flat(analyses["moves"]), "cp": flat(analyses["cp"]), "mate": flat(analyses["mate"])}
    for field in ALONE.arrow:
        if field.name not in columns:  # of searches of one move only: their trace
            columns[field.name] = pa.nulls(len(row), field.type)
    return pa.table({name: columns[name] for name in ALONE.arrow.names}, schema=ALONE.arrow)


@dataclass(frozen=True)
class SearchCost:
    """What searches to one depth take, on average over some positions."""

    depth: int
    nodes: float
    seconds: float


def search_costs(
    positions: Sequence[str], depths: Sequence[int], recipe: Recipe, config: EngineConfig
) -> list[SearchCost]:
    """Cost of searches to each depth, and (depth 0) of the recipe itself: each position by all of them."""
    session, _ = open_engine(config, recipe)
    nodes: dict[int, list[float]] = {depth: [] for depth in (*depths, 0)}
    seconds: dict[int, list[float]] = {depth: [] for depth in nodes}
    try:
        for position in positions:
            for depth in nodes:
                go = f"depth {depth}" if depth else recipe.limit
                found = session.search(
                    f"fen {position} 0 1",
                    go,
                    n_lines=recipe.lines,
                    clear=True,
                    ceiling=recipe.ceiling,
                    last_depth=depth or None,
                )
                nodes[depth].append(found.nodes)
                seconds[depth].append(found.seconds)
    finally:
        session.close()
    return [SearchCost(one, float(np.mean(nodes[one])), float(np.mean(seconds[one]))) for one in nodes]
