"""Ferreira 2010: what each part of the company model is worth, for docs/results.md.

Ten separate validation sets by the rules of the paper. Coefficients are learned from nine of them and tried
on the tenth, in turn.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from assay.results.company import ALONE, EVIDENCE, TUNED, CompanySettings, left_out_errors
from assay.results.competition import read_competition
from assay.results.ferreira import AFTER_THE_FACT, SUBMITTED, ResultsModel
from assay.results.games import splits
from assay.results.metrics import month_rmse
from research.markdown import Tables, table
from research.papers import Games

NO_SCHEDULE = replace(TUNED, schedule=0.0)
VARIANTS: list[tuple[str, CompanySettings, tuple[str, ...]]] = [
    ("ratings alone", ALONE, ("difference",)),
    ("company-alone: and doubt", ALONE, ("difference", "doubt")),
    ("schedule in the ratings only", TUNED, ("difference", "doubt")),
    ("schedule in the forecast only", NO_SCHEDULE, EVIDENCE),
    ("company without the month's company", TUNED, ("difference", "doubt", "month_games", "all_games")),
    ("company without numbers of games", TUNED, ("difference", "doubt", "company")),
    ("company without doubt", TUNED, ("difference", "company", "month_games", "all_games")),
    ("company, one pull for all", replace(TUNED, pull_by_games=0.0), EVIDENCE),
    ("company, opponents fade like results", replace(TUNED, company_fade=TUNED.fade), EVIDENCE),
    ("company, no fading", replace(TUNED, fade=0.0, company_fade=0.0), EVIDENCE),
    ("company", TUNED, EVIDENCE),
]


def ablation(games: Games) -> Tables:
    """Month-aggregated errors of every variant on the ten sets."""
    yield "Parts of the company model", errors_table(games.path("results-2010/training_data.csv"))


def errors_table(path: Path) -> str:
    """Mean error of each variant, and those of the sets."""
    sets = splits(read_competition(path).games, 10, apart=5)
    errors: dict[str, list[float]] = {}
    for name, beta in (("ferreira2010, submitted", SUBMITTED), ("ferreira2010, after", AFTER_THE_FACT)):
        model = ResultsModel(beta)
        errors[name] = [
            month_rmse(part.validation, model.fit(part.training).forecast(part.validation)) for part in sets
        ]
    for name, settings, used in VARIANTS:
        errors[name] = left_out_errors(sets, settings, np.array([part in used for part in EVIDENCE]))
    rows = [
        (name, f"{np.mean(values):.5f}", ", ".join(f"{value:.4f}" for value in values))
        for name, values in errors.items()
    ]
    return table(("variant", "error", "of the sets"), rows)


PARTS = (ablation,)
