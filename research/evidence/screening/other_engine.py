"""Moves taken from another engine than the one that screens, in the positions that it analysed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.decisions.arrays import Ints, Mask
from assay.screening.turns import Turns
from research.evidence.screening.power import SCENARIOS, Replacement, share
from research.evidence.screening.trials import Trial


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
