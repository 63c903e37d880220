"""A small file of champions, of made-up games."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from assay.rating.calibration import shipped
from assay.rating.champions import BY_GAME, BY_MOVES, FORMAT, WHAT, CareerModel, features_hash
from assay.testing import make_decisions
from research.calibration.champions import STRENGTHS, evidence_arrays, write

QUICK, STANDARD = "266262b92aeaddbc", "672593ce2551e878"


def write_champions(path: Path, born: Mapping[str, int]) -> Path:
    """Write two players, by their years of birth, in three years."""
    calibration = shipped(QUICK)
    assert calibration is not None
    first, second = born
    decisions = make_decisions(12, 60, players=(first, second), recipe=QUICK, trace=True)
    decisions = decisions.take(np.flatnonzero(decisions.numbers("year") < 2003))
    arrays = evidence_arrays(decisions, calibration)
    arrays["results"] = np.tile([20.0, 10, 6, 4, 48000, 20, 47000, 20], (len(arrays["groups"]), 1))
    header = {
        "what": WHAT,
        "format": FORMAT,
        "recipe_id": QUICK,
        "recipe": "quick",
        "models": {name: calibration.models[name].identity for name in (*BY_MOVES, *BY_GAME)},
        "shapes": {name: list(calibration.models[name].shape) for name in (*BY_MOVES, *BY_GAME)},
        "strengths": {name: calibration.models[name].identity for name in STRENGTHS},
        "features": features_hash(calibration.models),
        "born": dict(born),
        "games": 12,
        "engine": "Stockfish 15.1",
        "date": "2026-11-18",
        "prior": asdict(CareerModel(2400.0, 100.0, 30.0, 100.0, 10.0, 80.0, 30.0, 80.0, 80.0)),
    }
    write(path, header, arrays)
    return path
