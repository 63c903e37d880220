"""What the comments of a game say of its positions.

A comment after n moves speaks, in lichess's convention, of the position after them: `[%eval 0.25,20]` is its
evaluation in pawns from White's view (`#-3` a mate) with an optional depth, `[%clk 1:30:05]` what the player
who moved has left, `[%emt 0:00:12]` how long the move took. Other comments speak of the move played, so of
the position before it (assay.pgn.comments).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.evaluation import from_cp, from_mate

if TYPE_CHECKING:
    from assay.pgn.moves import Mainline

_COMMAND = re.compile(r"\[%(eval|clk|emt)\s+([^\]\s]+)\s*\]")
_EVALUATION = re.compile(r"(?:#([+-]?\d{1,4})|([+-]?\d{1,5}(?:\.\d+)?))(?:,(\d{1,3}))?")
_DURATION = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2}(?:\.\d+)?)|(\d{1,6}(?:\.\d+)?)")


@dataclass
class Annotation:
    """What one comment says: evaluations from the view of the position's mover."""

    position: int
    cp: int | None = None
    mate: int | None = None
    depth: int | None = None
    clock: float | None = None
    elapsed: float | None = None
    moves: list[str] | None = None
    option_cp: list[int | None] | None = None
    option_mate: list[int | None] | None = None
    format: str = "lichess"


def mentions_annotations(movetext: str) -> bool:
    """Whether it is worth reading the comments of this game."""
    return "[%" in movetext or mentions_engine(movetext)


def read_annotations(line: Mainline, moves: list[str], start_fen: str | None = None) -> list[Annotation]:
    """Annotations of a game, by position, from the comments on its legal moves (UCI)."""
    white_to_move = start_fen is None or " w" in start_fen
    found: dict[int, Annotation] = {}
    for position, texts in enumerate(line.comments[: len(moves) + 1]):
        mover_is_white = white_to_move == (position % 2 == 0)
        annotation = _lichess(texts, position, mover_is_white)
        if annotation is not None:
            found[position] = annotation
    _add_move_comments(found, line, moves, start_fen)
    return [found[position] for position in sorted(found)]


def _add_move_comments(
    found: dict[int, Annotation], line: Mainline, moves: list[str], start_fen: str | None
) -> None:
    """Add what comments say of the moves played: the options of the position before each."""
    board: chess.Board | None = None
    for ply, move in enumerate(moves):
        said = next(filter(None, map(read_move_comment, line.comments[ply + 1])), None)
        if said is None or _is_evaluated(found.get(ply)):
            continue
        board = board or (chess.Board(start_fen) if start_fen else chess.Board())
        while len(board.move_stack) < ply:
            board.push_uci(moves[len(board.move_stack)])
        options = {move: said}
        for written, comment in line.alternatives[ply]:
            other = read_move_comment(comment)
            name = _legal(board, written)
            if other is not None and name is not None:
                options.setdefault(name, other)
        _set_options(found.setdefault(ply, Annotation(ply)), options, said)
        if said.seconds is not None:
            found.setdefault(ply + 1, Annotation(ply + 1, format=said.format)).elapsed = said.seconds


def _is_evaluated(annotation: Annotation | None) -> bool:
    """Whether a comment in lichess's convention has told the value already; a clock alone tells none."""
    return annotation is not None and (annotation.cp is not None or annotation.mate is not None)


def _set_options(annotation: Annotation, options: dict[str, MoveComment], played: MoveComment) -> None:
    ranked = sorted(options.items(), key=lambda option: -_value(option[1]))
    best = ranked[0][1]
    annotation.cp, annotation.mate = best.cp, best.mate
    annotation.depth = played.depth
    annotation.format = played.format
    annotation.moves = [move for move, _ in ranked]
    annotation.option_cp = [option.cp for _, option in ranked]
    annotation.option_mate = [option.mate for _, option in ranked]


def _value(option: MoveComment) -> int:
    return from_cp(option.cp) if option.cp is not None else from_mate(option.mate or 0)


def _legal(board: chess.Board, written: str) -> str | None:
    """UCI of a move as written; None where it is not legal."""
    try:
        return board.parse_san(written).uci()
    except ValueError:
        return None


def _lichess(texts: list[str], position: int, mover_is_white: bool) -> Annotation | None:
    annotation = Annotation(position)
    some = False
    for text in texts:
        for command, argument in _COMMAND.findall(text):
            if command == "eval":
                some |= _read_evaluation(annotation, argument, mover_is_white)
            else:
                seconds = read_duration(argument)
                some |= seconds is not None
                if command == "clk":
                    annotation.clock = seconds
                else:
                    annotation.elapsed = seconds
    return annotation if some else None


def _read_evaluation(annotation: Annotation, argument: str, mover_is_white: bool) -> bool:
    match = _EVALUATION.fullmatch(argument)
    if match is None:
        return False
    mate, pawns, depth = match.groups()
    sign = 1 if mover_is_white else -1
    annotation.mate = sign * int(mate) if mate is not None else None
    annotation.cp = sign * round(100 * float(pawns)) if pawns is not None else None
    annotation.depth = int(depth) if depth is not None else None
    return True


def read_duration(text: str) -> float | None:
    """Seconds from `h:mm:ss`, `mm:ss` or plain seconds; None if it is none of them."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds, plain = match.groups()
    if plain is not None:
        return float(plain)
    return 3600.0 * int(hours or 0) + 60.0 * int(minutes) + float(seconds)


# Comments that engine matches and Alliot's database leave behind a move.

_CUTECHESS = re.compile(
    r"([+-]?)(?:M(\d{1,4})|(\d{1,4}\.\d{1,3}))/(\d{1,3})(?:,?\s+(\d{1,7}(?:\.\d+)?)\s*s)?"
)
_ALLIOT = re.compile(
    r"(?:#(-?\d{1,4})|(-?\d{1,6})),(\d{1,3}),\d{1,3},\d+,(\d{1,9}),\d{1,6},\(\d{1,6},\d{1,3}\)"
)
# As the paper prints it, without the braces of a comment.
_BARE_ALLIOT = re.compile(rf"(?<![{{\d,#-])({_ALLIOT.pattern})(?!\}})")


@dataclass(frozen=True)
class MoveComment:
    """What a comment says of the move before it, mover's view; exactly one of cp and mate is given."""

    cp: int | None
    mate: int | None
    depth: int
    seconds: float | None
    format: str


def mentions_engine(movetext: str) -> bool:
    """Whether there may be such comments in this game."""
    return "{" in movetext and (_ALLIOT.search(movetext) or _CUTECHESS.search(movetext)) is not None


def read_move_comment(text: str) -> MoveComment | None:
    """The comment of an engine match or of Alliot's database; None if it is neither."""
    if match := _CUTECHESS.match(text):
        sign, plies, pawns, depth, seconds = match.groups()
        return MoveComment(
            cp=None if pawns is None else _signed(sign, round(100 * float(pawns))),
            # Mates are counted in plies: the mover's end with an odd ply, the opponent's with an even one.
            mate=None if plies is None else _signed(sign, (int(plies) + 1) // 2),
            depth=int(depth),
            seconds=None if seconds is None else float(seconds),
            format="cutechess",
        )
    if match := _ALLIOT.match(text):
        mate, cp, depth, _ = match.groups()
        return MoveComment(
            cp=None if cp is None else int(cp),
            mate=None if mate is None else int(mate),
            depth=int(depth),
            seconds=None,
            format="alliot",
        )
    return None


def brace_comments(movetext: str) -> str:
    """The movetext with Alliot's comments in braces, also where they stand bare."""
    # One letter is found much faster than two, and most games have no bracket.
    return _BARE_ALLIOT.sub(r"{\1}", movetext) if "(" in movetext and ",(" in movetext else movetext


def _signed(sign: str, amount: int) -> int:
    return -amount if sign == "-" else amount


# The commands `[%eval]`, `[%clk]` and `[%emt]` of plain comments, read by compiled loops.

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
    """Its mover's view, as those of assay.pgn.comments."""
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
        _scan_all(
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
def _scan_all(letters, places, values, kinds):  # type: ignore[no-untyped-def]
    """Read every comment; comment i is from `places[i]` to `places[i + 1]`."""
    for index in range(len(kinds)):
        kinds[index] = _scan(letters, places[index], places[index + 1], values, index)


@njit()
def _scan(letters, start, end, values, row):  # type: ignore[no-untyped-def]
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
            said = _scan_evaluation(letters, argument, stop, values, row)
            if said == UNUSUAL:
                return UNUSUAL
            found = max(found, said)
        else:
            seconds = _scan_duration(letters, argument, stop)
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
def _scan_evaluation(letters, start, end, values, row):  # type: ignore[no-untyped-def]
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
def _scan_duration(letters, start, end):  # type: ignore[no-untyped-def]
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
