"""What a screening is worth, measured: docs/screening.md, and the norms that ship.

    python scripts/make_pages.py screening WORKSPACE [--kept FOLDER] [--other WORKSPACE RECIPE_ID]

The workspace holds the games that scripts/pick_mileposts.py and scripts/pick_unequal.py picked, analysed. It
takes some ten minutes: FOLDER keeps the calibrations of the folds. The other workspace has some of the
positions analysed by another engine, whose choice is then taken instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.domain.arrays import Floats, Ints, Mask
from assay.domain.decisions import Decisions
from assay.rating.calibration import Calibration
from assay.rating.groups import Rater
from assay.screening.answers import SHARES
from assay.screening.departures import departures, elo_departures, together
from assay.screening.evidence import Evidence, evidence_of
from assay.screening.norms import ALL, Norms
from assay.screening.power import SCENARIOS, Population, PowerTrial, Replacement, Tests, replaced, share
from assay.screening.screen import beginning_region
from assay.screening.sequence import Bettor, Outcomes, outcomes_of
from assay.screening.trials import BANDS, FOLDS, GAMES, Trial, fit_norms, held_out_departures, rates_of
from assay.screening.turns import STATISTICS, Turns

THRESHOLDS = (1.645, 2.326, 2.75, 3.09)
"""One-sided 5 in 100, 1 in 100, 3 in 1,000 and 1 in 1,000."""

LEVELS = (0.1, 0.05, 0.01)
"""Of the test in sequence."""

DEALT = 6
SIMULATED = (0,)
"""Folds whose games are simulated: every method reads every simulated game anew."""

RATE = 0.01
"""Of false positives, measured on honest groups, at which powers are compared."""

FEWEST_TURNS, LAST_TURNS = 25, 10
"""Of games in which a turn is looked for from which on moves are taken: in all, and at least after it."""

_EQUAL = STATISTICS.index("equal")


@dataclass(frozen=True, eq=False)
class Honest:
    """Honest groups of one number of games, and their tests."""

    groups: Sequence[Ints]
    alone: bool
    z: Floats
    """By ALL statistics and together."""
    plain: Floats
    index: Floats
    evidence: Floats
    """The largest e-value of the test in sequence."""
    reference: Floats


class Measurement:
    """Honest games tried, and games with moves replaced."""

    def __init__(self, decisions: Decisions, kept: Path | None = None) -> None:
        self.trial = trial = Trial(decisions, kept)
        self.evidence = trial.evidence()
        self.rows = np.concatenate(trial.singles())
        self.by_elo = np.full(len(trial.appearances), np.nan)
        self.by_elo[self.rows] = trial.by_elo(trial.singles(), alone=True)
        self.norms_of = {
            one: self._norms(self.rows[trial.fold[self.rows] != one], trial.folds[one].curves)
            for one in range(FOLDS)
        }
        self.population = Population.of(trial)
        self.outcomes = {one: self._outcomes(one) for one in range(FOLDS)}
        self.honest = {n: self._honest(n) for n in GAMES}

    def _norms(self, rows: Ints, curves: Any) -> Norms:
        return fit_norms(self.trial, self.evidence, self.by_elo, rows, curves)

    def norms(self, calibration: Calibration, about: Mapping[str, Any]) -> Norms:
        """The norms from all games, for a calibration made from all of them."""
        curves = self.trial.curves_by(calibration, self.rows)
        rates = [
            one
            for n, honest in self.honest.items()
            for one in rates_of(honest.z[:, -1], honest.reference, n, THRESHOLDS, 1 if n == 1 else DEALT)
        ]
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
        alone = n == 1
        by_elo = self.by_elo[self.rows] if n == 1 else trial.by_elo(groups, alone)
        z = held_out_departures(trial, self.norms_of, self.evidence, groups, by_elo, alone)
        first = np.array([self.evidence.apart[rows, 0].sum() for rows in groups])
        deviation = np.sqrt([self.evidence.variance[rows, 0].sum() for rows in groups])
        index = self.population.index(groups, None)
        once = groups if n == 1 else groups[: len(groups) // DEALT]
        return Honest(
            groups,
            alone,
            z,
            first / deviation,
            index,
            self.in_sequence(once, self.outcomes),
            np.array([trial.appearances.elo[rows].mean() for rows in groups]),
        )

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
                "share": round(float((one.evidence >= 1 / level).mean()), 5),
                "groups": len(one.evidence),
            }
            for n, one in self.honest.items()
            for level in LEVELS
        ]

    # Power ---------------------------------------------------------------------------------------------

    def powers(self, how: Replacement, among: Ints | None = None) -> list[dict[str, Any]]:
        """Power of every test by number of games, with moves replaced in the simulated folds.

        Where replacements are known for some appearances only, those are `among`: of any fold, and composites
        of one fold whatever the century.
        """
        trial = self.trial
        chosen = np.flatnonzero(np.isin(trial.fold, SIMULATED)) if among is None else among
        power = PowerTrial(trial, self.norms_of, self.population, chosen)
        played = replaced(trial.turns, how)
        evidence = trial.evidence(played, power.folds)
        stacks = power.stacks(played)
        outcomes = {one: self._outcomes(one, played) for one in power.folds}
        found = []
        for n, honest in self.honest.items():
            groups = self._simulated(honest, n, among)
            if not groups:
                continue
            tests = power.tests(groups, played, honest.alone, evidence, stacks)
            once = groups if n == 1 else groups[: max(len(groups) // DEALT, 1)]
            bets = self.in_sequence(once, outcomes)
            found.append({"games": n, "groups": len(groups), **self._beyond(honest, tests, bets)})
        return found

    def _simulated(self, honest: Honest, n: int, among: Ints | None) -> list[Ints]:
        fold = self.trial.fold
        if among is None:
            return [rows for rows in honest.groups if fold[rows[0]] in SIMULATED]
        if n == 1:
            return [np.array([row]) for row in among]
        rng = np.random.default_rng(0)
        groups = []
        for one in np.repeat(np.unique(fold[among]), DEALT):
            own = rng.permutation(among[fold[among] == one])
            groups += [own[i : i + n] for i in range(0, len(own) - n + 1, n)]
        return groups

    def _beyond(self, honest: Honest, tests: Tests, bets: Floats) -> dict[str, float]:
        """Shares of groups beyond what a share RATE of the honest ones exceeds, by every test."""
        pairs = {
            "ours": (honest.z[:, -1], tests.ours[:, -1]),
            **{name: (honest.z[:, ALL.index(name)], tests.ours[:, ALL.index(name)]) for name in SHARES},
            "plain": (honest.plain, tests.plain),
            "index": (honest.index, tests.index),
        }
        found = {
            name: float((other > np.quantile(own, 1 - RATE)).mean()) for name, (own, other) in pairs.items()
        }
        return {**found, "sequence": float((bets >= 1 / RATE).mean())}

    # Situations ------------------------------------------------------------------------------------------

    def stale(self, shift: float, error: float, n: int = 5) -> float:
        """Share of honest groups named above at 1 in 100, were their ratings so many points too low."""
        trial, one = self.trial, self.trial.folds[SIMULATED[0]]
        assert one.calibration.agents is not None
        groups = [rows for rows in self.honest[n].groups if trial.fold[rows[0]] == SIMULATED[0]]
        elo = trial.appearances.elo - shift
        evidence = evidence_of(
            one.turns, trial.place[one.at], elo, one.calibration.agents, one.curves, error=error
        )
        reference = np.array([elo[rows].mean() for rows in groups])
        rater = Rater(trial.appearances, one.calibration, stacks=trial.stacks)
        by_elo = elo_departures(rater, groups, reference, error=error)
        norms = self.norms_of[SIMULATED[0]]
        z = together(departures(evidence, groups, norms, by_elo, reference, error=error))
        return float((z > THRESHOLDS[1]).mean())

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
        trial, fold = self.trial, SIMULATED[0]
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


def other_engine(choices: Mapping[str, str], part: float) -> Replacement:
    """In a share of the turns the first choice of another engine, by position; as it was where unknown."""

    def how(turns: Any, rng: np.random.Generator) -> tuple[Mask, Ints]:
        index = choice_among_lines(turns, choices)
        chosen = (rng.random(len(turns)) < part) & (index >= 0)
        return chosen, np.maximum(index, 0)

    return how


def choice_among_lines(turns: Turns, choices: Mapping[str, str]) -> Ints:
    """Which of the lines another engine's choice is at every turn; -1 where it is none, -2 where unknown."""
    own = turns.decisions
    keys = own.text("position_key")
    index = np.full(len(turns), -2)
    for row in range(len(turns)):
        wanted = choices.get(keys[row] or "")
        if wanted is not None:
            moves = [move for move, _ in own.options(row)[: turns.lines[row]]]
            index[row] = moves.index(wanted) if wanted in moves else -1
    return index


@dataclass(frozen=True)
class OtherEngine:
    """An engine whose choice is taken in some scenarios, and how it goes with the one that screens."""

    name: str
    turns: int
    listed: float
    """Share of the turns at which its choice is one of the lines, and so has a value."""
    first: float
    """Share at which it is the first of them."""

    @classmethod
    def of(cls, name: str, turns: Turns, choices: Mapping[str, str]) -> OtherEngine:
        """As its choices are at the screened turns."""
        index = choice_among_lines(turns, choices)
        known = index[index > -2]
        return cls(name, len(known), float((known >= 0).mean()), float((known == 0).mean()))


def all_scenarios(choices: Mapping[str, str] | None) -> dict[str, Replacement]:
    """Every scenario; another engine's choice where it is known."""
    found = dict(SCENARIOS)
    if choices:
        found["half, another engine's choice"] = other_engine(choices, 0.5)
        found["half, the same games"] = _where(choices, share(0.5))
    return found


def _where(choices: Mapping[str, str], how: Replacement) -> Replacement:
    """A replacement only where another engine's choice is known."""

    def only(turns: Any, rng: np.random.Generator) -> tuple[Mask, Ints]:
        mask, index = how(turns, rng)
        known = np.array([key in choices for key in turns.decisions.text("position_key")])
        return mask & known, index

    return only


def covered_by(trial: Trial, choices: Mapping[str, str]) -> Mask:
    """Which appearances have nine tenths of their turns among positions of another engine."""
    known = np.array([key in choices for key in trial.turns.decisions.text("position_key")], np.float64)
    n = len(trial.appearances)
    total = np.bincount(trial.place, minlength=n)
    return np.asarray(np.bincount(trial.place, known, n) >= 0.9 * np.maximum(total, 1))


def bands_of(z: Floats, reference: Floats) -> list[tuple[str, int, Floats, Floats]]:
    """Mean and deviation of departures in every band: all statistics, and together."""
    found = []
    for low, high in BANDS:
        own = z[(reference >= low) & (reference < high)]
        if not len(own):
            continue
        found.append((f"{low}-{high}", len(own), own.mean(axis=0), own.std(axis=0)))
    return found
