"""Screening after the engine's work: 300 players of 10,000 analysed decisions."""

from typing import Any

import numpy as np

from assay.decisions.decisions import Decisions
from assay.rating.calibration import shipped
from assay.screening.norms import find_norms
from assay.screening.screen import screen_decisions
from assay.workspace import Workspace
from benchmarks.measure import best_seconds, row, shared

DECISIONS, PLAYERS = 10_000, 300
RECIPE = "672593ce2551e878"


def dealt(decisions: Decisions) -> Decisions:
    """The first decisions after the opening, their games dealt to three hundred names."""
    late = decisions.take(np.flatnonzero(decisions.numbers("ply") >= 16)[:DECISIONS])
    codes = np.arange(len(late)) * PLAYERS // len(late)
    table = late.table()
    for column, text in (("player", "Player"), ("game_id", "Game")):
        names = [f"{text} {code:03d}" for code in codes]
        table = table.set_column(table.schema.get_field_index(column), column, [names])
    return Decisions.from_table(table)


def run() -> list[dict[str, Any]]:
    place = shared("analysed/mileposts-standard")
    decisions = dealt(Workspace(place).decisions(RECIPE, trace=True))
    calibration, norms = shipped(RECIPE), find_norms(RECIPE)
    assert calibration is not None
    assert norms is not None
    seconds = best_seconds(lambda: screen_decisions(decisions, calibration, norms, least=5), runs=2)
    return [row("300 players of 10,000 decisions screened", seconds, "s", most=10)]
