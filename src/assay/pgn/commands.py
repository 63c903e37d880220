"""The commands `[%eval]`, `[%clk]` and `[%emt]` of plain comments, read by compiled loops.

Games from a server have one comment behind each move and nothing else in it. Of those the Rust reader gives
the text of each comment with its move, and the loops here read what assay.pgn.annotations would, some
twenty times as fast. A game with anything out of the ordinary (two comments behind a move, one before the
first, comments of engine matches, letters that are not ASCII in one) is told, and read by the slow reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit

NOTHING, SOMETHING, UNUSUAL = 0, 1, 2
"""What a comment is found to say."""

_COLUMNS = 5
_CP, _MATE, _DEPTH, _CLOCK, _ELAPSED = range(_COLUMNS)
_MOST_DIGITS = 15
"""A number of more digits may be rounded otherwise by the slow reader."""


@dataclass(frozen=True, eq=False)
class Commands:
    """What plain comments say, one row for each that says anything; NaN for what it does not say."""

    game: Ints
    """Which of the games that were read together."""
    position: Ints
    """The position after so many plies, of which the comment speaks."""
    cp: Floats
    """Its mover's view, as those of assay.pgn.annotations."""
    mate: Floats
    depth: Floats
    clock: Floats
    elapsed: Floats

    def only(self, rows: npt.NDArray[np.integer] | Mask) -> Commands:
        """Some of the rows."""
        return Commands(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def read_commands(comments: Sequence[str | None] | pa.Array) -> tuple[Floats, npt.NDArray[np.uint8]]:
    """What each comment says, White's view: shape (comments, 5), and whether that is nothing, or unusual."""
    texts = comments if isinstance(comments, pa.Array) else pa.array(comments, pa.large_string())
    values = np.full((len(texts), _COLUMNS), np.nan)
    kinds = np.zeros(len(texts), dtype=np.uint8)
    if len(texts):
        _, places, letters = texts.buffers()
        _read_all(
            np.frombuffer(letters or b"", dtype=np.uint8),
            np.frombuffer(places, dtype=np.int64)[: len(texts) + 1],
            values,
            kinds,
        )
    return values, kinds


def plain_commands(values: Floats, kinds: npt.NDArray[np.uint8], starts: Ints, lengths: Ints) -> Commands:
    """The commands of games whose moves begin at `starts` among all comments; White moves first."""
    game = np.repeat(np.arange(len(starts)), lengths)
    ply = np.arange(len(game)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    place = np.repeat(starts, lengths) + ply
    says = kinds[place] == SOMETHING
    game, ply, place = game[says], ply[says], place[says]
    sign = np.where(ply % 2 == 0, -1.0, 1.0)  # behind White's move Black is the mover
    found = values[place]
    return Commands(
        game,
        ply + 1,
        sign * found[:, _CP],
        sign * found[:, _MATE],
        found[:, _DEPTH],
        found[:, _CLOCK],
        found[:, _ELAPSED],
    )


@njit()
def _read_all(letters, places, values, kinds):  # type: ignore[no-untyped-def]
    """Read every comment; comment i is from `places[i]` to `places[i + 1]`."""
    for index in range(len(kinds)):
        kinds[index] = _read(letters, places[index], places[index + 1], values, index)


@njit()
def _read(letters, start, end, values, row):  # type: ignore[no-untyped-def]
    """Read one comment into its row; return what it says."""
    for place in range(start, end):
        if letters[place] >= 128:
            return UNUSUAL
    first = start
    while first < end and _is_blank(letters[first]):
        first += 1
    # A comment of an engine match begins with a number, a mate or a sign.
    if first < end and (_is_digit(letters[first]) or letters[first] in (35, 43, 45, 77)):
        return UNUSUAL
    found = NOTHING
    place = start
    while place < end - 1:
        if letters[place] != 91 or letters[place + 1] != 37:  # [%
            place += 1
            continue
        command = _command(letters, place + 2, end)
        if command == 0:
            place += 1
            continue
        begin = place + (6 if command == 1 else 5)
        argument = begin
        while argument < end and _is_blank(letters[argument]):
            argument += 1
        stop = argument
        while stop < end and not _is_blank(letters[stop]) and letters[stop] != 93:
            stop += 1
        close = stop
        while close < end and _is_blank(letters[close]):
            close += 1
        if argument == begin or stop == argument or close >= end or letters[close] != 93:
            place += 1
            continue
        if command == 1:
            said = _read_evaluation(letters, argument, stop, values, row)
            if said == UNUSUAL:
                return UNUSUAL
            found = max(found, said)
        else:
            seconds = _read_duration(letters, argument, stop)
            if seconds == -2.0:
                return UNUSUAL
            values[row, _CLOCK if command == 2 else _ELAPSED] = np.nan if seconds < 0 else seconds
            if seconds >= 0:
                found = SOMETHING
        place = close + 1
    return found


@njit()
def _command(letters, place, end):  # type: ignore[no-untyped-def]
    """1 for eval, 2 for clk, 3 for emt, 0 for any other word."""
    if place + 4 <= end and letters[place] == 101 and letters[place + 1] == 118:
        return 1 if letters[place + 2] == 97 and letters[place + 3] == 108 else 0
    if place + 3 > end:
        return 0
    if letters[place] == 99 and letters[place + 1] == 108 and letters[place + 2] == 107:
        return 2
    if letters[place] == 101 and letters[place + 1] == 109 and letters[place + 2] == 116:
        return 3
    return 0


@njit()
def _read_evaluation(letters, start, end, values, row):  # type: ignore[no-untyped-def]
    """`0.25`, `-12`, `#-3`, each with `,20` behind it or without; what is none of them is passed over."""
    place = start
    mate = letters[place] == 35
    if mate:
        place += 1
    sign = 1.0
    if place < end and letters[place] in (43, 45):
        sign = -1.0 if letters[place] == 45 else 1.0
        place += 1
    digits = _digits(letters, place, end)
    if digits == 0 or digits > (4 if mate else 5):
        return NOTHING
    whole = _whole(letters, place, digits)
    place += digits
    number = float(whole)
    if not mate and place < end and letters[place] == 46:
        fraction = _digits(letters, place + 1, end)
        if fraction == 0:
            return NOTHING
        if digits + fraction > _MOST_DIGITS:
            return UNUSUAL
        scale = 10.0**fraction
        number = (whole * scale + _whole(letters, place + 1, fraction)) / scale
        place += 1 + fraction
    depth = np.nan
    if place < end and letters[place] == 44:
        digits = _digits(letters, place + 1, end)
        if digits == 0 or digits > 3:
            return NOTHING
        depth = float(_whole(letters, place + 1, digits))
        place += 1 + digits
    if place != end:
        return NOTHING
    values[row, _MATE] = sign * number if mate else np.nan
    values[row, _CP] = np.nan if mate else sign * np.rint(100.0 * number)
    values[row, _DEPTH] = depth
    return SOMETHING


@njit()
def _read_duration(letters, start, end):  # type: ignore[no-untyped-def]
    """Seconds from `h:mm:ss`, `mm:ss` or plain seconds; -1 if it is none of them, -2 if it is unusual."""
    before, count = 0.0, 0  # seconds of the parts before the last; no array, which would be made each time
    last = 0.0
    place = start
    while True:
        digits = _digits(letters, place, end)
        if digits == 0 or digits > 6:
            return -1.0
        before, last = 60.0 * (before + last), float(_whole(letters, place, digits))
        place += digits
        count += 1
        if place < end and letters[place] == 58 and count < 3:  # a colon
            if digits > 3:
                return -1.0
            place += 1
            continue
        break
    if count > 1 and digits > 2:
        return -1.0
    seconds = last
    if place < end and letters[place] == 46:
        fraction = _digits(letters, place + 1, end)
        if fraction == 0:
            return -1.0
        if digits + fraction > _MOST_DIGITS:
            return -2.0
        scale = 10.0**fraction
        seconds = (seconds * scale + _whole(letters, place + 1, fraction)) / scale
        place += 1 + fraction
    if place != end:
        return -1.0
    return before + seconds


@njit()
def _digits(letters, place, end):  # type: ignore[no-untyped-def]
    count = 0
    while place + count < end and _is_digit(letters[place + count]):
        count += 1
    return count


@njit()
def _whole(letters, place, digits):  # type: ignore[no-untyped-def]
    number = 0
    for index in range(min(digits, _MOST_DIGITS + 1)):
        number = 10 * number + (int(letters[place + index]) - 48)
    return number


@njit()
def _is_digit(letter):  # type: ignore[no-untyped-def]
    return 48 <= letter <= 57


@njit()
def _is_blank(letter):  # type: ignore[no-untyped-def]
    return letter == 32 or 9 <= letter <= 13 or 28 <= letter <= 31
