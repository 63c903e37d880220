"""Traits of games that bring their evaluations: the part of the signs that one value per ply tells.

The same discriminant, learned in the same way, of other signs (assay.models.traits.value_signs): phases of
the game are read apart, in place of depths and ranks, which are not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.rules import Rule, has_gain, not_forced, rated
from assay.models.appearances import OPENING_TURNS
from assay.models.traits.model import Block, TraitsModel
from assay.models.traits.signs import OF_LOSSES
from assay.models.traits.value_signs import OF_PHASES, VALUE_SIGNS, value_signs

VERSION = 1
"""Raised when a sign changes its meaning: lessons of another version do not fit."""

PHASES = ((OPENING_TURNS, 20), (20, 40), (40, None))
"""Turns after which a phase begins, and with which it ends."""

_ROWS = 4_000
"""Decisions whose signs are held at once: few enough for a processor to keep at hand, three times as fast."""


def _block(names: tuple[str, ...], first: int, end: int | None) -> Block:
    return Block(names, tuple(VALUE_SIGNS.index(name) for name in names), first, end)


class ValueTraitsModel(TraitsModel):
    """A linear discriminant of the means of what consecutive values tell."""

    reads_trace = False
    blocks: ClassVar[tuple[Block, ...]] = (
        _block(VALUE_SIGNS, OPENING_TURNS, None),
        _block(OF_LOSSES, 0, OPENING_TURNS),
        *(_block(OF_PHASES, first, end) for first, end in PHASES),
    )

    @property
    def settings(self) -> str:
        """Which signs are summed, and where the opening ends."""
        size = self.shape[0] - len(self.blocks)
        return f"{size} signs of consecutive values, opening to turn {OPENING_TURNS}, version {VERSION}"

    def rules(self) -> tuple[Rule, ...]:
        """Moves that are not known to be forced, with a value before and after."""
        return (rated(), has_gain(), not_forced())

    def signs_of(self, decisions: Decisions) -> Iterator[tuple[Ints, Floats]]:
        """Every sign of the decisions, some rows at a time: their numbers, and the signs."""
        before, after = decisions.numbers("before"), decisions.numbers("after")
        for start in range(0, len(decisions), _ROWS):
            rows = np.arange(start, min(start + _ROWS, len(decisions)))
            yield rows, value_signs(before[rows], after[rows])
