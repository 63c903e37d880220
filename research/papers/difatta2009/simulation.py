"""Agents of known c that choose among all legal moves, seen through ten lines: bias and coverage of c."""

from __future__ import annotations

import numpy as np

from assay.models.bayes import BayesModel
from research.markdown import table
from research.papers.difatta2009.all_moves import every_choice
from research.papers.difatta2009.real_games import RULE
from research.papers.difatta2009.unlisted import SKILLS, drawn, evidence, kept_out, posteriors

LINES = 10


def simulation(model: BayesModel, replications: int) -> str:
    """Bias and coverage by the number of decisions and the true c."""
    kept = kept_out()
    found = evidence(model.outside, every_choice(kept), LINES)
    rows = []
    for size, times in ((30, 2), (250, 2), (1000, 1)):
        for skill in SKILLS:
            number = times * replications
            each = posteriors(found, drawn(kept, skill, number, seed=2009 + size, size=size))
            z = np.array([(one.mean - skill) / one.deviation for one in each])
            covered = np.mean([low <= skill <= high for low, high in (one.region() for one in each)])
            rows.append((size, skill, number, f"{100 * covered:.1f}%", f"{z.mean():+.3f}", f"{z.std():.2f}"))
    heads = (
        "decisions",
        "true c",
        "replications",
        "95% region covers",
        "bias, in deviations",
        "spread, in deviations",
    )
    return table(heads, rows, RULE)
