"""Fit and tuning of the model of Ferreira 2010 on the games of its competition."""

import time
from typing import Any

from assay.results.company import CompanyModel
from assay.results.competition import read_competition
from assay.results.ferreira import SUBMITTED, Meetings, strengths, tune_beta
from assay.results.games import splits
from benchmarks.measure import best_seconds, row, shared


def run() -> list[dict[str, Any]]:
    games = read_competition(shared("results-2010/training_data.csv")).games
    schedule = read_competition(shared("results-2010/test_data.csv"), forecast=True).games
    fit = best_seconds(lambda: strengths(Meetings.of(games), SUBMITTED, tolerance=1e-6), runs=7)
    company = best_seconds(lambda: CompanyModel().fit(games).forecast(schedule))
    # Processor time: the tuning runs on one core for so long that other work would be measured with it.
    start = time.process_time()
    tune_beta(splits(games, 8))
    tuning = time.process_time() - start
    return [
        row("results: one fit of 65,053 games", fit, "s", most=0.1),
        row("company: fit and forecast of 7,809 games", company, "s"),
        row("results: tuning over 8 sets, one core", tuning, "s", most=120),
    ]
