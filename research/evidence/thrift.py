"""What a search that ends early would have said, and what ratings lose by it: from stored traces, no engine.

    python -m research.evidence.thrift WORKSPACE [RECIPE]

The workspace holds rated games analysed with `standard`. Each search is cut at the first depth that is enough
by the rule of RECIPE (`thrifty`), to as many lines as that recipe lists. Four lines are not quite the first
four of ten, since the engine's memory differs; and a played move outside the lines was not searched alone to
the smaller depth: it takes the value that it has in the ten lines there, or else in the end. So this is near
to what the recipe would say, not the same. Both are calibrated and rated in halves
(assay.rating.accuracy), in the same groups, so that differences are paired.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions import evaluation, move_codes
from assay.decisions.arrays import Ints, flat, list_offsets, make_lists, single
from assay.decisions.decisions import Decisions
from assay.decisions.schema import ALONE, ANALYSES
from assay.engine.recipe import Recipe, find_recipe
from assay.engine.stopping import until_enough
from assay.engine.trace import Line
from assay.models.appearances import Appearances
from assay.models.intervals import resample_weights
from assay.rating.accuracy import Outcome, held_out
from assay.rating.rater import COMBINED
from assay.workspace import Workspace
from assay.workspace.assemble import assemble

SIZES = (1, 3, 10)
_RESAMPLED = 1000


def enough_depths(analyses: pa.Table, recipe: Recipe) -> Ints:
    """The depth at which each search would have ended by the rule of the recipe; its own where by none."""
    assert recipe.enough is not None
    found: Ints = single(analyses["depth"]).to_numpy(zero_copy_only=False).astype(np.int64)
    offsets = list_offsets(analyses["trace_depth"])
    depth, move, value = (flat(analyses[f"trace_{one}"]).to_pylist() for one in ("depth", "move", "value"))
    legal = analyses["n_legal"].to_pylist()
    for row, (start, end) in enumerate(pairwise(offsets.tolist())):
        depths: dict[int, list[Line]] = {}
        for entry in range(start, end):
            lines = depths.setdefault(depth[entry], [])
            if len(lines) < recipe.lines:
                lines.append(Line(depth[entry], len(lines) + 1, move[entry], value[entry], 0))
        ended = until_enough([tuple(lines) for lines in depths.values()], legal[row], recipe.enough)
        if ended is not None:
            found[row] = ended[-1][0].depth
    return found


def cut(analyses: pa.Table, depths: Ints, lines: int) -> tuple[pa.Table, pa.Table]:
    """Analyses cut at these depths to so many lines; what else is known of moves, as if searched alone."""
    offsets = list_offsets(analyses["trace_depth"])
    row = np.repeat(np.arange(len(analyses)), np.diff(offsets))
    depth = flat(analyses["trace_depth"]).to_numpy(zero_copy_only=False)
    begins = np.concatenate(([0], np.flatnonzero((np.diff(row) != 0) | (np.diff(depth) != 0)) + 1))
    rank = np.arange(len(row)) - np.repeat(begins, np.diff(np.append(begins, len(row))))
    kept = np.flatnonzero((depth <= depths[row]) & (rank < lines))
    at_last = np.flatnonzero((depth == depths[row]) & (rank < lines))
    value = flat(analyses["trace_value"]).to_numpy(zero_copy_only=False)
    cp, mate = evaluation.decode(value[at_last])

    def lists(entries: Ints, values: pa.Array) -> pa.Array:
        counts = np.bincount(row[entries], minlength=len(analyses))
        return make_lists(np.concatenate(([0], np.cumsum(counts))), values)

    columns = {
        "moves": lists(at_last, flat(analyses["trace_move"]).take(pa.array(at_last))),
        "cp": lists(at_last, cp),
        "mate": lists(at_last, mate),
        "depth": pa.array(depths),
    }
    for name in ("trace_depth", "trace_move", "trace_value"):
        columns[name] = lists(kept, flat(analyses[name]).take(pa.array(kept)))
    found = analyses
    for name, column in columns.items():
        kind = ANALYSES.arrow.field(name)
        found = found.set_column(found.schema.get_field_index(name), kind, column.cast(kind.type))
    deepest = single(analyses["depth"]).to_numpy(zero_copy_only=False)
    others = [np.flatnonzero(depth == depths[row]), np.flatnonzero(depth == deepest[row])]
    return found, _as_alone(analyses, row, np.concatenate(others))


def _as_alone(analyses: pa.Table, row: Ints, entries: Ints) -> pa.Table:
    """Entries of the trace as searches of one move; of a move that is there twice, the first."""
    codes = move_codes.encode(flat(analyses["trace_move"]))
    pairs = np.stack((row[entries], codes[entries]), axis=1)
    entries = entries[np.sort(np.unique(pairs, axis=0, return_index=True)[1])]
    place = pa.array(row[entries])
    shared = ("position_key", "recipe_id", "depth", "nodes", "seconds")
    columns = {name: single(analyses[name]).take(place) for name in shared}
    columns["move"] = flat(analyses["trace_move"]).take(pa.array(entries))
    value = flat(analyses["trace_value"]).to_numpy(zero_copy_only=False)
    columns["cp"], columns["mate"] = evaluation.decode(value[entries])
    for one in ALONE.arrow:
        columns[one.name] = columns.get(one.name, pa.nulls(len(entries), one.type)).cast(one.type)
    return pa.table({name: columns[name] for name in ALONE.arrow.names}, schema=ALONE.arrow)


def decisions_cut(workspace: Workspace, recipe_id: str, depth: int, lines: int) -> Decisions:
    """Decisions as they would be, very nearly, had every search ended at a depth, with so many lines."""
    analyses, alone = _stored(workspace, recipe_id)
    deepest = single(analyses["depth"]).to_numpy(zero_copy_only=False).astype(np.int64)
    found, known = cut(analyses, np.minimum(deepest, depth), lines)
    return assemble(workspace.games(), found, pa.concat_tables([alone, known]), recipe_id, trace=True)


def _stored(workspace: Workspace, recipe_id: str) -> list[pa.Table]:
    """Analyses of a recipe, and its searches of moves alone."""
    tables = (workspace.table_analyses.read(), workspace.table_alone.read())
    return [table.filter(pc.equal(table["recipe_id"], recipe_id)) for table in tables]


def thrifty_decisions(workspace: Workspace, recipe_id: str, recipe: Recipe) -> Decisions:
    """Decisions as they would be, very nearly, had the games been analysed with the recipe."""
    analyses, alone = _stored(workspace, recipe_id)
    found, known = cut(analyses, enough_depths(analyses, recipe), recipe.lines)
    return assemble(workspace.games(), found, pa.concat_tables([alone, known]), recipe_id, trace=True)


def paired(first: Sequence[Outcome], second: Sequence[Outcome], seed: int = 0) -> tuple[float, float, float]:
    """Mean absolute error of the first less that of the second, in the same groups, and its 95% interval.

    Groups are resampled. Composites are dealt twice, so that theirs is somewhat too narrow.
    """
    if [(one.games, one.reference) for one in first] != [(one.games, one.reference) for one in second]:
        raise ValueError("the groups are not the same")
    apart = np.array([abs(one.error) - abs(other.error) for one, other in zip(first, second, strict=True)])
    drawn = resample_weights(len(apart), _RESAMPLED, seed) @ apart / len(apart)
    low, high = np.quantile(drawn, (0.025, 0.975)).tolist()
    return float(apart.mean()), low, high


def main() -> None:
    """Print what ratings lose."""
    workspace, recipe = Workspace(sys.argv[1]), find_recipe((*sys.argv[2:], "thrifty")[0])
    recipe_id = workspace.recipe_id("standard")
    sources = (thrifty_decisions(workspace, recipe_id, recipe), workspace.decisions(recipe_id, trace=True))
    thrifty, whole = (held_out(Appearances.of(one), sizes=SIZES, splits=1) for one in sources)
    for games in SIZES:
        kind = (games, COMBINED, games == 1)
        ours, theirs = (
            [one for one in found if (one.games, one.method, one.one_player) == kind]
            for found in (thrifty, whole)
        )
        errors = [np.mean([abs(one.error) for one in found]) for found in (ours, theirs)]
        within = [np.mean([one.within_95 for one in found]) for found in (ours, theirs)]
        apart, low, high = paired(ours, theirs)
        print(
            f"{games} game(s): {recipe.name} {errors[0]:.1f} ({within[0]:.1%} in 95%), "
            f"standard {errors[1]:.1f} ({within[1]:.1%}), apart {apart:+.1f} ({low:+.1f} to {high:+.1f})"
        )


if __name__ == "__main__":
    main()
