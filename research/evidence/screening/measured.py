"""What a screening is worth, measured: docs/screening.md, and the norms that ship.

    python -m research screening WORKSPACE [--kept FOLDER] [--other WORKSPACE RECIPE_ID]

The workspace holds the games that pick_mileposts.py and pick_unequal.py picked, analysed. It
takes some twenty minutes: FOLDER keeps the calibrations of the folds and what was found, so that a run that
was stopped goes on. The other workspace has some of the positions analysed by another engine, whose choice is
then taken instead.

Here is one dealing of the games into folds; several together are in research.evidence.screening.dealings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.answers.screening import ABOVE
from assay.decisions.arrays import Floats, Ints
from assay.rating.calibration import Calibration
from assay.screening.departures import departures, together
from assay.screening.evidence import Evidence, evidence_of
from assay.screening.norms import Norms
from assay.screening.screen import beginning_region
from assay.screening.sequence import Bettor, Outcomes, outcomes_of
from assay.screening.turns import STATISTICS
from research.evidence.screening.power import Population, Replacement, replaced, tests_of
from research.evidence.screening.trials import BANDS, FOLDS, GAMES, Trial, fit_norms, held_out_departures

THRESHOLDS = (1.645, 2.326, 2.75, 3.09)
"""One-sided 5 in 100, 1 in 100, 3 in 1,000 and 1 in 1,000."""

LEVELS = (0.1, 0.05, 0.01)
"""Of the test in sequence."""

DEALT = 24
"""How often games are dealt into composites."""

SIMULATED = 0
"""The fold whose games are followed in sequence with moves replaced: that takes long."""

FEWEST_TURNS, LAST_TURNS = 25, 10
"""Of games in which a turn is looked for from which on moves are taken: in all, and at least after it."""

_EQUAL = STATISTICS.index("equal")


@dataclass(frozen=True, eq=False)
class Honest:
    """Honest groups of one number of games, and their tests."""

    groups: Sequence[Ints]
    alone: bool
    z: Floats
    """By ALL statistics and together; by `elo` of single games only, where it is shown."""
    tests: Mapping[str, Floats]
    reference: Floats

    @property
    def once(self) -> Sequence[Ints]:
        """Those that do not overlap."""
        return self.groups if self.alone else self.groups[: max(len(self.groups) // DEALT, 1)]


@dataclass(frozen=True, eq=False)
class Moved:
    """Groups of one number of games with moves replaced, and their tests."""

    groups: Sequence[Ints]
    tests: Mapping[str, Floats]


class Measurement:
    """Honest games tried, and games with moves replaced: one dealing into folds."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.evidence = trial.evidence()
        self.rows = np.concatenate(trial.singles())
        self.by_elo = np.full(len(trial.appearances), np.nan)
        self.by_elo[self.rows] = trial.by_elo(trial.singles(), alone=True)
        self.norms_of = {
            one: self._norms(self.rows[trial.fold[self.rows] != one], trial.folds[one].curves)
            for one in range(FOLDS)
        }
        self.population = Population.of(trial)
        self.honest = {n: self._honest(n) for n in GAMES}

    def _norms(self, rows: Ints, curves: Any) -> Norms:
        return fit_norms(self.trial, self.evidence, self.by_elo, rows, curves)

    def norms(
        self, calibration: Calibration, about: Mapping[str, Any], rates: Sequence[Mapping[str, Any]]
    ) -> Norms:
        """The norms from all games, for a calibration made from all of them, with their error rates."""
        curves = self.trial.curves_by(calibration, self.rows)
        return replace(
            self._norms(self.rows, curves),
            rates=tuple(rates),
            sequence={"rates": self.sequence_rates()},
            about=about,
        )

    # Honest --------------------------------------------------------------------------------------------

    def _honest(self, n: int) -> Honest:
        trial = self.trial
        groups = trial.singles() if n == 1 else trial.composites(n, DEALT)
        by_elo = self.by_elo[self.rows] if n == 1 else np.full(len(groups), np.nan)
        z = held_out_departures(trial, self.norms_of, self.evidence, groups, by_elo, n == 1)
        tests = tests_of(z, self.evidence, groups, self.population.index(groups, None))
        reference = np.array([trial.appearances.elo[rows].mean() for rows in groups])
        return Honest(groups, n == 1, z, tests, reference)

    @cached_property
    def outcomes(self) -> dict[int, Outcomes]:
        """What the bettor bets on, by fold."""
        return {one: self._outcomes(one) for one in range(FOLDS)}

    @cached_property
    def bets(self) -> dict[int, Floats]:
        """The largest e-value that honest groups reached, by number of games."""
        return {n: self.in_sequence(one.once, self.outcomes) for n, one in self.honest.items()}

    def bettor(self, fold: int, outcomes: Outcomes) -> Bettor:
        """The bettor on games of a fold."""
        norms = self.norms_of[fold]
        kappa = 1 / max(float(norms.dispersion[_EQUAL]), 1.0)
        return Bettor(outcomes.elo, 60.0, float(norms.form[_EQUAL]), kappa)

    def _outcomes(self, fold: int, played: Ints | None = None) -> Outcomes:
        trial, one = self.trial, self.trial.folds[fold]
        assert one.calibration.agents is not None
        deviation = float(np.hypot(60.0, self.norms_of[fold].form[_EQUAL]))
        elo = trial.appearances.elo[trial.place[one.at]]
        own = None if played is None else played[one.at]
        return outcomes_of(one.turns, elo, one.calibration.agents, one.curves, deviation, own)

    def in_sequence(self, groups: Sequence[Ints], outcomes: Mapping[int, Outcomes]) -> Floats:
        """The largest e-value of groups, each of one fold."""
        trial = self.trial
        of_game: dict[int, Ints] = {}
        for fold in {int(trial.fold[rows[0]]) for rows in groups}:
            own = trial.place[trial.folds[fold].at]
            of_game |= {int(row): np.flatnonzero(own == row) for row in trial.folds[fold].rows}
        bettors = {one: self.bettor(one, found) for one, found in outcomes.items()}
        found = []
        for rows in groups:
            fold = int(trial.fold[rows[0]])
            games = [of_game[int(row)] for row in rows]
            found.append(np.exp(bettors[fold].follow(outcomes[fold], games).highest))
        return np.array(found)

    def sequence_rates(self) -> list[dict[str, float]]:
        """How often honest groups ever had an e-value of 1/level."""
        return [
            {
                "games": n,
                "level": level,
                "share": round(float((highest >= 1 / level).mean()), 5),
                "groups": len(highest),
            }
            for n, highest in self.bets.items()
            for level in LEVELS
        ]

    # Power ---------------------------------------------------------------------------------------------

    def moved(self, how: Replacement, among: Ints | None = None, seed: int = 0) -> dict[int, Moved]:
        """Every test by number of games, with moves replaced.

        Where replacements are known for some appearances only, those are `among`: composites are then of one
        fold whatever the century.
        """
        played = replaced(self.trial.turns, how, seed)
        evidence = self.trial.evidence(played)
        found = {}
        for n, honest in self.honest.items():
            groups = honest.groups if among is None else self._groups_among(among, n)
            if groups:
                nothing = np.full(len(groups), np.nan)
                z = held_out_departures(self.trial, self.norms_of, evidence, groups, nothing, honest.alone)
                index = self.population.index(groups, played)
                found[n] = Moved(groups, tests_of(z, evidence, groups, index))
        return found

    def moved_in_sequence(self, how: Replacement, among: Ints | None = None) -> dict[int, Floats]:
        """The largest e-value by number of games, with moves replaced in one fold or `among` some games."""
        trial = self.trial
        played = replaced(trial.turns, how)
        folds = [SIMULATED] if among is None else sorted(set(trial.fold[among].tolist()))
        outcomes = {one: self._outcomes(one, played) for one in folds}
        found = {}
        for n, honest in self.honest.items():
            groups = honest.once if among is None else self._groups_among(among, n, 1)
            own = [rows for rows in groups if trial.fold[rows[0]] in folds]
            if own:
                found[n] = self.in_sequence(own, outcomes)
        return found

    def _groups_among(self, among: Ints, n: int, dealt: int = DEALT) -> list[Ints]:
        fold = self.trial.fold
        if n == 1:
            return [np.array([row]) for row in among]
        rng = np.random.default_rng(0)
        groups = []
        for one in np.repeat(np.unique(fold[among]), dealt):
            own = rng.permutation(among[fold[among] == one])
            groups += [own[i : i + n] for i in range(0, len(own) - n + 1, n)]
        return groups

    # Situations ------------------------------------------------------------------------------------------

    def stale(self, shift: float, error: float, side: str = ABOVE, n: int = 5) -> float:
        """Share of honest groups named above at 1 in 100, were their ratings so many points too low.

        Of the other side: named below, were they too high.
        """
        trial, found = self.trial, []
        sign = 1 if side == ABOVE else -1
        elo = trial.appearances.elo - sign * shift
        for number, one in enumerate(trial.folds):
            assert one.calibration.agents is not None
            groups = [rows for rows in self.honest[n].groups if trial.fold[rows[0]] == number]
            evidence = evidence_of(
                one.turns, trial.place[one.at], elo, one.calibration.agents, one.curves, error=error
            )
            reference = np.array([elo[rows].mean() for rows in groups])
            nothing = np.full(len(groups), np.nan)
            single = departures(evidence, groups, self.norms_of[number], nothing, reference, error=error)
            found.append(together(single))
        z = np.concatenate(found)
        return float((sign * z > THRESHOLDS[1]).mean())

    def by_turn(self, phases: bool = True) -> tuple[Evidence, Ints]:
        """Evidence of every turn by itself, by what has not seen it, and which turn it is of all.

        Without `phases`, no more is expected in endgames and in the first turns after the opening.
        """
        found, at = [], []
        for one in self.trial.folds:
            assert one.calibration.agents is not None
            elo = self.trial.appearances.elo[self.trial.place[one.at]]
            place = np.arange(len(one.at))
            curves = one.curves if phases else one.curves.without_phases()
            found.append(evidence_of(one.turns, place, elo, one.calibration.agents, curves))
            at.append(one.at)
        names = [field.name for field in fields(Evidence)]
        whole = {name: np.concatenate([getattr(one, name) for one in found]) for name in names}
        return Evidence(**whole), np.concatenate(at)

    def beginnings(self, seed: int = 0) -> dict[str, float]:
        """How well the turn from which on moves are taken is found, where all are from some turn on."""
        trial, fold = self.trial, SIMULATED
        one, rng = trial.folds[fold], np.random.default_rng(seed)
        own = trial.place[one.at]
        played = trial.turns.decisions.played_index.copy()
        starts = {}
        for row in one.rows:
            turns = np.flatnonzero(own == row)
            if len(turns) >= FEWEST_TURNS:
                starts[int(row)] = int(rng.integers(0, len(turns) - LAST_TURNS))
                played[one.at[turns[starts[int(row)] :]]] = 0
        outcomes = self._outcomes(fold, played)
        bettor = self.bettor(fold, outcomes)
        inside, apart = [], []
        for row, start in starts.items():
            turns = np.flatnonzero(own == row)
            if np.exp(bettor.follow(outcomes, [turns]).games[0]) >= 20:
                numbers = np.arange(len(turns))
                low, likeliest, high = beginning_region(bettor.beginning(outcomes, turns), numbers)
                inside.append(low <= start <= high)
                apart.append(abs(likeliest - start))
        return {
            "games": len(starts),
            "named": len(inside),
            "inside": float(np.mean(inside)),
            "median": float(np.median(apart)),
        }


def bands_of(z: Floats, reference: Floats) -> list[tuple[str, int, Floats, Floats]]:
    """Mean and deviation of departures in every band: all statistics, and together."""
    found = []
    for low, high in BANDS:
        own = z[(reference >= low) & (reference < high)]
        if not len(own):
            continue
        found.append((f"{low}-{high}", len(own), own.mean(axis=0), own.std(axis=0)))
    return found
