"""Weights over depths: 50,000 decisions of ten lines and ten depths to values by depth, and to evidence."""

from typing import Any

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import make_lists
from assay.decisions.decisions import Decisions
from assay.decisions.depths import values_by_depth
from assay.models.depth.model import DepthModel
from benchmarks.measure import best_seconds, row

DECISIONS = 50_000
LINES = 10
DEPTHS = 10


def _decisions() -> Decisions:
    generator = np.random.default_rng(0)
    final = -np.sort(-generator.normal(0, 150, (DECISIONS, LINES)), axis=1)
    noise = generator.normal(0, 60, (DECISIONS, DEPTHS, LINES)) * np.linspace(1, 0, DEPTHS)[:, None]
    seen = final[:, None, :] + noise
    order = np.argsort(-seen, axis=2)
    moves = pa.array([f"m{option}" for option in range(LINES)])
    lines = np.arange(DECISIONS + 1) * LINES
    entries = lines * DEPTHS
    depth = np.broadcast_to(np.arange(1, DEPTHS + 1)[:, None], (DECISIONS, DEPTHS, LINES)).ravel()
    played = np.minimum(generator.geometric(0.5, DECISIONS) - 1, LINES - 1)
    return Decisions.from_table(
        pa.table(
            {
                "player": ["Ann"] * DECISIONS,
                "game_id": [f"game{decision // 30}" for decision in range(DECISIONS)],
                "ply": pa.array(np.full(DECISIONS, 40, np.int16)),
                "n_legal": pa.array(np.full(DECISIONS, 35, np.int16)),
                "moves": make_lists(lines, moves.take(pa.array(np.tile(np.arange(LINES), DECISIONS)))),
                "cp": make_lists(lines, pa.array(final.ravel().astype(np.int32))),
                "played": moves.take(pa.array(played)),
                "trace_depth": make_lists(entries, pa.array(depth.astype(np.int16))),
                "trace_move": make_lists(entries, moves.take(pa.array(order.ravel()))),
                "trace_value": make_lists(
                    entries, pa.array(np.take_along_axis(seen, order, axis=2).ravel().astype(np.int16))
                ),
            }
        )
    )


def run() -> list[dict[str, Any]]:
    decisions, model = _decisions(), DepthModel()
    few = decisions.take(np.arange(100))
    model.profile(few)  # compiles
    values = best_seconds(lambda: values_by_depth(decisions), runs=5)
    group = np.zeros(DECISIONS, np.int64)
    evidence = best_seconds(lambda: model.evidence(decisions, group, 1), runs=3)
    return [
        row("50,000 decisions of 10 options to values at every depth", values, "s", "under 1", values < 1),
        row("50,000 decisions to evidence of weights over depths", evidence, "s", "under 5", evidence < 5),
    ]
