"""Ferreira 2010 on the competition's games, for docs/results.md.

The mean of White, tuning by Algorithm 2 on the paper's kind of sets, and whether it would have found Eq. 18.
Then what each part of the company model is worth: ten separate validation sets by the rules of the paper;
coefficients are learned from nine of them and tried on the tenth, in turn.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from assay.reproduce.ferreira2010 import rows
from assay.results.company import ALONE, EVIDENCE, TUNED, CompanySettings, left_out_errors
from assay.results.competition import read_competition
from assay.results.ferreira import AFTER_THE_FACT, SUBMITTED, Beta, ResultsModel, tune_beta
from assay.results.games import splits
from assay.results.metrics import month_rmse
from research.markdown import Tables, table
from research.papers import Games

SETS = 8
"""Validation sets of five months, one month apart."""

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
    lines = [
        (name, f"{np.mean(values):.5f}", ", ".join(f"{value:.4f}" for value in values))
        for name, values in errors.items()
    ]
    return table(("variant", "error", "of the sets"), lines)


PARTS = (sections, ablation)
