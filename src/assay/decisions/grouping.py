"""The groupings `--by` takes: player, year, event, ..., one word for each.

Every command and call that groups decisions takes these words, and names those among them that it can do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.decisions.arrays import Floats, Ints


class By(StrEnum):
    """One grouping: its word, its meaning, and the column of decisions that it is, where it is one."""

    meaning: str
    column: str | None

    def __new__(cls, word: str, meaning: str = "", column: str | None = None) -> By:
        """Make a member of its word."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.meaning, member.column = meaning, column
        return member

    ALL = "all", "everything together"
    PLAYER = "player", "each player", "player"
    YEAR = "year", "each year of a player", "year"
    EVENT = "event", "each event of a player", "event"
    GAME = "game", "each game of a player", "game_id"
    COLOUR = "colour", "White and Black", "colour"
    RESULT = "result", "games won, drawn and lost", "result"
    TIME = "time", "each time control", "time_class"
    PERIOD = "period", "periods of years (--period)"
    MILEPOST = "milepost", "games of two players rated near 1600, 1700, ..."
    RATING_BAND = "rating-band", "players rated 1600 to 1699, ..., where games are streamed"
    PHASE = "phase", "opening, middlegame and endgame"
    MONTH = "month", "each month"
    OPENING = "opening", "openings (tag ECO)"
    CLOCK = "clock", "how much time was left"
    OPPONENT = "opponent", "weaker, even and stronger opponents"
    PIECES = "pieces", "how many pieces were left"


COLUMNS: Mapping[By, str] = {by: by.column for by in By if by.column}
"""The groupings that are a column of decisions."""

RATED_BY = (By.PLAYER, By.YEAR, By.EVENT, By.GAME)
"""What ratings can be apart by."""

SLICED_BY = (By.PHASE, By.COLOUR, By.MONTH, By.OPENING, By.CLOCK, By.OPPONENT, By.PIECES)
"""What a player's decisions are cut into slices by, to compare one with the rest (assay.insights)."""


class Columns(Protocol):
    """Whatever has the columns of decisions: decisions, or the games that they are from."""

    def numbers(self, column: str) -> Floats:
        """A numeric column, NaN for null."""

    def codes(self, column: str) -> Ints:
        """A text column as integers into `names(column)`; -1 for null."""

    def names(self, column: str) -> list[str]:
        """What the codes stand for."""


def check_by(by: str, able: Iterable[By]) -> By:
    """The grouping that a word names, if it is one of those that can be done here."""
    choice = list(able)
    if by not in choice:
        raise InputError(f"group by {', '.join(choice)}, not by '{by}'")
    return next(grouping for grouping in choice if grouping == by)


def parts(rows: Columns, by: By) -> tuple[Ints, dict[int, str]]:
    """The part that each row belongs to, as a number, and what the parts are called."""
    import numpy as np  # here, so that the words alone (for `assay --help`) load nothing

    if by.column is None:
        raise InputError(f"moves cannot be grouped by '{by}' here: choose another --by")
    unknown = {-1: f"unknown {by}"}
    if by not in (By.YEAR, By.RESULT):
        return rows.codes(by.column), unknown | dict(enumerate(rows.names(by.column)))
    values = np.nan_to_num(rows.numbers(by.column) * (2 if by is By.RESULT else 1), nan=-1).astype(np.int64)
    words = ("lost", "drawn", "won") if by is By.RESULT else None
    return values, unknown | {n: words[n] if words else str(n) for n in np.unique(values).tolist() if n >= 0}
