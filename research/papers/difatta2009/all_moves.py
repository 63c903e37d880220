"""Positions of milepost games with a value for every legal move, to try what is assumed about unlisted ones.

    python -m research.papers.difatta2009.all_moves ANALYSED [--positions 1650] [--engine stockfish]

makes all_moves.npz, which is kept beside this module: positions after turn 12, drawn at random from a file of
decisions of milepost games with positions (`fen`), every legal move a line of one search of 40,000 nodes.
"""

from __future__ import annotations

import argparse
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import chess
import chess.engine
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions

FILE = "all_moves.npz"
NODES = 40_000
SEED = 1
POSITIONS = 1650
LIMIT = 3000
"""Values are kept within so many centipawns: beyond the limit of the method, so nothing is lost."""


def all_moves() -> Decisions:
    """The kept positions, all legal moves listed best first, with the move that was played in the game."""
    with as_file(files(__package__) / FILE) as path, np.load(path) as kept:
        counts, values, played = (kept[name].astype(np.int64) for name in ("counts", "values", "played"))
    return made(values, np.concatenate(([0], np.cumsum(counts))), played, counts, counts)


def made(values: Ints, starts: Ints, played: Ints, lines: Ints, legal: Ints) -> Decisions:
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
    kept = (rank < lines) | (rank == np.repeat(played, options))
    counts = np.add.reduceat(kept.astype(np.int64), decisions.offsets[:-1])
    starts = np.concatenate(([0], np.cumsum(counts)))
    listed = np.minimum(options, lines)
    return made(decisions.values[kept].astype(np.int64), starts, np.minimum(played, lines), listed, options)


def every_choice(decisions: Decisions) -> Decisions:
    """Each decision once for each of its options: that option is played."""
    rows = np.repeat(np.arange(len(decisions)), decisions.n_options)
    index = np.arange(len(decisions.values)) - np.repeat(decisions.offsets[:-1], decisions.n_options)
    return decisions.take(rows).with_played(index)


def draw(path: Path, positions: int = POSITIONS) -> list[dict[str, Any]]:
    """Positions after turn 12 in which a move was chosen, drawn at random: always the same ones."""
    columns = ["fen", "played", "ply", "n_legal"]
    rows = [
        row
        for row in pq.read_table(path, columns=columns).to_pylist()
        if row["played"] and row["ply"] >= 24 and row["n_legal"] > 1
    ]
    return [rows[number] for number in np.random.default_rng(SEED).permutation(len(rows))[:positions]]


def search(path: Path, positions: int, engine: str) -> dict[str, Ints]:
    """Values of every legal move of positions drawn at random."""
    values, counts, played = [], [], []
    with chess.engine.SimpleEngine.popen_uci(engine) as program:
        program.configure({"Threads": 1})
        for row in draw(path, positions):
            board = chess.Board(row["fen"])
            limit = chess.engine.Limit(nodes=NODES)
            found = program.analyse(board, limit, multipv=row["n_legal"], game=object())
            worth = [(line["score"].relative.score(mate_score=32000), line["pv"][0].uci()) for line in found]
            # Lines of the iteration that the limit cut off stand before older ones: order them by value.
            worth.sort(key=lambda one: -one[0])
            counts.append(len(worth))
            values += [int(np.clip(value, -LIMIT, LIMIT)) for value, _ in worth]
            played.append([move for _, move in worth].index(row["played"]))
    return {"values": np.array(values), "counts": np.array(counts), "played": np.array(played)}


def main() -> None:
    """Make the file again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("analysed", type=Path)
    parser.add_argument("--positions", type=int, default=POSITIONS)
    parser.add_argument("--engine", default="stockfish")
    given = parser.parse_args()
    found = search(given.analysed, given.positions, given.engine)
    place = Path(__file__).with_name(FILE)
    counts, played = (found[name].astype(np.uint8) for name in ("counts", "played"))
    np.savez_compressed(place, values=found["values"].astype(np.int16), counts=counts, played=played)
    print(place)


if __name__ == "__main__":
    main()
