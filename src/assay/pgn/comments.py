"""Evaluations and clocks in the comments of a game.

A comment after n moves is, in lichess's convention, about the position after them: `[%eval 0.25,20]` is its
evaluation in pawns from White's view (`#-3` a mate) with an optional depth, `[%clk 1:30:05]` what the player
who moved has left, `[%emt 0:00:12]` how long the move took. Comments of engine matches (cutechess) and of
Alliot's database are about the move played, so about the position before it.

Games from a server have one comment behind each move and nothing else in it. The Rust reader gives the text
of each, and compiled loops (`read_commands`) read it some twenty times as fast as `read_annotations`. A game
with anything out of the ordinary (two comments behind a move, one before the first, comments of engine
matches, letters that are not ASCII) is recognised, and read by `read_annotations`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.compiled import njit
from assay.decisions.evaluation import from_cp, from_mate
from assay.decisions.schema import ANNOTATIONS

if TYPE_CHECKING:
    import chess

    from assay.pgn.san import Mainline

_COMMAND = re.compile(r"\[%(eval|clk|emt)\s+([^\]\s]+)\s*\]")
_EVALUATION = re.compile(r"(?:#([+-]?\d{1,4})|([+-]?\d{1,5}(?:\.\d+)?))(?:,(\d{1,3}))?")
_DURATION = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2}(?:\.\d+)?)|(\d{1,6}(?:\.\d+)?)")
_CUTECHESS = re.compile(
    r"([+-]?)(?:M(\d{1,4})|(\d{1,4}\.\d{1,3}))/(\d{1,3})(?:,?\s+(\d{1,7}(?:\.\d+)?)\s*s)?"
)
_ALLIOT = re.compile(
    r"(?:#(-?\d{1,4})|(-?\d{1,6})),(\d{1,3}),\d{1,3},\d+,(\d{1,9}),\d{1,6},\(\d{1,6},\d{1,3}\)"
)
# As the paper prints it, without the braces of a comment.
_BARE_ALLIOT = re.compile(rf"(?<![{{\d,#-])({_ALLIOT.pattern})(?!\}})")


@dataclass
class Annotation:
    """The content of one comment; evaluations from the view of the position's mover."""

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


@dataclass(frozen=True)
class MoveComment:
    """A comment on the move before it, mover's view; exactly one of cp and mate is given."""

    cp: int | None
    mate: int | None
    depth: int
    seconds: float | None
    format: str

    @property
    def value(self) -> int:
        """Its evaluation as one number."""
        return from_cp(self.cp) if self.cp is not None else from_mate(self.mate or 0)


def mentions_annotations(movetext: str) -> bool:
    """Whether the comments of this game are worth reading."""
    return "[%" in movetext or (
        "{" in movetext and (_ALLIOT.search(movetext) or _CUTECHESS.search(movetext)) is not None
    )


def brace_comments(movetext: str) -> str:
    """The movetext with Alliot's comments in braces, also where they stand bare."""
    # One letter is found much faster than two, and most games have no bracket.
    return _BARE_ALLIOT.sub(r"{\1}", movetext) if "(" in movetext and ",(" in movetext else movetext


def read_annotations(line: Mainline, moves: list[str], start_fen: str | None = None) -> list[Annotation]:
    """Annotations of a game, by position, from the comments on its legal moves (UCI)."""
    white_to_move = start_fen is None or " w" in start_fen
    by_position: dict[int, Annotation] = {}
    for position, texts in enumerate(line.comments[: len(moves) + 1]):
        annotation = _read_commands(texts, position, 1 if white_to_move == (position % 2 == 0) else -1)
        if annotation is not None:
            by_position[position] = annotation
    _add_move_comments(by_position, line, moves, start_fen)
    return [by_position[position] for position in sorted(by_position)]


def _read_commands(texts: list[str], position: int, sign: int) -> Annotation | None:
    """The commands of the comments on a position, whose mover's view is `sign` times White's."""
    annotation = Annotation(position)
    readable = False
    for command, argument in (match for text in texts for match in _COMMAND.findall(text)):
        if command == "eval":
            if (match := _EVALUATION.fullmatch(argument)) is not None:
                mate, pawns, depth = match.groups()
                annotation.mate = sign * int(mate) if mate is not None else None
                annotation.cp = sign * round(100 * float(pawns)) if pawns is not None else None
                annotation.depth = int(depth) if depth is not None else None
                readable = True
        else:
            seconds = read_duration(argument)
            setattr(annotation, "clock" if command == "clk" else "elapsed", seconds)
            readable |= seconds is not None
    return annotation if readable else None


def read_duration(text: str) -> float | None:
    """Seconds from `h:mm:ss`, `mm:ss` or plain seconds; None if it is none of them."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds, plain = match.groups()
    if plain is not None:
        return float(plain)
    return 3600.0 * int(hours or 0) + 60.0 * int(minutes) + float(seconds)


def _add_move_comments(
    by_position: dict[int, Annotation], line: Mainline, moves: list[str], start_fen: str | None
) -> None:
    """Add the comments on the moves played and on their alternatives: options of the position before each."""
    import chess

    board: chess.Board | None = None
    for ply, move in enumerate(moves):
        played = next(filter(None, map(read_move_comment, line.comments[ply + 1])), None)
        before = by_position.get(ply)
        if played is None or (before is not None and (before.cp is not None or before.mate is not None)):
            continue  # nothing here, or lichess's convention has the value already; a clock alone has none
        board = board or (chess.Board(start_fen) if start_fen else chess.Board())
        while len(board.move_stack) < ply:
            board.push_uci(moves[len(board.move_stack)])
        options = {move: played}
        for written, comment in line.alternatives[ply]:
            other = read_move_comment(comment)
            if other is not None and (uci := _legal(board, written)) is not None:
                options.setdefault(uci, other)
        ranked = sorted(options.items(), key=lambda option: -option[1].value)
        annotation = by_position.setdefault(ply, Annotation(ply))
        annotation.cp, annotation.mate = ranked[0][1].cp, ranked[0][1].mate
        annotation.depth, annotation.format = played.depth, played.format
        annotation.moves = [name for name, _ in ranked]
        annotation.option_cp = [option.cp for _, option in ranked]
        annotation.option_mate = [option.mate for _, option in ranked]
        if played.seconds is not None:
            behind = by_position.setdefault(ply + 1, Annotation(ply + 1, format=played.format))
            behind.elapsed = played.seconds


def read_move_comment(text: str) -> MoveComment | None:
    """The comment of an engine match or of Alliot's database; None if it is neither."""
    if match := _CUTECHESS.match(text):
        minus, plies, pawns, depth, seconds = match.groups()
        sign = -1 if minus == "-" else 1
        return MoveComment(
            cp=None if pawns is None else sign * round(100 * float(pawns)),
            # Mates are counted in plies: the mover's end with an odd ply, the opponent's with an even one.
            mate=None if plies is None else sign * ((int(plies) + 1) // 2),
            depth=int(depth),
            seconds=None if seconds is None else float(seconds),
            format="cutechess",
        )
    if match := _ALLIOT.match(text):
        mate, cp, depth, _ = match.groups()
        values = (None if cp is None else int(cp), None if mate is None else int(mate))
        return MoveComment(*values, depth=int(depth), seconds=None, format="alliot")
    return None


def _legal(board: chess.Board, written: str) -> str | None:
    """UCI of a move as written; None where it is not legal."""
    try:
        return board.parse_san(written).uci()
    except ValueError:
        return None


# Plain comments, many games at once.

NOTHING, SOMETHING, UNUSUAL = 0, 1, 2
"""The kinds of comments: without a command, with commands, left to `read_annotations`."""

VALUES = ("cp", "mate", "depth", "clock", "elapsed")
_CP, _MATE, _DEPTH, _CLOCK, _ELAPSED = range(len(VALUES))
_MOST_DIGITS = 15
"""A number of more digits may be rounded otherwise by `read_annotations`."""

Kinds: TypeAlias = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Annotations:
    """Annotations of many games in columns, one row each, game by game; NaN for what one does not contain."""

    game: Ints
    """Which of the games that were read together."""
    position: Ints
    engine: npt.NDArray[np.object_]
    """The annotation itself where it is a comment of an engine match or of Alliot's database; else None."""
    cp: Floats
    mate: Floats
    depth: Floats
    clock: Floats
    elapsed: Floats

    @classmethod
    def of(cls, listed: Sequence[tuple[int, Annotation]]) -> Annotations:
        """From annotations with their games."""
        columns = (np.array([getattr(each, name) for _, each in listed], np.float64) for name in VALUES)
        engine = np.full(len(listed), None)
        engine[:] = [None if each.format == "lichess" else each for _, each in listed]
        game = np.array([game for game, _ in listed], np.int64)
        position = np.array([each.position for _, each in listed], np.int64)
        return cls(game, position, engine, *columns)

    def joined(self, other: Annotations) -> Annotations:
        """These rows and those of other games."""
        names = self.__dataclass_fields__
        return Annotations(*(np.concatenate((getattr(self, n), getattr(other, n))) for n in names))

    def table(self, game_ids: Sequence[str], games: Mask) -> pa.Table:
        """Rows of the table annotations, of some of the games."""
        rows = np.flatnonzero(games[self.game])
        types = {column.name: column.type for column in ANNOTATIONS.arrow}
        engine = self.engine[rows].tolist()
        columns = {
            "game_id": pa.array(game_ids, pa.string()).take(pa.array(self.game[rows])),
            "position": pa.array(self.position[rows], types["position"]),
            "format": pa.array([each.format if each else "lichess" for each in engine], pa.string()),
        }
        for name in VALUES:
            columns[name] = pa.array(getattr(self, name)[rows], from_pandas=True).cast(types[name])
        for name in ("moves", "option_cp", "option_mate"):
            options = [getattr(each, name) if each else None for each in engine] if any(engine) else None
            columns[name] = (
                pa.nulls(len(rows), types[name]) if options is None else pa.array(options, types[name])
            )
        return pa.table(columns).select(ANNOTATIONS.arrow.names)


def read_commands(comments: Sequence[str | None] | pa.Array) -> tuple[Floats, Kinds]:
    """The VALUES of each comment, White's view; and its kind."""
    texts = comments if isinstance(comments, pa.Array) else pa.array(comments, pa.large_string())
    values = np.full((len(texts), len(VALUES)), np.nan)
    kinds = np.zeros(len(texts), dtype=np.uint8)
    if len(texts):
        _, places, letters = texts.buffers()
        places = np.frombuffer(places, dtype=np.int64)[: len(texts) + 1]
        _scan_all(np.frombuffer(letters or b"", dtype=np.uint8), places, values, kinds)
    return values, kinds


def plain_annotations(
    comments: tuple[Floats, Kinds], games: Ints, starts: Ints, lengths: Ints
) -> Annotations:
    """Annotations of games whose comments, one per move, begin at `starts`; White moves first."""
    values, kinds = comments
    ply = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    place = np.repeat(starts, lengths) + ply
    rows = kinds[place] == SOMETHING
    game, ply, columns = (
        np.repeat(games, lengths)[rows],
        ply[rows],
        np.ascontiguousarray(values[place[rows]].T),
    )
    columns[[_CP, _MATE]] *= np.where(ply % 2 == 0, -1.0, 1.0)  # behind White's move Black is the mover
    return Annotations(game, ply + 1, np.full(len(ply), None), *columns)


@njit()
def _scan_all(letters, places, values, kinds):  # type: ignore[no-untyped-def]
    """Read every comment; comment i is from `places[i]` to `places[i + 1]`."""
    for index in range(len(kinds)):
        kinds[index] = _scan(letters, places[index], places[index + 1], values, index)


@njit()
def _scan(letters, start, end, values, row):  # type: ignore[no-untyped-def]
    """Read one comment into its row; return its kind."""
    for place in range(start, end):
        if letters[place] >= 128:
            return UNUSUAL
    first = _after_blanks(letters, start, end)
    # A comment of an engine match begins with a number, a mate or a sign.
    if first < end and (48 <= letters[first] <= 57 or letters[first] in (35, 43, 45, 77)):
        return UNUSUAL
    kind = NOTHING
    place = start
    while place < end - 1:
        command = _command(letters, place, end)
        if command == 0:
            place += 1
            continue
        begin = place + (6 if command == 1 else 5)
        argument = stop = _after_blanks(letters, begin, end)
        while stop < end and not _is_blank(letters[stop]) and letters[stop] != 93:
            stop += 1
        close = _after_blanks(letters, stop, end)
        if argument == begin or stop == argument or close >= end or letters[close] != 93:
            place += 1
            continue
        if command == 1:
            read = _scan_evaluation(letters, argument, stop, values, row)
            if read == UNUSUAL:
                return UNUSUAL
            kind = max(kind, read)
        else:
            seconds = _scan_duration(letters, argument, stop)
            if seconds == -2.0:
                return UNUSUAL
            values[row, _CLOCK if command == 2 else _ELAPSED] = np.nan if seconds < 0 else seconds
            if seconds >= 0:
                kind = SOMETHING
        place = close + 1
    return kind


@njit()
def _command(letters, place, end):  # type: ignore[no-untyped-def]
    """1 for `[%eval`, 2 for `[%clk`, 3 for `[%emt`, 0 for anything else."""
    if place + 5 > end or letters[place] != 91 or letters[place + 1] != 37:
        return 0
    first, second, third = letters[place + 2], letters[place + 3], letters[place + 4]
    if first == 101 and second == 118 and third == 97:
        return 1 if place + 6 <= end and letters[place + 5] == 108 else 0
    if first == 99 and second == 108 and third == 107:
        return 2
    return 3 if first == 101 and second == 109 and third == 116 else 0


@njit()
def _scan_evaluation(letters, start, end, values, row):  # type: ignore[no-untyped-def]
    """`0.25`, `-12`, `#-3`, each with `,20` behind it or without; anything else is passed over."""
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
    number, place = _number(letters, place, digits, end, not mate)
    if place < 0:
        return NOTHING if place == -1 else UNUSUAL
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
    before, count, place = 0.0, 0, start  # seconds of the parts before the last
    while True:
        digits = _digits(letters, place, end)
        if digits == 0 or digits > 6:
            return -1.0
        count += 1
        if place + digits >= end or letters[place + digits] != 58 or count == 3:  # not a colon
            break
        if digits > 3:
            return -1.0
        before = 60.0 * (before + _whole(letters, place, digits))
        place += digits + 1
    if count > 1 and digits > 2:
        return -1.0
    seconds, place = _number(letters, place, digits, end, True)
    if place < 0:
        return float(place)
    return before + seconds if place == end else -1.0


@njit()
def _number(letters, place, digits, end, fractional):  # type: ignore[no-untyped-def]
    """A number of so many digits and perhaps a fraction; its end, -1 if it is wrong, -2 if it is unusual."""
    whole = _whole(letters, place, digits)
    place += digits
    if not fractional or place >= end or letters[place] != 46:
        return float(whole), place
    fraction = _digits(letters, place + 1, end)
    if fraction == 0:
        return 0.0, -1
    if digits + fraction > _MOST_DIGITS:
        return 0.0, -2
    scale = 10.0**fraction
    return (whole * scale + _whole(letters, place + 1, fraction)) / scale, place + 1 + fraction


@njit()
def _digits(letters, place, end):  # type: ignore[no-untyped-def]
    count = 0
    while place + count < end and 48 <= letters[place + count] <= 57:
        count += 1
    return count


@njit()
def _whole(letters, place, digits):  # type: ignore[no-untyped-def]
    number = 0
    for index in range(min(digits, _MOST_DIGITS + 1)):
        number = 10 * number + (int(letters[place + index]) - 48)
    return number


@njit()
def _after_blanks(letters, place, end):  # type: ignore[no-untyped-def]
    while place < end and _is_blank(letters[place]):
        place += 1
    return place


@njit()
def _is_blank(letter):  # type: ignore[no-untyped-def]
    return letter == 32 or 9 <= letter <= 13 or 28 <= letter <= 31
