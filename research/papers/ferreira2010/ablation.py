"""What each part of the company model is worth: the table in docs/results.md.

    python -m research.papers.ferreira2010.ablation training_data.csv

Ten separate validation sets by the rules of Ferreira 2010; coefficients are learned from nine of them and
tried on the tenth, in turn.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from assay.results.company import ALONE, EVIDENCE, TUNED, CompanySettings, left_out_errors
from assay.results.competition import read_competition
from assay.results.ferreira import AFTER_THE_FACT, SUBMITTED, ResultsModel
from assay.results.games import splits
from assay.results.metrics import month_rmse

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


def main(path: Path) -> None:
    """Print the errors of every variant on the ten sets."""
    sets = splits(read_competition(path).games, 10, apart=5)
    for name, beta in (("ferreira2010, submitted", SUBMITTED), ("ferreira2010, after", AFTER_THE_FACT)):
        model = ResultsModel(beta)
        errors = [
            month_rmse(one.validation, model.fit(one.training).forecast(one.validation)) for one in sets
        ]
        show(name, errors)
    for name, settings, used in VARIANTS:
        show(name, left_out_errors(sets, settings, np.array([one in used for one in EVIDENCE])))


def show(name: str, errors: list[float]) -> None:
    """One line: the mean error, and those of the sets."""
    print(f"{name:40} {np.mean(errors):.5f}   " + " ".join(f"{error:.4f}" for error in errors), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
