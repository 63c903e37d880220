"""Honest games judged by what has not seen them, and the same games with moves taken from an engine.

Milepost games are split into folds by player (assay.models.appearances). Games of a fold are judged by a
calibration, agents and curves made from the other folds, and their z-scores by norms learned from those of
the others. Composites of 5 and 9 games are of different players of one fold and century, no game twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from assay.answers.screening import ABOVE, SHARES
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.models.appearances import Appearances, assign_folds
from assay.rating.calibration import Calibration, fit_calibration, reference_of, stacks_of
from assay.rating.group_ratings import Rater
from assay.screening.norms import Norms, TurnNorms
from assay.screening.statistics import (
    CENTRE,
    COUNTED,
    NAMES,
    UNIT,
    Curves,
    Evidence,
    Expectations,
    Turns,
    expected_of,
    rules,
)
from assay.screening.z_scores import combined_z, elo_z, z_by_turns
from research.calibration.screening_norms import fit_components, fit_curves, fit_scale

FOLDS = 4
GAMES = (1, 5, 9)
BANDS = ((1400, 1800), (1800, 2100), (2100, 2400), (2400, 2900))


@dataclass(frozen=True, eq=False)
class Fold:
    """Held-out appearances, and what was learned without them."""

    rows: Ints
    calibration: Calibration
    curves: Curves
    at: Ints
    """Which of all turns are theirs."""
    turns: Turns


class Trial:
    """Honest games, and every fold of them judged by the others."""

    def __init__(self, decisions: Decisions, seed: int = 0) -> None:
        """`seed` is that of the split into folds."""
        self.appearances = Appearances.of(decisions)
        self.turns = Turns.of(decisions.filter(*rules()))
        self.place = self.appearances.place(self.turns.decisions)
        self.stacks = stacks_of(self.appearances)
        self.reference = reference_of(self.appearances, self.stacks)
        self._split(seed)

    def split_again(self, seed: int) -> Trial:
        """The same games, split into other folds."""
        again = copy(self)
        again._split(seed)
        return again

    def _split(self, seed: int) -> None:
        self.fold = np.full(len(self.appearances), -1)
        rng = np.random.default_rng(seed)
        games = self.reference
        self.fold[games.rows] = assign_folds(games.game, games.player, games.milepost, FOLDS, rng)
        # An appearance all of whose turns were decided has nothing to be judged by.
        self.fold[np.bincount(self.place, minlength=len(self.fold)) == 0] = -1
        self.folds = [self._fit_fold(number) for number in range(FOLDS)]
        self._expected = [self._expectations(fold) for fold in self.folds]

    def _fit_fold(self, number: int) -> Fold:
        rows = np.flatnonzero(self.fold == number)
        others = np.flatnonzero((self.fold >= 0) & (self.fold != number))
        reference = reference_of(self.appearances, self.stacks, among=others)
        calibration = fit_calibration(self.stacks, reference, self.appearances.recipe_id, {})
        at = np.flatnonzero(np.isin(self.place, rows))
        turns = Turns.of(self.turns.decisions.take(at))
        return Fold(rows, calibration, self.curves_by(calibration, others), at, turns)

    def curves_by(self, calibration: Calibration, rows: Ints) -> Curves:
        """The curves that the turns of some appearances give, with the agents of a calibration."""
        assert calibration.agents is not None
        elo = self.appearances.elo[self.place]
        among = np.isin(self.place, rows)
        projected = self.turns.project(calibration.agents, elo)
        projected_among = projected.take(np.flatnonzero(among))
        return fit_curves(projected_among, self.turns.observed()[among], elo[among])

    def evidence(self, played: Ints | None = None) -> Evidence:
        """Evidence of every appearance, by what has not seen it."""
        n = len(self.appearances)
        sums = {
            name: np.zeros((n, len(COUNTED))) for name in ("apart", "variance", "third", "slope", "observed")
        }
        count = np.zeros(n, np.int64)
        for fold, expected in zip(self.folds, self._expected, strict=True):
            sums_of_fold = expected.evidence(None if played is None else played[fold.at])
            for name, array in sums.items():
                array[fold.rows] = getattr(sums_of_fold, name)[fold.rows]
            count[fold.rows] = sums_of_fold.turns[fold.rows]
        return Evidence(**sums, turns=count)

    def _expectations(self, fold: Fold) -> Expectations:
        assert fold.calibration.agents is not None
        elo, place = self.appearances.elo, self.place[fold.at]
        return expected_of(fold.turns, place, elo, fold.calibration.agents, fold.curves)

    def by_elo(self, groups: Sequence[Ints]) -> Floats:
        """Compute the z `elo` of groups of one player, each of one fold, by that fold's calibration."""
        z_scores = np.full(len(groups), np.nan)
        reference = np.array([self.appearances.elo[rows].mean() for rows in groups])
        of_fold = np.array([self.fold[rows[0]] for rows in groups])
        for number, fold in enumerate(self.folds):
            chosen = np.flatnonzero(of_fold == number)
            if len(chosen):
                rater = Rater(self.appearances, fold.calibration, stacks=self.stacks)
                z_scores[chosen] = elo_z(
                    rater, [groups[index] for index in chosen.tolist()], reference[chosen]
                )
        return z_scores

    def singles(self) -> list[Ints]:
        """Every appearance by itself."""
        return [np.array([row]) for row in np.flatnonzero(self.fold >= 0)]

    def composites(self, n: int, dealt: int, seed: int = 0) -> list[Ints]:
        """Group n appearances of one fold and century, no game twice; dealt so many times by chance."""
        rng = np.random.default_rng(seed)
        century = np.round(self.appearances.elo / 100)
        groups = []
        for _ in range(dealt):
            for number in range(FOLDS):
                for hundred in np.unique(century[self.fold == number]):
                    here = rng.permutation(np.flatnonzero((self.fold == number) & (century == hundred)))
                    _, first = np.unique(self.appearances.game[here], return_index=True)
                    here = here[np.sort(first)]
                    groups += [here[i : i + n] for i in range(0, len(here) - n + 1, n)]
        return groups


def fit_norms(trial: Trial, evidence: Evidence, by_elo: Floats, rows: Ints, curves: Curves) -> Norms:
    """Norms from some appearances, each by itself; `by_elo` is the departure `elo` of all of them."""
    elo = trial.appearances.elo[rows]
    x = (elo - CENTRE) / UNIT
    slope, middle = np.polyfit(x, by_elo[rows], 1)
    a, f = fit_components(evidence.only(rows))
    spread = TurnNorms(
        curves=curves,
        dispersion=a,
        form=f,
        elo_mean=np.array([middle, slope]),
        elo_deviation=float((by_elo[rows] - middle - slope * x).std()),
        scale=np.zeros((len(NAMES), 2)),
        excess=np.zeros(len(NAMES)),
    )
    norms = Norms(source=trial.appearances.recipe_id, turns=spread)
    groups = [np.array([row]) for row in rows]
    z = z_by_turns(evidence, groups, norms, by_elo[rows], elo)
    spread = replace(spread, scale=np.array([fit_scale(column, elo) for column in z.T]))
    z = z_by_turns(evidence, groups, replace(norms, turns=spread), by_elo[rows], elo)
    excess = (z**4).mean(axis=0) / np.square(np.square(z).mean(axis=0)) - 3
    return replace(norms, turns=replace(spread, excess=np.maximum(excess, 0.0)))


def held_out_z(
    trial: Trial,
    norms_of: Mapping[int, Norms],
    evidence: Evidence,
    groups: Sequence[Ints],
    by_elo: Floats,
    alone: bool,
) -> Floats:
    """Departures of groups by NAMES statistics and together: each by the norms of its fold."""
    z_scores = np.empty((len(groups), len(NAMES) + 1))
    reference = np.array([trial.appearances.elo[rows].mean() for rows in groups])
    of_fold = np.array([trial.fold[rows[0]] for rows in groups])
    for number, norms in norms_of.items():
        of_number = np.flatnonzero(of_fold == number)
        chosen = [groups[index] for index in of_number.tolist()]
        single = z_by_turns(evidence, chosen, norms, by_elo[of_number], reference[of_number], alone=alone)
        z_scores[of_number] = np.column_stack((single, combined_z(single)))
    return z_scores


def rates_of(
    z_scores: Floats,
    reference: Floats,
    games: int,
    thresholds: Sequence[float],
    independent: float,
    bands: Sequence[tuple[int, int]] = BANDS,
) -> Iterator[dict[str, Any]]:
    """Shares of honest groups whose departure is beyond thresholds, in every band and in all."""
    named = [("all", -np.inf, np.inf), *((f"{low}-{high}", low, high) for low, high in bands)]
    for name, low, high in named:
        in_band = z_scores[(reference >= low) & (reference < high)]
        if not len(in_band):
            continue
        for threshold in thresholds:
            yield {
                "games": games,
                "band": name,
                "threshold": threshold,
                "nominal": round(float(ndtr(-threshold)), 6),
                "above": round(float((in_band > threshold).mean()), 6),
                "below": round(float((in_band < -threshold).mean()), 6),
                "groups": round(len(in_band) / independent),
            }


CRITICAL = 0.2
"""A position is critical where the second option has so much scaled error, in pawns, or more."""

LATE_TURN = 20

Replacement = Callable[[Turns, np.random.Generator], tuple[Mask, Ints]]
"""Which turns are replaced, and by the option of which index."""


def share(part: float, choice: int = 0) -> Replacement:
    """A share of all turns is the engine's first choice, or its second."""
    return lambda turns, rng: (rng.random(len(turns)) < part, np.full(len(turns), choice))


def critical(turns: Turns, _: np.random.Generator) -> tuple[Mask, Ints]:
    """Every turn at which the first choice is much better than the second."""
    return np.square(turns.stake) >= CRITICAL, np.zeros(len(turns), np.int64)


def late(part: float) -> Replacement:
    """A share of the turns after turn 20."""
    return lambda turns, rng: (
        (turns.decisions.numbers("ply") >= 2 * LATE_TURN) & (rng.random(len(turns)) < part),
        np.zeros(len(turns), np.int64),
    )


SCENARIOS: Mapping[str, Replacement] = {
    "5% of moves": share(0.05),
    "10% of moves": share(0.10),
    "25% of moves": share(0.25),
    "50% of moves": share(0.50),
    "all moves": share(1.0),
    "all critical moves": critical,
    "half of those after turn 20": late(0.5),
    "half, second choice": share(0.5, 1),
}


def replaced(turns: Turns, how: Replacement, seed: int = 0) -> Ints:
    """The played index of every turn after a replacement."""
    mask, choice = how(turns, np.random.default_rng(seed))
    played = turns.decisions.played_index
    return np.where(mask & (choice < turns.lines), choice, played)


def tests_of(z: Floats, evidence: Evidence, groups: Sequence[Ints]) -> dict[str, Floats]:
    """Give every test of some groups, more being more unusual: ours, what it is made of, and `plain`.

    `z` are z-scores by NAMES statistics and together; `plain` is first-move agreement alone, turns taken as
    independent (Regan's first test).
    """
    first = np.array([evidence.apart[rows, 0].sum() for rows in groups])
    deviation = np.sqrt([evidence.variance[rows, 0].sum() for rows in groups])
    parts = {name: z[:, NAMES.index(name)] for name in SHARES[ABOVE]}
    return {"ours": z[:, -1], **parts, "plain": first / deviation}
