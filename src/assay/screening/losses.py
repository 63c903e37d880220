"""Games with one value per position: losses and the Elo by all methods are screened, agreement is not known.

Evaluations in the comments of a file tell what the played moves were worth, not what else there was. What a
loss is in such games the calibration of their evaluator knows (decisions.evaluators), and how far honest
games stray from it the norms of that source (assay.screening.source_norms), where it has them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By, check_by
from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration
from assay.rating.priors import RATING_ERROR
from assay.rating.rater import Rater
from assay.screening.departures import elo_departures, raw_of, together
from assay.screening.norms import ALL, ELO
from assay.screening.screen import SCREENED_BY, Found, answered, chosen_groups, in_order
from assay.screening.situations import LEAST_TURNS, situation_notes
from assay.screening.source_norms import READ, Known, SourceNorms

BY_LOSSES = "conformance"
"""The method that reads how often moves lose how much, and nothing else."""

NO_AGREEMENT = (
    "One value per position: agreement with the engine is not known, nor the test in sequence; z is by "
    "losses (error) and by all methods together (elo), and p by the latter."
)

NOT_MEASURED = "How honest games of this source stray was not measured: its error rates are not known."


def screen_losses(
    decisions: Decisions,
    calibration: Calibration,
    norms: SourceNorms | None,
    *,
    by: str = By.PLAYER,
    least: int = LEAST_TURNS,
    error: float = RATING_ERROR,
    unsure: Sequence[str] = (),
    tested: int | None = None,
) -> Found:
    """Every player of games that bring their evaluations along, most unusual first."""
    check_by(by, SCREENED_BY)
    appearances = Appearances.of(decisions)
    turns = appearances.size.astype(np.int64)
    groups, errors, left_out, moving = chosen_groups(appearances, turns, by, least, error, unsure)
    rows = [group.rows for group in groups]
    reference = np.array([appearances.elo[one].mean() for one in rows])
    z = np.full((len(rows), len(ALL)), np.nan)
    found_by = read_departures(Rater(appearances, calibration), rows, reference, error=errors)
    if norms is not None:
        sizes = np.array([appearances.size[one].sum() for one in rows])
        known = Known(np.array([float(len(one)) for one in rows]), sizes, reference)
        found_by = norms.standard(found_by, known)
    z[:, [ALL.index(name) for name in READ]] = found_by
    read = np.flatnonzero(np.isfinite(z[:, ALL.index(ELO)])).tolist()
    left_out |= {
        group.title: "no method can read these moves"
        for place, group in enumerate(groups)
        if place not in read
    }
    whole = np.column_stack((z, together(z)))[read]
    nothing = np.full(len(read), np.nan)
    found = answered(
        appearances, [groups[i] for i in read], [errors[i] for i in read], turns, whole, nothing, tested
    )
    notes = (NO_AGREEMENT,) if norms is not None else (NO_AGREEMENT, NOT_MEASURED)
    # Of what time class the games are is in the choice of the calibration.
    of_players = situation_notes(reference.tolist(), calibration.mileposts, (), sorted(set(moving)))
    return Found(in_order(found), left_out, (*notes, *of_players))


def read_departures(
    rater: Rater, groups: Sequence[Ints], reference: Floats, *, error: float | Sequence[float] = RATING_ERROR
) -> Floats:
    """Departures by losses alone and by all methods, not recalibrated yet: shape (groups, READ)."""
    found = np.full((len(groups), len(READ)), np.nan)
    raws = raw_of(rater, groups)
    if BY_LOSSES in rater.calibration.spread.methods:
        alone = Rater(rater.appearances, rater.calibration, methods=[BY_LOSSES], stacks=rater.stacks)
        found[:, READ.index("error")] = elo_departures(alone, groups, reference, error=error, raws=raws)
    found[:, READ.index(ELO)] = elo_departures(rater, groups, reference, error=error, raws=raws)
    return found
