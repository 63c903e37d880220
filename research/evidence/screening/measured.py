"""Error rates and power of the screening, over several splits of the same games into folds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.rating.calibration import Calibration
from assay.screening.norms import Norms
from assay.screening.sequence import Bettor, Outcomes, outcomes_of
from assay.screening.statistics import COUNTED_NAMES
from research.evidence.screening.trials import (
    BANDS,
    FOLDS,
    GAMES,
    Population,
    Replacement,
    Trial,
    fit_norms,
    held_out_z,
    rates_of,
    replaced,
    tests_of,
)

THRESHOLDS = (1.645, 2.326, 2.75, 3.09)
"""One-sided 5 in 100, 1 in 100, 3 in 1,000 and 1 in 1,000."""

LEVELS = (0.1, 0.05, 0.01)
"""Of the test in sequence."""

DEALT = 24
"""How often games are dealt into composites."""

SIMULATED = 0
"""The fold whose games are followed in sequence with moves replaced: that takes long."""

_EQUAL = COUNTED_NAMES.index("equal")


@dataclass(frozen=True, eq=False)
class Honest:
    """Honest groups of one number of games, and their tests."""

    groups: Sequence[Ints]
    alone: bool
    z: Floats
    """By NAMES statistics and together; by `elo` of single games only, where it is shown."""
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
    """Honest games tried, and games with moves replaced: one split into folds."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.evidence = trial.evidence()
        self.rows = np.concatenate(trial.singles())
        self.by_elo = np.full(len(trial.appearances), np.nan)
        self.by_elo[self.rows] = trial.by_elo(trial.singles(), alone=True)
        self.norms_of = {
            number: self._norms(self.rows[trial.fold[self.rows] != number], trial.folds[number].curves)
            for number in range(FOLDS)
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

    def _honest(self, n: int) -> Honest:
        trial = self.trial
        groups = trial.singles() if n == 1 else trial.composites(n, DEALT)
        by_elo = self.by_elo[self.rows] if n == 1 else np.full(len(groups), np.nan)
        z = held_out_z(trial, self.norms_of, self.evidence, groups, by_elo, n == 1)
        tests = tests_of(z, self.evidence, groups, self.population.index(groups, None))
        reference = np.array([trial.appearances.elo[rows].mean() for rows in groups])
        return Honest(groups, n == 1, z, tests, reference)

    @cached_property
    def outcomes(self) -> dict[int, Outcomes]:
        """What the bettor bets on, by fold."""
        return {number: self._outcomes(number) for number in range(FOLDS)}

    @cached_property
    def bets(self) -> dict[int, Floats]:
        """E-values of honest groups, by number of games."""
        return {n: self.in_sequence(groups.once, self.outcomes) for n, groups in self.honest.items()}

    def bettor(self, fold: int, outcomes: Outcomes) -> Bettor:
        """The bettor on games of a fold."""
        spread = self.norms_of[fold].turns
        assert spread is not None
        kappa = 1 / max(float(spread.dispersion[_EQUAL]), 1.0)
        return Bettor(outcomes.elo, 60.0, float(spread.form[_EQUAL]), kappa)

    def _outcomes(self, fold: int, played: Ints | None = None) -> Outcomes:
        trial, judged = self.trial, self.trial.folds[fold]
        spread = self.norms_of[fold].turns
        assert judged.calibration.agents is not None
        assert spread is not None
        deviation = float(np.hypot(60.0, spread.form[_EQUAL]))
        elo = trial.appearances.elo[trial.place[judged.at]]
        moves = None if played is None else played[judged.at]
        return outcomes_of(judged.turns, elo, judged.calibration.agents, judged.curves, deviation, moves)

    def in_sequence(self, groups: Sequence[Ints], outcomes: Mapping[int, Outcomes]) -> Floats:
        """E-values of groups, each of one fold."""
        trial = self.trial
        of_game: dict[int, Ints] = {}
        for fold in {int(trial.fold[rows[0]]) for rows in groups}:
            place = trial.place[trial.folds[fold].at]
            of_game |= {int(row): np.flatnonzero(place == row) for row in trial.folds[fold].rows}
        bettors = {number: self.bettor(number, of_fold) for number, of_fold in outcomes.items()}
        e_values = []
        for rows in groups:
            fold = int(trial.fold[rows[0]])
            games = [of_game[int(row)] for row in rows]
            e_values.append(np.exp(bettors[fold].follow(outcomes[fold], games).running[-1]))
        return np.array(e_values)

    def sequence_rates(self) -> list[dict[str, float]]:
        """Measure how often honest groups have an e-value of 1/level."""
        return [
            {
                "games": n,
                "level": level,
                "share": round(float((e_values >= 1 / level).mean()), 5),
                "groups": len(e_values),
            }
            for n, e_values in self.bets.items()
            for level in LEVELS
        ]

    def moved(self, how: Replacement, seed: int = 0) -> dict[int, Moved]:
        """Every test by number of games, with moves replaced."""
        played = replaced(self.trial.turns, how, seed)
        evidence = self.trial.evidence(played)
        by_number = {}
        for n, honest in self.honest.items():
            groups, nothing = honest.groups, np.full(len(honest.groups), np.nan)
            z = held_out_z(self.trial, self.norms_of, evidence, groups, nothing, honest.alone)
            by_number[n] = Moved(groups, tests_of(z, evidence, groups, self.population.index(groups, played)))
        return by_number

    def moved_in_sequence(self, how: Replacement) -> dict[int, Floats]:
        """E-values by number of games, with moves replaced in one fold."""
        trial = self.trial
        outcomes = {SIMULATED: self._outcomes(SIMULATED, replaced(trial.turns, how))}
        by_number = {}
        for n, honest in self.honest.items():
            groups = [rows for rows in honest.once if trial.fold[rows[0]] == SIMULATED]
            if groups:
                by_number[n] = self.in_sequence(groups, outcomes)
        return by_number


def bands_of(z: Floats, reference: Floats) -> list[tuple[str, int, Floats, Floats]]:
    """Mean and deviation of departures in every band: all statistics, and together."""
    bands = []
    for low, high in BANDS:
        in_band = z[(reference >= low) & (reference < high)]
        if not len(in_band):
            continue
        bands.append((f"{low}-{high}", len(in_band), in_band.mean(axis=0), in_band.std(axis=0)))
    return bands


SEEDS = (3, 4, 5, 6, 7)
"""Of the splits that are measured. The rule of p was chosen on others, 0 to 2, of the same games."""

RATE = 0.01
"""Of false positives, measured on honest groups, at which powers are compared."""

PARTS = 20
"""Into which the games are parted by the jackknife."""

OTHERS = ("plain", "index")
"""What ours is compared with."""


@dataclass(frozen=True, eq=False)
class Tried:
    """Groups of one number of games, honest or with moves replaced, of one split or several."""

    games: Ints
    """Which games each group has: shape (groups, games)."""
    reference: Floats
    tests: Mapping[str, Floats]

    @classmethod
    def of(cls, measured: Measurement, groups: Sequence[Ints], tests: Mapping[str, Floats]) -> Tried:
        """Groups of appearances of one split."""
        rows = np.array(groups)
        appearances = measured.trial.appearances
        return cls(appearances.game[rows], appearances.elo[rows].mean(axis=1), tests)

    def __len__(self) -> int:
        return len(self.games)

    def without(self, part: int) -> Tried:
        """Those that have no game of a part."""
        left = (self.games % PARTS != part).all(axis=1)
        tests = {name: values[left] for name, values in self.tests.items()}
        return Tried(self.games[left], self.reference[left], tests)


Trials = Mapping[int, Tried]
"""By number of games."""


def joined(splits: Sequence[Trials]) -> dict[int, Tried]:
    """The groups of several splits together."""
    together = {}
    for n in sorted({n for trials in splits for n in trials}):
        of_number = [trials[n] for trials in splits if n in trials]
        together[n] = Tried(
            np.concatenate([tried.games for tried in of_number]),
            np.concatenate([tried.reference for tried in of_number]),
            {name: np.concatenate([tried.tests[name] for tried in of_number]) for name in of_number[0].tests},
        )
    return together


def honest_rates(honest: Trials, splits: int) -> Iterator[dict[str, Any]]:
    """Shares of honest groups beyond thresholds over all splits; groups that overlap count once."""
    for n, tried in honest.items():
        often = splits * (1 if n == 1 else DEALT)
        yield from rates_of(tried.tests["ours"], tried.reference, n, THRESHOLDS, often)


def powers(honest: Tried, moved: Tried) -> dict[str, float]:
    """Shares of groups beyond what a share RATE of the honest ones exceeds, by every test."""
    return {
        name: float((values > np.quantile(honest.tests[name], 1 - RATE)).mean())
        for name, values in moved.tests.items()
    }


def compared(honest: Trials, moved: Trials) -> list[dict[str, Any]]:
    """Powers by number of games, and by how much ours is more than the others, with standard errors."""
    rows = []
    for n, tried in moved.items():
        power = powers(honest[n], tried)
        parts = [(honest[n].without(part), tried.without(part)) for part in range(PARTS)]
        again = [powers(*part) for part in parts if min(map(len, part))]
        apart = {
            name: (power["ours"] - power[name], jackknife([part["ours"] - part[name] for part in again]))
            for name in OTHERS
        }
        rows.append({"games": n, "groups": len(tried), **power, "apart": apart})
    return rows


def jackknife(without_parts: Sequence[float]) -> float:
    """The standard error of what was found anew without each of some parts."""
    values = np.array(without_parts)
    return float(np.sqrt((len(values) - 1) * values.var()))


def over_splits(
    first: Measurement, scenarios: Mapping[str, Replacement]
) -> tuple[Trials, dict[str, list[dict[str, Any]]]]:
    """Honest groups, and powers by scenario, of all splits; `first` is the first of them.

    The test in sequence takes long, and is followed in the first of them only.
    """
    honest: list[Trials] = []
    moved: dict[str, list[Trials]] = {name: [] for name in scenarios}
    for seed in SEEDS:
        measured = first if seed == SEEDS[0] else Measurement(first.trial.split_again(seed))
        honest.append(
            {
                n: Tried.of(measured, groups_of_number.groups, groups_of_number.tests)
                for n, groups_of_number in measured.honest.items()
            }
        )
        for name, how in scenarios.items():
            by_number = measured.moved(how, seed)
            moved[name].append(
                {
                    n: Tried.of(measured, groups_of_number.groups, groups_of_number.tests)
                    for n, groups_of_number in by_number.items()
                }
            )
    every = joined(honest)
    by_scenario = {}
    for name, how in scenarios.items():
        e_values = first.moved_in_sequence(how)
        # Evidence that honest groups reach as seldom as RATE.
        reached = {n: float((values >= 1 / RATE).mean()) for n, values in e_values.items()}
        rows = compared(every, joined(moved[name]))
        by_scenario[name] = [{**row, "sequence": reached[row["games"]]} for row in rows]
    return every, by_scenario
