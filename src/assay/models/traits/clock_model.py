"""Strength from the clocks: how fast moves are made, in each phase of the game, weighed as rated games teach.

The same discriminant as `traits`, of other signs (assay.models.traits.clock_signs). It is no method that
rates by moves, and counts only where it is asked for by name (`assay rate --with clocks`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.rules import Rule, rated, timed
from assay.models.appearances import OPENING_TURNS
from assay.models.traits.clock_signs import CLOCK_SIGNS, clock_signs
from assay.models.traits.model import Block, TraitsModel

VERSION = 1
"""Raised when a sign changes its meaning: lessons of another version do not fit."""

CLOCKS = "clocks"

PHASES = ((0, OPENING_TURNS), (OPENING_TURNS, 20), (20, 40), (40, None))
"""Turns after which a phase begins, and with which it ends."""

_ALL = tuple(range(len(CLOCK_SIGNS)))
_ROWS = 200_000
"""Decisions whose signs are held at once."""


class ClocksModel(TraitsModel):
    """A linear discriminant of the means of what the clocks tell."""

    name: ClassVar[str] = CLOCKS
    reads_trace = False
    of_most = True  # games without clocks beside games with them: how far that strays was not learned
    blocks: ClassVar[tuple[Block, ...]] = (
        Block(CLOCK_SIGNS, _ALL, OPENING_TURNS),
        *(Block(CLOCK_SIGNS, _ALL, first, end) for first, end in PHASES),
    )

    @property
    def settings(self) -> str:
        """Which signs are summed, and where the opening ends."""
        size = self.shape[0] - len(self.blocks)
        return f"{size} signs of clocks, opening to turn {OPENING_TURNS}, version {VERSION}"

    def rules(self) -> tuple[Rule, ...]:
        """Moves of which it is known how long they took, and what was on the clock; forced ones too."""
        return (rated(), timed())

    def signs_of(self, decisions: Decisions) -> Iterator[tuple[Ints, Floats]]:
        """Every sign of the decisions, some rows at a time: their numbers, and the signs."""
        spent, before = decisions.numbers("seconds_spent"), decisions.numbers("seconds_before")
        for start in range(0, len(decisions), _ROWS):
            rows = np.arange(start, min(start + _ROWS, len(decisions)))
            yield rows, clock_signs(spent[rows], before[rows])
