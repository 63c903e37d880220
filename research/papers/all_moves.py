"""Positions of milepost games with a value for every legal move, to try what is assumed about unlisted ones.

all_moves.npz has 1,650 positions after move 12, drawn at random, each searched by Stockfish 15.1 with 40,000
nodes and every legal move as a line. Values are kept within 30 pawns.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions

FILE = Path(__file__).with_name("all_moves.npz")


def all_moves() -> Decisions:
    """The positions, all legal moves listed best first, with the move that was played in the game."""
    with np.load(FILE) as file:
        counts, values, played = (file[name].astype(np.int64) for name in ("counts", "values", "played"))
    return decisions_of(values, np.concatenate(([0], np.cumsum(counts))), played, counts, counts)


def decisions_of(values: Ints, starts: Ints, played: Ints, lines: Ints, legal: Ints) -> Decisions:
    """Decisions from flat values; options have numbers for names."""
    n = len(played)
    names = pa.array([f"move {rank}" for rank in range(int(np.diff(starts).max()))])
    rank = np.arange(len(values)) - np.repeat(starts[:-1], np.diff(starts))
    offsets = pa.array(starts, pa.int32())
    table = {
        "player": ["anyone"] * n,
        "game_id": ["all"] * n,
        "moves": pa.ListArray.from_arrays(offsets, names.take(pa.array(rank))),
        "cp": pa.ListArray.from_arrays(offsets, pa.array(values, pa.int32())),
        "played": names.take(pa.array(played)),
        "n_lines": pa.array(lines, pa.int16()),
        "n_legal": pa.array(legal, pa.int16()),
    }
    return Decisions.from_table(pa.table(table))


def read_as(decisions: Decisions, lines: int) -> Decisions:
    """The same decisions, had the engine given so many lines, and searched the played move alone."""
    options, played = decisions.n_options, decisions.played_index
    rank = np.arange(len(decisions.values)) - np.repeat(decisions.offsets[:-1], options)
    listed_options = (rank < lines) | (rank == np.repeat(played, options))
    counts = np.add.reduceat(listed_options.astype(np.int64), decisions.offsets[:-1])
    starts = np.concatenate(([0], np.cumsum(counts)))
    listed = np.minimum(options, lines)
    return decisions_of(
        decisions.values[listed_options].astype(np.int64), starts, np.minimum(played, lines), listed, options
    )


def every_choice(decisions: Decisions) -> Decisions:
    """Each decision once for each of its options: that option is played."""
    rows = np.repeat(np.arange(len(decisions)), decisions.n_options)
    index = np.arange(len(decisions.values)) - np.repeat(decisions.offsets[:-1], decisions.n_options)
    return decisions.take(rows).with_played(index)
