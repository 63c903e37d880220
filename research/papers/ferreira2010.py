"""Ferreira 2010 on the competition's games, for docs/evidence/results.md.

The mean of White, tuning by Algorithm 2 on the paper's kind of sets, and whether it would have found Eq. 18.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.figures.curves import Panel, Series, curves
from assay.reproduce.ferreira2010 import rows
from assay.results.competition import read_competition
from assay.results.ferreira import AFTER_THE_FACT, SUBMITTED, Beta, ResultsModel, time_weight, tune_beta
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


def figure_1(games: Games) -> Tables:
    """The weight of a game by its month for several beta 4, with M = 100; into the folder of --figures."""
    months = np.arange(0, 101)
    series = [
        Series(f"beta 4 = {b4:g}", months.tolist(), time_weight(100 - months, b4).tolist(), number=number)
        for number, b4 in enumerate((0.1, 0.5, 1.0, 2.0, 5.0, 10.0))
    ]
    panel = Panel(
        [replace(line, marks=False) for line in series], x_title="month", y_title="weight of a game"
    )
    games.draw("ferreira2010-1", f"{curves('Figure 1: weight of a game by its month', [panel]).svg()}\n")
    return ()


PARTS = (sections, figure_1)
