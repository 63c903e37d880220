"""What the games' comments say of their positions, found by game and position: evaluations and clocks."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.arrays import Floats, Ints, coded, single
from assay.decisions.clocks import MoveTimes, move_times
from assay.store.known import look_up

CLOCK_COLUMNS = ("game_id", "position", "clock", "elapsed")
"""Columns of the table annotations that tell of clocks."""


def with_clocks(annotations: pa.Table) -> pa.Table:
    """The annotations that tell of clocks, in those columns only: few bytes a position, for many games."""
    some = annotations.select(CLOCK_COLUMNS)
    some = some.filter(pc.or_(pc.is_valid(some["clock"]), pc.is_valid(some["elapsed"])))
    return some.set_column(0, "game_id", coded(some["game_id"]))


def rows_of_positions(games: pa.Table, offsets: Ints, annotations: pa.Table) -> Ints:
    """Row of the annotation of each position of the games; -1 where there is none.

    The positions of game i, one more than its moves, are at `offsets[i]` up to `offsets[i + 1]`.
    """
    named = coded(annotations["game_id"])
    known = look_up(named.dictionary, games["game_id"])
    codes = named.indices.to_numpy()
    game = known[codes] if len(known) else np.full(len(codes), -1)
    number = single(annotations["position"]).to_numpy().astype(np.int64)
    within = np.flatnonzero((game >= 0) & (number < np.diff(offsets)[game] if len(games) else False))
    found = np.full(int(offsets[-1]), -1, dtype=np.int64)
    found[offsets[game[within]] + number[within]] = within
    return found


def clock_columns(games: pa.Table, offsets: Ints, annotations: pa.Table | None) -> dict[str, pa.Array]:
    """The columns of decisions that tell of clocks, one row per move."""
    lengths = np.diff(offsets) - 1
    if annotations is None or not annotations.num_rows or not games.num_rows:
        nothing = pa.nulls(int(lengths.sum()), pa.float32())
        return dict.fromkeys(("seconds_before", "seconds_spent", "seconds_left"), nothing)
    times = clock_times(games, offsets, annotations)
    return {
        "seconds_before": pa.array(times.before, pa.float32(), from_pandas=True),
        "seconds_spent": pa.array(times.spent, pa.float32(), from_pandas=True),
        "seconds_left": pa.array(times.left, pa.float32(), from_pandas=True),
    }


def clock_times(games: pa.Table, offsets: Ints, annotations: pa.Table) -> MoveTimes:
    """What the clocks of these games say of their moves."""
    found = rows_of_positions(games, offsets, annotations)
    is_move = np.ones(len(found), dtype=bool)
    is_move[offsets[:-1]] = False  # what a clock shows stands behind the move
    rows = found[is_move]
    controls = games["time_control"].to_pylist() if "time_control" in games.column_names else []
    return move_times(
        _taken(annotations["clock"], rows),
        _taken(annotations["elapsed"], rows),
        np.diff(offsets) - 1,
        controls or [None] * games.num_rows,
    )


def wrong_clocks(games: pa.Table, annotations: pa.Table) -> Counter[str]:
    """How many clocks of these games tell nothing, by what is wrong with them: `backwards`, `absurd`."""
    clocks = with_clocks(annotations)
    if not clocks.num_rows:
        return Counter()
    offsets = np.concatenate(([0], np.cumsum(games["n_plies"].to_numpy().astype(np.int64) + 1)))
    times = clock_times(games, offsets, clocks)
    found = {"backwards": times.backwards, "absurd": times.absurd}
    return Counter({name: n for name, n in found.items() if n})


def _taken(column: pa.ChunkedArray, rows: Ints) -> Floats:
    values: Floats = pc.fill_null(single(column).cast(pa.float64()), np.nan).to_numpy(zero_copy_only=False)
    return np.append(values, np.nan)[rows]  # row -1 is the NaN
