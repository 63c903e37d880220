"""Positions of milepost games with a value for every legal move at every depth, to simulate agents on.

    python -m research.papers.regan2011.depth_positions WORKSPACE [--positions 400] [--engine stockfish]

makes depth_positions.npz, which is kept beside this module: positions after turn 8, drawn at random, every
legal move a line of one search of 60,000 nodes. `with_lines` reads them as if the engine had given ten lines,
as `standard` does: the lines of each depth are the ten best of that depth.
"""

from __future__ import annotations

import argparse
from importlib.resources import as_file, files
from pathlib import Path

import chess
import chess.engine
import numpy as np
import pyarrow as pa

from assay.decisions.arrays import Ints, make_lists
from assay.decisions.decisions import Decisions
from assay.decisions.depths import Small
from assay.decisions.rules import after_turn, choice_of_two, rated
from assay.workspace.workspace import Workspace

FILE = "depth_positions.npz"
NODES = 60_000
SEED = 1


class AllMoves:
    """Values of every legal move of some positions at every depth, in no order: move `m7` is row 7."""

    def __init__(self, counts: Ints, depths: Ints, values: Small) -> None:
        self.counts, self.depths = counts, depths
        sizes = counts * depths
        ends = np.concatenate(([0], np.cumsum(sizes)))
        self.values = [
            values[start:end].reshape(depth, count)
            for start, end, depth, count in zip(ends[:-1], ends[1:], depths, counts, strict=True)
        ]

    @classmethod
    def kept(cls) -> AllMoves:
        """The positions that are kept beside this module."""
        with as_file(files(__package__) / FILE) as path, np.load(path) as kept:
            return cls(kept["counts"].astype(np.int64), kept["depths"].astype(np.int64), kept["values"])

    def with_lines(self, rows: Ints, played: Ints, lines: int, player: str = "anyone") -> Decisions:
        """Decisions in some of the positions, had the engine given so many lines of each depth.

        A played move outside the last lines is searched alone: it has its value at the last depth.
        """
        options, trace, legal, n_lines = [], [], [], []
        for row, move in zip(rows, played, strict=True):
            values = self.values[row]
            order = np.argsort(-values, axis=1, kind="stable")[:, :lines]
            last = order[-1].tolist()
            if move not in last:
                last.append(int(move))
            options.append([(f"m{one}", int(values[-1, one])) for one in last])
            trace.append(
                [(d + 1, f"m{one}", int(values[d, one])) for d in range(len(values)) for one in order[d]]
            )
            legal.append(values.shape[1])
            n_lines.append(order.shape[1])
        return _decisions(options, trace, legal, n_lines, [f"m{one}" for one in played], player)


def _decisions(
    options: list[list[tuple[str, int]]],
    trace: list[list[tuple[int, str, int]]],
    legal: list[int],
    lines: list[int],
    played: list[str],
    player: str,
) -> Decisions:
    starts = np.concatenate(([0], np.cumsum([len(one) for one in options])))
    ends = np.concatenate(([0], np.cumsum([len(one) for one in trace])))
    moves, values = zip(*(pair for one in options for pair in one), strict=True)
    depth, move, value = zip(*(line for one in trace for line in one), strict=True)
    table = {
        "player": [player] * len(options),
        "game_id": ["all"] * len(options),
        "moves": make_lists(starts, pa.array(moves)),
        "cp": make_lists(starts, pa.array(values, pa.int32())),
        "played": played,
        "n_lines": pa.array(lines, pa.int16()),
        "n_legal": pa.array(legal, pa.int16()),
        "trace_depth": make_lists(ends, pa.array(depth, pa.int16())),
        "trace_move": make_lists(ends, pa.array(move)),
        "trace_value": make_lists(ends, pa.array(value, pa.int16())),
    }
    return Decisions.from_table(pa.table(table))


def search(keys: list[str], engine: str) -> dict[str, Ints | Small]:
    """Values of every legal move at every complete depth."""
    counts, depths, values = [], [], []
    with chess.engine.SimpleEngine.popen_uci(engine) as program:
        for key in keys:
            board = chess.Board(f"{key} 0 1")
            names = [move.uci() for move in board.legal_moves]
            found = _depths(program, board, names)
            counts.append(len(names))
            depths.append(len(found))
            values += [found[d][name] for d in sorted(found) for name in names]
    return {
        "counts": np.array(counts),
        "depths": np.array(depths),
        "values": np.clip(values, -32000, 32000).astype(np.int16),
    }


def _depths(
    program: chess.engine.SimpleEngine, board: chess.Board, names: list[str]
) -> dict[int, dict[str, int]]:
    """By depth, what every legal move is worth, where all were reported at that depth."""
    blocks: dict[int, dict[str, int]] = {}
    limit = chess.engine.Limit(nodes=NODES)
    with program.analysis(board, limit, multipv=len(names), game=object()) as analysis:
        for info in analysis:
            if "pv" in info and "score" in info and not {"lowerbound", "upperbound"} & set(info):
                value = info["score"].relative.score(mate_score=32000)
                if value is not None:
                    blocks.setdefault(info["depth"], {})[info["pv"][0].uci()] = value
    whole = sorted(depth for depth, block in blocks.items() if len(block) == len(names))
    # The limit can cut the last depth off in the middle of a repetition of older lines.
    return {depth: blocks[depth] for depth in (whole[:-1] if len(whole) > 1 else whole)}


def main() -> None:
    """Make the file again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--engine", default="stockfish")
    given = parser.parse_args()
    workspace = Workspace(given.workspace)
    decisions = workspace.decisions("standard").filter(rated(), after_turn(8), choice_of_two())
    keys = sorted({key for key in decisions.text("position_key") if key})
    drawn = np.random.default_rng(SEED).permutation(len(keys))[: given.positions]
    found = search([keys[place] for place in drawn], given.engine)
    place = Path(__file__).with_name(FILE)
    counts, depths = (found[name].astype(np.uint8) for name in ("counts", "depths"))
    np.savez_compressed(place, counts=counts, depths=depths, values=found["values"])
    print(place)


if __name__ == "__main__":
    main()
