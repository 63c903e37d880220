"""The slices that a player's decisions are cut into: by phase, colour, month, opening, clock, opponent, men.

A slice is a number and a name. Phases, colours, bands of men, of clocks and of opponents are always the same
ones, in the same order, so that what is known of players of known Elo there can be kept beside them
(assay.rating.slice_reference). Months and openings are those of the games at hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import ALSO_CALLED, SLICED_BY, By, check_by
from assay.decisions.phases import MEN, PHASES, men_bands, phases
from assay.errors import InputError

EVEN = 100.0
"""Opponents within so many points of the player are even."""

SECONDS = (30.0, 120.0, 600.0)
"""Where the bands of time left begin and end."""

CLOCK_COLUMN = "seconds_before"
"""The column of decisions with the seconds that the mover had left when the position came up."""

FIXED: Mapping[By, tuple[str, ...]] = {
    By.PHASE: PHASES,
    By.COLOUR: ("white", "black"),
    By.PIECES: tuple(f"{high} to {low} men" for low, high in MEN),
    By.OPPONENT: (f"{EVEN:.0f}+ weaker", f"within {EVEN:.0f}", f"{EVEN:.0f}+ stronger"),
    By.CLOCK: ("under 30 s", "30 s to 2 min", "2 to 10 min", "over 10 min"),
}
"""Names of the slices that are the same for everyone."""

_SENTENCES: Mapping[By, str] = {
    By.PHASE: "in the {}",
    By.COLOUR: "with {}",
    By.PIECES: "with {}",
    By.MONTH: "in {}",
    By.OPENING: "in {}",
    By.CLOCK: "with {} left",
    By.OPPONENT: "against opponents {}",
}


@dataclass(frozen=True, eq=False)
class Slicing:
    """The slice of each decision; -1 where it is not known."""

    by: By
    slice: Ints
    names: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Whether any decision has a slice."""
        return bool((self.slice >= 0).any())


def sliced_by(word: str) -> By:
    """The word for slices, or another word for the same."""
    return ALSO_CALLED[word] if word in ALSO_CALLED else check_by(word, SLICED_BY)


def slicing(
    decisions: Decisions,
    by: By,
    *,
    own: Floats | None = None,
    of_games: Mapping[str, str] | None = None,
) -> Slicing:
    """The slice of each decision.

    `own` is a rating of each decision's player, for those who have no published one: opponents are weaker or
    stronger than that. `of_games` names the month or the opening of each game by its id.
    """
    if by in (By.MONTH, By.OPENING):
        return _of_games(decisions, by, of_games or {})
    made = {
        By.PHASE: lambda: phases(decisions.text("position_key")),
        By.COLOUR: lambda: _colours(decisions),
        By.PIECES: lambda: men_bands(decisions.text("position_key")),
        By.OPPONENT: lambda: _opponents(decisions, own),
        By.CLOCK: lambda: _clocks(decisions),
    }
    if by not in made:
        raise InputError(f"decisions cannot be cut into slices by '{by}': choose another --by")
    return Slicing(by, made[by](), FIXED[by])


def in_words(by: By, name: str) -> str:
    """A slice as it stands in a sentence: in the endgame, with White, against opponents 100+ stronger."""
    named = name.capitalize() if by is By.COLOUR else name
    return _SENTENCES[by].format(named)


def _of_games(decisions: Decisions, by: By, of_games: Mapping[str, str]) -> Slicing:
    names = tuple(sorted(set(of_games.values())))
    place = {name: index for index, name in enumerate(names)}
    games = np.array(
        [place[of_games[game]] if game in of_games else -1 for game in decisions.names("game_id")], np.int64
    )
    return Slicing(by, games[decisions.codes("game_id")], names)


def _colours(decisions: Decisions) -> Ints:
    known = {"white": 0, "black": 1}
    codes = np.array([known.get(name, -1) for name in decisions.names("colour")] + [-1], np.int64)
    return np.asarray(codes[decisions.codes("colour")])  # null is -1, the last


def _opponents(decisions: Decisions, own: Floats | None) -> Ints:
    mine, theirs = decisions.numbers("player_elo"), decisions.numbers("opponent_elo")
    mine = np.where(mine > 0, mine, np.nan if own is None else own)
    apart = np.where(theirs > 0, theirs, np.nan) - mine
    band = 1 + (apart > EVEN).astype(np.int64) - (apart < -EVEN).astype(np.int64)
    return np.asarray(np.where(np.isnan(apart), -1, band))


def _clocks(decisions: Decisions) -> Ints:
    if not decisions.has(CLOCK_COLUMN):
        return np.full(len(decisions), -1, np.int64)
    left = decisions.numbers(CLOCK_COLUMN)
    return np.asarray(np.where(np.isnan(left), -1, np.searchsorted(SECONDS, left, side="right")))
