"""Power and error rates over several dealings of the same games into folds.

Some hundred groups of five honest games do not overlap, and one group in a hundred sets a threshold: what one
dealing says is chance to a good part. Here the groups of several dealings are taken together. A difference
of powers has a standard error by the jackknife: a twentieth of the games is left out in turn, with every
group that has one of them, from the honest groups and from those with moves replaced alike (Shao and Wu
1989: one game at a time would not do for quantiles).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.files import write_text
from research.evidence.screening.measured import DEALT, THRESHOLDS, Measurement
from research.evidence.screening.other_engine import covered_by
from research.evidence.screening.power import SCENARIOS, Replacement
from research.evidence.screening.trials import rates_of

SEEDS = (3, 4, 5, 6, 7)
"""Of the dealings that are measured. The rule of p was chosen on others, 0 to 2, of the same games."""

RATE = 0.01
"""Of false positives, measured on honest groups, at which powers are compared."""

PARTS = 20
"""Into which the games are parted by the jackknife."""

OTHERS = ("plain", "index")
"""What ours is compared with."""


@dataclass(frozen=True, eq=False)
class Tried:
    """Groups of one number of games, honest or with moves replaced, of one dealing or several."""

    games: Ints
    """Which games each group has: shape (groups, games)."""
    reference: Floats
    tests: Mapping[str, Floats]

    @classmethod
    def of(cls, measured: Measurement, groups: Sequence[Ints], tests: Mapping[str, Floats]) -> Tried:
        """Groups of appearances of one dealing."""
        rows = np.array(groups)
        own = measured.trial.appearances
        return cls(own.game[rows], own.elo[rows].mean(axis=1), tests)

    def __len__(self) -> int:
        return len(self.games)

    def without(self, part: int) -> Tried:
        """Those that have no game of a part."""
        kept = (self.games % PARTS != part).all(axis=1)
        tests = {name: values[kept] for name, values in self.tests.items()}
        return Tried(self.games[kept], self.reference[kept], tests)

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "games": self.games.tolist(),
            "reference": np.round(self.reference, 2).tolist(),
            "tests": {name: np.round(values, 4).tolist() for name, values in self.tests.items()},
        }


Trials = Mapping[int, Tried]
"""By number of games."""

Document = Mapping[str, Any]
"""The same as JSON has it."""


def honest_of(made: Callable[[], Measurement]) -> Document:
    """The honest groups of one dealing, which is made if it must be."""
    measured = made()
    found = measured.honest.items()
    return {str(n): Tried.of(measured, one.groups, one.tests).document() for n, one in found}


def moved_of(made: Callable[[], Measurement], *given: Any) -> Document:
    """Groups of one dealing with moves replaced (`Measurement.moved`)."""
    measured = made()
    found = measured.moved(*given).items()
    return {str(n): Tried.of(measured, one.groups, one.tests).document() for n, one in found}


def joined(dealings: Iterable[Document]) -> dict[int, Tried]:
    """The groups of several dealings together, from their documents."""
    several = list(dealings)
    numbers = sorted({int(n) for one in several for n in one})
    found = {}
    for n in numbers:
        own = [one[str(n)] for one in several if str(n) in one]
        found[n] = Tried(
            np.concatenate([np.array(one["games"], np.int64).reshape(-1, n) for one in own]),
            np.concatenate([np.array(one["reference"]) for one in own]),
            {name: np.concatenate([np.array(one["tests"][name]) for one in own]) for name in own[0]["tests"]},
        )
    return found


def honest_rates(honest: Trials, dealings: int) -> Iterator[dict[str, Any]]:
    """Shares of honest groups beyond thresholds over all dealings; groups that overlap count once."""
    for n, one in honest.items():
        often = dealings * (1 if n == 1 else DEALT)
        yield from rates_of(one.tests["ours"], one.reference, n, THRESHOLDS, often)


def powers(honest: Tried, moved: Tried) -> dict[str, float]:
    """Shares of groups beyond what a share RATE of the honest ones exceeds, by every test."""
    return {
        name: float((values > np.quantile(honest.tests[name], 1 - RATE)).mean())
        for name, values in moved.tests.items()
    }


def compared(honest: Trials, moved: Trials) -> list[dict[str, Any]]:
    """Powers by number of games, and by how much ours is more than the others, with standard errors."""
    found = []
    for n, own in moved.items():
        power = powers(honest[n], own)
        parts = [(honest[n].without(part), own.without(part)) for part in range(PARTS)]
        again = [powers(*one) for one in parts if min(map(len, one))]
        apart = {
            name: (power["ours"] - power[name], jackknife([one["ours"] - one[name] for one in again]))
            for name in OTHERS
        }
        found.append({"games": n, "groups": len(own), **power, "apart": apart})
    return found


def jackknife(found: Sequence[float]) -> float:
    """The standard error of what was found anew without each of some parts."""
    values = np.array(found)
    return float(np.sqrt((len(values) - 1) * values.var()))


def over_dealings(
    first: Measurement,
    scenarios: Mapping[str, Replacement],
    choices: Mapping[str, str] | None,
    kept: Path | None,
) -> tuple[Trials, dict[str, list[dict[str, Any]]]]:
    """Honest groups, and powers by scenario, of all dealings; `first` is the first of them.

    The test in sequence takes long, and is followed in the first of them only.
    """
    among = {name: among_of(first, name, choices) for name in scenarios}
    honest: list[Document] = []
    moved: dict[str, list[Document]] = {name: [] for name in scenarios}
    for seed in SEEDS:
        made = cache(partial(_dealing, first, seed, kept))
        honest.append(once(kept, f"honest {seed}", partial(honest_of, made)))
        for name, how in scenarios.items():
            found = partial(moved_of, made, how, among[name], seed)
            moved[name].append(once(kept, f"moved {seed} {name}", found))
    every = joined(honest)
    powers = {}
    for name, how in scenarios.items():
        reached = once(kept, f"sequence {name}", partial(reached_by, first, how, among[name]))
        own = compared(every, joined(moved[name]))
        powers[name] = [{**one, "sequence": reached[str(one["games"])]} for one in own]
    return every, powers


def _dealing(first: Measurement, seed: int, kept: Path | None) -> Measurement:
    return first if seed == SEEDS[0] else Measurement(first.trial.dealt_again(kept, seed))


def among_of(measured: Measurement, name: str, choices: Mapping[str, str] | None) -> Ints | None:
    """In which appearances moves are replaced: all, or, of another engine's choice, where it is known."""
    if choices is None or name in SCENARIOS:
        return None
    return np.flatnonzero(covered_by(measured.trial, choices) & (measured.trial.fold >= 0))


def reached_by(measured: Measurement, *given: Any) -> dict[str, float]:
    """By number of games, which share ever reached the evidence that honest ones reach as seldom as RATE."""
    found = measured.moved_in_sequence(*given)
    return {str(n): float((highest >= 1 / RATE).mean()) for n, highest in found.items()}


def once(kept: Path | None, name: str, found: Callable[[], Any]) -> Any:
    """What a run that was stopped had found already; else found now, and kept for the next."""
    if kept is None:
        return found()
    path = kept / f"{re.sub('[^a-z0-9]+', '-', name.lower())}.json"
    if not path.is_file():
        kept.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(found()))
    return json.loads(path.read_text(encoding="utf-8"))
