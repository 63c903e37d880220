"""Ferreira 2010 on the competition's games, for docs/evidence/results.md.

The mean of White, tuning by Algorithm 2 on the paper's kind of sets, and whether it would have found Eq. 18.
"""

from __future__ import annotations

import numpy as np

from assay.reproduce.ferreira2010 import rows
from assay.results.competition import read_competition
from assay.results.ferreira import AFTER_THE_FACT, SUBMITTED, Beta, ResultsModel, tune_beta
from assay.results.games import splits
from assay.results.metrics import month_rmse
from research.markdown import Tables, table
from research.papers import Games

SETS = 8
"""Validation sets of five months, one month apart."""


def sections(games: Games) -> Tables:
    """Section 4, and whether tuning would have found Eq. 18, which the end of section 5 asks."""
    training = read_competition(games.path("results-2010/training_data.csv")).games
    numbers = [row for row in rows(training) if row.computed is not None]
    cells = [(row.item, f"{row.published:.10g}", f"{row.computed:.10g}") for row in numbers]
    yield "Section 4", table(("number", "published", "computed"), cells)
    sets = splits(training, SETS)
    tuned = tune_beta(sets)
    betas = {
        "Eq. 17, submitted": SUBMITTED,
        "Eq. 18, after the fact": AFTER_THE_FACT,
        "tuned": Beta(*tuned.values),
    }
    lines = []
    for name, beta in betas.items():
        errors = [
            month_rmse(part.validation, ResultsModel(beta).fit(part.training).forecast(part.validation))
            for part in sets
        ]
        lines.append((name, *(f"{value:.6g}" for value in beta), f"{np.mean(errors):.5f}"))
    heads = ("settings", *(f"beta {place}" for place in range(5)), f"error on {SETS} sets")
    yield "Section 5", table(heads, lines)


PARTS = (sections,)
