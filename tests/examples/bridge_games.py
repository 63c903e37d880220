"""The same games by another source of values: wider, and with errors of its own."""

import numpy as np
import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.models.appearances import Appearances
from assay.models.registry import make_model
from assay.rating.calibration import Calibration

OTHER = "other"


def few_methods(appearances: Appearances) -> Calibration:
    """A native calibration of some methods, which are quick: strengths, and one that compares."""
    models = {name: make_model(name) for name in ("bayes", "conformance", "gain")}
    return Calibration.fit(appearances, {"engine": "agents", "recipe": "made", "games": 100}, models)


def revalued(games: Decisions, *, wider: float = 1.3, error: float = 20.0, recipe: str = OTHER) -> Decisions:
    """Decisions whose options are worth `wider` times as much, give or take `error` centipawns."""
    rng = np.random.default_rng(17)
    rows = games.to_table().to_pylist()
    for row in rows:
        values = wider * np.array(row["cp"]) + rng.normal(0, error, len(row["cp"]))
        order = np.argsort(-values, kind="stable")
        played = row["moves"][row["played_index"]] if row.get("played_index") is not None else row["played"]
        row["cp"] = [round(float(values[one])) for one in order]
        row["moves"] = [row["moves"][one] for one in order]
        row["after"] = round(wider * row["after"] + float(rng.normal(0, error / 4)))
        row["recipe_id"], row["played"] = recipe, played
        for known in ("played_index", "mate", "before", "trace"):
            row.pop(known, None)
    return Decisions.from_table(pa.Table.from_pylist(rows))
