"""Expected losses as players have them: the agents' own, drawn to what the mileposts lost.

Agents find the best move as often as players of their Elo do, but the long tail of their curve makes them
blunder more in hard positions. So the expected loss x of an agent of Elo E is mapped by

    a + b t + (c + d t) x,      t = (E - 2100) / 400,

the four numbers fitted by least squares to the losses in the milepost games, once in centipawns and once in
expectation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.measures import expectation, loss
from assay.models.appearances import Appearances
from assay.models.depth.agent import LIMIT
from assay.models.depth.by_elo import AgentsByElo
from assay.models.depth.expected import Expected, expected
from assay.models.depth.model import DepthModel
from assay.models.mileposts import Mileposts

CENTRE, UNIT = 2100.0, 400.0
KINDS = ("loss", "lost")


@dataclass(frozen=True, eq=False)
class ExpectedLosses:
    """The four numbers for losses in centipawns, and for those in expectation: shape (2, 4)."""

    lines: Floats

    def drawn(self, found: Expected, elo: float) -> Expected:
        """What an agent of an Elo loses, as players of that Elo do."""
        t = (elo - CENTRE) / UNIT
        made = {}
        for name, (a, b, c, d) in zip(KINDS, self.lines, strict=True):
            made[name] = np.maximum(a + b * t + (c + d * t) * getattr(found, name), 0.0)
        return replace(found, **made)


def lost_expectation(decisions: Decisions) -> Floats:
    """What each played move lost of the mover's expectation, 0 to 1; NaN where that is not known."""
    known = loss(decisions)
    lost = expectation(decisions.best_value) - expectation(decisions.played_value)
    return np.asarray(np.where(np.isnan(known), np.nan, lost))


def fit_expected_losses(
    appearances: Appearances, mileposts: Mileposts, agents: AgentsByElo | None
) -> ExpectedLosses | None:
    """The numbers from the games of the mileposts; None where no trace was read."""
    if agents is None:
        return None
    kept = appearances.decisions.filter(*DepthModel().rules())
    at = np.full(len(appearances), -1, np.int64)
    at[mileposts.rows] = mileposts.milepost
    place = at[appearances.place(kept)]
    rows: dict[str, list[Floats]] = {name: [] for name in KINDS}
    truth: dict[str, list[Floats]] = {name: [] for name in KINDS}
    for milepost, elo in enumerate(mileposts.elos.tolist()):
        own = kept.take(np.flatnonzero(place == milepost))
        if not len(own):
            continue
        found, t = expected(own, agents, elo), (elo - CENTRE) / UNIT
        actual = {"loss": loss(own, int(LIMIT)), "lost": lost_expectation(own)}
        for name in KINDS:
            x = getattr(found, name)
            known = ~np.isnan(x) & ~np.isnan(actual[name])
            one = np.ones(known.sum())
            rows[name].append(np.stack((one, t * one, x[known], t * x[known]), axis=1))
            truth[name].append(actual[name][known])
    if not rows["loss"]:
        return None
    lines = [np.linalg.lstsq(np.concatenate(rows[n]), np.concatenate(truth[n]), rcond=None)[0] for n in KINDS]
    return ExpectedLosses(np.stack(lines))
