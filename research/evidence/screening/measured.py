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


class Measurement:
    """Honest games tried, and games with moves replaced: one split into folds."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.evidence = trial.evidence()
        self.rows = np.concatenate(trial.singles())
        self.by_elo = np.full(len(trial.appearances), np.nan)
        self.by_elo[self.rows] = trial.by_elo(trial.singles())
        self.norms_of = {
            number: self._norms(self.rows[trial.fold[self.rows] != number], trial.folds[number].curves)
            for number in range(FOLDS)
        }
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
        tests = tests_of(z, self.evidence, groups)
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

    def moved(self, how: Replacement, seed: int = 0) -> dict[int, dict[str, Floats]]:
        """Compute every test by number of games, with moves replaced."""
        evidence = self.trial.evidence(replaced(self.trial.turns, how, seed))
        by_number = {}
        for n, honest in self.honest.items():
            nothing = np.full(len(honest.groups), np.nan)
            z = held_out_z(self.trial, self.norms_of, evidence, honest.groups, nothing, honest.alone)
            by_number[n] = tests_of(z, evidence, honest.groups)
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

Tests = Mapping[str, Floats]
"""Groups of one number of games by every test."""


def joined(splits: Sequence[Tests]) -> dict[str, Floats]:
    """Join the groups of several splits."""
    return {name: np.concatenate([tests[name] for tests in splits]) for name in splits[0]}


def honest_rates(honest: Mapping[int, Tests], splits: int) -> Iterator[dict[str, Any]]:
    """Compute shares of honest groups beyond thresholds over all splits; groups that overlap count once."""
    for n, tests in honest.items():
        often = splits * (1 if n == 1 else DEALT)
        yield from rates_of(tests["ours"], tests["reference"], n, THRESHOLDS, often)


def powers(honest: Tests, moved: Tests) -> dict[str, float]:
    """Compute shares of groups beyond what a share RATE of the honest ones exceeds, by every test."""
    return {
        name: float((values > np.quantile(honest[name], 1 - RATE)).mean()) for name, values in moved.items()
    }


def over_splits(
    first: Measurement, scenarios: Mapping[str, Replacement]
) -> tuple[dict[int, dict[str, Floats]], dict[str, list[dict[str, Any]]]]:
    """Measure honest groups by number of games, and powers by scenario, over all splits.

    `first` is the first split; the test in sequence takes long, and is followed in that one only.
    """
    honest: dict[int, list[Tests]] = {n: [] for n in GAMES}
    moved: dict[str, dict[int, list[Tests]]] = {name: {n: [] for n in GAMES} for name in scenarios}
    for seed in SEEDS:
        measured = first if seed == SEEDS[0] else Measurement(first.trial.split_again(seed))
        for n, groups in measured.honest.items():
            honest[n].append({**groups.tests, "reference": groups.reference})
        for name, how in scenarios.items():
            for n, tests in measured.moved(how, seed).items():
                moved[name][n].append(tests)
    every = {n: joined(splits) for n, splits in honest.items()}
    by_scenario = {}
    for name, how in scenarios.items():
        e_values = first.moved_in_sequence(how)
        # Evidence that honest groups reach as seldom as RATE.
        by_scenario[name] = [
            {
                "games": n,
                **powers(every[n], joined(moved[name][n])),
                "sequence": float((e_values[n] >= 1 / RATE).mean()),
            }
            for n in e_values
        ]
    return every, by_scenario
