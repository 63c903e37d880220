"""The posterior over c: from 30,000 decisions of ten moves, and with one decision more."""

from typing import Any

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import make_lists
from assay.decisions.decisions import Decisions
from assay.models.bayes import BayesModel, LivePosterior
from benchmarks.measure import best_seconds, row

DECISIONS = 30_000
OPTIONS = 10
LIVE = 20


def _decisions() -> Decisions:
    generator = np.random.default_rng(0)
    cp = -np.sort(-generator.normal(0, 150, (DECISIONS, OPTIONS)).astype(np.int32), axis=1)
    offsets = np.arange(DECISIONS + 1) * OPTIONS
    names = pa.array([f"m{option}" for option in range(OPTIONS)] * DECISIONS)
    index = np.minimum(generator.geometric(0.5, DECISIONS) - 1, OPTIONS - 1)
    return Decisions.from_table(
        pa.table(
            {
                "player": ["Ann"] * DECISIONS,
                "game_id": [f"game{decision // 30}" for decision in range(DECISIONS)],
                "ply": pa.array(np.full(DECISIONS, 40, np.int16)),
                "moves": make_lists(offsets, names),
                "cp": make_lists(offsets, pa.array(cp.ravel())),
                "played": [f"m{played}" for played in index],
            }
        )
    )


def run() -> list[dict[str, Any]]:
    decisions, model = _decisions(), BayesModel()

    def whole() -> None:
        posterior = model.posterior(model.profile(decisions))
        assert posterior.deviation < 0.02

    whole()  # compiles
    seconds = best_seconds(whole, runs=15)
    live = LivePosterior(model, model.profile(decisions))
    values = decisions.values[:OPTIONS]

    def more() -> None:
        for _ in range(LIVE):
            posterior = live.add(values, 1)
            assert posterior.deviation < 0.02

    each = best_seconds(more, runs=40) / LIVE * 1000
    return [
        row("30,000 decisions of 10 moves to the posterior over c", seconds, "s", "under 0.3", seconds < 0.3),
        row("one more decision to a live posterior over c", each, "ms", "under 1", each < 1),
    ]
