"""Preparation: moves that many games share were known beforehand, and are not what is screened.

Known from the games themselves: a position that occurs in the games of three different players or more, by
whoever of them was to move, is taken as prepared. Turns 1 to 8 are left out in any case.
"""

from __future__ import annotations

import numpy as np

from assay.decisions.arrays import Mask
from assay.decisions.decisions import Decisions
from assay.decisions.rules import Rule

SHARED_BY = 3
"""So many different players had to move in a position that is taken as prepared."""


def shared(decisions: Decisions) -> Mask:
    """Which decisions are in positions that several players had; null keys are of nobody else."""
    known = decisions.text("position_key")
    codes: dict[str, int] = {}
    key = np.array([-1 if one is None else codes.setdefault(one, len(codes)) for one in known])
    pairs = np.unique(np.stack((key, decisions.codes("player")), axis=1), axis=0)
    players = np.bincount(pairs[pairs[:, 0] >= 0, 0], minlength=max(len(codes), 1))
    return np.asarray((key >= 0) & (players[key] >= SHARED_BY))


def not_prepared() -> Rule:
    """Leave out positions that three players or more had to move in, in the games at hand."""
    return Rule(f"position of fewer than {SHARED_BY} players", lambda d: ~shared(d))
