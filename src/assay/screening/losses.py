"""Games with one value per position: losses and the Elo by all methods are screened, agreement is not known.

Evaluations in the comments of a file tell what the played moves were worth, not what else there was. What a
loss is in such games the calibration of their evaluator knows (assay.domain.evaluators); there are no norms
of honest games beyond that calibration's own spread, so error rates are not measured.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.domain.decisions import Decisions
from assay.domain.grouping import By, check_by
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.groups import Rater
from assay.rating.priors import RATING_ERROR
from assay.screening.departures import elo_departures, together
from assay.screening.norms import ALL, ELO
from assay.screening.screen import SCREENED_BY, Found, answered, chosen_groups, in_order
from assay.screening.situations import LEAST_TURNS

BY_LOSSES = "conformance"
"""The method that reads how often moves lose how much, and nothing else."""

NO_AGREEMENT = (
    "One value per position: agreement with the engine is not known, nor the test in sequence; z is by "
    "losses (error) and by all methods together (elo), and p by the latter. Error rates were not measured."
)


def screen_losses(
    decisions: Decisions,
    calibration: Calibration,
    *,
    by: str = By.PLAYER,
    least: int = LEAST_TURNS,
    error: float = RATING_ERROR,
    unsure: Sequence[str] = (),
) -> Found:
    """Every player of games that bring their evaluations along, most unusual first."""
    check_by(by, SCREENED_BY)
    appearances = Appearances.of(decisions)
    turns = appearances.size.astype(np.int64)
    groups, errors, left_out, _ = chosen_groups(appearances, turns, by, least, error, unsure)
    rows = [group.rows for group in groups]
    reference = np.array([appearances.elo[one].mean() for one in rows])
    z = np.full((len(rows), len(ALL)), np.nan)
    rater = Rater(appearances, calibration)
    z[:, ALL.index(ELO)] = elo_departures(rater, rows, reference, error=errors)
    if BY_LOSSES in calibration.spread.methods:
        alone = Rater(appearances, calibration, methods=[BY_LOSSES], stacks=rater.stacks)
        z[:, ALL.index("error")] = elo_departures(alone, rows, reference, error=errors)
    known = np.flatnonzero(np.isfinite(z[:, ALL.index(ELO)])).tolist()
    left_out |= {
        group.title: "no method can read these moves"
        for place, group in enumerate(groups)
        if place not in known
    }
    whole = np.column_stack((z, together(z)))[known]
    nothing = np.full(len(known), np.nan)
    found = answered(
        appearances, [groups[i] for i in known], [errors[i] for i in known], turns, whole, nothing
    )
    return Found(in_order(found), left_out, (NO_AGREEMENT,))
