"""What is put together and what is kept apart: `by` player, year, event, ..., one word for each.

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
    """One thing that decisions are grouped by."""

    ALL = "all"
    PLAYER = "player"
    YEAR = "year"
    EVENT = "event"
    GAME = "game"
    COLOUR = "colour"
    RESULT = "result"
    TIME = "time"
    PERIOD = "period"
    MILEPOST = "milepost"
    RATING_BAND = "rating-band"
    PHASE = "phase"
    MONTH = "month"
    OPENING = "opening"
    CLOCK = "clock"
    OPPONENT = "opponent"
    PIECES = "pieces"


MEANINGS: Mapping[By, str] = {
    By.ALL: "everything together",
    By.PLAYER: "each player",
    By.YEAR: "each year of a player",
    By.EVENT: "each event of a player",
    By.GAME: "each game of a player",
    By.COLOUR: "White and Black",
    By.RESULT: "games won, drawn and lost",
    By.TIME: "each time control",
    By.PERIOD: "periods of years (--period)",
    By.MILEPOST: "games of two players rated near 1600, 1700, ...",
    By.RATING_BAND: "players rated 1600 to 1699, ..., where games are streamed",
    By.PHASE: "opening, middlegame and endgame",
    By.MONTH: "each month",
    By.OPENING: "openings (tag ECO)",
    By.CLOCK: "how much time was left",
    By.OPPONENT: "weaker, even and stronger opponents",
    By.PIECES: "how many men were left",
}

COLUMNS: Mapping[By, str] = {
    By.PLAYER: "player",
    By.YEAR: "year",
    By.EVENT: "event",
    By.GAME: "game_id",
    By.COLOUR: "colour",
    By.RESULT: "result",
    By.TIME: "time_class",
}
"""The column of the decisions that tells the groups, where one column does."""


RATED_BY = (By.PLAYER, By.YEAR, By.EVENT, By.GAME)
"""What ratings can be apart by."""


SLICED_BY = (By.PHASE, By.COLOUR, By.MONTH, By.OPENING, By.CLOCK, By.OPPONENT, By.PIECES)
"""What a player's decisions are cut into slices by, to compare one with the rest (assay.insights)."""

ALSO_CALLED: Mapping[str, By] = {"time-pressure": By.CLOCK, "piece-count": By.PIECES}
"""Other words for the same."""


class Columns(Protocol):
    """Whatever has the columns of decisions: decisions, or the games that they are from."""

    def numbers(self, column: str) -> Floats:
        """A numeric column, NaN for null."""

    def codes(self, column: str) -> Ints:
        """A text column as integers into `names(column)`; -1 for null."""

    def names(self, column: str) -> list[str]:
        """What the codes stand for."""


def check_by(by: str, able: Iterable[By]) -> By:
    """The word for a group, if it is one of those that can be done here."""
    choice = list(able)
    if by not in choice:
        raise InputError(f"group by {', '.join(choice)}, not by '{by}'")
    return By(by)


def parts(rows: Columns, by: By) -> tuple[Ints, dict[int, str]]:
    """The part that each row belongs to, as a number, and what the parts are called."""
    import numpy as np  # here, so that the words alone (for `assay --help`) load nothing

    if by not in COLUMNS:
        raise InputError(f"moves cannot be grouped by '{by}' here: choose another --by")
    column = COLUMNS[by]
    if by in (By.YEAR, By.RESULT):
        values = np.nan_to_num(rows.numbers(column) * (2 if by is By.RESULT else 1), nan=-1).astype(np.int64)
        return values, {int(one): _numbered(by, int(one)) for one in np.unique(values)}
    return rows.codes(column), {-1: f"unknown {by}", **dict(enumerate(rows.names(column)))}


def _numbered(by: By, value: int) -> str:
    if value < 0:
        return f"unknown {by}"
    return str(value) if by is By.YEAR else ("lost", "drawn", "won")[value]
